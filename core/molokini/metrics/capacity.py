"""How much of a machine a policy can use at most: its capacity, and what is lost of it.

The maximal utilization is the one above which the queue grows without end; one minus it is the capacity loss
(Bucur and Epema, JSSPP 2001, section 3.2). Two ways to find it: an FCFS policy reaches it whenever jobs
always wait, so one run in which all jobs wait from the start is enough (``saturated``); for any policy
the arrival rate is searched at which the queue just does not grow (``searched``). In both the outages of the
workload's own time recur as long as it takes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from molokini.metrics.repeating import (
    PERIODS,
    Steady,
    options_of,
    period_of,
    recurring,
    repeated,
    steady_part,
    surely_grows,
)
from molokini.metrics.timelines import busy_processors, integral
from molokini.model.errors import BadInput, BadValue
from molokini.model.machine import Machine
from molokini.model.policy import Value
from molokini.policies import LoadedPolicy
from molokini.sim.replay import Options, Replay
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Workload

TOLERANCE = 0.002
GROWTH = 0.01
"""The queue grows where more than this part of the work of a period is added to what waits."""
_LOOKS = 16
"""So often a replay is stopped to check whether the queue surely grows."""
_MOST_STEPS = 40
"""So many times the arrival rate is halved or doubled to find two that enclose the maximum."""

_Found: TypeAlias = tuple[Steady, Mapping[str, int]]


@dataclass(frozen=True)
class Capacity:
    """Shares of the machine's processor-seconds, over the time in which jobs were waiting."""

    held: float
    """Held by jobs, communication included: the utilization that the paper plots."""
    computing: float
    """Held by jobs while they computed."""
    jobs_per_s: float = 0.0
    """Jobs that started, a second."""
    refused: Mapping[str, int] = field(default_factory=dict)
    """Jobs that can never run there, by reason; the figures are those of the other jobs."""

    @property
    def loss(self) -> float:
        """Capacity loss."""
        return 1.0 - self.held


def saturated(
    workload: Workload,
    machine: Machine,
    policy: LoadedPolicy,
    values: Mapping[str, Value] | None = None,
    options: Options | None = None,
) -> Capacity:
    """The utilization while every job of *workload* waits from the start, up to the last start.

    It is the maximal utilization only where no job overtakes another; a policy that may choose from an
    endless queue does better than it could with any queue that does not grow. Raises BadInput where no job
    can run.
    """
    return measured(full_queue(workload, machine, policy, values, options))


def full_queue(
    workload: Workload,
    machine: Machine,
    policy: LoadedPolicy,
    values: Mapping[str, Value] | None = None,
    options: Options | None = None,
) -> Schedule:
    """The schedule of ``saturated``."""
    _check(workload)
    # Numbered in their order, which is that of the queue: a resampled log has other numbers.
    count = len(workload)
    at_once = replace(workload, submit_s=np.zeros(count), number=np.arange(1, count + 1))
    whole = options or Options()
    if not whole.outages:
        return _run(at_once, machine, policy, values, whole)
    _check_period(workload)
    # How long it takes is known afterwards: until then the outages have to recur.
    until_s = max(float(workload.processors @ workload.run_s) / machine.processors, period_of(workload))
    while True:
        until_s *= 2
        repeating = replace(whole, outages=recurring(whole.outages, workload, until_s))
        schedule = _run(at_once, machine, policy, values, repeating)
        if np.nanmax(schedule.start_s) < until_s:
            return schedule


def searched(
    workload: Workload,
    machine: Machine,
    policy: LoadedPolicy,
    values: Mapping[str, Value] | None = None,
    tolerance: float = TOLERANCE,
    options: Options | None = None,
) -> Capacity:
    """The utilization at the highest arrival rate at which the queue does not grow.

    All gaps of *workload* are stretched alike, and the rate is bracketed until two neighbours differ by less
    than *tolerance*, as a share. At each rate the workload comes ``PERIODS`` times, one after the other, and
    the queue grows where more than ``GROWTH`` of the work that comes in the later periods is added to what is
    still to be done. Raises BadInput where no job can run.
    """
    _check(workload)
    if not 0 < tolerance < 1:
        raise BadValue("tolerance", tolerance, "a number between 0 and 1")
    _check_period(workload)
    whole = options or Options()
    longer = options_of(whole, len(workload))

    def steady(period_s: float) -> _Found | None:
        outages = recurring(whole.outages, workload, PERIODS * period_s)
        recurs = replace(longer, outages=outages)
        replay = Replay(repeated(workload, period_s), machine, policy, values, recurs)
        for now_s in np.linspace(period_s, PERIODS * period_s, _LOOKS, endpoint=False):
            # The longest queues are the slowest to replay: for most rates the answer is known before that.
            replay.run(float(now_s))
            if surely_grows(replay.schedule(), float(now_s), period_s, longer, GROWTH):
                return None
        replay.run(PERIODS * period_s)
        schedule = _begun(replay)
        part = steady_part(schedule, period_s, longer)
        return None if part.growth > GROWTH else (part, schedule.refused)

    # No policy does more work than the machine can: the first rate is the highest that could be served.
    work = float(workload.processors @ workload.run_s)
    guess_s = work / machine.processors or period_of(workload)
    low_s, high_s, best = _bracket(steady, guess_s, workload.name, policy.name)
    while high_s / low_s > 1 + tolerance:
        middle_s = float(np.sqrt(low_s * high_s))
        found = steady(middle_s)
        if found is None:
            low_s = middle_s
        else:
            high_s, best = middle_s, found
    part, refused = best
    return Capacity(part.held, part.computing, part.jobs_per_s, {k: n // PERIODS for k, n in refused.items()})


def as_recorded(
    workload: Workload,
    machine: Machine,
    policy: LoadedPolicy,
    values: Mapping[str, Value] | None = None,
    options: Options | None = None,
) -> Capacity:
    """The utilization at the workload's own arrival rate, up to the last start."""
    return measured(_run(workload, machine, policy, values, options))


def _bracket(
    steady: Callable[[float], _Found | None], guess_s: float, workload: str, policy: str
) -> tuple[float, float, _Found]:
    """Two periods, one twice the other: at the shorter the queue grows, at the longer it does not."""
    period_s, best = guess_s, steady(guess_s)
    for _ in range(_MOST_STEPS):
        last_s, period_s = period_s, period_s / 2 if best is not None else period_s * 2
        found = steady(period_s)
        if best is not None and found is None:
            return period_s, last_s, best
        if best is None and found is not None:
            return last_s, period_s, found
        best = found
    often = "often" if best is not None else "rarely"
    grows = "does not grow" if best is not None else "grows"
    raise BadInput(f"{workload}: under {policy} the queue {grows} however {often} jobs arrive")


def measured(schedule: Schedule) -> Capacity:
    """The capacity that a run used, from its first arrival up to its last start."""
    until_s = float(np.nanmax(schedule.start_s))
    since_s = float(schedule.workload.submit_s[0])
    done = np.isfinite(schedule.start_s)
    start_s, width = schedule.start_s[done], schedule.workload.processors[done]
    held_s = np.clip(np.minimum(schedule.end_s[done], until_s) - start_s, 0.0, None)
    # A job that still runs at the end has computed its share of the time so far.
    share = schedule.workload.run_s[done] / np.maximum(schedule.run_s[done], 1e-300)
    span_s = max(until_s - since_s, 1e-300)
    room = span_s * schedule.processors
    held, computing = float(held_s @ width), float((held_s * np.minimum(share, 1.0)) @ width)
    if schedule.trace.time_s.size:
        # A job that was suspended, or shared its processors, held less than from start to end.
        held = computing = integral(busy_processors(schedule), since_s, until_s)
    return Capacity(
        held=held / room,
        computing=computing / room,
        jobs_per_s=float(np.count_nonzero(done)) / span_s,
        refused=schedule.refused,
    )


def _check_period(workload: Workload) -> None:
    if period_of(workload) <= 0:
        raise BadValue("workload", workload.name, "jobs that arrive one after the other")


def _check(workload: Workload) -> None:
    if len(workload) < 2:
        raise BadValue("jobs", len(workload), "2 or more, and many for a figure to rely on")


def _run(
    workload: Workload,
    machine: Machine,
    policy: LoadedPolicy,
    values: Mapping[str, Value] | None,
    options: Options | None,
) -> Schedule:
    replay = Replay(workload, machine, policy, values, options or Options())
    replay.run()
    return _begun(replay)


def _begun(replay: Replay) -> Schedule:
    schedule = replay.schedule()
    if not np.isfinite(schedule.start_s).any():
        why = ", ".join(f"{count} {reason}" for reason, count in schedule.refused.items()) or "none starts"
        raise BadInput(f"{replay.workload.name}: no job can run under {replay.policy.name}: {why}")
    return schedule
