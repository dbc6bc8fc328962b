"""The week of a log as a rhythm: 48 half hours of weekdays, of Saturdays, of Sundays."""

from collections.abc import Sequence

import numpy as np

from molokini.model.errors import BadValue
from molokini.workloads.arriving.cycles import BUCKET_S, DAY, Cycle, of_week
from molokini.workloads.calendar import DAY_S
from molokini.workloads.workload import Floats, Ints

WEEK_S = 7 * DAY_S
_SLOTS = 7 * DAY
_LEAST = 0.02
"""Least intensity, of the mean: an hour without a job in the log is no hour that never has one."""


def week_of(weekday: Sequence[float], saturday: Sequence[float], sunday: Sequence[float]) -> Cycle:
    """The week of 48 weights each, of any unit. Raises BadValue."""
    for name, weights in (("weekday", weekday), ("saturday", saturday), ("sunday", sunday)):
        if len(weights) != DAY or not all(np.isfinite(weights)) or min(weights) < 0:
            raise BadValue(name, f"{len(weights)} weights", "48 numbers of 0 or more, one a half hour")
    if not any((*weekday, *saturday, *sunday)):
        raise BadValue("weekday, saturday, sunday", "0", "weights of which some are above 0")
    week = np.array(of_week(weekday, saturday, sunday).intensities)
    return Cycle.of(np.maximum(week, 1e-9).tolist())  # never none at all: time goes on


def fitted_week(of_week_s: Floats, days: Ints) -> Cycle:
    """From the jobs' seconds since Monday 0:00, and how often each day of the week was in the log."""
    slots = np.bincount((of_week_s // BUCKET_S).astype(np.int64) % _SLOTS, minlength=_SLOTS)
    each = slots.reshape(7, DAY)
    groups = [[0, 1, 2, 3, 4], [5], [6]]
    means = [each[group].sum(axis=0) / max(1, int(days[group].sum())) for group in groups]
    whole = sum(float(mean.sum()) for mean in means)
    # A log of a few days has no weekend: what was never seen is as the rest.
    seen = [mean for mean, group in zip(means, groups, strict=True) if days[group].sum()]
    rest = np.mean(seen, axis=0) if whole else np.ones(DAY)
    found = [mean if days[group].sum() else rest for mean, group in zip(means, groups, strict=True)]
    least = _LEAST * max(whole, 1e-9) / (DAY * len(groups))
    return week_of(*(np.maximum(mean, least).tolist() for mean in found))


def kinds_of_day(week: Cycle) -> dict[str, list[float]]:
    """The weights by kind of day, for files."""
    days = np.array(week.intensities).reshape(7, DAY)
    return {"weekday": days[0].tolist(), "saturday": days[5].tolist(), "sunday": days[6].tolist()}
