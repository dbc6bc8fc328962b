"""One server, Poisson arrivals, general sizes (M/G/1): what a job of each size waits under SRPT, PS and FCFS.

Harchol-Balter, Bansal, Schroeder and Agrawal (JSSPP 2001, section 2), after Schrage and Miller (1966) for
SRPT; Pollaczek and Khinchin for FCFS. Times are in the unit of the sizes. A slowdown here is response over
size; Crovella's (same volume) is waiting over size, which is 1 less.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from molokini.model.errors import BadValue
from molokini.queueing.sizes import Sizes
from molokini.workloads.workload import Floats

DISCIPLINES = ("srpt", "ps", "fcfs")


@dataclass(frozen=True)
class Queue:
    """What one discipline makes of a load: by size, and on average over jobs."""

    response: Floats
    """E[T(x)] at each point of the grid of sizes."""
    mean_response: float
    """E[T]; infinite where the formula diverges."""
    mean_slowdown: float
    """E[T/X], response over size; infinite where it diverges."""


def response_at(sizes: Sizes, queue: Queue, size: float) -> float:
    """E[T(x)] at one size; infinite where the formula diverges."""
    return float(np.interp(size, sizes.x, queue.response))


def checked_load(load: float) -> float:
    """*load* where the formulas converge: above 0 and below 1; BadValue else."""
    if not 0.0 < load < 1.0:
        raise BadValue("load", load, "above 0 and below 1: from 1 on the queue grows without end")
    return load


def srpt(sizes: Sizes, load: float) -> Queue:
    """Shortest remaining processing time first; finite for every finite mean."""
    rate = checked_load(load) / sizes.mean
    x = sizes.x
    below = rate * sizes.first
    spare = 1.0 - below
    waiting = 0.5 * rate * (sizes.second + x * x * sizes.above) / spare**2
    steps = 0.5 * (1.0 / spare[1:] + 1.0 / spare[:-1]) * np.diff(x)
    # Below the least size nothing is ahead of a job: that part takes as long as it is.
    residence = x[0] + np.concatenate([[0.0], np.cumsum(steps)])
    return _queue(sizes, waiting + residence)


def ps(sizes: Sizes, load: float) -> Queue:
    """Processor sharing: x/(1-load), whatever the distribution."""
    spare = 1.0 - checked_load(load)
    return Queue(sizes.x / spare, sizes.mean / spare, 1.0 / spare)


def fcfs(sizes: Sizes, load: float) -> Queue:
    """First come, first served: every job waits as long, in proportion to the second moment."""
    waiting = pollaczek_khinchin(checked_load(load) / sizes.mean, sizes.mean, sizes.moment(2.0))
    inverse = sizes.moment(-1.0)
    return Queue(sizes.x + waiting, sizes.mean + waiting, 1.0 + waiting * inverse)


def pollaczek_khinchin(rate: float, mean: float, second: float) -> float:
    """The mean wait of M/G/1 under FCFS: *rate* arrivals, sizes of this mean and second moment.

    Infinite where the load is 1 or more, or the second moment infinite.
    """
    load = rate * mean
    return math.inf if load >= 1.0 else 0.5 * rate * second / (1.0 - load)


def _queue(sizes: Sizes, response: Floats) -> Queue:
    return Queue(response, sizes.mean_of(response), sizes.mean_of(response / sizes.x))


QUEUES: Mapping[str, Callable[[Sizes, float], Queue]] = {"srpt": srpt, "ps": ps, "fcfs": fcfs}
"""Every discipline by name."""


@dataclass(frozen=True)
class AgainstSharing:
    """SRPT beside PS at one load: who gains, who loses."""

    load: float
    srpt: Queue
    ps: Queue
    fcfs: Queue
    largest_ratio: float
    """The largest E[T(x)] of SRPT over that of PS, for any size of the grid."""
    largest_at: float
    """The size at which it is."""
    ratio_of_largest: float
    """The same at the upper end of the sizes."""
    share_better: float
    """The share of the jobs whose mean response is lower under SRPT."""
    small_slowdown: float
    """Mean slowdown, response over size, of the smaller 99% of the jobs under SRPT."""


def against_sharing(sizes: Sizes, load: float) -> AgainstSharing:
    """Both disciplines, and FCFS, at *load*, size by size."""
    one, two = srpt(sizes, load), ps(sizes, load)
    ratio = one.response / two.response
    # Sizes that do not come are no jobs; the last digits of P[X > x] are noise.
    there = sizes.above > 1e-12
    at = int(np.argmax(np.where(there, ratio, 0.0)))
    if math.isfinite(sizes.distribution.support[1]) and ratio[-1] > ratio[at]:
        at = ratio.size - 1
    return AgainstSharing(
        load,
        one,
        two,
        fcfs(sizes, load),
        float(ratio[at]),
        float(sizes.x[at]),
        float(ratio[-1]),
        sizes.share_where(ratio - 1.0),
        _of_smaller(sizes, one.response / sizes.x, 0.99),
    )


def _of_smaller(sizes: Sizes, values: Floats, share: float) -> float:
    """The mean of *values* over the smaller *share* of the jobs."""
    upto = np.concatenate([[0.0], np.cumsum(sizes.mass)])
    held = np.concatenate([[0.0], np.cumsum(sizes.mass * 0.5 * (values[1:] + values[:-1]))])
    return float(np.interp(share * upto[-1], upto, held)) / (share * float(upto[-1]))


def srpt_of_jobs(sizes: Floats, load: float) -> Floats:
    """E[T] of each of these jobs under SRPT: the formula for sizes that are just these, each as often.

    What a simulation of them is held against: with a heavy tail the mean of a million sizes is still random,
    the mean given the sizes is not.
    """
    order = np.argsort(sizes, kind="stable")
    x = sizes[order]
    rate = checked_load(load) / float(x.mean())
    count = np.arange(1, x.size + 1)
    # Equal sizes are served together: each is as the last of them.
    last = np.searchsorted(x, x, side="right") - 1
    below = rate * np.cumsum(x) / x.size
    second = np.cumsum(x * x) / x.size
    above = 1.0 - count / x.size
    before = np.concatenate([[0.0], below[:-1]])
    residence = np.cumsum(np.diff(x, prepend=0.0) / (1.0 - before))
    waiting = 0.5 * rate * (second + x * x * above)[last] / (1.0 - below[last]) ** 2
    found = np.empty_like(x)
    found[order] = waiting + residence
    return found
