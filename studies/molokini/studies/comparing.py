"""Comparisons over many cases: how often one is lower, and whether something grows step by step."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from molokini.studies.claims import Finding, Verdict
from molokini.studies.results import Interval, NotRun, Results, interval

Pair = tuple[Hashable, Hashable]

TENDENCY = 2 / 3
"""A share of the comparisons from which on there is a tendency ..."""

EXCEPTIONS = 0.1
"""... if no larger share clearly says the contrary."""


@dataclass(frozen=True)
class Tally:
    """How pairs compare: the first of each less the second, seed by seed."""

    lower: int
    """Pairs whose interval lies below 0."""
    higher: int
    """Pairs whose interval lies above 0."""
    unclear: int
    equal: int
    """Pairs that are the same under every seed: both 0, as a rule."""
    missing: int
    """Pairs of which one is undefined under some seed, as where nothing arrived."""
    least: tuple[Pair, Interval]
    """The pair with the lowest difference ..."""
    most: tuple[Pair, Interval]
    """... and with the highest."""

    @property
    def compared(self) -> int:
        """Pairs that are not equal."""
        return self.lower + self.higher + self.unclear

    def __str__(self) -> str:
        said = f"clearly lower in {self.lower} of {self.compared}, clearly higher in {self.higher}"
        equal = f" ({self.equal} more are equal)" if self.equal else ""
        missing = f" ({self.missing} more are undefined)" if self.missing else ""
        return (
            f"{said}{equal}{missing}; differences from {self.least[1].mean:+.4f} to {self.most[1].mean:+.4f}"
        )


def tally(results: Results, pairs: Sequence[Pair], metric: str) -> Tally:
    """Count *pairs* by how their first compares with their second."""
    found = [(pair, results.difference(*pair, metric)) for pair in _defined(results, pairs, metric)]
    equal = [one for _, one in found if one.low == one.high == 0]
    lower, higher = sum(one.below for _, one in found), sum(one.above for _, one in found)
    unclear = len(found) - lower - higher - len(equal)
    least, most = (pick(found, key=lambda one: one[1].mean) for pick in (min, max))
    return Tally(lower, higher, unclear, len(equal), len(pairs) - len(found), least, most)


def always_lower(results: Results, pairs: Sequence[Pair], metric: str) -> Finding:
    """*holds*: every first is clearly lower; *in shape*: most are, and hardly any is clearly higher."""
    found = tally(results, pairs, metric)
    if found.compared and found.lower == found.compared:
        verdict = Verdict.HOLDS
    elif found.lower >= TENDENCY * found.compared > 0 and found.higher <= EXCEPTIONS * found.compared:
        verdict = Verdict.IN_SHAPE
    else:
        verdict = Verdict.FAILS
    return Finding(verdict, str(found))


def never_higher(results: Results, pairs: Sequence[Pair], metric: str) -> Finding:
    """*holds*: the first of no pair is higher than its second beyond the interval."""
    found = tally(results, pairs, metric)
    return Finding(Verdict.FAILS if found.higher else Verdict.HOLDS, str(found))


def almost_equal(results: Results, pairs: Sequence[Pair], metric: str, within: float) -> Finding:
    """*holds*: no difference is larger than *within*; *in shape*: few are."""
    found = [results.difference(*pair, metric) for pair in _defined(results, pairs, metric)]
    near = sum(abs(one.mean) <= within for one in found)
    largest = max(found, key=lambda one: abs(one.mean))
    verdict = Verdict.FAILS
    if near == len(found):
        verdict = Verdict.HOLDS
    elif len(found) - near <= len(found) * 2 * EXCEPTIONS:
        verdict = Verdict.IN_SHAPE
    why = f"within {within:g} in {near} of {len(found)}; the largest difference is {largest}"
    return Finding(verdict, why)


def mean_difference(results: Results, pairs: Sequence[Pair], metric: str) -> list[float]:
    """For each seed the mean over *pairs*, those that were measured, of their first less their second."""
    every = [
        [one - two for one, two in zip(results.samples(a, metric), results.samples(b, metric), strict=True)]
        for a, b in _defined(results, pairs, metric)
    ]
    return [fmean(of_seed) for of_seed in zip(*every, strict=True)]


def _defined(results: Results, pairs: Sequence[Pair], metric: str) -> list[Pair]:
    """Those of *pairs* that were measured; NotRun where none was."""
    found = []
    for pair in pairs:
        try:
            results.difference(*pair, metric)
        except NotRun as missing:
            reason = missing
            continue
        found.append(pair)
    if not found:
        raise reason
    return found


Step = tuple[str, Sequence[float]]
"""A name, and a sample for each seed."""


def grows(steps: Sequence[Step]) -> Finding:
    """Whether samples grow from step to step.

    *holds*: every step is clearly up; *in shape*: the last is clearly above the first, and more steps are
    clearly up than clearly down.
    """
    return _stepwise(steps, 1.0)


def falls(steps: Sequence[Step]) -> Finding:
    """Whether samples fall from step to step; as ``grows``."""
    return _stepwise(steps, -1.0)


def _stepwise(steps: Sequence[Step], sign: float) -> Finding:
    changes = [_change(before, after, sign) for (_, before), (_, after) in pairwise(steps)]
    right, wrong = sum(one.above for one in changes), sum(one.below for one in changes)
    verdict = Verdict.FAILS
    if right == len(changes):
        verdict = Verdict.HOLDS
    elif _change(steps[0][1], steps[-1][1], sign).above and right > wrong:
        verdict = Verdict.IN_SHAPE
    up, down = (right, wrong) if sign > 0 else (wrong, right)
    shown = ", ".join(f"{name}: {fmean(samples):.4f}" for name, samples in steps)
    return Finding(verdict, f"{shown}; of {len(changes)} steps {up} are clearly up, {down} clearly down")


def _change(before: Sequence[float], after: Sequence[float], sign: float) -> Interval:
    return interval([sign * (new - old) for old, new in zip(before, after, strict=True)])
