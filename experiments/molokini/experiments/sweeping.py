"""Many replays: every workload at every load factor and seed under every policy, on several processes.

The order of the results is that of the points, whatever process was first, and nothing in them but
the elapsed time depends on how many there were.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from molokini.experiments.choosing import Chosen
from molokini.experiments.counting import Counted
from molokini.experiments.distances import of_replay
from molokini.experiments.host import Guard, Host
from molokini.experiments.logs import lengthened
from molokini.experiments.replaying import compile_both, finished, prepared
from molokini.experiments.shipping import let_policies_travel
from molokini.metrics import Cell, Measures, breakdown, measure, table
from molokini.metrics.fidelity import Fidelity
from molokini.model.machine import Machine
from molokini.parallel.executors import Executor, outcomes
from molokini.reports.unfinished import unfinished_by_rule
from molokini.sim.replay import Options, Replay
from molokini.sim.schedule import Schedule, Trace
from molokini.workloads.replicate import resample_arrivals
from molokini.workloads.scaling import scale_load
from molokini.workloads.workload import Workload

COMPARED = ("wait_s", "response_s", "bounded_slowdown")
"""Job metrics whose means are compared, with intervals."""

SHOWN = ("median_wait_s", "p95_wait_s", "utilization", "loss_of_capacity")
"""What the table shows beside them."""

REPLICATED = (*(f"mean_{metric}" for metric in COMPARED), *SHOWN)
"""Metrics whose differences are taken over replays."""

OF_LOADS = ("reject_ratio",)
"""The same, of divisible loads alone."""


@dataclass(frozen=True)
class Point:
    """One replay of a sweep; *seed* None is the workload as it is."""

    log: int
    load_factor: float
    seed: int | None
    policy: int
    run_time_factor: float = 1.0


@dataclass(frozen=True)
class Plan:
    """All that the processes of a sweep share."""

    logs: Sequence[Workload]
    machines: Sequence[Machine]
    policies: Sequence[Chosen]
    options: Sequence[Options]
    """How each of the logs is replayed."""
    tau_s: float
    batch_size: int | None
    counted: Counted = field(default_factory=Counted)
    """The part of each replay that metrics are about."""
    by: Sequence[str] = ()
    """How each schedule is broken down."""
    whole: bool = False
    """Whether outcomes keep all of their schedules."""
    paired: bool = True
    """Whether outcomes keep what their jobs are compared by, one by one."""
    makers: Sequence[Callable[[int], Workload] | None] = ()
    """Of each log what makes it of a seed, if a model does: the log itself is of the first seed then."""
    overestimate: float | None = None
    """The share of right estimates, where others are drawn; None: estimates stay."""
    seed: int = 0
    """By which they are drawn for points without one."""

    def options_of(self, log: int, chosen: Chosen) -> Options:
        """How *log* is replayed under *chosen*."""
        options = self.options[log]
        return replace(options, reservations=(), outages=()) if chosen.free else options

    def workload(self, point: Point) -> Workload:
        """The workload of *point*: its log, scaled, then resampled; or what its model makes, scaled."""
        make = self.makers[point.log] if self.makers else None
        seed = self.seed if point.seed is None else point.seed
        made = self.logs[point.log] if make is None or point.seed is None else make(seed)
        longer = lengthened(made, point.run_time_factor, self.overestimate, seed)
        scaled = scale_load(longer, point.load_factor)
        if make is not None:
            return scaled
        return scaled if point.seed is None else resample_arrivals(scaled, point.seed)


@dataclass(frozen=True)
class Outcome:
    """What a replay came to."""

    point: Point
    measures: Measures
    cells: Sequence[Cell]
    """Of the metrics that are compared and shown, under the policy's plain name."""
    schedule: Schedule
    """As much of it as the plan keeps."""
    jobs: int
    breakdowns: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    near: Fidelity | None = None
    """How near it comes to the log, where the log itself was replayed, and its starts are known."""


def outcomes_of(plan: Plan, points: Sequence[Point], executor: Executor, host: Host) -> Iterator[Outcome]:
    """The outcome of each point, in order, as soon as it and all before it are there."""
    let_policies_travel()
    replaying = Replaying(plan, host.guard)
    yield from outcomes(replaying, points, executor, describe=host.describe, where=host.where)


def warm(plan: Plan) -> None:
    """Compile every policy once, here, before there are processes that would each do it."""
    for chosen in plan.policies:
        no_jobs = plan.logs[0].take(slice(0, 0))
        options = plan.options_of(0, chosen)
        compile_both(Replay(no_jobs, plan.machines[0], chosen.policy, chosen.values, options))


class Replaying:
    """What every process does with a point; neighbouring points share a workload."""

    def __init__(self, plan: Plan, guard: Guard) -> None:
        self._plan, self._guard = plan, guard
        self._last: tuple[Point, Workload] | None = None

    def measured(self, point: Point) -> tuple[Schedule, Measures, int]:
        """The schedule of *point*, what it measures, and how many jobs were replayed."""
        plan = self._plan
        workload, chosen = self._workload(replace(point, policy=0)), plan.policies[point.policy]
        options = plan.options_of(point.log, chosen)
        replay = prepared(workload, plan.machines[point.log], chosen, options)
        with self._guard(chosen.policy):
            done = replace(finished(replay), policy=chosen.name)
        schedule = replace(done, counted_s=plan.counted.window(done.workload))
        measures = measure(schedule, plan.tau_s)
        measures["unfinished"] = unfinished_by_rule(replay) if measures["unfinished_jobs"] else {}
        return schedule, measures, len(workload)

    def __call__(self, point: Point) -> Outcome:
        """What *point* comes to, with all that a comparison shows of it."""
        plan = self._plan
        schedule, measures, jobs = self.measured(point)
        shown = [*SHOWN, *(metric for metric in OF_LOADS if metric in measures)]
        made = table([schedule], COMPARED, shown, plan.tau_s, plan.batch_size, load_factor=point.load_factor)
        cells = [replace(cell, run_time_factor=point.run_time_factor) for cell in made]
        broken_down = {by: breakdown(schedule, by, plan.tau_s) for by in plan.by}
        kept = schedule if plan.whole else _light(schedule) if plan.paired else _named(schedule)
        plain = point.seed is None and point.load_factor == 1 and point.run_time_factor == 1
        chosen = plan.policies[point.policy]
        near = of_replay(schedule, chosen, plan.tau_s) if plain and plan.overestimate is None else None
        return Outcome(point, measures, cells, kept, jobs, broken_down, near)

    def _workload(self, point: Point) -> Workload:
        if self._last is None or self._last[0] != point:
            self._last = point, self._plan.workload(point)
        return self._last[1]


_NOTHING = np.zeros(0)
_NO_TRACE = Trace(_NOTHING, _NOTHING.astype(np.int64), _NOTHING, _NOTHING)


def _light(schedule: Schedule) -> Schedule:
    """*schedule* without its trace and its workload's records."""
    workload = replace(schedule.workload, records=np.zeros((len(schedule.workload), 0)))
    return replace(schedule, workload=workload, trace=_NO_TRACE, places=None)


def _named(schedule: Schedule) -> Schedule:
    """*schedule* without any job."""
    workload, no_rows = schedule.workload.take(slice(0, 0)), _NOTHING.astype(np.bool_)
    times = {"start_s": _NOTHING, "end_s": _NOTHING, "run_s": _NOTHING}
    nothing = ("refusals", "interruptions", "told", "ran_as", "limit_s", "places")
    more = {"refused_rows": no_rows, **dict.fromkeys(nothing)}
    return replace(schedule, workload=workload, trace=_NO_TRACE, **times, **more)  # type: ignore[arg-type]
