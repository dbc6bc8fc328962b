"""Arrivals by fitted parameters: gaps in operational time, in bursts, in the rhythm of the week."""

from dataclasses import dataclass

import numpy as np

from molokini.model.errors import BadInput
from molokini.workloads.arriving.cycles import Cycle
from molokini.workloads.arriving.feeds import Feed
from molokini.workloads.distributions import Distribution
from molokini.workloads.fits.bursts import Bursts, in_bursts
from molokini.workloads.streams import Streams
from molokini.workloads.workload import Floats

_MORNING_S = 8 * 3600.0


@dataclass(frozen=True)
class Arrivals:
    """What gaps are drawn from, and what becomes of them."""

    gaps: Distribution
    zero_share: float
    largest_s: float
    """Draws above it are drawn again: a few enormous gaps would carry the mean."""
    cycle: Cycle
    bursts: Bursts | None = None

    def feed(self, streams: Streams, jobs: int) -> Feed:
        """*jobs* arrivals from 8 in the morning of a Monday on."""
        drawn = bounded(self.gaps, streams.of("gaps"), jobs, self.largest_s)
        gaps = np.where(streams.of("gaps of 0").random(jobs) < self.zero_share, 0.0, drawn)
        operational = np.cumsum(in_bursts(gaps, self.bursts, streams))
        start_s = float(self.cycle.operational_s(np.array([_MORNING_S]))[0])
        return Feed(operational - operational[0], self.cycle, start_s)


def bounded(distribution: Distribution, generator: np.random.Generator, count: int, most: float) -> Floats:
    """Draws, those above *most* drawn again: a tail without an end would carry the mean, or overflow."""
    found = distribution.sample(generator, count)
    for _ in range(100):
        beyond = np.flatnonzero(~(found <= most))
        if not beyond.size:
            return found
        found[beyond] = distribution.sample(generator, beyond.size)
    raise BadInput(f"{distribution.NAME}: hardly a draw is below {most:,.6g}; look at the parameters")
