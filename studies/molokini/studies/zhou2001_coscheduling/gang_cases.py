"""The four experiments as cases: a load, classes, limits, and which jobs; and what each run measures."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from molokini.metrics.row_measures import slots
from molokini.metrics.timelines import busy_processors, integral, span
from molokini.sim.replay import Replay
from molokini.sim.schedule import Schedule, Trace
from molokini.studies.replays import jobs_of_model, replay_of
from molokini.studies.study import Point, Row
from molokini.tables.sizes import MOST_SLOTS
from molokini.workloads.workload import Workload

JOBS, PROCESSORS = 10_000, 128
_FEWEST = 200
LOADS = (0.1, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
HIGHEST = LOADS[-1]
UNLIMITED = 0
FIRST_LIMITS = (1, 2, 3, 6, 12, 30, UNLIMITED)
"""k_m of experiment 1, in the order of its curves."""
SECOND_LIMITS = (UNLIMITED, 30, 6, 2, 1)
"""k_m of experiment 2, from the loosest to the tightest."""
LONG_FROM = (0.2, 0.4, 0.6, 0.8, 0.9)
"""alpha_l of experiment 3, beside 1."""
LONG_LIMITS = (1, 2, 3, 6)
"""k_l of experiment 3."""
LONG_JOB = 0.8
"""Jobs above this part of the longest are the long ones of figure 5."""
LEAST_RUNS_S = (10.0, 60.0)
"""Other bounds of run times, as slowdowns depend on them."""
NEAREST_LOADS = (0.5, 0.7)
"""Loads with sizes of all numbers; blocks of these take 1.39 times as much of the machine."""


@dataclass(frozen=True)
class ClassRun:
    """A policy's classes and limits at a load; *k_m*, *k_l* 0: no limit."""

    load: float
    alpha_m: float
    alpha_l: float
    k_m: int
    k_l: int = 1
    sizes: str = "powers"
    least_run_s: float = 1.0


def first(load: float, k_m: int) -> ClassRun:
    """Experiment 1: all jobs are alike."""
    return ClassRun(load, 0.0, 1.0, k_m)


def second(load: float, k_m: int) -> ClassRun:
    """Experiment 2: long jobs alone are queued."""
    return ClassRun(load, 0.8, 1.0, k_m)


def third(load: float, alpha_l: float = 0.8, k_l: int = 1) -> ClassRun:
    """Experiment 3: six slots at most, and fewer long jobs. Where none is long, it is experiment 1."""
    return first(load, 6) if alpha_l == 1.0 else ClassRun(load, 0.0, alpha_l, 6, k_l)


def fourth(load: float) -> ClassRun:
    """Experiment 4: the same, but short jobs start at once."""
    return ClassRun(load, 0.15, 0.8, 6)


def varied(load: float) -> list[ClassRun]:
    """The settings that are tried on other workloads, too."""
    return [first(load, 6), first(load, 30), second(load, 1), fourth(load)]


def cases() -> list[ClassRun]:
    """Every case."""
    found = [first(load, k) for load in LOADS for k in FIRST_LIMITS]
    found += [second(load, k) for load in LOADS for k in SECOND_LIMITS]
    found += [third(load, alpha) for load in LOADS for alpha in LONG_FROM]
    found += [third(load, k_l=k) for load in LOADS for k in LONG_LIMITS]
    found += [fourth(load) for load in LOADS]
    found += [replace(one, least_run_s=least) for one in varied(HIGHEST) for least in LEAST_RUNS_S]
    return found + [replace(one, sizes="nearest") for load in NEAREST_LOADS for one in varied(load)]


def jobs_of(case: ClassRun) -> tuple[float, str, float]:
    """What its jobs follow from, beside the seed."""
    return case.load, case.sizes, case.least_run_s


def run(point: Point) -> Row:
    """Measure one case."""
    case = point.case
    assert isinstance(case, ClassRun)
    workload = _jobs(*jobs_of(case), point.seed, max(_FEWEST, round(JOBS * point.length)))
    replay = _replayed(workload, case)
    replay.run()
    return measured(replay.schedule())


def measured(schedule: Schedule) -> Row:
    """Slowdowns without a bound, waits, and how many slots there were."""
    workload = schedule.workload
    slowdown = (schedule.end_s - workload.submit_s) / workload.run_s
    long = workload.run_s > LONG_JOB * workload.run_s.max()
    wait_s, ends = schedule.start_s - workload.submit_s, span(schedule)
    assert ends is not None
    none = np.zeros(0)
    # Whether any job runs follows from starts and ends, which are fewer than changes of slots.
    running = busy_processors(replace(schedule, trace=Trace(none, none.astype(np.int64), none, none)))
    found = slots(schedule, running)
    return {
        "slowdown": float(slowdown.mean()),
        "long_slowdown": float(slowdown[long].mean()),
        "mean_slots": integral(found, *ends) / (ends[1] - ends[0]),
        "max_slots": float(found.values.max()),
        "mean_wait_s": float(wait_s.mean()),
        "max_wait_s": float(wait_s.max()),
        "utilization": float(workload.processors @ workload.run_s)
        / (schedule.processors * (ends[1] - ends[0])),
    }


@lru_cache(maxsize=2)
def _jobs(load: float, sizes: str, least_run_s: float, seed: int, jobs: int) -> Workload:
    """Other loads, the same jobs: only their gaps are longer."""
    given = {"load": load, "sizes": sizes, "least_run": least_run_s, "processors": PROCESSORS}
    return jobs_of_model("uniform-log", "zhou2001", seed, jobs=jobs, seconds="fractions", **given)


def _replayed(workload: Workload, case: ClassRun) -> Replay:
    classes = {"alpha_m": case.alpha_m, "alpha_l": case.alpha_l, "k_m": case.k_m, "k_l": case.k_l}
    longest_s = float(workload.estimate_s.max())
    return replay_of(workload, "buddy-gang", slots=MOST_SLOTS, longest_s=longest_s, **classes)


def prepare() -> None:
    """Compile the policy."""
    _replayed(_jobs(0.5, "powers", 1.0, 1, _FEWEST), fourth(0.5)).run()
