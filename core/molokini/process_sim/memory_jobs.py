"""The workload of Gine et al. 2001: parallel jobs, small and large, beside local tasks, each with its memory.

Section 5.1 of the paper. Every number is drawn by its name and the seed; instants of arrival are those of a
unit rate times the mean interval, so that two intervals see the same jobs, only closer together.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import log

from molokini.model.errors import BadInput
from molokini.process_sim.kinds import Dice, exchanging
from molokini.process_sim.scenario import MS, Dist, Job, Pages, Process, S, Step
from molokini.process_sim.words import Draw, Op, Pattern

_AT, _CLASS, _SIZE, _WORK, _PAGES, _LOCAL_AT, _LOCAL_NODE, _LOCAL_WORK, _LOCAL_PAGES, _MIX = range(31, 41)
_MOST_ROUNDS = 10**12


@dataclass(frozen=True)
class MemoryTasks:
    """What arrives."""

    load: float | None = 1.0
    """Memory that is needed, of that which there is, on average; None: ``interval_ns`` says what comes."""
    interval_ns: int = S
    """Mean time between parallel jobs, where ``load`` is not given."""
    jobs: int = 100
    """Parallel jobs, and local ones in proportion."""
    large_share: float = 0.5
    """pdt: the share of large jobs; the others are small."""
    locals_a_job: float = 40.0
    """Local tasks of the whole cluster for each parallel job."""
    local_class: bool = False
    """Whether pdt is the share of small jobs and the others are local: the trial of little memory."""
    small_ns: int = 15 * S
    """Mean CPU time of a task of a small job, and of a local task: exponential."""
    large_ns: int = 180 * S
    frequency_ns: int = 30 * MS
    """Mean CPU time between two messages of a task (mfreq)."""
    message: int = 0
    largest: int = 8192
    """mest: pages of a local task at most; those of small jobs have 1 to 2, large 2 to 4 times as many."""
    local_set: float = 0.5
    """Working set of a local task, of its memory, on average ..."""
    parallel_set: float = 0.8
    """... and of a parallel one."""
    deviation: float = 0.1
    phases: float = 10.0
    """Phases of a task, on average; 0: one."""


def horizon_ns(made: MemoryTasks, seed: int, interval_ns: int) -> int:
    """When the last parallel job arrives."""
    return round(sum(_gaps(made.jobs, Dice(seed, _AT))) * interval_ns)


def _gaps(count: int, dice: Dice) -> Iterator[float]:
    return (-log(dice.share(k)) for k in range(count))


def memory_jobs(made: MemoryTasks, nodes: int, seed: int, interval_ns: int) -> list[Job]:
    """All jobs, parallel ones first."""
    found, at = list[Job](), 0.0
    for number, gap in enumerate(_gaps(made.jobs, Dice(seed, _AT))):
        at += gap
        found.append(_parallel(made, number, round(at * interval_ns), nodes, seed))
    return found + _local_tasks(made, at, nodes, seed, interval_ns)


def _parallel(made: MemoryTasks, number: int, at_ns: int, nodes: int, seed: int) -> Job:
    chosen = Dice(seed, _CLASS).share(number) <= made.large_share
    if made.local_class and not chosen:
        node = Dice(seed, _LOCAL_NODE).below(number, nodes)
        return _local(made, f"L{number + 1}", at_ns, node, number, seed)
    large = chosen and not made.local_class
    low, high = (nodes // 4, nodes) if large else (1, nodes // 8)
    powers = [2**k for k in range(12) if max(1, low) <= 2**k <= max(1, high)]
    size = powers[Dice(seed, _SIZE).below(number, len(powers))]
    work = -log(Dice(seed, _WORK).share(number)) * (made.large_ns if large else made.small_ns)
    rounds = max(1, min(_MOST_ROUNDS, round(work / made.frequency_ns)))
    steps = [Step(Op.COMPUTE, Dist(Draw.EXPONENTIAL, made.frequency_ns))]
    if size > 1:
        steps.append(exchanging(Pattern.RANDOM, made.message))
    steps.append(Step(Op.LOOP, peer=0, count=rounds))
    least, most = (2, 4) if large else (1, 2)
    pages = Dice(seed, _PAGES)
    processes = []
    for rank in range(size):
        share = pages.share(number * 4096 + rank)
        vir = round((least + share * (most - least)) * made.largest)
        processes.append(Process(tuple(steps), pages=_pages(made, vir, made.parallel_set, round(work))))
    return Job(f"{'G' if large else 'P'}{number + 1}", processes, at_ns)


def _pages(made: MemoryTasks, vir: int, share: float, work_ns: int) -> Pages:
    phase = max(1, round(work_ns / made.phases)) if made.phases > 0 else 0
    return Pages(vir, round(vir * share), round(vir * made.deviation), phase)


def _local_tasks(made: MemoryTasks, until: float, nodes: int, seed: int, interval_ns: int) -> list[Job]:
    """Poisson, on nodes by chance, while parallel jobs arrive."""
    found, at, number = list[Job](), 0.0, 0
    if made.locals_a_job <= 0 or made.local_class:
        return found
    dice = Dice(seed, _LOCAL_AT)
    while True:
        at += -log(dice.share(number)) / made.locals_a_job
        if at >= until:
            return found
        node = Dice(seed, _LOCAL_NODE).below(number, nodes)
        found.append(_local(made, f"L{number + 1}", round(at * interval_ns), node, number, seed))
        number += 1


def _local(made: MemoryTasks, name: str, at_ns: int, node: int, number: int, seed: int) -> Job:
    work = max(1, round(-log(Dice(seed, _LOCAL_WORK).share(number)) * made.small_ns))
    vir = max(1, round(Dice(seed, _LOCAL_PAGES).share(number) * made.largest))
    program = (Step(Op.COMPUTE, Dist(Draw.CONSTANT, work)),)
    return Job(name, [Process(program, node, pages=_pages(made, vir, made.local_set, work))], at_ns)


def unreachable(field: str, wanted: float, nearest: float, where: str) -> BadInput:
    """The error for a load that no arrival rate reaches."""
    return BadInput(
        f"{field}: no arrival rate reaches a memory load of {wanted:g}; the nearest is {nearest:.4g}, {where}"
    )
