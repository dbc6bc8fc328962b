"""How much of a machine a policy can use at most: its capacity, and what is lost of it.

The maximal utilization is the one above which the queue grows for ever; one minus it is the capacity loss
(Bucur and Epema, JSSPP 2001, section 3.2). Two ways to find it: an FCFS policy that always has somebody
waiting runs at it, so one run with all jobs there from the start is enough (``saturated``); for any
policy the arrival rate is searched at which the queue just does not grow (``searched``).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from molokini.model.errors import BadInput, BadValue
from molokini.model.policy import Value
from molokini.policies import LoadedPolicy
from molokini.scheduling.tables import Machine
from molokini.sim.replay import Options, Replay
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Workload

TOLERANCE = 0.002
_MOST_STEPS = 40
"""So many times the arrival rate is halved or doubled to find one at which the queue grows, and does not."""


@dataclass(frozen=True)
class Capacity:
    """Shares of the machine's processor-seconds, over the time in which jobs were waiting."""

    held: float
    """Held by jobs, communication included: the utilization that the paper plots."""
    computing: float
    """Held by jobs while they computed."""
    jobs_per_s: float = 0.0
    """Jobs that started, by second."""
    refused: Mapping[str, int] = field(default_factory=dict)
    """Jobs that can never run there, by reason; the figures are those of the others."""

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

    Only where nobody overtakes is it the maximal utilization; a policy that may choose from an endless queue
    does better than it could with any that does not grow. Raises BadInput where no job can run.
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
    return _run(at_once, machine, policy, values, options)


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
    than *tolerance*, as a share. The queue grows where the last job starts later than 1% of the time of all
    arrivals after it came. Raises BadInput where no job can run.
    """
    _check(workload)
    if not 0 < tolerance < 1:
        raise BadValue("tolerance", tolerance, "a number between 0 and 1")
    span_s = float(workload.submit_s[-1] - workload.submit_s[0])
    if span_s <= 0:
        raise BadValue("workload", workload.name, "jobs that arrive one after the other")
    first = saturated(workload, machine, policy, values, options)
    work = float(workload.processors @ workload.run_s)
    guess = 0.5 * work / machine.processors / max(first.computing, 1e-9) / span_s or 1.0

    def steady(factor: float) -> Schedule | None:
        schedule = _run(_stretched(workload, factor), machine, policy, values, options)
        return None if _grows(schedule) else schedule

    low, high, best = _bracket(steady, guess, workload.name, policy.name)
    while high / low > 1 + tolerance:
        middle = float(np.sqrt(low * high))
        found = steady(middle)
        if found is None:
            low = middle
        else:
            high, best = middle, found
    return measured(best)


def _bracket(
    steady: Callable[[float], Schedule | None], guess: float, workload: str, policy: str
) -> tuple[float, float, Schedule]:
    """Two stretch factors, one twice the other: at the lower the queue grows, at the higher it does not."""
    factor, best = guess, steady(guess)
    for _ in range(_MOST_STEPS):
        last, factor = factor, factor / 2 if best is not None else factor * 2
        found = steady(factor)
        if best is not None and found is None:
            return factor, last, best
        if best is None and found is not None:
            return last, factor, found
        best = found
    often = "often" if best is not None else "rarely"
    grows = "does not grow" if best is not None else "grows"
    raise BadInput(f"{workload}: under {policy} the queue {grows} however {often} jobs arrive")


def measured(schedule: Schedule) -> Capacity:
    """What a run came to, from its first arrival up to its last start."""
    until_s = float(np.nanmax(schedule.start_s))
    since_s = float(schedule.workload.submit_s[0])
    done = np.isfinite(schedule.start_s)
    start_s, width = schedule.start_s[done], schedule.workload.processors[done]
    held_s = np.clip(np.minimum(schedule.end_s[done], until_s) - start_s, 0.0, None)
    # Who is cut off has computed his share of the time so far.
    share = schedule.workload.run_s[done] / np.maximum(schedule.run_s[done], 1e-300)
    span_s = max(until_s - since_s, 1e-300)
    room = span_s * schedule.processors
    return Capacity(
        held=float(held_s @ width) / room,
        computing=float((held_s * np.minimum(share, 1.0)) @ width) / room,
        jobs_per_s=float(np.count_nonzero(done)) / span_s,
        refused=schedule.refused,
    )


def _check(workload: Workload) -> None:
    if len(workload) < 2:
        raise BadValue("jobs", len(workload), "2 or more, and many for a figure to rely on")


def _stretched(workload: Workload, factor: float) -> Workload:
    return replace(workload, submit_s=(workload.submit_s - workload.submit_s[0]) * factor)


def _run(
    workload: Workload,
    machine: Machine,
    policy: LoadedPolicy,
    values: Mapping[str, Value] | None,
    options: Options | None,
) -> Schedule:
    replay = Replay(workload, machine, policy, values, options or Options())
    replay.run()
    schedule = replay.schedule()
    if not np.isfinite(schedule.start_s).any():
        why = ", ".join(f"{count} {reason}" for reason, count in schedule.refused.items()) or "none starts"
        raise BadInput(f"{workload.name}: no job can run under {policy.name}: {why}")
    return schedule


def _grows(schedule: Schedule) -> bool:
    submit_s = schedule.workload.submit_s
    span_s = float(submit_s[-1] - submit_s[0])
    return bool(np.nanmax(schedule.start_s) - submit_s[-1] > 0.01 * span_s)
