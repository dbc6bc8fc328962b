"""Which host serves which sizes: SITA-E, SITA-U, and what comes of a random split.

Crovella (JSSPP 2001, section 4.2). Jobs arrive as a Poisson process; each host is FCFS (M/G/1). SITA-E makes
the expected loads equal; SITA-U makes the mean slowdown least, and its loads differ. **Slowdown here is the
paper's: waiting over size.** The formula of the mean over hosts is ours.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from molokini.model.errors import BadInput, BadValue
from molokini.queueing.single_server import checked_load, pollaczek_khinchin
from molokini.queueing.sizes import Sizes
from molokini.workloads.workload import Floats

MOST_HOSTS = 61
_TIMES = 40
"""Rounds in which each boundary in turn is put where it is best, at most."""
_SETTLED = 1e-9


@dataclass(frozen=True)
class Hosts:
    """Hosts that serve contiguous ranges of sizes, and what jobs wait there."""

    cutoffs: tuple[float, ...]
    """Upper ends of the ranges; the last host has no end."""
    loads: tuple[float, ...]
    shares: tuple[float, ...]
    """The share of the jobs that each host serves."""
    waits: tuple[float, ...]
    """The mean wait at each host; infinite where its load is 1 or more."""
    wait: float
    """The mean wait over all jobs."""
    slowdown: float
    """The mean of waiting over size, over all jobs."""


POWERS = (-1.0, 0.0, 1.0, 2.0)
"""What the sums over a range hold: 1/X, jobs, work, squares."""
_INVERSE, _JOBS, _WORK, _SECOND = range(4)


class Ranges:
    """The sums over a range of sizes that the formulas need."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        x = sizes.x
        middle = np.sqrt(x[:-1] * x[1:])
        parts = [np.concatenate([[0.0], np.cumsum(sizes.mass * middle**k)]) for k in POWERS]
        self._upto = np.array(parts)
        self._place = np.log(x)

    def held(self, at: float) -> Floats:
        """The integrals of t^k f(t) up to *at*, of each of ``POWERS``."""
        if at <= self.sizes.x[0]:
            return np.zeros(len(POWERS))
        if at >= self.sizes.x[-1]:
            return self.totals
        place = math.log(at)
        k = int(np.searchsorted(self._place, place, side="right"))
        part = (place - self._place[k - 1]) / (self._place[k] - self._place[k - 1])
        return np.asarray((1.0 - part) * self._upto[:, k - 1] + part * self._upto[:, k])

    @property
    def totals(self) -> Floats:
        """The same up to the end."""
        return np.asarray(self._upto[:, -1])

    def where(self, share: float) -> float:
        """The size below which *share* of the work lies."""
        work = self._upto[_WORK]
        return math.exp(float(np.interp(share * work[-1], work, self._place)))


def equal_load(sizes: Sizes, hosts: int) -> tuple[float, ...]:
    """SITA-E's cutoffs: each of *hosts* ranges has the same part of the work."""
    _check_hosts(hosts)
    ranges = Ranges(sizes)
    return tuple(ranges.where(place / hosts) for place in range(1, hosts))


def least_slowdown(sizes: Sizes, hosts: int, load: float) -> tuple[float, ...]:
    """SITA-U's cutoffs at *load* per host: those of the least mean slowdown (waiting over size).

    Each boundary in turn is searched for in the whole stretch between its neighbours, until none moves.
    Raises BadInput where the second moment or E[1/X] is infinite.
    """
    from scipy.optimize import minimize_scalar

    _check_hosts(hosts)
    checked_load(load)
    for k, name in ((2.0, "E[X^2]"), (-1.0, "E[1/X]")):
        if not math.isfinite(sizes.moment(k)):
            raise BadInput(
                f"{sizes.distribution.NAME}: {name} is infinite, so that no cutoffs have a finite slowdown; "
                "bound the sizes (bounded-pareto)"
            )
    ranges = Ranges(sizes)
    cutoffs = [math.log(one) for one in equal_load(sizes, hosts)]
    ends = (math.log(sizes.x[0]), math.log(sizes.x[-1]))

    for _ in range(_TIMES):
        before = list(cutoffs)
        for place in range(hosts - 1):

            def slowdown(at: float, place: int = place) -> float:
                tried = [*cutoffs[:place], at, *cutoffs[place + 1 :]]
                found = _served(ranges, [math.exp(one) for one in tried], load).slowdown
                return found if math.isfinite(found) else 1e300

            low = cutoffs[place - 1] if place else ends[0]
            high = cutoffs[place + 1] if place + 2 < hosts else ends[1]
            # The function is infinite beside a valley: from a coarse look to the valley itself.
            coarse = np.linspace(low, high, 203)[1:-1].tolist()
            near = min([*coarse, cutoffs[place]], key=slowdown)
            step = (high - low) / 202
            found = minimize_scalar(
                slowdown,
                bounds=(max(low, near - step), min(high, near + step)),
                method="bounded",
                options={"xatol": 1e-10},
            )
            if found.fun < slowdown(cutoffs[place]):
                cutoffs[place] = float(found.x)
        if max(abs(one - two) for one, two in zip(before, cutoffs, strict=True)) < _SETTLED:
            break
    return tuple(math.exp(one) for one in cutoffs)


def served(sizes: Sizes, cutoffs: Sequence[float], load: float) -> Hosts:
    """What hosts of these ranges do at *load* per host, on average over them. Loads may differ."""
    checked_load(load)
    if any(two <= one for one, two in zip([0.0, *cutoffs], cutoffs, strict=False)):
        raise BadValue("cutoffs", ",".join(f"{one:g}" for one in cutoffs), "rising numbers above 0")
    return _served(Ranges(sizes), cutoffs, load)


def random_split(sizes: Sizes, load: float) -> tuple[float, float]:
    """Mean wait and mean waiting over size where each job goes to any host by chance: M/G/1 at each."""
    wait = pollaczek_khinchin(checked_load(load) / sizes.mean, sizes.mean, sizes.moment(2.0))
    return wait, wait * sizes.moment(-1.0)


def _served(ranges: Ranges, cutoffs: Sequence[float], load: float) -> Hosts:
    hosts = len(cutoffs) + 1
    rate = load * hosts / float(ranges.totals[_WORK])
    upto = [np.zeros(len(POWERS)), *(ranges.held(at) for at in cutoffs), ranges.totals]
    inverse, jobs, work, second = np.diff(np.array(upto), axis=0).T
    waits = [
        pollaczek_khinchin(rate * share, held / share, square / share) if share > 0.0 else 0.0
        for share, held, square in zip(jobs.tolist(), work.tolist(), second.tolist(), strict=True)
    ]
    every = float(ranges.totals[_JOBS])
    return Hosts(
        tuple(cutoffs),
        tuple((rate * work).tolist()),
        tuple((jobs / every).tolist()),
        tuple(waits),
        _weighed(jobs, waits) / every,
        _weighed(inverse, waits) / every,
    )


def _weighed(weights: Floats, waits: Sequence[float]) -> float:
    """The sum of *waits* by weight; a host without jobs has no part, whatever its wait."""
    pairs = zip(weights.tolist(), waits, strict=True)
    return float(sum(weight * wait for weight, wait in pairs if weight > 0.0))


def _check_hosts(hosts: int) -> None:
    if not 2 <= hosts <= MOST_HOSTS:
        raise BadValue("hosts", hosts, f"a whole number from 2 to {MOST_HOSTS}")


def cutoffs_of_jobs(
    size: Floats, service_s: Floats, work_s: Floats, span_s: float, hosts: int
) -> tuple[float, ...]:
    """SITA-U's cutoffs for these jobs: sizes of the least mean of waiting over ``work_s``.

    *size* is what a job is sorted by (its estimate), *service_s* how long it keeps a host busy, *work_s* what
    its slowdown is divided by; they arrive within *span_s*. Every boundary between two sizes is tried, one
    boundary after the other, from equal loads on; by M/G/1 at each host. Fewer cutoffs where sizes are fewer
    than hosts. Where no cutoffs keep all hosts below a load of 1 they are those of equal loads.
    """
    order = np.argsort(size, kind="stable")
    sizes, service = size[order], service_s[order]
    last = np.flatnonzero(np.diff(sizes, append=math.inf) > 0)  # the last job of each size
    with np.errstate(divide="ignore"):
        inverse = np.where(work_s[order] > 0, 1.0 / work_s[order], 0.0)
    sums = np.array([np.cumsum(one)[last] for one in (np.ones_like(service), service, service**2, inverse)])
    sums = np.concatenate([np.zeros((4, 1)), sums], axis=1)
    ends = sizes[last]
    cuts = min(hosts - 1, ends.size - 1)
    if cuts < 1 or span_s <= 0:
        return ()
    wanted = sums[1, -1] * np.arange(1, cuts + 1) / (cuts + 1)
    at = np.clip(np.searchsorted(sums[1], wanted), 1, ends.size - 1)
    # Each cut behind the one before it, and room for those that follow.
    at = np.maximum.accumulate(at - np.arange(cuts)) + np.arange(cuts)
    places: list[int] = np.minimum(at, ends.size - cuts + np.arange(cuts)).tolist()
    for _ in range(_TIMES):
        before = list(places)
        for k in range(cuts):
            low = places[k - 1] + 1 if k else 1
            high = places[k + 1] if k + 1 < cuts else ends.size
            tried = np.arange(low, high)
            left = places[k - 1] if k else 0
            right = places[k + 1] if k + 1 < cuts else ends.size
            cost = _waited(sums[:, tried] - sums[:, [left]], span_s) + _waited(
                sums[:, [right]] - sums[:, tried], span_s
            )
            if np.isfinite(cost).any():
                places[k] = int(tried[int(np.argmin(cost))])
        if places == before:
            break
    return tuple(float(ends[place - 1]) for place in places)


def _waited(parts: Floats, span_s: float) -> Floats:
    """The sum of waiting over size at a host with these sums of jobs; infinite from a load of 1 on."""
    load = parts[1] / span_s
    with np.errstate(divide="ignore", invalid="ignore"):
        wait = 0.5 * parts[2] / span_s / (1.0 - load)
    return np.asarray(np.where(load < 1.0, wait * parts[3], math.inf))
