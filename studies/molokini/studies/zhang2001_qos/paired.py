"""Comparisons that several claims make: pairs of schemes, seed by seed, and what is said of them."""

from collections.abc import Hashable, Mapping, Sequence
from statistics import fmean

from molokini.process_sim.scenario import Frames
from molokini.studies.results import Interval, Partly, Results
from molokini.studies.zhang2001_qos.qos_cases import LOADS, MIXES, SOURCES, Mixed

RESPONSE = "be_all_response_s"
"""Of all best-effort jobs that arrived; of one that has not ended what there was of it until the end."""
BLOCKED, READY, QUEUED = "be_all_blocked_s", "be_all_ready_s", "be_all_queued_s"
MISSES = "rt_miss_rate"

Pairs = list[tuple[Mixed, Mixed]]


def mean(results: Results, case: Hashable, metric: str) -> float | None:
    """The mean over the seeds in which it was measured, or None."""
    known = results.known(case, metric)
    return fmean(known) if known else None


def interval_of(results: Results, case: Hashable, metric: str) -> Interval:
    """The same with its interval; NotRun where most seeds do not have it."""
    return results.partly().over_seeds(results.by_seed(case, metric), metric)


def pairs(
    one: str,
    other: str,
    mixes: Sequence[str] = tuple(MIXES),
    loads: Sequence[float] = LOADS,
    source: Frames = SOURCES[0],
) -> Pairs:
    """Two schemes at the same mixes and loads."""
    return [
        (Mixed(one, mix, load, source=source), Mixed(other, mix, load, source=source))
        for mix in mixes
        for load in loads
    ]


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
