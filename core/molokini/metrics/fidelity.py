"""How near a replay comes to what a site's records say: starts, order, priorities, and who started each job.

Waits and start differences are seconds, simulated less recorded. Kendall's tau-b is of the order of starts
(Knight's way: O(n log n)). Jobs count that started in both; what is left out is counted by reason.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.metrics.job_measures import DEFAULT_TAU_S
from molokini.sim.schedule import Schedule
from molokini.workloads.arrivals import second_zero_s
from molokini.workloads.recorded import Recorded, StartedBy

Floats = NDArray[np.float64]
_SHARES_S = (1.0, 60.0, 600.0, 3600.0)
_PERCENTILES = (5, 25, 50, 75, 95)
_DAY_S = 86_400.0
_LEAST_PRIORITY_JOBS = 1


@dataclass(frozen=True)
class Fidelity:
    """The comparison of one replay with the log that it replayed."""

    document: dict[str, Any]

    @property
    def distances(self) -> dict[str, float]:
        """How far means of the replay are from those of the log, either way, by metric."""
        wait_s = abs(float(self.document["mean_wait_s"]["difference"]))
        slowdown = abs(float(self.document["mean_bounded_slowdown"]["difference"]))
        return {"mean_wait_s": wait_s, "mean_response_s": wait_s, "mean_bounded_slowdown": slowdown}

    @property
    def relative(self) -> float | None:
        """The same as a share of the recorded mean wait; None where nobody waited."""
        found: float | None = self.document["mean_wait_s"]["relative"]
        return found

    @property
    def text(self) -> str:
        """In a line: what to keep in mind before any difference is believed."""
        told = self.document
        wait, near = told["mean_wait_s"], told["within_interval"]
        share = "" if wait["relative"] is None else f" ({100 * wait['relative']:+.1f}%)"
        parts = [
            f"mean wait {wait['simulated']:,.0f} s, recorded {wait['recorded']:,.0f} s{share}",
            f"{100 * near['share']:.1f}% of {told['jobs']:,} starts within {near['interval_s']:g} s",
        ]
        if told["kendall_tau"] is not None:
            parts.append(f"Kendall's tau {told['kendall_tau']:.3f}")
        return ", ".join(parts)


def fidelity(
    schedule: Schedule,
    interval_s: float,
    tau_s: float = DEFAULT_TAU_S,
    priorities: Floats | None = None,
) -> Fidelity | None:
    """The starts of *schedule* beside the recorded ones; None where nothing is recorded.

    *interval_s*: that of backfill passes, within which a start cannot be told from the recorded one; *tau_s*:
    the threshold of bounded slowdowns.
    *priorities*: those at the starts, where they are known.
    """
    told = schedule.workload.recorded
    if told is None:
        return None
    both = np.isfinite(schedule.start_s) & np.isfinite(told.start_s)
    if not both.any():
        return None
    submit_s = schedule.workload.submit_s
    ours, real = (schedule.start_s - submit_s)[both], np.maximum(0.0, (told.start_s - submit_s)[both])
    run_s = schedule.workload.run_s[both]
    gap_s = schedule.start_s[both] - told.start_s[both]
    return Fidelity(
        {
            "jobs": int(both.sum()),
            "left_out": _left_out(schedule, told),
            "mean_wait_s": _pair(ours, real),
            "mean_bounded_slowdown": _pair(_slowdown(ours, run_s, tau_s), _slowdown(real, run_s, tau_s)),
            "start_difference_s": _distribution(gap_s),
            "within_interval": {
                "interval_s": interval_s,
                "share": float((np.abs(gap_s) <= interval_s).mean()),
            },
            "within_s": {f"{limit_s:g}": float((np.abs(gap_s) <= limit_s).mean()) for limit_s in _SHARES_S},
            "kendall_tau": kendall_tau(schedule.start_s[both], told.start_s[both]),
            "started_by": _started_by(told, both),
            "priorities": None if priorities is None else _priorities(priorities[both], told.priority[both]),
            "queue": _by(_queues(schedule, both), ours, real, gap_s, interval_s),
            "day": _by(_days(schedule, told, both), ours, real, gap_s, interval_s),
            "unexplained": _unexplained(schedule, told, both, gap_s, interval_s),
        }
    )


def _slowdown(wait_s: Floats, run_s: Floats, tau_s: float) -> Floats:
    bounded: Floats = np.maximum(1.0, (wait_s + run_s) / np.maximum(run_s, tau_s))
    return bounded


def _pair(ours: Floats, real: Floats) -> dict[str, float | None]:
    simulated, recorded = float(ours.mean()), float(real.mean())
    relative = (simulated - recorded) / recorded if recorded > 0 else None
    return {
        "simulated": simulated,
        "recorded": recorded,
        "difference": simulated - recorded,
        "relative": relative,
    }


def _left_out(schedule: Schedule, told: Recorded) -> dict[str, int]:
    """Jobs that started on one side alone, and those that the records leave out."""
    here, there = np.isfinite(schedule.start_s), np.isfinite(told.start_s)
    counts = {
        "started_in_the_log_alone": int((there & ~here).sum()),
        "started_in_the_replay_alone": int((here & ~there).sum()),
        "started_in_neither": int((~here & ~there).sum()),
        **{reason: count for reason, count in schedule.workload.skipped.items() if count},
    }
    return {reason: count for reason, count in counts.items() if count}


def _distribution(gap_s: Floats) -> dict[str, float]:
    found = {f"p{share}": float(np.percentile(gap_s, share)) for share in _PERCENTILES}
    size = np.abs(gap_s)
    return {
        **found,
        "mean": float(gap_s.mean()),
        "median_size": float(np.median(size)),
        "p95_size": float(np.percentile(size, 95)),
    }


def kendall_tau(ours: Floats, real: Floats) -> float | None:
    """Kendall's tau-b of two orders; None where one of them ties all. Knight, JASA 61, 1966."""
    count = len(ours)
    if count < 2:
        return None
    order = np.lexsort((ours, real))
    x, y = _ranks(real[order]), _ranks(ours[order])
    pairs = count * (count - 1) // 2
    ties_x, ties_y = _tied(x), _tied(y)
    both = _tied(x * (int(y.max()) + 1) + y)
    swaps = _inversions(y)
    above = pairs - ties_x - ties_y + both - 2 * swaps
    below = float(np.sqrt(float(pairs - ties_x) * float(pairs - ties_y)))
    return above / below if below > 0 else None


def _ranks(values: Floats) -> NDArray[np.int64]:
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _tied(values: NDArray[np.int64]) -> int:
    counts = np.unique(values, return_counts=True)[1].astype(np.int64)
    return int((counts * (counts - 1) // 2).sum())


def _inversions(values: NDArray[np.int64]) -> int:
    """Pairs that stand the wrong way round, by merging ever longer runs."""
    now, found, width, count = values.copy(), 0, 1, len(values)
    while width < count:
        for low in range(0, count, 2 * width):
            middle, high = min(low + width, count), min(low + 2 * width, count)
            left, right = now[low:middle], now[middle:high]
            if len(right):
                found += int((len(left) - np.searchsorted(left, right, side="right")).sum())
                now[low:high] = np.sort(now[low:high], kind="stable")
        width *= 2
    return found


def _started_by(told: Recorded, both: NDArray[np.bool_]) -> dict[str, Any]:
    """Which pass started the jobs, as recorded."""
    codes = told.started_by[both]
    known = codes != StartedBy.UNKNOWN
    if not known.any():
        return {"recorded": None}
    shares = {one.name.lower(): float((codes[known] == one).mean()) for one in StartedBy if one >= 0}
    return {"recorded": shares, "jobs": int(known.sum())}


def _priorities(ours: Floats, real: Floats) -> dict[str, Any] | None:
    known = np.isfinite(real) & np.isfinite(ours)
    if known.sum() < _LEAST_PRIORITY_JOBS:
        return None
    gap = ours[known] - real[known]
    return {
        "jobs": int(known.sum()),
        "equal_share": float((gap == 0).mean()),
        "median_difference": float(np.median(gap)),
        "kendall_tau": kendall_tau(ours[known], real[known]),
    }


def _queues(schedule: Schedule, both: NDArray[np.bool_]) -> list[str]:
    workload = schedule.workload
    names = {
        int(number): workload.name_of_number("queue", int(number)) for number in np.unique(workload.queue)
    }
    return [names[number] for number in workload.queue[both].tolist()]


def _days(schedule: Schedule, told: Recorded, both: NDArray[np.bool_]) -> list[str]:
    """The day of the recorded start, in UTC; of the log where it knows no dates."""
    zero_s = second_zero_s(schedule.workload)
    days = np.floor((told.start_s[both] + zero_s) / _DAY_S).astype(np.int64)
    named = {
        int(day): f"{datetime.fromtimestamp(day * _DAY_S, UTC):%Y-%m-%d}" if zero_s else f"day {day}"
        for day in np.unique(days)
    }
    return [named[day] for day in days.tolist()]


def _by(
    names: Sequence[str], ours: Floats, real: Floats, gap_s: Floats, interval_s: float
) -> list[dict[str, Any]]:
    known, place = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)
    return [
        {
            "name": str(name),
            "jobs": int((place == at).sum()),
            **_pair(ours[place == at], real[place == at]),
            "within_interval": float((np.abs(gap_s[place == at]) <= interval_s).mean()),
        }
        for at, name in enumerate(known)
    ]


def _unexplained(
    schedule: Schedule, told: Recorded, both: NDArray[np.bool_], gap_s: Floats, interval_s: float
) -> dict[str, Any]:
    """What the starts beyond an interval have in common: shares of them, beside shares of all jobs."""
    away = np.abs(gap_s) > interval_s
    workload = schedule.workload
    marks = {
        "earlier_than_recorded": gap_s < 0,
        "several_nodes": told.least_nodes[both] > 1,
        "one_processor": workload.processors[both] == 1,
        "eligible_after_submission": (told.eligible_s > told.submit_s)[both],
        "started_by_backfill": told.started_by[both] == StartedBy.BACKFILL,
        "without_account": told.account[both] <= 0,
        "first_tenth_of_the_log": np.argsort(np.argsort(told.start_s[both])) < max(1, len(gap_s) // 10),
    }
    if not away.any():
        return {"jobs": 0, "marks": {}}
    shares = {
        name: {"of_these": float(mark[away].mean()), "of_all": float(mark.mean())}
        for name, mark in marks.items()
    }
    return {"jobs": int(away.sum()), "marks": shares}
