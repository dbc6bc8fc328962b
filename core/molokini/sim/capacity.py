"""How much of a machine a policy can use at most: its capacity, and what is lost of it.

The maximal utilization is the one above which the queue grows for ever; one minus it is the capacity loss
(Bucur and Epema, JSSPP 2001, section 3.2). Two ways to find it: an FCFS policy that always has somebody
waiting runs at it, so one run with all jobs there from the start is enough (``saturated``); for any
policy the arrival rate is searched at which the queue just does not grow (``searched``).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from molokini.model.errors import BadValue
from molokini.model.policy import Value
from molokini.policies import LoadedPolicy
from molokini.scheduling.tables import Machine
from molokini.sim.replay import Options, Replay
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Workload


@dataclass(frozen=True)
class Capacity:
    """Shares of the machine's processor-seconds, over the time in which jobs were waiting."""

    held: float
    """Held by jobs, communication included: the utilization that the paper plots."""
    computing: float
    """Held by jobs while they computed."""

    @property
    def loss(self) -> float:
        """Capacity loss."""
        return 1.0 - self.held


def saturated(
    workload: Workload,
    machine: Machine,
    policy: LoadedPolicy,
    values: Mapping[str, Value] | None = None,
) -> Capacity:
    """The utilization while every job of *workload* waits from the start, up to the last start.

    Only where nobody overtakes is it the maximal utilization; a policy that may choose from an endless queue
    does better than it could with any that does not grow.
    """
    _check(workload)
    at_once = replace(workload, submit_s=np.zeros(len(workload)))
    return _measured(_run(at_once, machine, policy, values))


def searched(
    workload: Workload,
    machine: Machine,
    policy: LoadedPolicy,
    values: Mapping[str, Value] | None = None,
    tolerance: float = 0.002,
) -> Capacity:
    """The utilization at the highest arrival rate at which the queue does not grow.

    All gaps of *workload* are stretched alike, and the rate is bracketed until two neighbours differ by less
    than *tolerance*, as a share. The queue grows where the last job starts later than 1% of the time of all
    arrivals after it came.
    """
    _check(workload)
    if not 0 < tolerance < 1:
        raise BadValue("tolerance", tolerance, "a number between 0 and 1")
    span_s = float(workload.submit_s[-1] - workload.submit_s[0])
    if span_s <= 0:
        raise BadValue("workload", workload.name, "jobs that arrive one after the other")
    first = saturated(workload, machine, policy, values)
    work = float(workload.processors @ workload.run_s)
    # Stretch factors: at the lower the queue grows, at the higher it does not.
    low = 0.5 * work / machine.processors / max(first.computing, 1e-9) / span_s
    high, best = 4.0 * low, None
    while best is None or high / low > 1 + tolerance:
        middle = high if best is None else float(np.sqrt(low * high))
        schedule = _run(_stretched(workload, middle), machine, policy, values)
        if _grows(schedule):
            low, high = middle, max(high, 2 * middle if best is None else high)
        else:
            high, best = middle, schedule
    return _measured(best)


def _check(workload: Workload) -> None:
    if len(workload) < 2:
        raise BadValue("jobs", len(workload), "2 or more, and many for a figure to rely on")


def _stretched(workload: Workload, factor: float) -> Workload:
    return replace(workload, submit_s=(workload.submit_s - workload.submit_s[0]) * factor)


def _run(
    workload: Workload, machine: Machine, policy: LoadedPolicy, values: Mapping[str, Value] | None
) -> Schedule:
    replay = Replay(workload, machine, policy, values, Options())
    replay.run()
    return replay.schedule()


def _grows(schedule: Schedule) -> bool:
    submit_s = schedule.workload.submit_s
    span_s = float(submit_s[-1] - submit_s[0])
    return bool(np.nanmax(schedule.start_s) - submit_s[-1] > 0.01 * span_s)


def _measured(schedule: Schedule) -> Capacity:
    until_s = float(np.nanmax(schedule.start_s))
    since_s = float(schedule.workload.submit_s[0])
    done = np.isfinite(schedule.start_s)
    start_s, width = schedule.start_s[done], schedule.workload.processors[done]
    held_s = np.clip(np.minimum(schedule.end_s[done], until_s) - start_s, 0.0, None)
    # Who is cut off has computed his share of the time so far.
    share = schedule.workload.run_s[done] / np.maximum(schedule.run_s[done], 1e-300)
    room = max(until_s - since_s, 1e-300) * schedule.processors
    return Capacity(float(held_s @ width) / room, float((held_s * np.minimum(share, 1.0)) @ width) / room)
