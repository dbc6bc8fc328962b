"""How near a replay comes to what a site's records say: starts, order, priorities, and who started each job.

Waits and start differences are seconds, simulated less recorded. Kendall's tau-b is of the order of starts
(Knight's way: O(n log n)). Jobs count that started in both; what is left out is counted by reason.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.metrics.job_measures import DEFAULT_TAU_S
from molokini.metrics.recorded_timers import recorded_backfill
from molokini.model.decisions import StartedBy
from molokini.sim.schedule import Schedule
from molokini.workloads.arrivals import second_zero_s
from molokini.workloads.recorded import Recorded

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
_SHARES_S = (1.0, 60.0, 600.0, 3600.0)
_PERCENTILES = (5, 25, 50, 75, 95)
_DAY_S = 86_400.0


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
        """The same as a share of the recorded mean wait; None where no job waited."""
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


def fidelity(schedule: Schedule, interval_s: float, tau_s: float = DEFAULT_TAU_S) -> Fidelity | None:
    """The starts of *schedule* beside the recorded ones; None where nothing is recorded.

    *interval_s*: that of backfill passes, within which a start cannot be told from the recorded one; *tau_s*:
    the threshold of bounded slowdowns.
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
    starts = _Starts(schedule.start_s[both], told.start_s[both], ours, real, interval_s)
    passes, ranks = _passes(schedule, told, both), _ranks_of(schedule, told, both)
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
            "started_by": _started_by(*passes),
            "timers": _timers(told, submit_s, interval_s),
            "priorities": _priorities(*ranks),
            "queue": _by(_queues(schedule, both), starts),
            "day": _by(_days(schedule, told, both), starts),
            "unexplained": _unexplained(_marks(schedule, told, both, passes, ranks), gap_s, interval_s),
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


def _ranks(values: Floats) -> Ints:
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _tied(values: Ints) -> int:
    counts = np.unique(values, return_counts=True)[1].astype(np.int64)
    return int((counts * (counts - 1) // 2).sum())


def _inversions(values: Ints) -> int:
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


def _passes(schedule: Schedule, told: Recorded, both: Bools) -> tuple[Ints, Ints]:
    """The passes that started the jobs, here and there; ``StartedBy.UNKNOWN`` where nothing says it."""
    real = told.started_by[both]
    ours = np.full_like(real, StartedBy.UNKNOWN) if schedule.told is None else schedule.told.started_by[both]
    return ours, real


def _ranks_of(schedule: Schedule, told: Recorded, both: Bools) -> tuple[Floats, Floats]:
    """The priorities of the submissions, here and there; NaN where nothing says it."""
    real = told.priority[both]
    return np.full_like(real, np.nan) if schedule.told is None else schedule.told.priority[both], real


def _started_by(ours: Ints, real: Ints) -> dict[str, Any]:
    """Which passes started the jobs, and how often it was the same one on both sides."""
    recorded, simulated = real != StartedBy.UNKNOWN, ours != StartedBy.UNKNOWN
    if not recorded.any():
        return {"recorded": None}
    both = recorded & simulated
    return {
        "recorded": _shares(real[recorded]),
        "simulated": _shares(ours[both]) if both.any() else None,
        "same_share": float((ours == real)[both].mean()) if both.any() else None,
        "jobs": int(recorded.sum()),
    }


def _timers(told: Recorded, submit_s: Floats, interval_s: float) -> dict[str, Any]:
    """When passes of backfill were made, as far as the records tell; None: they tell nothing."""
    found = recorded_backfill(told.start_s, told.started_by, float(submit_s.min()), interval_s)
    return {"backfill": None if found is None else found.document}


def _shares(codes: Ints) -> dict[str, float]:
    return {one.name.lower(): float((codes == one).mean()) for one in StartedBy if one >= 0}


def _priorities(ours: Floats, real: Floats) -> dict[str, Any] | None:
    """The priorities that records keep; None where one side says nothing of them."""
    known = np.isfinite(real) & np.isfinite(ours)
    if not known.any():
        return None
    gap = ours[known] - real[known]
    return {
        "jobs": int(known.sum()),
        "equal_share": float((gap == 0).mean()),
        "difference": _distribution(gap),
        "kendall_tau": kendall_tau(ours[known], real[known]),
    }


def _queues(schedule: Schedule, both: Bools) -> list[str]:
    workload = schedule.workload
    names = {
        int(number): workload.name_of_number("queue", int(number)) for number in np.unique(workload.queue)
    }
    return [names[number] for number in workload.queue[both].tolist()]


def _days(schedule: Schedule, told: Recorded, both: Bools) -> list[str]:
    """The day of the recorded start, in UTC; of the log where it knows no dates."""
    zero_s = second_zero_s(schedule.workload)
    days = np.floor((told.start_s[both] + zero_s) / _DAY_S).astype(np.int64)
    named = {
        int(day): f"{datetime.fromtimestamp(day * _DAY_S, UTC):%Y-%m-%d}" if zero_s else f"day {day}"
        for day in np.unique(days)
    }
    return [named[day] for day in days.tolist()]


@dataclass(frozen=True)
class _Starts:
    """Starts and waits of the jobs that started on both sides."""

    ours_s: Floats
    real_s: Floats
    waited_s: Floats
    real_waited_s: Floats
    interval_s: float

    def of(self, rows: Bools) -> dict[str, Any]:
        """How near those of *rows* come."""
        gap_s = np.abs(self.ours_s - self.real_s)[rows]
        return {
            "jobs": int(rows.sum()),
            **_pair(self.waited_s[rows], self.real_waited_s[rows]),
            "within_interval": float((gap_s <= self.interval_s).mean()),
            "kendall_tau": kendall_tau(self.ours_s[rows], self.real_s[rows]),
        }


def _by(names: Sequence[str], starts: _Starts) -> list[dict[str, Any]]:
    """The same by name."""
    known, place = np.unique(np.array(names, dtype=object).astype(str), return_inverse=True)
    return [{"name": str(name), **starts.of(place == at)} for at, name in enumerate(known)]


def _marks(
    schedule: Schedule,
    told: Recorded,
    both: Bools,
    passes: tuple[Ints, Ints],
    priorities: tuple[Floats, Floats],
) -> dict[str, Bools]:
    """What may explain why a job starts at another time."""
    workload, start_s = schedule.workload, told.start_s[both]
    gap = priorities[0] - priorities[1]
    return {
        "earlier_than_recorded": schedule.start_s[both] < start_s,
        "started_by_backfill": passes[1] == StartedBy.BACKFILL,
        "started_by_another_pass": (passes[0] != passes[1]) & (np.minimum(*passes) >= 0),
        "another_priority": np.isfinite(gap) & (gap != 0),
        "several_nodes": told.least_nodes[both] > 1,
        "one_processor": workload.processors[both] == 1,
        "eligible_after_submission": (told.eligible_s > told.submit_s)[both],
        "without_account": told.account[both] <= 0,
        "first_tenth_of_the_log": np.argsort(np.argsort(start_s)) < max(1, len(start_s) // 10),
    }


def _unexplained(marks: Mapping[str, Bools], gap_s: Floats, interval_s: float) -> dict[str, Any]:
    """What the starts beyond an interval have in common: shares of them, beside shares of all jobs."""
    away = np.abs(gap_s) > interval_s
    if not away.any():
        return {"jobs": 0, "marks": {}}
    shares = {
        name: {"of_these": float(mark[away].mean()), "of_all": float(mark.mean())}
        for name, mark in marks.items()
    }
    return {"jobs": int(away.sum()), "marks": shares}
