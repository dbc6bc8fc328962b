"""By how much each job starts earlier or later under one schedule than under another of the same jobs."""

from dataclasses import dataclass

import numpy as np

from molokini.model.errors import BadValue
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Floats, Ints

BOUNDS_S = (-86400.0, -3600.0, -60.0, 60.0, 3600.0, 86400.0)
"""The bounds of the classes of changes; a bound itself belongs to the class nearer to 0."""

CLASSES = (
    "over 1 d earlier",
    "1 h to 1 d earlier",
    "1 min to 1 h earlier",
    "within 1 min",
    "1 min to 1 h later",
    "1 h to 1 d later",
    "over 1 d later",
)
"""The classes of changes, the greatest gain first."""

NOT_BOTH = "not started in both"


@dataclass(frozen=True)
class Changes:
    """Changes of starts, one element a job; NaN where it did not start under both, or does not count."""

    change_s: Floats
    """Start under the second schedule minus start under the first, in seconds."""
    of_class: Ints
    """An index into ``CLASSES``; ``len(CLASSES)`` where no change is known."""

    def as_dict(self) -> dict[str, object]:
        """The changes in numbers, ready for JSON; the mean of no jobs is None."""
        known = self.change_s[~np.isnan(self.change_s)]
        earlier, later = known[known < 0], known[known > 0]
        return {
            "jobs": int(known.size),
            "earlier_jobs": int(earlier.size),
            "later_jobs": int(later.size),
            "mean_change_s": _mean(known),
            "mean_earlier_s": _mean(-earlier),
            "mean_later_s": _mean(later),
            "max_earlier_s": float((-earlier).max()) if earlier.size else None,
            "max_later_s": float(later.max()) if later.size else None,
            "classes": {name: int((self.of_class == at).sum()) for at, name in enumerate(CLASSES)},
        }


def start_changes(before: Schedule, after: Schedule) -> Changes:
    """How starts change from *before* to *after*, which must be schedules of the same jobs.

    Raises BadValue where they are not.
    """
    if not np.array_equal(before.workload.number, after.workload.number):
        raise BadValue("schedules", f"{before.policy}, {after.policy}", "of the same jobs to be compared")
    both = before.counted & after.counted
    change = np.where(both, after.start_s - before.start_s, np.nan)
    of_class = np.where(
        change < 0,
        np.searchsorted(BOUNDS_S, change, side="right"),
        np.searchsorted(BOUNDS_S, change, side="left"),
    )
    return Changes(change, np.where(np.isnan(change), len(CLASSES), of_class).astype(np.int64))


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if values.size else None
