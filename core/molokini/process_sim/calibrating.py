"""Which mean interval between jobs gives a memory load: by bisection, as that depends on how long jobs take.

Eq. 5 of Gine et al. 2001 defines the interval by what nodes need, which depends on the interval.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log

from molokini.process_sim.memory_jobs import MemoryTasks, horizon_ns, memory_jobs, unreachable
from molokini.process_sim.paging import count_load
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import MS, S, Scenario, Settings
from molokini.process_sim.words import Wait

LEAST_NS, MOST_NS = MS, 24 * 3600 * S
TOLERANCE = 0.02
_MOST_STEPS = 40


@dataclass(frozen=True)
class Calibrated:
    """An interval, and what it gave."""

    interval_ns: int
    load: float
    tasks_a_node: float


def memory_load(run: ScenarioReplay) -> float:
    """The mean over time and nodes of what is needed, of a node's memory."""
    memory, world = run.world.memory, run.world
    for node in range(run.scenario.nodes):
        count_load(world, node)
    elapsed_us = max(1, int(world.now) // 1000)
    return float(memory.load.sum()) / (elapsed_us * run.scenario.nodes * int(memory.pages))


def tasks_a_node(run: ScenarioReplay) -> float:
    """The mean over time of tasks that are there, by node."""
    jobs, now = run.world.jobs, int(run.world.now)
    there = 0
    for job in range(jobs.count.size):
        if jobs.placed[job] >= 0:
            end = int(jobs.end[job]) if jobs.end[job] >= 0 else now
            there += (end - int(jobs.placed[job])) * int(jobs.count[job])
    return there / max(1, now) / run.scenario.nodes


def calibrated(
    plain: Scenario, made: MemoryTasks, field: str, told: Callable[[Calibrated], None] | None = None
) -> Calibrated:
    """The interval at which *plain* with these tasks has their load, under RR, within 2%.

    Raises BadInput, with the nearest load, where there is none.
    """
    assert made.load is not None
    settings = Settings("rr", Wait.BLOCK)

    def tried(interval_ns: int) -> Calibrated:
        jobs = memory_jobs(made, plain.nodes, plain.seed, interval_ns)
        until = max(MS, horizon_ns(made, plain.seed, interval_ns))
        run = ScenarioReplay(replace(plain, jobs=jobs, until_ns=until, settings=settings)).finish()
        found = Calibrated(interval_ns, memory_load(run), tasks_a_node(run))
        if told is not None:
            told(found)
        return found

    low, high = _bracket(made, tried, field)
    nearest = low if abs(low.load - made.load) < abs(high.load - made.load) else high
    for step in range(_MOST_STEPS):
        if abs(nearest.load - made.load) <= TOLERANCE * made.load:
            return nearest
        if high.interval_ns - low.interval_ns <= 1:
            break
        found = tried(_between(low, high, made.load, step))
        if abs(found.load - made.load) < abs(nearest.load - made.load):
            nearest = found
        low, high = (found, high) if found.load > made.load else (low, found)
    raise unreachable(field, made.load, nearest.load, f"with {nearest.interval_ns / S:.6g} s between jobs")


def _bracket(
    made: MemoryTasks, tried: Callable[[int], Calibrated], field: str
) -> tuple[Calibrated, Calibrated]:
    """Two intervals between which the load is: more at the first, less at the second."""
    assert made.load is not None
    found = tried(S)
    factor = 4 if found.load > made.load else 0.25
    while True:
        before = found
        interval = round(before.interval_ns * factor)
        if interval < LEAST_NS and before.interval_ns <= LEAST_NS:
            raise unreachable(field, made.load, found.load, "with all jobs at once; take more jobs")
        if interval > MOST_NS and before.interval_ns >= MOST_NS:
            raise unreachable(field, made.load, found.load, "with a day between jobs")
        found = tried(min(MOST_NS, max(LEAST_NS, interval)))
        if factor > 1 and found.load <= made.load:
            return before, found
        if factor < 1 and found.load >= made.load:
            return found, before


def _between(low: Calibrated, high: Calibrated, load: float, step: int) -> int:
    """Where a straight line between logarithms meets the load; every third time the middle."""
    share = 0.5
    if step % 3 < 2 and low.load > high.load > 0:
        share = log(low.load / load) / log(low.load / high.load)
    share = min(0.95, max(0.05, share))
    middle = round(float(low.interval_ns) ** (1 - share) * float(high.interval_ns) ** share)
    return int(min(high.interval_ns - 1, max(low.interval_ns + 1, middle)))
