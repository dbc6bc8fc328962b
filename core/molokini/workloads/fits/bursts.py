"""Bursts of arrivals: gaps of any distribution, in the order of size of those of self-similar visits.

Independent gaps forget what was before them, and logs do not: their counts of arrivals vary at every scale.
Here the gaps that were drawn keep their distribution and are put in another order: the shortest come where
visits, which last Pareto times, are many (``arriving/processes.py``). How many jobs a visit submits is
fitted: the number whose jobs have the log's Hurst parameter. The rule is ours.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from molokini.model.errors import BadValue
from molokini.workloads.arriving.processes import visits
from molokini.workloads.statistics.selfsimilar import hurst, variance_time_h
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Floats

TAIL = 1.4
"""Exponent of the visits' lengths; by theory H is (3 - TAIL)/2 = 0.8 above the length of a visit."""
TRIED = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0)
_SEEDS = 3
_NEAR = 0.01
"""Of H."""


@dataclass(frozen=True)
class Bursts:
    """Visits that submit *jobs* on average and last Pareto times of exponent *tail*."""

    jobs: float
    tail: float = TAIL

    def __post_init__(self) -> None:
        if not 0.01 <= self.jobs <= 1e6:
            raise BadValue("bursts.jobs", self.jobs, "jobs of a visit from 0.01 to 1,000,000")
        if not 1.01 <= self.tail <= 1.99:
            raise BadValue("bursts.tail", self.tail, "an exponent from 1.01 to 1.99")


@dataclass(frozen=True)
class BurstFit:
    """What was found: bursts, or None where independent gaps are as near; Hurst's parameters in two ways."""

    bursts: Bursts | None
    log: dict[str, Any] | None
    """Of the log; None for one that is too short."""
    made: dict[str, Any] | None
    """Of as many jobs made with the bursts that were found."""
    independent: dict[str, Any] | None
    """Of as many with independent gaps."""

    def told(self) -> dict[str, Any]:
        """Ready for JSON."""
        found = {"log": self.log, "made": self.made, "independent_gaps": self.independent}
        return {
            "jobs_of_a_visit": None if self.bursts is None else self.bursts.jobs,
            "tail": None if self.bursts is None else self.bursts.tail,
            **{name: None if one is None else h_of(one) for name, one in found.items()},
        }


def h_of(found: dict[str, Any]) -> dict[str, float | None]:
    """H alone, by each way, of what ``hurst`` tells."""
    return {name: found[name]["h"] for name in ("variance_time", "rescaled_range")}


def in_bursts(gaps: Floats, bursts: Bursts | None, streams: Streams) -> Floats:
    """The same *gaps* in the order of size of those between arrivals of *bursts*."""
    if bursts is None or gaps.size < 2:
        return gaps
    instants = visits(streams.under("bursts"), gaps.size, 1.0, bursts.tail, bursts.jobs).instants_s
    order = np.argsort(np.diff(instants, prepend=0.0), kind="stable")
    found = np.empty_like(gaps)
    found[order] = np.sort(gaps)
    return found


def fit_bursts(submit_s: Floats, make: Callable[[Bursts | None, int], Floats]) -> BurstFit:
    """The least bursts whose jobs have the variance-time H of *submit_s*.

    *make* gives as many instants with some bursts, or none, and a seed.
    """
    of_log = hurst(submit_s)
    if of_log is None or of_log["variance_time"]["h"] is None:
        return BurstFit(None, of_log, None, None)
    wanted = float(of_log["variance_time"]["h"])

    def beside(bursts: Bursts | None) -> float:
        found = [variance_time_h(make(bursts, seed)) for seed in range(_SEEDS)]
        known = [one for one in found if one is not None]
        return abs(float(np.mean(known)) - wanted) if known else np.inf

    tried = [(beside(None), None), *((beside(one), one) for one in map(Bursts, TRIED))]
    # Above some number of jobs H hardly grows, and what is left is chance: the least that is near will do.
    near = min(distance for distance, _ in tried) + _NEAR
    chosen = next(bursts for distance, bursts in tried if distance <= near)
    return BurstFit(chosen, of_log, hurst(make(chosen, 0)), hurst(make(None, 0)))
