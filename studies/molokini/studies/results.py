"""The rows of a study's runs, by case: means over seeds, and differences seed by seed."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from molokini.metrics import aggregate

NOTHING = 1e-12
"""Differences as small as this are made by rounding."""


class NotRun(LookupError):
    """A case that was not run, or whose metric is undefined."""


@dataclass(frozen=True)
class Interval:
    """A mean over seeds with its 95% interval by Student's t."""

    mean: float
    low: float
    high: float
    samples: int

    @property
    def above(self) -> bool:
        """Whether all of the interval lies above 0."""
        return self.low > NOTHING

    @property
    def below(self) -> bool:
        """Whether all of the interval lies below 0."""
        return self.high < -NOTHING

    def __str__(self) -> str:
        return f"{self.mean:.4f} ({self.low:.4f} to {self.high:.4f})"


class Results:
    """What was measured: for each case and seed a value a metric."""

    def __init__(self, seeds: Sequence[int], rows: Mapping[tuple[Hashable, int], Mapping[str, Any]]) -> None:
        self.seeds = tuple(seeds)
        self._rows = rows

    def samples(self, case: Hashable, metric: str) -> list[float]:
        """The metric of *case* under each seed, in their order; NotRun where there is none."""
        try:
            found = [self._rows[case, seed][metric] for seed in self.seeds]
        except KeyError:
            raise NotRun(f"{metric} of {described(case)} was not measured") from None
        if None in found:
            raise NotRun(f"{metric} of {described(case)} is undefined")
        return found

    def known(self, case: Hashable, metric: str) -> list[float]:
        """The metric of *case* under those seeds under which it was measured and defined."""
        found = [self._rows[case, seed].get(metric) for seed in self.seeds if (case, seed) in self._rows]
        return [float(value) for value in found if value is not None]

    def mean(self, case: Hashable, metric: str) -> Interval:
        """The mean over seeds."""
        return interval(self.samples(case, metric))

    def difference(self, case: Hashable, other: Hashable, metric: str) -> Interval:
        """The mean of *case* minus *other*, seed by seed, so that what they share cancels."""
        pairs = zip(self.samples(case, metric), self.samples(other, metric), strict=True)
        return interval([one - two for one, two in pairs])

    def total(self, cases: Sequence[Hashable], metric: str) -> float:
        """The sum over *cases* and seeds."""
        return sum(sum(self.samples(case, metric)) for case in cases)


def described(case: Any) -> str:
    """A case by those of its parameters that are not what they are by default."""
    given = [(field.name, getattr(case, field.name), field.default) for field in fields(case)]
    shown = ", ".join(f"{name} {value}" for name, value, default in given if value != default)
    return shown or type(case).__name__


def interval(samples: Sequence[float]) -> Interval:
    """The mean of two or more independent values."""
    found = aggregate(samples)
    assert found.mean is not None
    assert found.low is not None
    assert found.high is not None
    return Interval(found.mean, found.low, found.high, len(samples))
