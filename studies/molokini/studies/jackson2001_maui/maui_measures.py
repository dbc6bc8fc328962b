"""What two schedules of the same jobs say of backfill: the one without it, and one with."""

from collections.abc import Mapping

import numpy as np

from molokini.sim.schedule import Bools, Schedule
from molokini.studies.study import Row
from molokini.workloads.workload import SWF_FIELDS, Floats

QUANTILES = (*map(float, range(0, 90, 5)), *(90.0 + 0.5 * k for k in range(21)))
"""Percent of the jobs, for the curve of queue times gained and lost: finer where jobs wait longer."""
PARTS = 20
"""Equal parts of a log's time, for the curve of utilization."""
DURATIONS = 4
"""Classes of jobs of equal number, by limit: expansion factors are compared over them."""
_SOONER_S = 1e-6
_LEAST_S = 1e-6
_SHORTEST_S = 60.0
"""Shorter runs count as this in expansion factors."""


def measured(without: Schedule, backfilled: Mapping[str, Schedule]) -> Row:
    """The row: metrics that end in the name of the algorithm, or in ``_none``."""
    jobs = without.workload
    limited = has_limit(without)
    # A limit of 0 s is used up by a job of 0 s.
    shares = np.maximum(without.run_s, _LEAST_S) / np.maximum(jobs.estimate_s, _LEAST_S)
    row: dict[str, float | int | None] = {
        "jobs": len(jobs),
        "jobs_without_limit": int(np.count_nonzero(~limited)),
        "limit_used": _mean(shares, limited),
        **_of_one(without, "none"),
    }
    for name, schedule in backfilled.items():
        row |= _of_one(schedule, name) | _of_both(without, schedule, name)
    return row


def used(schedule: Schedule, since_s: float, until_s: float) -> float:
    """The share of the machine's processors that jobs held in this time."""
    held_s = np.minimum(schedule.end_s, until_s) - np.maximum(schedule.start_s, since_s)
    work = float(np.maximum(held_s, 0.0) @ schedule.workload.processors)
    return work / (until_s - since_s) / schedule.processors


def small_and_short(schedule: Schedule) -> Bools:
    """Jobs that are neither wider nor, by their limit, longer than the median job."""
    jobs = schedule.workload
    narrow = jobs.processors <= np.median(jobs.processors)
    return np.asarray(narrow & (jobs.estimate_s <= np.median(jobs.estimate_s)))


def has_limit(schedule: Schedule) -> Bools:
    """Jobs of which the log says a limit; to the others the rules of logs give their run time."""
    return np.asarray(schedule.workload.records[:, SWF_FIELDS.index("requested_s")] > 0)


def quantile_name(quantile: float) -> str:
    """A quantile in the name of a metric: ``q095`` or ``q095_5``."""
    return f"q{quantile:05.1f}".replace(".", "_").removesuffix("_0")


def out_of_order(schedule: Schedule) -> Bools:
    """Jobs that started before one that was ahead of them in the queue: those that were backfilled."""
    latest_s = np.maximum.accumulate(schedule.start_s)
    return np.asarray(schedule.start_s < latest_s - _SOONER_S)


def _of_one(schedule: Schedule, name: str) -> dict[str, float]:
    jobs = schedule.workload
    since_s, until_s = float(jobs.submit_s[0]), float(jobs.submit_s[-1])
    edges = np.linspace(since_s, until_s, PARTS + 1)
    turnaround_s = schedule.end_s - jobs.submit_s
    large = ~(jobs.processors <= np.median(jobs.processors)) & (jobs.estimate_s > np.median(jobs.estimate_s))
    return {
        f"used_{name}": used(schedule, since_s, until_s),
        f"turnaround_s_{name}": float(turnaround_s.mean()),
        f"turnaround_of_small_s_{name}": _mean(turnaround_s, small_and_short(schedule)),
        f"turnaround_of_large_s_{name}": _mean(turnaround_s, large),
        f"expansion_spread_{name}": _expansion_spread(schedule, turnaround_s),
        **{f"used_{name}_{k:02}": used(schedule, edges[k], edges[k + 1]) for k in range(PARTS)},
    }


def _of_both(without: Schedule, schedule: Schedule, name: str) -> dict[str, float]:
    later_s = schedule.start_s - without.start_s
    passed, small = out_of_order(schedule), small_and_short(schedule)
    at = np.percentile(later_s, QUANTILES) / 3600.0
    return {
        f"later_share_{name}": float(np.mean(later_s > _SOONER_S)),
        f"sooner_share_{name}": float(np.mean(later_s < -_SOONER_S)),
        f"others_later_s_{name}": _mean(later_s, ~passed),
        f"backfilled_share_{name}": float(np.mean(passed)),
        f"backfilled_small_share_{name}": _mean(passed, small),
        f"backfilled_rest_share_{name}": _mean(passed, ~small),
        **{f"later_h_{quantile_name(quantile)}_{name}": float(at[k]) for k, quantile in enumerate(QUANTILES)},
    }


def _mean(values: Floats | Bools, rows: Bools) -> float:
    return float(np.mean(values[rows])) if rows.any() else 0.0


def _expansion_spread(schedule: Schedule, turnaround_s: Floats) -> float:
    """The largest mean expansion factor of a class of durations over the smallest: 1 is evenly served."""
    order = np.argsort(schedule.workload.estimate_s, kind="stable")
    factor = turnaround_s / np.maximum(schedule.run_s, _SHORTEST_S)
    means = [float(factor[rows].mean()) for rows in np.array_split(order, DURATIONS) if rows.size]
    return max(means) / min(means)
