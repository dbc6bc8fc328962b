"""What became of target rates: reports by iteration, responses to changes, orders, periods and misses."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.feedback.edf import WHOLE
from molokini.process_sim.policies.feedback import OfJob, Total
from molokini.process_sim.replaying import ScenarioReplay
from molokini.process_sim.scenario import S
from molokini.process_sim.sliced_tasks import Given, Task
from molokini.process_sim.tables import LogColumn

_SETTLED = 3
"""Reports in a row within the threshold, the first of which ends the settling."""


@dataclass(frozen=True)
class Stretch:
    """The iterations under one target. Rates are percent of the full rate."""

    target: float
    iterations: int
    mean: float
    within: float
    """The share of its reports within the threshold."""
    within_after: float | None
    """The same, from the first within on; None: there is none."""
    response: int | None
    """Reports until the first within the threshold, which counts; None: none was."""
    response_s: float | None
    settled: int | None
    """Reports until the first of three in a row."""
    low: float
    high: float
    """Of the reports from the first within on, or of all."""


@dataclass(frozen=True)
class Rated:
    """One application."""

    job: str
    at_s: Sequence[float]
    iteration: Sequence[int]
    rate: Sequence[float]
    target: Sequence[float]
    period_s: Sequence[float]
    slice_s: Sequence[float]
    order: Sequence[int]
    apart_s: Sequence[float]
    """By how much slices of its processes began apart at the end of each iteration."""
    stretches: Sequence[Stretch]
    orders: int
    refused: int
    """Changes of the target for which there was no room."""
    unreachable: bool
    periods: int
    misses: int
    missed_s: float
    cut: int
    """Slices that changes cut short."""
    interrupted: int
    """How often another task had its turn within a slice."""

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        found = {name: value for name, value in vars(self).items() if name != "stretches"}
        return {**found, "stretches": [vars(one) for one in self.stretches]}


def rated_jobs(run: ScenarioReplay) -> list[Rated]:
    """The applications that have targets, in the order of their arrivals."""
    if run.scenario.settings.scheme != "feedback":
        return []
    world = run.world
    threshold = 100 * int(world.own.given[Given.THRESHOLD]) / WHOLE
    log = world.own.log[: world.own.cluster[Total.ROWS]]
    found = []
    for number, job in enumerate(sorted(run.scenario.jobs, key=lambda job: job.arrival_ns)):
        if job.rate is None or not job.rate.targets:
            continue
        first = int(world.jobs.first[number])
        tasks = world.own.procs[first : first + int(world.jobs.count[number])]
        mine = log[log[:, LogColumn.JOB] == number]
        own = world.own.jobs[number]
        found.append(
            Rated(
                job.name,
                (mine[:, LogColumn.AT] / S).tolist(),
                mine[:, LogColumn.ITERATION].tolist(),
                _percent(mine[:, LogColumn.RATE]).tolist(),
                _percent(mine[:, LogColumn.TARGET]).tolist(),
                (mine[:, LogColumn.PERIOD] / S).tolist(),
                (mine[:, LogColumn.SLICE] / S).tolist(),
                mine[:, LogColumn.ORDERS].tolist(),
                (mine[:, LogColumn.APART] / S).tolist(),
                _stretches_of(mine, threshold),
                int(own[OfJob.ORDERS]),
                int(own[OfJob.REFUSED]),
                bool(own[OfJob.STUCK_AT]),
                int(tasks[:, Task.PERIODS].sum()),
                int(tasks[:, Task.MISSES].sum()),
                int(tasks[:, Task.MISSED].sum()) / S,
                int(tasks[:, Task.CUT].sum()),
                int(tasks[:, Task.INTERRUPTED].sum()),
            )
        )
    return found


def _stretches_of(log: NDArray[np.int64], threshold: float) -> list[Stretch]:
    rate, target = _percent(log[:, LogColumn.RATE]), _percent(log[:, LogColumn.TARGET])
    return stretches(log[:, LogColumn.AT] / S, rate, target, threshold)


def _percent(millionths: NDArray[np.int64]) -> NDArray[np.float64]:
    return 100 * millionths / WHOLE


def stretches(
    at_s: NDArray[np.float64], rate: NDArray[np.float64], target: NDArray[np.float64], threshold: float
) -> list[Stretch]:
    """Reports by the targets that were in force, in percent; *threshold* in points."""
    if not len(rate):
        return []
    starts = [0, *(np.flatnonzero(np.diff(target)) + 1).tolist(), len(rate)]
    found = []
    for begin, end in pairwise(starts):
        since = float(at_s[begin - 1]) if begin else 0.0
        found.append(_stretch(at_s[begin:end], rate[begin:end], float(target[begin]), threshold, since))
    return found


def _stretch(
    at_s: NDArray[np.float64], rate: NDArray[np.float64], target: float, threshold: float, since: float
) -> Stretch:
    within = np.abs(rate - target) <= threshold + 1e-9
    hits = np.flatnonzero(within)
    first = int(hits[0]) if len(hits) else None
    shown = rate[first:] if first is not None else rate
    return Stretch(
        target,
        len(rate),
        float(rate.mean()),
        float(within.mean()),
        float(within[first:].mean()) if first is not None else None,
        first + 1 if first is not None else None,
        float(at_s[first]) - since if first is not None else None,
        _settled(within),
        float(shown.min()),
        float(shown.max()),
    )


def _settled(within: NDArray[np.bool_]) -> int | None:
    for k in range(len(within) - _SETTLED + 1):
        if within[k : k + _SETTLED].all():
            return k + 1
    return None


def totals(run: ScenarioReplay) -> dict[str, int]:
    """Messages of the controller: reports, orders to nodes, and how far the nodes of an order began apart."""
    cluster = run.world.own.cluster
    return {
        "reports": int(cluster[Total.REPORTS]),
        "orders_to_nodes": int(cluster[Total.ORDERS]),
        "start_spread_ns": int(cluster[Total.START_SPREAD]),
    }
