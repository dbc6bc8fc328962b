"""Queues of one server and of two, by formula from a distribution: reference values of means and slowdowns.

The formulas are Pollaczek and Khinchin's, and Schrage and Miller's for the shortest remaining time; they need
moments (of order -1, too), densities and cumulative distributions. Times are in units of the mean.
"""

import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from molokini.workloads.distributions import BoundedPareto, Distribution, Exponential
from molokini.workloads.workload import Floats

HEAVY, MIDDLE, EVEN = BoundedPareto(1.0, 1e6, 1.1), BoundedPareto(1.0, 1e6, 1.5), BoundedPareto(1.0, 1e6, 1.0)
EXPONENTIAL = Exponential(1.0)


class Srpt(NamedTuple):
    """Mean response and mean slowdown, and by size the mean response over that of processor sharing."""

    response: float
    slowdown: float
    size: Floats
    ratio: Floats
    above: Floats
    """P[X > size]."""


def srpt(law: Distribution, load: float) -> Srpt:
    """The M/G/1 queue that serves the shortest remaining time first."""
    least, most = law.support if math.isfinite(law.support[1]) else (1e-9, 60.0 * law.mean)
    x = np.geomspace(least, most, 400_001)
    density, rate = np.exp(law.log_density(x)), load / law.mean

    def upto(values: Floats) -> Floats:
        pieces = (values[1:] + values[:-1]) / 2.0 * np.diff(x)
        return np.concatenate([[0.0], np.cumsum(pieces)])

    busy = rate * upto(x * density)
    waits = rate * (upto(x**2 * density) + x**2 * law.survival(x)) / (2.0 * (1.0 - busy) ** 2)
    # Below the smallest size nothing is ahead, so the first part of a job passes at full speed.
    response = waits + least + upto(1.0 / (1.0 - busy))
    mean = float(upto(response * density)[-1]) / law.mean
    slowdown = float(upto(response / x * density)[-1])
    return Srpt(mean, slowdown, x / law.mean, response / (x / (1.0 - load)), law.survival(x))


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize(
    ("law", "load", "response", "slowdown"),
    [
        *((EXPONENTIAL, 0.5, 1.42537, 1.22512), (EXPONENTIAL, 0.7, 1.87457, 1.41169)),
        *((EXPONENTIAL, 0.8, 2.35277, 1.57785), (EXPONENTIAL, 0.9, 3.55213, 1.91726)),
        *((EXPONENTIAL, 0.99, 17.6269, 4.34970), (EXPONENTIAL, 0.999, 115.933, 15.5406)),
        *((HEAVY, 0.5, 1.38954, 1.07826), (HEAVY, 0.7, 1.73131, 1.11643), (HEAVY, 0.8, 2.03542, 1.13760)),
        *((HEAVY, 0.9, 2.62623, 1.16052), (HEAVY, 0.95, 3.32909, 1.17277)),
        *((HEAVY, 0.99, 5.98694, 1.18305), (HEAVY, 0.999, 24.2242, 1.18559)),
        *((MIDDLE, 0.5, 1.40141, 1.19935), (MIDDLE, 0.7, 1.76875, 1.32738), (MIDDLE, 0.8, 2.10258, 1.41344)),
        *((MIDDLE, 0.9, 2.75284, 1.52663), (MIDDLE, 0.95, 3.48916, 1.60127)),
        (EVEN, 0.9, 2.67274, 1.09649),
    ],
)
def test_shortest_remaining_first(law: Distribution, load: float, response: float, slowdown: float) -> None:
    found = srpt(law, load)
    assert found.response == pytest.approx(response, rel=3e-5)
    assert found.slowdown == pytest.approx(slowdown, rel=3e-5)


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize(
    ("law", "load", "ratio"),
    [
        *((HEAVY, 0.5, 0.9841), (HEAVY, 0.7, 0.9696), (HEAVY, 0.8, 0.9590), (HEAVY, 0.9, 0.9577)),
        (HEAVY, 0.95, 1.0235),
        *((MIDDLE, 0.5, 0.9995), (MIDDLE, 0.7, 0.9989), (MIDDLE, 0.8, 0.9981), (MIDDLE, 0.9, 0.9960)),
        (MIDDLE, 0.95, 0.9924),
        *((EVEN, 0.9, 1.0023), (EVEN, 0.95, 1.2219)),
    ],
)
def test_the_largest_job_against_processor_sharing(law: Distribution, load: float, ratio: float) -> None:
    assert srpt(law, load).ratio[-1] == pytest.approx(ratio, abs=2e-4)


@pytest.mark.parametrize(
    ("load", "most", "at", "better"),
    [(0.7, 1.0234, 8.20, 0.99658), (0.8, 1.1508, 7.24, 0.98959), (0.9, 1.6115, 7.44, 0.98671)],
)
def test_whom_sharing_serves_better(load: float, most: float, at: float, better: float) -> None:
    found = srpt(EXPONENTIAL, load)
    place = int(found.ratio.argmax())
    assert found.ratio[place] == pytest.approx(most, abs=1e-4)
    assert found.size[place] == pytest.approx(at, abs=0.01)
    first_worse = int(np.argmax(found.ratio > 1.0))
    assert 1.0 - found.above[first_worse] == pytest.approx(better, abs=1e-5)


def test_at_half_load_every_size_gains() -> None:
    assert srpt(EXPONENTIAL, 0.5).ratio.max() <= 1.0


@pytest.mark.parametrize(("law", "response"), [(HEAVY, 20_363.5), (MIDDLE, 1502.5), (EXPONENTIAL, 10.0)])
def test_first_come_first_served(law: Distribution, response: float) -> None:
    squares = law.moment(2) / law.mean**2
    assert 1.0 + 0.9 * squares / (2 * 0.1) == pytest.approx(response, rel=2e-5)


class Hosts(NamedTuple):
    """Two hosts that serve sizes up to a cutoff and above it: mean wait, mean slowdown, their loads."""

    wait: float
    slowdown: float
    loads: tuple[float, float]


def two_hosts(cutoff: float, load: float) -> Hosts:
    """Waits over sizes, as Crovella has slowdowns; *load* is that of a host on average."""
    rate = 2.0 * load / HEAVY.mean
    share = float(HEAVY.cdf(np.array([cutoff]))[0])
    halves = ((share, BoundedPareto(1.0, cutoff, 1.1)), (1.0 - share, BoundedPareto(cutoff, 1e6, 1.1)))
    loads = tuple(rate * part * law.mean for part, law in halves)
    waits = [
        rate * part * law.moment(2) / (2.0 * (1.0 - busy))
        for (part, law), busy in zip(halves, loads, strict=True)
    ]
    parts = [(part, wait, law.moment(-1)) for (part, law), wait in zip(halves, waits, strict=True)]
    return Hosts(
        sum(part * wait for part, wait, _ in parts) / HEAVY.mean,
        sum(part * wait * inverse for part, wait, inverse in parts),
        (loads[0], loads[1]),
    )


@pytest.mark.parametrize(
    ("load", "wait", "slowdown", "best_at", "loads", "best_wait", "best_slowdown", "random_wait"),
    [
        (0.5, 27.186, 6.247, 83.8, (0.478, 0.522), 37.21, 5.798, 2262.5),
        (0.7, 63.435, 14.577, 84.9, (0.671, 0.729), 90.44, 13.320, 5279.2),
        (0.9, 244.68, 56.224, 92.9, (0.876, 0.924), 374.6, 49.764, 20_362.0),
    ],
)
def test_size_intervals_of_two_hosts(
    load: float,
    wait: float,
    slowdown: float,
    best_at: float,
    loads: tuple[float, float],
    best_wait: float,
    best_slowdown: float,
    random_wait: float,
) -> None:
    equal = ((1.0 + 1e6**-0.1) / 2.0) ** -10.0
    assert equal == pytest.approx(108.911, abs=5e-4)
    assert HEAVY.cdf(np.array([equal]))[0] == pytest.approx(0.994256, abs=5e-7)
    found = two_hosts(equal, load)
    assert found.loads == pytest.approx((load, load))
    assert (found.wait, found.slowdown) == pytest.approx((wait, slowdown), rel=1e-4)
    cutoff = float(
        minimize_scalar(lambda one: two_hosts(one, load).slowdown, (60.0, 90.0, 150.0), tol=1e-9).x
    )
    # The slowdown is flat about its minimum, so the cutoff that was printed is near it.
    assert cutoff == pytest.approx(best_at, abs=0.3)
    assert two_hosts(cutoff, load).slowdown == pytest.approx(best_slowdown, rel=1e-4)
    printed = two_hosts(best_at, load)
    assert printed.loads == pytest.approx(loads, abs=6e-4)
    assert printed.wait == pytest.approx(best_wait, rel=1e-3)
    squares = HEAVY.moment(2) / HEAVY.mean**2
    assert load * squares / (2.0 * (1.0 - load)) == pytest.approx(random_wait, rel=5e-5)
