"""Which variant is best in each scenario, whether that is certain, and what it would take.

In a scenario the variant of the best mean is compared with each of the others over the seeds that both have,
pair by pair. It is certainly the best where each interval of a difference keeps clear of 0; with k others
each is an interval of 1 - 0.05/k (Bonferroni), so that all hold together with 95%. Variants whose figures
are the same for every seed are one.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from molokini.experiments.sweeps.measuring import Rows
from molokini.experiments.sweeps.space import Key
from molokini.metrics.comparison import HIGHER_IS_BETTER
from molokini.metrics.intervals import CONFIDENCE, aggregate
from molokini.metrics.needed import samples_needed

_MOST_A_ROUND = 2.0
"""A round makes at most so many times as many seeds as there are: a first spread may be a chance."""


@dataclass(frozen=True)
class Rival:
    """A variant that may still be the best."""

    variant: int
    difference: float | None
    """How far its mean is behind the best, in the metric's unit."""
    seeds: int
    """Seeds that both have."""
    needed: int | None
    """Seeds in all until it is certain, as it looks now; None: there is no telling."""


@dataclass(frozen=True)
class Standing:
    """Who is best in one scenario."""

    scenario: int
    best: int
    mean: float
    rivals: tuple[Rival, ...]
    """Those that may still be; none: it is certain."""

    def as_dict(self, labels: Sequence[str], text: str) -> dict[str, Any]:
        """Ready for JSON."""
        rivals = [{**asdict(one), "variant": labels[one.variant]} for one in self.rivals]
        told = {"scenario": text, "best": labels[self.best], "mean": self.mean}
        return {**told, "certain": not self.rivals, "rivals": rivals}


Figures = Mapping[int, Mapping[int, float]]
"""One metric of a scenario: by variant, by seed."""


def by_scenario(blocks: Iterator[Rows], metric: str) -> Iterator[tuple[int, Figures]]:
    """The figures of one scenario after the other, as rows in order have them."""
    now, held = -1, dict[int, dict[int, float]]()
    for rows in blocks:
        for (scenario, seed, variant), value in zip(
            rows.keys.tolist(), rows.column(metric).tolist(), strict=True
        ):
            if scenario != now:
                if held:
                    yield now, held
                now, held = scenario, {}
            if not math.isnan(value):
                held.setdefault(variant, {})[seed] = value
    if held:
        yield now, held


def standing(scenario: int, figures: Figures, metric: str) -> Standing:
    """Who is best, and who may be. A single seed says nothing of spread, and nothing is certain by it."""
    sign = -1.0 if metric in HIGHER_IS_BETTER else 1.0
    # Who has fewer seeds has been left behind already; the others have the same ones.
    most = max(map(len, figures.values()))
    means = {
        variant: sign * float(np.mean([by_seed[seed] for seed in sorted(by_seed)]))
        for variant, by_seed in figures.items()
        if len(by_seed) == most
    }
    best = min(means, key=lambda variant: (means[variant], variant))
    others = [variant for variant in figures if variant != best]
    level = 1 - (1 - CONFIDENCE) / max(1, len(others))
    rivals = []
    for variant in others:
        seeds = sorted(figures[best].keys() & figures[variant].keys())
        behind = [sign * (figures[variant][seed] - figures[best][seed]) for seed in seeds]
        if not any(behind) and len(seeds) > 1:
            continue
        found = aggregate(behind, level, math.inf)
        if found.mean is not None and found.half_width is not None and found.mean > found.half_width:
            continue
        needed = samples_needed(found.mean, found.half_width, len(seeds), level)
        rivals.append(Rival(variant, found.mean, len(seeds), needed))
    mean = float(np.mean(list(figures[best].values())))
    return Standing(scenario, best, mean, tuple(rivals))


def next_points(found: Sequence[Standing], most_seeds: int) -> list[Key]:
    """The points that decide most: more seeds for the best and its rivals, where that is not certain.

    As many seeds as the closest rival seems to need, at most three times those that there are.
    """
    keys = []
    for one in found:
        if not one.rivals:
            continue
        have = min(rival.seeds for rival in one.rivals)
        needed = max(rival.needed or most_seeds for rival in one.rivals)
        until = min(most_seeds, max(have + 2, min(needed, math.ceil(have * (1 + _MOST_A_ROUND)))))
        variants = sorted([one.best, *(rival.variant for rival in one.rivals)])
        keys += [Key(one.scenario, seed, each) for seed in range(have, until) for each in variants]
    return keys


def not_yet(found: Sequence[Standing], labels: Sequence[str], texts: Sequence[str]) -> list[str]:
    """A line for each scenario in which the best is not certain, with the seeds that it needs."""
    lines = []
    for one, text in zip(found, texts, strict=True):
        if not one.rivals:
            continue
        have = min(rival.seeds for rival in one.rivals)
        needs = [rival.needed for rival in one.rivals]
        known = [need for need in needs if need is not None]
        if have < 2:
            more = "give seeds, 2 or more, to know"
        elif len(known) < len(needs):
            more = "their means are the same so far"
        else:
            more = f"about {max(known) - have:,} more seeds"
        names = ", ".join(labels[rival.variant] for rival in one.rivals[:3])
        rest = f" and {len(one.rivals) - 3} more" if len(one.rivals) > 3 else ""
        lines.append(f"{text}: {labels[one.best]} is not certainly before {names}{rest}: {more}")
    return lines
