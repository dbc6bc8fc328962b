"""Many replays: every workload at every load factor and seed under every policy, on several processes.

The order of the results is that of the points, whatever process was first, and nothing in them but
the elapsed time depends on how many there were.
"""

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from molokini.clients.failures import describe
from molokini.clients.preparing import Chosen
from molokini.clients.replaying import replayed
from molokini.metrics import Cell, Measures, measure, table
from molokini.model.errors import BadInput, BadValue, MolokiniError
from molokini.scheduling.tables import Machine
from molokini.sim.replay import Options, Replay
from molokini.sim.schedule import Schedule, Trace
from molokini.workloads.replicate import resample_arrivals
from molokini.workloads.scaling import scale_load
from molokini.workloads.workload import Workload

COMPARED = ("wait_s", "response_s", "bounded_slowdown")
"""Job metrics whose means are compared, with intervals."""

SHOWN = ("median_wait_s", "p95_wait_s", "utilization", "loss_of_capacity")
"""What the table shows beside them."""


@dataclass(frozen=True)
class Point:
    """One replay of a sweep; *seed* None is the workload as it is."""

    log: int
    load_factor: float
    seed: int | None
    policy: int


@dataclass(frozen=True)
class Plan:
    """All that the processes of a sweep share."""

    logs: Sequence[Workload]
    machines: Sequence[Machine]
    policies: Sequence[Chosen]
    options: Options
    tau_s: float
    batch_size: int | None

    def workload(self, point: Point) -> Workload:
        """The workload of *point*: its log, scaled, then resampled."""
        scaled = scale_load(self.logs[point.log], point.load_factor)
        return scaled if point.seed is None else resample_arrivals(scaled, point.seed)


@dataclass(frozen=True)
class Outcome:
    """What a replay came to."""

    point: Point
    measures: Measures
    cells: Sequence[Cell]
    """Of the metrics that are compared and shown, under the policy's plain name."""
    schedule: Schedule
    """Without its trace and its workload's records, which nothing needs any more."""


@dataclass(frozen=True)
class _Failure:
    text: str
    exit_code: int


def sweep(plan: Plan, points: Sequence[Point], workers: int) -> Iterator[Outcome]:
    """The outcome of each point, in order, as soon as it and all before it are there."""
    _warm(plan)
    outcomes = _here(plan, points) if min(workers, len(points)) < 2 else _elsewhere(plan, points, workers)
    for outcome in outcomes:
        if isinstance(outcome, _Failure):
            raise (BadInput if outcome.exit_code == BadInput.exit_code else MolokiniError)(outcome.text)
        yield outcome


def default_workers(given: int | None) -> int:
    """How many processes: as *given*, else one for each core that we may use."""
    if given is not None and given < 1:
        raise BadValue("--workers", given, "a whole number of 1 or more")
    return given or len(os.sched_getaffinity(0))


def _warm(plan: Plan) -> None:
    """Compile every policy once, here, before there are processes that would each do it."""
    for chosen in plan.policies:
        nobody = plan.logs[0].take(slice(0, 0))
        Replay(nobody, plan.machines[0], chosen.policy, chosen.values, plan.options).prepare()


def _here(plan: Plan, points: Sequence[Point]) -> Iterator[Outcome | _Failure]:
    _adopt(plan)
    return map(_outcome, points)


def _elsewhere(plan: Plan, points: Sequence[Point], workers: int) -> Iterator[Outcome | _Failure]:
    # Forked processes share the logs and the compiled code of this one, and load nothing.
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(min(workers, len(points)), context, _adopt_in_worker, (plan,))
    try:
        yield from pool.map(_outcome, points)
    except BrokenProcessPool:
        raise MolokiniError(
            "a process of the sweep was killed (out of memory?); try fewer --workers"
        ) from None
    except BaseException:
        # A worker that is ended in the middle of a result leaves the pool waiting for the rest of it, so
        # nobody waits for the pool; this process is about to end.
        pool.shutdown(wait=False, cancel_futures=True)
        for child in multiprocessing.active_children():
            child.kill()
        raise
    pool.shutdown(wait=True)


_plan: Plan | None = None


def _adopt(plan: Plan) -> None:
    global _plan
    _plan = plan
    _workload_of.cache_clear()


def _adopt_in_worker(plan: Plan) -> None:
    # Ctrl-C goes to the whole group; the parent alone answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _adopt(plan)


@lru_cache(maxsize=1)
def _workload_of(point: Point) -> Workload:
    assert _plan is not None
    return _plan.workload(point)


def _outcome(point: Point) -> Outcome | _Failure:
    assert _plan is not None
    try:
        workload = _workload_of(replace(point, policy=0))
        schedule = replayed(workload, _plan.machines[point.log], _plan.policies[point.policy], _plan.options)
        measures = measure(schedule, _plan.tau_s)
        cells = table(
            [schedule], COMPARED, SHOWN, _plan.tau_s, _plan.batch_size, load_factor=point.load_factor
        )
        return Outcome(point, measures, cells, _light(schedule))
    except Exception as error:
        # Not every exception survives the way between processes.
        return _Failure(*describe(error))


def _light(schedule: Schedule) -> Schedule:
    nothing = np.zeros(0)
    workload = replace(schedule.workload, records=np.zeros((len(schedule.workload), 0)))
    return replace(
        schedule, workload=workload, trace=Trace(nothing, nothing.astype(np.int64), nothing, nothing)
    )
