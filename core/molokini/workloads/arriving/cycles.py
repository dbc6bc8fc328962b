"""The rhythm of arrivals: intensities of half hours, and operational time.

Gaps are drawn in operational time, in which arrivals are as dense at night as at noon, and the clock is found
by the integral of the intensity. So any distribution of gaps keeps its shape, and the day its rhythm.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from molokini.model.errors import BadValue
from molokini.workloads.workload import Floats

BUCKET_S = 1800.0
"""The length of a piece of constant intensity."""
DAY = 48
"""Pieces of a day."""


@dataclass(frozen=True)
class Cycle:
    """Intensities of successive half hours of a day or a week, from midnight (of a Monday) on.

    Their mean is 1: a second of operational time is a second of the clock on average.
    """

    intensities: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.intensities) not in (1, DAY, 7 * DAY):
            raise BadValue(
                "cycle", len(self.intensities), f"{DAY} half hours of a day or {7 * DAY} of a week"
            )
        if not (min(self.intensities) >= 0.0 and abs(np.mean(self.intensities) - 1.0) < 1e-9):
            raise BadValue("cycle", min(self.intensities), "intensities of 0 or more, 1 on average")

    @classmethod
    def of(cls, weights: Sequence[float]) -> "Cycle":
        """The cycle of these *weights*, whatever their mean."""
        values = np.asarray(weights, dtype=np.float64)
        if not (values.size and np.isfinite(values).all() and values.min() >= 0.0 and values.sum() > 0.0):
            raise BadValue("cycle", list(weights)[:3], "numbers of 0 or more, one above 0 at least")
        return cls(tuple((values / values.mean()).tolist()))

    @cached_property
    def _knots(self) -> tuple[Floats, Floats]:
        """Clock and operational time at the ends of the pieces of one cycle, s."""
        passed = np.concatenate([[0.0], np.cumsum(self.intensities)]) * BUCKET_S
        clock = np.linspace(0.0, len(self.intensities) * BUCKET_S, len(self.intensities) + 1)
        passed[-1] = clock[-1]
        return np.asarray(clock, np.float64), np.asarray(passed, np.float64)

    def clock_s(self, operational_s: Floats) -> Floats:
        """The clock at each instant of operational time, both from 0 on."""
        return self._through(operational_s, *reversed(self._knots))

    def operational_s(self, clock_s: Floats) -> Floats:
        """The operational time at each instant of the clock."""
        return self._through(clock_s, *self._knots)

    def _through(self, at: Floats, before: Floats, after: Floats) -> Floats:
        if len(self.intensities) == 1:
            return np.asarray(at, dtype=np.float64)
        length = before[-1]
        rounds = np.floor(np.asarray(at) / length)
        return np.asarray(rounds * length + np.interp(at - rounds * length, before, after))


EVEN = Cycle((1.0,))
"""No rhythm."""


def of_week(weekday: Sequence[float], saturday: Sequence[float], sunday: Sequence[float]) -> Cycle:
    """A week from the weights of the 48 half hours of its days, Monday first; weights count across days."""
    return Cycle.of([*list(weekday) * 5, *saturday, *sunday])
