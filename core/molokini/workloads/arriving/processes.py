"""Processes of arrivals in operational time: independent gaps, two self-similar constructions, sessions."""

import math
from dataclasses import dataclass

import numpy as np

from molokini.workloads.distributions import H2, Pareto
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Floats, Ints

SOURCES = 64
"""On/off sources that are superposed."""
_STEADY = 1.0
"""Before the first job so many spans pass, so that periods which began long ago are there."""


@dataclass(frozen=True)
class Arrived:
    """Instants of operational time from 0 on, rising; and whose job each is, where the process knows."""

    instants_s: Floats
    user: Ints | None = None


def poisson(streams: Streams, jobs: int, mean_gap_s: float) -> Arrived:
    """Exponential gaps."""
    return Arrived(np.cumsum(streams.of("gaps").exponential(mean_gap_s, jobs)))


def hyper(streams: Streams, jobs: int, mean_gap_s: float, cv: float) -> Arrived:
    """Hyper-exponential gaps of two balanced branches."""
    return Arrived(np.cumsum(H2.balanced(mean_gap_s, cv).sample(streams.of("gaps"), jobs)))


def on_off(streams: Streams, jobs: int, mean_gap_s: float, tail: float, burst: float) -> Arrived:
    """Superposed on/off sources whose periods are Pareto of exponent *tail*, 1 to 2 (Willinger et al. 1997).

    Counts of arrivals are self-similar with H = (3 - tail)/2. Sources that are on, half of ``SOURCES`` on
    average, emit jobs at one rate, *burst* in a period on average.
    """
    span_s, period_s = jobs * mean_gap_s, burst * mean_gap_s * SOURCES / 2.0
    generator = streams.of("periods")
    periods = Pareto(period_s * (tail - 1.0) / tail, tail)
    # Sources are drawn one by one, each until it has passed the span.
    firsts, lasts = [], []
    for _ in range(SOURCES):
        begins = _alternating(periods, generator, (1.0 + _STEADY) * span_s) - _STEADY * span_s
        if generator.random() < 0.5:
            begins = begins[1:]
        pairs = begins[: begins.size // 2 * 2].reshape(-1, 2)
        firsts.append(pairs[:, 0])
        lasts.append(pairs[:, 1])
    return Arrived(_spread(streams, jobs, np.concatenate(firsts), np.concatenate(lasts), span_s))


def _alternating(periods: Pareto, generator: np.random.Generator, until_s: float) -> Floats:
    """The ends of successive periods up to beyond *until_s*."""
    block = int(min(until_s / periods.mean * 1.1 + 100, 2_000_000))
    ends = np.cumsum(periods.sample(generator, block))
    while ends[-1] < until_s:
        ends = np.concatenate([ends, ends[-1] + np.cumsum(periods.sample(generator, block))])
    return ends[: int(np.searchsorted(ends, until_s)) + 2]


def visits(streams: Streams, jobs: int, mean_gap_s: float, tail: float, burst: float) -> Arrived:
    """The M/G/infinity process: visits begin at random, last Pareto times and submit at one rate meanwhile.

    Counts are self-similar with H = (3 - tail)/2 (Cox 1984). Half of ``SOURCES`` visits are under way at a
    time on average; each submits *burst* jobs on average.
    """
    span_s, period_s = jobs * mean_gap_s, burst * mean_gap_s * SOURCES / 2.0
    begun = math.ceil((1.0 + _STEADY) * span_s / period_s * SOURCES / 2.0)
    first = streams.of("visits").uniform(-_STEADY * span_s, span_s, begun)
    last = first + Pareto(period_s * (tail - 1.0) / tail, tail).sample(streams.of("periods"), begun)
    return Arrived(_spread(streams, jobs, first, last, span_s))


def _spread(streams: Streams, jobs: int, first_s: Floats, last_s: Floats, span_s: float) -> Floats:
    """*jobs* instants from 0 to *span_s*, uniform over all periods from *first_s* to *last_s*.

    So a Poisson process of one rate in every period looks, given how many jobs there are.
    """
    first, last = np.clip(first_s, 0.0, span_s), np.clip(last_s, 0.0, span_s)
    there = last > first
    first, length = first[there], (last - first)[there]
    if not length.size:  # no period at all: only where there are very few jobs
        first, length = np.zeros(1), np.full(1, span_s)
    upto = np.cumsum(length)
    place = np.sort(streams.of("gaps").random(jobs)) * upto[-1]
    which = np.searchsorted(upto, place, side="right")
    which = np.minimum(which, upto.size - 1)
    return np.sort(first[which] + (place - (upto - length)[which]))


def sessions(
    streams: Streams, jobs: int, mean_gap_s: float, tail: float, think_s: float, users: int
) -> Arrived:
    """Sessions of users, of heavy-tailed numbers of jobs with a think time between submissions.

    Sessions begin as a Poisson process; the number of jobs is Pareto of exponent *tail*, rounded up, think
    times are exponential of mean *think_s*. Of *users* the n-th begins sessions in proportion to 1/n.
    """
    counts = _session_sizes(streams.of("sessions"), jobs, tail)
    begun = np.sort(streams.of("visits").random(counts.size)) * jobs * mean_gap_s
    think = streams.of("gaps").exponential(think_s, jobs)
    starts = np.cumsum(counts) - counts
    think[starts] = 0.0
    passed = np.cumsum(think)
    instants = np.repeat(begun, counts) + passed - np.repeat(passed[starts], counts)
    weights = 1.0 / np.arange(1.0, users + 1.0)
    who = np.searchsorted(np.cumsum(weights) / weights.sum(), streams.of("users").random(counts.size))
    order = np.argsort(instants, kind="stable")
    return Arrived(instants[order], np.repeat(np.minimum(who, users - 1) + 1, counts)[order])


def _session_sizes(generator: np.random.Generator, jobs: int, tail: float) -> Ints:
    """Numbers of jobs that add up to *jobs*; the last session is cut."""
    law = Pareto(1.0, tail)
    block = max(16, int(jobs / law.mean * 1.2) if tail > 1.0 else jobs // 4)
    counts = np.zeros(0, np.int64)
    while counts.sum() < jobs:
        drawn = np.minimum(law.sample(generator, block), jobs)
        counts = np.concatenate([counts, np.floor(drawn).astype(np.int64)])
    upto = np.cumsum(counts)
    last = int(np.searchsorted(upto, jobs))
    counts = counts[: last + 1]
    counts[-1] -= int(upto[last]) - jobs
    return counts
