"""The rows of a study's runs, by case: means over seeds, and differences seed by seed."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import inf, isinf
from typing import Any

from molokini.metrics import aggregate

NOTHING = 1e-12
"""Differences as small as this are made by rounding."""


class NotRun(LookupError):
    """A case that was not run, or whose metric is undefined."""


def over(one: float, other: float) -> float:
    """*one* divided by *other*; NotRun where that is 0, as the waits of short runs may be."""
    if other == 0:
        raise NotRun(f"a ratio over a figure that is 0 in these runs ({one:g} over 0)")
    return one / other


@dataclass(frozen=True)
class Interval:
    """A mean over seeds with its 95% interval by Student's t; of one seed it is without ends.

    What is computed and not measured has no width, and one sample.
    """

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

    @property
    def is_nothing(self) -> bool:
        """Whether it is 0 under every seed."""
        return self.low >= -NOTHING and self.high <= NOTHING

    @property
    def is_of_one_seed(self) -> bool:
        """Whether there is no interval, as one seed has none."""
        return isinf(self.low) or isinf(self.high)

    def __str__(self) -> str:
        if self.is_of_one_seed:
            return f"{self.mean:.4f} (one seed)"
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
        return list(self.by_seed(case, metric).values())

    def by_seed(self, case: Hashable, metric: str) -> dict[int, float]:
        """The same by seed."""
        found = {seed: self._rows.get((case, seed), {}).get(metric) for seed in self.seeds}
        return {seed: float(value) for seed, value in found.items() if value is not None}

    def where(self, keep: Callable[[Hashable], bool]) -> "Results":
        """Those rows whose case is to be kept."""
        return Results(self.seeds, {key: row for key, row in self._rows.items() if keep(key[0])})

    def partly(self) -> "Partly":
        """The same rows, where a difference may leave out seeds."""
        return Partly(self.seeds, self._rows)

    def mean(self, case: Hashable, metric: str) -> Interval:
        """The mean over seeds."""
        return interval(self.samples(case, metric))

    def difference(self, case: Hashable, other: Hashable, metric: str) -> Interval:
        """The mean of *case* minus *other*, seed by seed, so that what they share cancels."""
        return less(self.samples(case, metric), self.samples(other, metric))

    def ratio(self, case: Hashable, other: Hashable, metric: str) -> Interval:
        """The mean of *case* over *other*, seed by seed."""
        pairs = zip(self.samples(case, metric), self.samples(other, metric), strict=True)
        return interval([over(one, two) for one, two in pairs])

    def total(self, cases: Sequence[Hashable], metric: str) -> float:
        """The sum over *cases* and seeds."""
        return sum(sum(self.samples(case, metric)) for case in cases)


class Partly(Results):
    """Differences over those seeds under which both cases are defined: at least half of all, and two.

    For metrics that some seeds leave undefined, as where no job of a kind arrived. Cases that saw the same
    random numbers leave out the same seeds, as a rule.
    """

    def difference(self, case: Hashable, other: Hashable, metric: str) -> Interval:
        """The mean of *case* minus *other*, over the seeds that have both; NotRun where most have not."""
        one, two = self.by_seed(case, metric), self.by_seed(other, metric)
        return self.over_seeds(
            {seed: one[seed] - two[seed] for seed in one if seed in two}, f"{metric} of {described(case)}"
        )

    def over_seeds(self, values: Mapping[int, float], what: str) -> Interval:
        """The mean of a value that most seeds have; NotRun where they have not."""
        if len(values) < max(2, (len(self.seeds) + 1) // 2):
            raise NotRun(f"{what} is undefined under {len(self.seeds) - len(values)} of the seeds")
        return interval(list(values.values()))


def described(case: Any) -> str:
    """A case by those of its parameters that are not what they are by default."""
    given = [(field.name, getattr(case, field.name), field.default) for field in fields(case)]
    shown = ", ".join(f"{name} {value}" for name, value, default in given if value != default)
    return shown or type(case).__name__


def interval(samples: Sequence[float]) -> Interval:
    """The mean of independent values; of a single one nothing is known but that."""
    if len(samples) == 1:
        return Interval(float(samples[0]), -inf, inf, 1)
    found = aggregate(samples)
    assert found.mean is not None
    assert found.low is not None
    assert found.high is not None
    return Interval(found.mean, found.low, found.high, len(samples))


def less(one: Sequence[float], other: Sequence[float]) -> Interval:
    """How far *one* is above *other*, seed by seed."""
    return interval([a - b for a, b in zip(one, other, strict=True)])
