"""Which jobs share a slice: relative footprints, packing, every partition tried, admission by requests.

Suh, Rudolph and Devadas (JSSPP 2001, section 4.1); admission after Batat and Feitelson (2000), as they tell
it.
"""

import heapq
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from molokini.memory.contention import Idle, idle, miss_rate
from molokini.memory.curves import Curve, Ints
from molokini.model.errors import BadInput, BadValue

MOST_TRIED = 8
"""Jobs of which every partition is tried."""


@dataclass(frozen=True, eq=False)
class MemoryJob:
    """A job as memory sees it."""

    name: str
    curve: Curve
    processors: int = 1
    references: float = 1.0
    """In a slice, relative to other jobs."""
    requested: int | None = None
    """Blocks that it asks for; None: its footprint."""

    @property
    def asks(self) -> int:
        """What an administrator believes that it needs."""
        return self.curve.footprint if self.requested is None else self.requested


Slices = tuple[tuple[int, ...], ...]
"""Jobs of each slice, by their places; rising inside of a slice."""


def relative_footprints(jobs: Sequence[MemoryJob], blocks: int, hull: bool = True) -> Ints:
    """How many of *blocks* each job has if each block goes to the job that gains most by it.

    Ties go to the first job. With *hull* gains are those of the convex hull, so that a cliff far off is seen;
    without it the algorithm is the paper's. Blocks that gain nothing are left over.
    """
    if blocks < 0:
        raise BadValue("blocks", blocks, "a whole number of 0 or more")
    gains = [-np.diff((job.curve.hull() if hull else job.curve).rates) * job.references for job in jobs]
    found = np.zeros(len(jobs), dtype=np.int64)
    # Runs of equal gain are taken at once: a hull has long straight pieces.
    heap = [(-float(gain[0]), k) for k, gain in enumerate(gains) if gain.size and gain[0] > 0]
    heapq.heapify(heap)
    left = blocks
    while left > 0 and heap:
        _, k = heapq.heappop(heap)
        other = -heap[0][0] if heap else 0.0
        taken = int(found[k])
        while left > 0 and taken < gains[k].size:
            value = float(gains[k][taken])
            if value <= 0 or value < other or (value == other and heap and heap[0][1] < k):
                break
            taken += 1
            left -= 1
        found[k] = taken
        if left > 0 and taken < gains[k].size and gains[k][taken] > 0:
            heapq.heappush(heap, (-float(gains[k][taken]), k))
    return found


@dataclass(frozen=True)
class Packed:
    """Jobs in slices, and what that is believed to cost."""

    slices: Slices
    footprints: tuple[int, ...]
    idle: Idle


def packed(
    jobs: Sequence[MemoryJob],
    blocks: int,
    processors: int,
    slices: int | None = None,
    latency: float = 0.0,
    hull: bool = True,
) -> Packed:
    """The heuristic: relative footprints, their number of slices, the largest job to the emptiest slice.

    *slices* None: from as few as the jobs need on, one more as long as the idle time that is estimated falls
    (*latency* of a miss, in slices' lengths). Raises BadInput for more slices than jobs, or too few.
    """
    fewest = checked(jobs, processors, slices)
    if slices is not None:
        return _packed_into(jobs, blocks, processors, slices, latency, hull)
    best = _packed_into(jobs, blocks, processors, fewest, latency, hull)
    for count in range(fewest + 1, len(jobs) + 1):
        tried = _packed_into(jobs, blocks, processors, count, latency, hull)
        if tried.idle.as_printed >= best.idle.as_printed:
            break
        best = tried
    return best


def checked(jobs: Sequence[MemoryJob], processors: int, slices: int | None) -> int:
    """The fewest slices that may do; BadInput where jobs, machine and *slices* do not go together."""
    if not jobs:
        raise BadInput("there are no jobs to pack")
    for job in jobs:
        if not 1 <= job.processors <= processors:
            raise BadValue(f"job {job.name}: processors", job.processors, f"from 1 to {processors}")
    fewest = math.ceil(sum(job.processors for job in jobs) / processors)
    if slices is not None and slices > len(jobs):
        raise BadValue("slices", slices, f"at most as many as jobs ({len(jobs)})")
    if slices is not None and slices < fewest:
        raise BadValue("slices", slices, f"at least {fewest}: the jobs have more processes than that holds")
    return fewest


def _packed_into(
    jobs: Sequence[MemoryJob], blocks: int, processors: int, slices: int, latency: float, hull: bool
) -> Packed:
    footprints = relative_footprints(jobs, blocks * slices, hull)
    members: list[list[int]] = [[] for _ in range(slices)]
    for k in sorted(range(len(jobs)), key=lambda k: (-int(footprints[k]), k)):
        free = [s for s in range(len(members)) if _held(jobs, members[s]) + jobs[k].processors <= processors]
        if not free:
            members.append([])
            free = [len(members) - 1]
        best = min(free, key=lambda s: (sum(int(footprints[j]) for j in members[s]), s))
        members[best].append(k)
    misses = sum(
        job.curve.rate(float(size)) * job.references for job, size in zip(jobs, footprints, strict=True)
    )
    processes = [_held(jobs, one) for one in members]
    cost = idle(misses, latency, processes, [1.0] * len(members), processors)
    return Packed(_ordered(members), tuple(footprints.tolist()), cost)


def _held(jobs: Sequence[MemoryJob], members: Sequence[int]) -> int:
    return sum(jobs[k].processors for k in members)


def _ordered(members: Sequence[Sequence[int]]) -> Slices:
    return tuple(sorted(tuple(sorted(one)) for one in members if one))


def placed_on_nodes(
    jobs: Sequence[MemoryJob], footprints: Sequence[int], members: Sequence[int], nodes: int, size: int
) -> list[list[int]]:
    """On which node each process of a slice runs: each has its part of the footprint, largest first.

    By node, the jobs of its processes. Raises BadValue where the processes are more than the processors.
    """
    if _held(jobs, members) > nodes * size:
        raise BadValue("processes", _held(jobs, members), f"at most {nodes * size}, as there are processors")
    found: list[list[int]] = [[] for _ in range(nodes)]
    totals = [0.0] * nodes
    processes = [(footprints[k] / jobs[k].processors, k) for k in members for _ in range(jobs[k].processors)]
    for part, k in sorted(processes, key=lambda one: (-one[0], one[1])):
        node = min((n for n in range(nodes) if len(found[n]) < size), key=lambda n: (totals[n], n))
        found[node].append(k)
        totals[node] += part
    return found


def partitions(jobs: Sequence[MemoryJob], slices: int, processors: int) -> Iterator[Slices]:
    """Every way to put *jobs* into so many slices, none empty, each once; in a fixed order."""

    def grown(k: int, members: list[list[int]]) -> Iterator[Slices]:
        if k == len(jobs):
            if len(members) == slices:
                yield _ordered(members)
            return
        for one in members:
            if _held(jobs, one) + jobs[k].processors <= processors:
                one.append(k)
                yield from grown(k + 1, members)
                one.pop()
        if len(members) < slices:
            members.append([k])
            yield from grown(k + 1, members)
            members.pop()

    yield from grown(0, [])


def modelled(jobs: Sequence[MemoryJob], slices: Slices, blocks: int, quantum: float | None = None) -> float:
    """The overall miss rate of a schedule by the analytical model."""
    curves = [[jobs[k].curve for k in one] for one in slices]
    shares = [[jobs[k].references for k in one] for one in slices]
    return miss_rate(curves, shares, blocks, quantum)


def exhaustive(
    jobs: Sequence[MemoryJob], slices: int, processors: int, blocks: int, quantum: float | None = None
) -> list[tuple[float, Slices]]:
    """Every partition with its miss rate by the model, the best first; for few jobs only."""
    if len(jobs) > MOST_TRIED:
        raise BadValue("jobs", len(jobs), f"at most {MOST_TRIED} for every partition to be tried")
    checked(jobs, processors, slices)
    return sorted((modelled(jobs, one, blocks, quantum), one) for one in partitions(jobs, slices, processors))


def admitted(
    jobs: Sequence[MemoryJob], blocks: int, processors: int, slices: int
) -> tuple[Slices, tuple[int, ...]]:
    """Admission by requests, in order: a job enters the first slice with processors and memory for it.

    The slices, and the jobs that wait. Raises BadValue for a request above the memory: such a job waits for
    ever.
    """
    members: list[list[int]] = [[] for _ in range(slices)]
    waiting = []
    for k, job in enumerate(jobs):
        if job.requested is not None and job.asks > blocks:
            raise BadValue(f"job {job.name}: memory", job.asks, f"at most the {blocks:,} blocks there are")
        for one in members:
            memory = sum(jobs[j].asks for j in one) + job.asks
            if _held(jobs, one) + job.processors <= processors and memory <= blocks:
                one.append(k)
                break
        else:
            waiting.append(k)
    return _ordered(members), tuple(waiting)
