"""Streams of arrivals merged into one workload, stretched in operational time to a load."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from molokini.model.errors import BadValue
from molokini.workloads.arriving.cycles import Cycle
from molokini.workloads.workload import Floats, Ints

_ROUNDS, _PROPORTIONAL = 100, 12
_CLOSE = 1e-7
"""How near the load is brought to the one that was asked for, relatively."""
_NEAR, _LEAP = 1e-3, 10.0
"""What is good enough where another job of a kind makes the load leap: so much, or so many jobs' share."""


@dataclass(frozen=True)
class Feed:
    """Arrivals of one kind of jobs: instants of operational time, rising from 0 on, and their rhythm."""

    instants_s: Floats
    cycle: Cycle
    start_s: float = 0.0
    """Operational time at instant 0; it is not stretched."""

    def clock_s(self, instants_s: Floats, stretch: float) -> Floats:
        """The clock at *instants_s*, multiplied by *stretch*."""
        return self.cycle.clock_s(self.start_s + instants_s * stretch)


@dataclass(frozen=True)
class Merged:
    """The first jobs of several feeds: how many of each, when, and whose each is, in order."""

    counts: tuple[int, ...]
    submit_s: Floats
    feed: Ints
    """Which feed each job comes from; jobs of a feed keep their order."""


def merged(feeds: Sequence[Feed], jobs: int, stretch: float = 1.0) -> Merged:
    """The first *jobs* of *feeds*, whose operational times are multiplied by *stretch*."""
    counts = _counts(feeds, jobs, stretch)
    pieces = [
        feed.clock_s(feed.instants_s[:count], stretch) for feed, count in zip(feeds, counts, strict=True)
    ]
    if len(feeds) == 1:
        return Merged(counts, pieces[0], np.zeros(counts[0], np.int64))
    submit_s = np.concatenate(pieces)
    order = np.argsort(submit_s, kind="stable")
    whose = np.repeat(np.arange(len(feeds)), counts)[order]
    return Merged(counts, submit_s[order], whose)


def stretch_for(
    feeds: Sequence[Feed], works: Sequence[Floats], jobs: int, processors: int, load: float
) -> float:
    """By how much operational time is stretched so that the first *jobs* offer *load* to *processors*.

    *works* has processor-seconds of the jobs of each feed. The load is their work over what the processors
    could do from the first submission to the last. Raises BadValue for a load that cannot be had: there is no
    time between the arrivals, or no work.
    """
    if not (math.isfinite(load) and load > 0.0):
        raise BadValue("load", load, "a finite number above 0")
    if jobs < 2:
        return 1.0
    upto = [np.concatenate([[0.0], np.cumsum(work)]) for work in works]

    def offered(stretch: float) -> float:
        counts = _counts(feeds, jobs, stretch)
        work = sum(float(sums[count]) for sums, count in zip(upto, counts, strict=True))
        first_s, last_s = _ends(feeds, counts, stretch)
        if not (last_s > first_s and work > 0.0):
            raise BadValue("load", load, "left out: these jobs take no time or come all at once")
        return work / (processors * (last_s - first_s))

    stretch, less, more = 1.0, 0.0, math.inf
    for count in range(_ROUNDS):
        found = offered(stretch)
        if abs(found / load - 1.0) < _CLOSE:
            return stretch
        less, more = (stretch, more) if found > load else (less, stretch)
        # Time is nearly in proportion; inside of a day it is not, and the interval is halved.
        stretch *= found / load
        if count >= _PROPORTIONAL or not less < stretch < more:
            stretch = 2.0 * less if math.isinf(more) else 0.5 * (less + more)
    if abs(found / load - 1.0) < max(_NEAR, _LEAP / jobs):
        return stretch
    raise BadValue("load", load, f"a load that {jobs} jobs in this rhythm can offer; {found:.4g} is near")


def _counts(feeds: Sequence[Feed], jobs: int, stretch: float) -> tuple[int, ...]:
    """How many of the first *jobs* come from each feed."""
    if len(feeds) == 1:
        return (min(jobs, feeds[0].instants_s.size),)
    low, high = 0.0, 1.0
    while sum(_until(feeds, high, stretch)) < jobs and high < 1e300:
        high *= 2.0
    while True:
        middle = 0.5 * (low + high)
        if middle in (low, high):
            break
        if sum(_until(feeds, middle, stretch)) < jobs:
            low = middle
        else:
            high = middle
    counts = list(_until(feeds, high, stretch))
    for place in range(len(counts)):  # jobs of several feeds at one instant
        counts[place] -= min(counts[place], max(0, sum(counts) - jobs))
    return tuple(counts)


def _until(feeds: Sequence[Feed], clock_s: float, stretch: float) -> tuple[int, ...]:
    found = []
    for feed in feeds:
        passed_s = float(feed.cycle.operational_s(np.array([clock_s]))[0]) - feed.start_s
        found.append(int(np.searchsorted(feed.instants_s, passed_s / stretch, side="right")))
    return tuple(found)


def _ends(feeds: Sequence[Feed], counts: Sequence[int], stretch: float) -> tuple[float, float]:
    firsts, lasts = [], []
    for feed, count in zip(feeds, counts, strict=True):
        if count:
            ends = feed.clock_s(feed.instants_s[[0, count - 1]], stretch)
            firsts.append(float(ends[0]))
            lasts.append(float(ends[1]))
    return min(firsts), max(lasts)
