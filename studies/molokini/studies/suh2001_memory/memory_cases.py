"""Synthetic programs that share a memory: every schedule by the LRU stack, by the model, by the heuristic."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

import numpy as np

from molokini.memory.contention import miss_rate
from molokini.memory.curves import Ints, knee
from molokini.memory.files import PROGRAMS, program
from molokini.memory.packing import MemoryJob, Slices, admitted, modelled, packed, partitions
from molokini.memory.stack import Stack, lru_misses
from molokini.memory.streams import beside, synthetic
from molokini.studies.study import Point, Row, seed_for

SCALE = 1.0 / 16.0
"""Of footprints and memories, so that streams can be shorter by as much; blocks are of 4 KB."""
REFERENCES = 150_000
"""Of each program in a schedule."""
SIZES_MB = (8, 16, 32, 64, 128, 256)
NAMES = tuple(PROGRAMS)
LETTERS = dict(zip(NAMES, "ABCDEF", strict=True))
QUANTA = tuple(round(10.0 ** (2.0 + 0.25 * k)) for k in range(13))
"""References of a quantum, over three decades."""
SHARING = ("gzip", "vortex", "vpr")
"""The programs of figure 4, in 64 MB."""
MIXES, JOBS = 10, 12
"""Sets of random jobs a seed, and jobs of each."""


@dataclass(frozen=True)
class Schedules:
    """All ten schedules of six programs on three processors in two slices."""

    cliffs: bool = True
    """Whether two programs have cliffs, or all have one knee. The paper's curves are not printed."""


@dataclass(frozen=True)
class Quanta:
    """Three programs that take turns on one processor, over quanta."""


@dataclass(frozen=True)
class Knees:
    """Three programs of which two fit together (figure 2); in closed form."""


@dataclass(frozen=True)
class Mixes:
    """Random jobs packed by memory, without it, and by requests."""


AnyCase = Schedules | Quanta | Knees | Mixes


def cases() -> Sequence[AnyCase]:
    """Every case once."""
    return [Schedules(), Schedules(cliffs=False), Quanta(), Knees(), Mixes()]


def run(point: Point) -> Row:
    """Measure one case."""
    case, references = point.case, max(5_000, round(REFERENCES * point.length))
    generator = np.random.Generator(np.random.Philox(seed_for("suh2001", point.seed)))
    if isinstance(case, Schedules):
        return _schedules(case.cliffs, references, generator)
    if isinstance(case, Quanta):
        return _quanta(references, generator)
    if isinstance(case, Knees):
        return _knees()
    return _mixes(max(2, round(MIXES * point.length)), generator)


def prepare() -> None:
    """Compile the stack."""
    stream = synthetic(knee(10, 30), 100, np.random.Generator(np.random.Philox(1)))
    lru_misses(stream, np.zeros_like(stream), 30, 10, 1)
    Stack(30).touch(stream)


@lru_cache(maxsize=2)
def programs(cliffs: bool) -> tuple[MemoryJob, ...]:
    """The six programs of Table 1, scaled."""
    if cliffs:
        return tuple(MemoryJob(name, program(name, SCALE)) for name in NAMES)
    footprints = [max(3, round(PROGRAMS[name] * 256 * SCALE)) for name in NAMES]
    return tuple(MemoryJob(n, knee(f / 3, f, 0.002)) for n, f in zip(NAMES, footprints, strict=True))


def blocks_of(megabytes: float) -> int:
    """Blocks of a memory of the paper, scaled."""
    return round(megabytes * 256 * SCALE)


def letters(slices: Slices) -> str:
    """A schedule as the paper writes it."""
    return ",".join("".join(LETTERS[NAMES[k]] for k in one) for one in slices)


@lru_cache(maxsize=2)
def schedules(cliffs: bool = True) -> tuple[Slices, ...]:
    """The ten schedules."""
    return tuple(partitions(programs(cliffs), 2, 3))


@lru_cache(maxsize=2)
def _models(cliffs: bool) -> dict[tuple[int, Slices], float]:
    jobs = programs(cliffs)
    return {
        (size, one): modelled(jobs, one, blocks_of(size)) for size in SIZES_MB for one in schedules(cliffs)
    }


def _schedules(cliffs: bool, references: int, generator: np.random.Generator) -> Row:
    jobs = programs(cliffs)
    streams = [synthetic(job.curve, references, generator) for job in jobs]
    threes: list[tuple[int, ...]] = list(combinations(range(len(jobs)), 3))
    slices = {one: _together(streams, one) for one in threes}
    row: dict[str, float] = {}
    for size in SIZES_MB:
        blocks = blocks_of(size)
        rates = {
            one: float(np.mean([slices[part].miss_rate(blocks) for part in one])) for one in schedules(cliffs)
        }
        for one, rate in rates.items():
            row[f"rate_{letters(one)}_{size}"] = rate
        order = sorted(rates.values())
        best_by_model = min(schedules(cliffs), key=lambda one: _models(cliffs)[size, one])
        heuristic = packed(jobs, blocks, 3, 2).slices
        row |= {
            f"average_{size}": float(np.mean(order)),
            f"best_{size}": order[0],
            f"worst_{size}": order[-1],
            f"by_model_{size}": rates[best_by_model],
            f"by_heuristic_{size}": rates[heuristic],
            f"model_over_{size}": float(
                np.mean([_models(cliffs)[size, one] for one in rates]) / np.mean(order)
            )
            if order[-1] > 0
            else 1.0,
        }
    total = sum(int(stream.max()) + 1 for stream in streams)
    turns = [_alternating(streams, one, total, blocks_of(256), references // 10) for one in schedules(cliffs)]
    row |= {"switching_best": min(turns), "switching_worst": max(turns)}
    return row


def _together(streams: Sequence[Ints], members: tuple[int, ...]) -> Stack:
    """The stack of three programs that run at once; the first half of the references warms it up."""
    chosen = [streams[k] for k in members]
    refs, _ = beside(chosen, chosen[0].size, [range(len(chosen))], 1)
    stack = Stack(int(refs.max()) + 1)
    half = refs.size // 2
    stack.touch(refs[:half])
    stack.restart_counting()
    stack.touch(refs[half:])
    return stack


def _alternating(streams: Sequence[Ints], slices: Slices, total: int, blocks: int, quantum: int) -> float:
    """The miss rate where both slices share one LRU memory and take turns."""
    refs, owners = beside(streams, quantum, slices, max(6, streams[0].size // quantum))
    half = refs.size // 2
    whole = lru_misses(refs, owners, total, blocks, len(streams)).sum()
    warm = lru_misses(refs[:half], owners[:half], total, blocks, len(streams)).sum()
    return float(whole - warm) / (refs.size - half)


def _quanta(references: int, generator: np.random.Generator) -> Row:
    curves = [program(name, SCALE) for name in SHARING]
    streams = [synthetic(curve, references, generator) for curve in curves]
    total = sum(int(stream.max()) + 1 for stream in streams)
    blocks, row = blocks_of(64), dict[str, float]()
    for quantum in QUANTA:
        simulated = _alternating(streams, ((0,), (1,), (2,)), total, blocks, quantum)
        model = miss_rate([[curve] for curve in curves], [[1.0]] * 3, blocks, quantum)
        row |= {f"simulated_{quantum}": simulated, f"model_{quantum}": model}
    return row


def _knees() -> Row:
    """A and B have early knees and long tails; C falls late: which two share 200 blocks best?"""
    curves = {"A": knee(25, 400, 0.02), "B": knee(30, 500, 0.02), "C": knee(300, 600)}
    row = {}
    for alone in curves:
        pair = [curves[name] for name in curves if name != alone]
        row[f"alone_{alone}"] = miss_rate([pair, [curves[alone]]], [[1.0, 1.0], [1.0]], 200)
    return row


def _mixes(count: int, generator: np.random.Generator) -> Row:
    """Mean time of a job's reference where misses cost 50 references, by how slices were chosen."""
    blocks, processors, cost = 1024, 4, 50.0
    found: dict[str, list[float]] = {name: [] for name in ("packed", "blind", "requests")}
    idler = 0
    for _ in range(count):
        jobs = [_random_job(k, blocks, generator) for k in range(JOBS)]
        slices = -(-JOBS // processors)
        chosen: dict[str, Slices] = {
            "packed": packed(jobs, blocks, processors, slices).slices,
            "blind": tuple(tuple(range(s * processors, (s + 1) * processors)) for s in range(slices)),
        }
        chosen["requests"] = _by_requests(jobs, blocks, processors)
        for name, one in chosen.items():
            rate = modelled(jobs, one, blocks)
            # Slices of equal length take turns: more of them make every job slower.
            found[name].append((1.0 + cost * rate) * len(one) / slices)
        best = packed(jobs, blocks // 4, processors, None, latency=4 * cost)
        idler += len(best.slices) > slices
    return {**{name: float(np.mean(values)) for name, values in found.items()}, "idle_better": idler / count}


def _random_job(k: int, blocks: int, generator: np.random.Generator) -> MemoryJob:
    footprint = int(np.clip(round(2.0 ** generator.uniform(3.0, 10.0)), 8, blocks))
    return MemoryJob(str(k), knee(footprint / float(generator.uniform(2.0, 8.0)), footprint, 0.001))


def _by_requests(jobs: Sequence[MemoryJob], blocks: int, processors: int) -> Slices:
    """Slices that admission by requests fills: as many as it takes."""
    for slices in range(-(-len(jobs) // processors), len(jobs) + 1):
        found, waiting = admitted(jobs, blocks, processors, slices)
        if not waiting:
            return found
    raise AssertionError("a slice of its own has room for every job")
