"""The week as a rhythm of arrivals: 48 half hours of weekdays, of Saturdays, of Sundays.

Gaps are drawn in operational time, the integral of the intensity, so that any distribution of gaps keeps its
shape in it while days and nights come out in real time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from molokini.model.errors import BadValue
from molokini.workloads.calendar import DAY_S
from molokini.workloads.workload import Floats, Ints

HALF_HOUR_S = 1800.0
WEEK_S = 7 * DAY_S
_SLOTS = 336
_LEAST = 0.02
"""Least intensity, of the mean: an hour without a job in the log is no hour that never has one."""


@dataclass(frozen=True)
class Cycle:
    """Intensities of the 336 half hours of a week from Monday 0:00, 1 on average."""

    weights: tuple[float, ...]

    @classmethod
    def of(cls, weekday: Sequence[float], saturday: Sequence[float], sunday: Sequence[float]) -> Self:
        """The cycle of 48 weights each, of any unit."""
        for name, weights in (("weekday", weekday), ("saturday", saturday), ("sunday", sunday)):
            if len(weights) != 48 or not all(np.isfinite(weights)) or min(weights) < 0:
                raise BadValue(name, f"{len(weights)} weights", "48 numbers of 0 or more, one a half hour")
        week = np.array([*weekday] * 5 + [*saturday] + [*sunday], np.float64)
        if not week.sum() > 0:
            raise BadValue("weekday, saturday, sunday", "0", "weights of which some are above 0")
        week = np.maximum(week / week.mean(), 1e-9)  # never none at all: time goes on
        return cls(tuple((week / week.mean()).tolist()))

    @classmethod
    def fitted(cls, of_week_s: Floats, days: Ints) -> Self:
        """From the jobs' seconds since Monday 0:00, and how often each day of the week was in the log."""
        slots = np.bincount((of_week_s // HALF_HOUR_S).astype(np.int64) % _SLOTS, minlength=_SLOTS)
        each = slots.reshape(7, 48)
        groups = [[0, 1, 2, 3, 4], [5], [6]]
        means = [each[group].sum(axis=0) / max(1, int(days[group].sum())) for group in groups]
        whole = sum(float(mean.sum()) for mean in means)
        # A log of a few days has no weekend: what was never seen is as the rest.
        seen = [mean for mean, group in zip(means, groups, strict=True) if days[group].sum()]
        rest = np.mean(seen, axis=0) if whole else np.ones(48)
        found = [mean if days[group].sum() else rest for mean, group in zip(means, groups, strict=True)]
        least = _LEAST * max(whole, 1e-9) / (48 * len(groups))
        return cls.of(*(np.maximum(mean, least).tolist() for mean in found))

    def operational(self, time_s: Floats) -> Floats:
        """Operational seconds at real seconds since a Monday 0:00."""
        weeks, rest = np.divmod(time_s, WEEK_S)
        found: Floats = weeks * WEEK_S + np.interp(rest, self._edges(), self._upto())
        return found

    def real(self, operational_s: Floats) -> Floats:
        """Real seconds since a Monday 0:00 at operational ones."""
        weeks, rest = np.divmod(operational_s, WEEK_S)
        found: Floats = weeks * WEEK_S + np.interp(rest, self._upto(), self._edges())
        return found

    def _edges(self) -> Floats:
        return np.arange(_SLOTS + 1, dtype=np.float64) * HALF_HOUR_S

    def _upto(self) -> Floats:
        upto = np.concatenate([[0.0], np.cumsum(self.weights)]) * HALF_HOUR_S
        upto[-1] = WEEK_S
        return upto

    def parts(self) -> dict[str, list[float]]:
        """The weights by kind of day, for files."""
        week = np.array(self.weights).reshape(7, 48)
        return {"weekday": week[0].tolist(), "saturday": week[5].tolist(), "sunday": week[6].tolist()}
