"""Comparisons that several claims make: pairs of schemes, seed by seed, and what is said of them."""

from collections.abc import Hashable, Mapping, Sequence
from statistics import fmean

from molokini.studies.claims import Finding, Verdict
from molokini.studies.comparing import always_lower, tally
from molokini.studies.results import Interval, Partly, Results
from molokini.studies.zhang2001_qos.cases import LOADS, MIXES, Mixed

RESPONSE = "be_all_response_s"
"""Of all best-effort jobs that arrived; of one that has not ended what there was of it until the end."""
BLOCKED = "be_all_blocked_s"
MISSES = "rt_miss_rate"

Pairs = list[tuple[Mixed, Mixed]]


def said(holds: bool, why: str, in_shape: bool = False) -> Finding:
    """A finding that holds, or holds in shape, or does not."""
    return Finding(Verdict.HOLDS if holds else Verdict.IN_SHAPE if in_shape else Verdict.FAILS, why)


def undecided(results: Results, why: str) -> Finding:
    """Nothing is clear either way: more seeds would tell, so this is no verdict against the claim."""
    return Finding(Verdict.UNTESTABLE, f"no difference is clear with {len(results.seeds)} seeds: {why}")


def clear(found: Sequence[Interval]) -> bool:
    """Whether any of these differences is clearly above or below 0."""
    return any(one.above or one.below for one in found)


def ordered(results: Results, found: Sequence[tuple[Hashable, Hashable]], metric: str) -> Finding:
    """``always_lower``, which says so where nothing is clear either way."""
    count = tally(results, found, metric)
    verdict = always_lower(results, found, metric)
    if count.compared and count.lower == count.higher == 0:
        return undecided(results, verdict.why)
    return verdict


def joined(parts: Mapping[str, Finding]) -> Finding:
    """All parts of a claim: it holds where all hold, and in shape where none fails or is undecided."""
    verdicts = [part.verdict for part in parts.values()]
    why = "; ".join(f"{name}: {part.why}" for name, part in parts.items())
    if Verdict.UNTESTABLE in verdicts and Verdict.FAILS not in verdicts:
        return Finding(Verdict.UNTESTABLE, why)
    good = sum(one in (Verdict.HOLDS, Verdict.IN_SHAPE) for one in verdicts)
    return said(all(one is Verdict.HOLDS for one in verdicts), why, good == len(verdicts))


def mean(results: Results, case: Hashable, metric: str) -> float | None:
    """The mean over the seeds in which it was measured, or None."""
    known = results.known(case, metric)
    return fmean(known) if known else None


def interval_of(results: Results, case: Hashable, metric: str) -> Interval:
    """The same with its interval; NotRun where most seeds do not have it."""
    return results.partly().over_seeds(results.by_seed(case, metric), metric)


def pairs(one: str, other: str, mixes: Sequence[str] = tuple(MIXES), loads: Sequence[float] = LOADS) -> Pairs:
    """Two schemes at the same mixes and loads."""
    return [(Mixed(one, mix, load), Mixed(other, mix, load)) for mix in mixes for load in loads]


def combined(partly: Partly, weights: Sequence[tuple[Hashable, str, float]], what: str) -> Interval:
    """The mean over seeds of a sum of metrics, each with its weight."""
    every = [(partly.by_seed(case, metric), weight) for case, metric, weight in weights]
    seeds = [seed for seed in partly.seeds if all(seed in values for values, _ in every)]
    return partly.over_seeds(
        {seed: sum(values[seed] * weight for values, weight in every) for seed in seeds}, what
    )


def quotients(results: Results, top: Hashable, bottom: Hashable, metric: str) -> dict[int, float]:
    """One case's metric over another's, by seed, where both are known and the second is not 0."""
    one, two = results.by_seed(top, metric), results.by_seed(bottom, metric)
    return {seed: one[seed] / two[seed] for seed in one if two.get(seed)}


def less(partly: Partly, one: Mapping[int, float], two: Mapping[int, float], what: str) -> Interval:
    """The mean difference of two values by seed."""
    return partly.over_seeds({seed: one[seed] - two[seed] for seed in one if seed in two}, what)


def counted(found: Sequence[Interval]) -> str:
    """How many intervals lie above and below 0."""
    above, below = sum(one.above for one in found), sum(one.below for one in found)
    return f"clearly above in {above} of {len(found)}, clearly below in {below}"
