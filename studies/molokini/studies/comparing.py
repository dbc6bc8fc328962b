"""Comparisons over many cases: how often one is lower, and whether something grows step by step."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from molokini.studies.claims import Finding, Verdict
from molokini.studies.results import Interval, NotRun, Results, interval
from molokini.studies.rule import EXCEPTIONS, Count, exactly, needed

Pair = tuple[Hashable, Hashable]


@dataclass(frozen=True)
class Tally:
    """How pairs compare: the first of each less the second, seed by seed."""

    found: Sequence[tuple[Pair, Interval]]
    """Those that were measured; one at least."""
    missing: int
    """Pairs of which one is undefined under some seed, as where nothing arrived."""

    @property
    def lower(self) -> int:
        """Pairs whose interval lies below 0."""
        return sum(one.below for _, one in self.found)

    @property
    def higher(self) -> int:
        """Pairs whose interval lies above 0."""
        return sum(one.above for _, one in self.found)

    @property
    def equal(self) -> int:
        """Pairs that are the same under every seed: both 0, as a rule."""
        return sum(one.is_nothing for _, one in self.found)

    @property
    def unclear(self) -> int:
        """The others."""
        return len(self.found) - self.lower - self.higher - self.equal

    @property
    def compared(self) -> int:
        """Pairs that are not equal."""
        return len(self.found) - self.equal

    def __str__(self) -> str:
        said = f"clearly lower in {self.lower} of {self.compared}, clearly higher in {self.higher}"
        equal = f" ({self.equal} more are equal)" if self.equal else ""
        missing = f" ({self.missing} more are undefined)" if self.missing else ""
        means = [one.mean for _, one in self.found]
        return f"{said}{equal}{missing}; differences from {min(means):+.4f} to {max(means):+.4f}"


def tally(results: Results, pairs: Sequence[Pair], metric: str) -> Tally:
    """Count *pairs* by how their first compares with their second; NotRun where none was measured."""
    found = [(pair, results.difference(*pair, metric)) for pair in _defined(results, pairs, metric)]
    return Tally(found, len(pairs) - len(found))


def ordered(results: Results, pairs: Sequence[Pair], metric: str) -> Finding:
    """That every first is lower than its second."""
    found = tally(results, pairs, metric)
    same = [pair for pair, one in found.found if one.is_nothing]
    happened = sum(any(results.known(case, metric)) for case, _ in same)
    verdict = Count(found.lower, found.higher, found.unclear, happened).verdict
    more = needed(verdict, [one for _, one in found.found])
    return Finding(verdict, f"{found}; {more}" if more else str(found))


def never_higher(results: Results, pairs: Sequence[Pair], metric: str) -> Finding:
    """That the first of no pair is higher than its second beyond the interval: that is what is claimed."""
    found = tally(results, pairs, metric)
    if len(results.seeds) == 1 and found.compared:
        return Finding(Verdict.UNDECIDED, f"{found}; one seed has no interval")
    return exactly(not found.higher, str(found))


def alike(results: Results, pairs: Sequence[Pair], metric: str, within: float) -> Finding:
    """That no difference is larger than *within*; in shape where in few pairs more may be."""
    found = [results.difference(*pair, metric) for pair in _defined(results, pairs, metric)]
    near = sum(-within <= one.low and one.high <= within for one in found)
    apart = sum(one.low > within or one.high < -within for one in found)
    largest = max(found, key=lambda one: abs(one.mean))
    verdict = Count(near, apart, len(found) - near - apart).verdict
    if verdict is Verdict.IN_SHAPE and len(found) - near > len(found) * 2 * EXCEPTIONS:
        verdict = Verdict.UNDECIDED
    why = f"clearly within {within:g} in {near} of {len(found)}, clearly not in {apart}"
    more = needed(verdict, found, (-within, within))
    return Finding(verdict, f"{why}; the largest difference is {largest}{f'; {more}' if more else ''}")


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
    reason = NotRun("nothing was compared")
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


def rises_with(steps: Sequence[Step]) -> Finding:
    """That samples grow from step to step.

    *holds*: every step is clearly up; *in shape*: the last is clearly above the first, and more steps are
    clearly up than clearly down. *contradicted*: the last is clearly below the first, or no more are up.
    """
    return _stepwise(steps, 1.0)


def falls_with(steps: Sequence[Step]) -> Finding:
    """That samples fall from step to step; as ``rises_with``."""
    return _stepwise(steps, -1.0)


def _stepwise(steps: Sequence[Step], sign: float) -> Finding:
    if len(steps) < 2:
        raise NotRun("nothing was compared: there is no second step")
    changes = [_change(before, after, sign) for (_, before), (_, after) in pairwise(steps)]
    whole = _change(steps[0][1], steps[-1][1], sign)
    right, wrong = sum(one.above for one in changes), sum(one.below for one in changes)
    verdict = _of_steps(right, wrong, changes, whole)
    if verdict is Verdict.UNTESTABLE and any(any(samples) for _, samples in steps):
        verdict = Verdict.CONTRADICTED
    up, down = (right, wrong) if sign > 0 else (wrong, right)
    shown = ", ".join(f"{name}: {fmean(samples):.4f}" for name, samples in steps)
    why = f"{shown}; of {len(changes)} steps {up} are clearly up, {down} clearly down"
    more = needed(verdict, [whole])
    return Finding(verdict, f"{why}; {more}" if more else why)


def _of_steps(right: int, wrong: int, changes: Sequence[Interval], whole: Interval) -> Verdict:
    if all(one.is_nothing for one in changes):
        return Verdict.UNTESTABLE
    if right == len(changes):
        return Verdict.HOLDS
    if whole.above and right > wrong:
        return Verdict.IN_SHAPE
    if whole.below or wrong > right or whole.is_nothing:
        return Verdict.CONTRADICTED
    return Verdict.UNDECIDED


def _change(before: Sequence[float], after: Sequence[float], sign: float) -> Interval:
    return interval([sign * (new - old) for old, new in zip(before, after, strict=True)])
