"""The points of a sweep, counted and numbered without being kept: what is asked for may be ten million.

A scenario is a log on a machine under factors of load and run times; a variant is a policy with values of its
parameters. Points are in the order of (scenario, seed, variant), so that neighbours share a workload.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from molokini.experiments.sweeping import Point

MOST_POINTS = 100_000_000


class Key(NamedTuple):
    """One point: places on the three axes. The seed at place 0 is the first."""

    scenario: int
    seed: int
    variant: int
    """Among the policies of the plan."""


@dataclass(frozen=True)
class Space:
    """All points, and what each stands for."""

    entries: int
    """Logs on machines: the logs of the plan."""
    factors: Sequence[Sequence[tuple[float, float]]]
    """Of each sample the factors of load and run time, as many for each sample."""
    variants: Sequence[Sequence[int]]
    """Of each sample the policies of the plan."""
    seeds: int
    """0: every workload as it is."""
    seed: int = 0
    """Seeds are those behind this one."""

    @property
    def samples(self) -> int:
        """Points of the Latin hypercube; 1 where there is none."""
        return len(self.variants)

    @property
    def scenarios(self) -> int:
        """How many there are."""
        return self.entries * self.samples * len(self.factors[0])

    @cached_property
    def _first(self) -> list[int]:
        """The number of the first point of each sample, within a log; behind them the points of a log."""
        found, total = [], 0
        for variants in self.variants:
            found.append(total)
            total += len(self.factors[0]) * max(1, self.seeds) * len(variants)
        return [*found, total]

    def __len__(self) -> int:
        return self.entries * self._first[-1]

    def place(self, scenario: int) -> tuple[int, int, int]:
        """Log, sample and pair of factors of *scenario*."""
        rest, factor = divmod(scenario, len(self.factors[0]))
        entry, sample = divmod(rest, self.samples)
        return entry, sample, factor

    def variants_of(self, scenario: int) -> Sequence[int]:
        """The policies that run in *scenario*."""
        return self.variants[self.place(scenario)[1]]

    def number(self, key: Key) -> int | None:
        """The place of *key* among all points; None for a seed beyond those that were asked for."""
        if key.seed >= max(1, self.seeds):
            return None
        entry, sample, factor = self.place(key.scenario)
        variants = self.variants[sample]
        within = (factor * max(1, self.seeds) + key.seed) * len(variants) + variants.index(key.variant)
        return entry * self._first[-1] + self._first[sample] + within

    def keys(self) -> Iterator[Key]:
        """Every point, in order."""
        for scenario in range(self.scenarios):
            variants = self.variants_of(scenario)
            for seed in range(max(1, self.seeds)):
                for variant in variants:
                    yield Key(scenario, seed, variant)

    def seed_of(self, key: Key) -> int | None:
        """The seed of *key* as a user knows it."""
        return self.seed + key.seed + 1 if self.seeds else None

    def point(self, key: Key) -> Point:
        """What is replayed."""
        entry, sample, factor = self.place(key.scenario)
        load, longer = self.factors[sample][factor]
        return Point(entry, load, self.seed_of(key), key.variant, longer)
