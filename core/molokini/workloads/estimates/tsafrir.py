"""The model of estimates of Tsafrir, Etsion and Feitelson (JSSPP 2005).

Users choose among few values, of which twenty hold 89% of the jobs; the largest that is allowed is the most
popular. Constants are those of the authors' program. It draws by the C library, so distributions are the same
and values are not. Where fewer than twenty values are needed the model says nothing; what is done is ours.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from molokini.model.errors import BadInput, BadValue
from molokini.model.text import plural
from molokini.workloads.workload import Floats, Ints

HEAD = 20
"""Popular values."""
HEAD_PERCENT = 89.0
"""Share of the jobs that they hold."""
LEAST_S = 3600.0
"""The largest estimate is this or more."""

_KNOTS = ((0, 0), (20, 10), (200, 20), (1000, 35), (10_000, 90), (70_000, 340), (250_000, 565))
_MINUTES = (*(5, 10, 15, 20, 30), *(60 * hours for hours in (1, 2, 3, 4, 5, 6, 8, 10, 12, 18)))
_FILLING_MINUTES = (*(60 * hours for hours in (200, 100, 50, 10, 5, 2, 1)), 20, 10, 5)
_RANKS = (
    (3, 1, 4, 17, 13, 7, 8, 18, 2, 6, 16, 10, 5, 15, 14, 19, 11, 12, 9, 20),  # SDSC-106
    (1, 3, 4, 2, 12, 9, 8, 18, 6, 7, 11, 20, 16, 5, 14, 13, 10, 15, 17, 19),  # CTC
    (1, 4, 10, 14, 20, 2, 3, 7, 12, 6, 19, 5, 18, 16, 9, 17, 15, 13, 8, 11),  # KTH-4h
    (1, 6, 5, 3, 7, 2, 18, 19, 4, 11, 20, 9, 10, 14, 13, 16, 15, 17, 8, 12),  # BLUE
)
"""Of four logs the rank of each popular value: the largest first, then the others from the least on."""


def distinct_values(jobs: int) -> int:
    """How many different estimates so many jobs have."""
    given, found = zip(*_KNOTS, strict=True)
    return max(1, math.floor(float(np.interp(jobs, given, found)) + 0.5))


def head_times(most_s: float) -> list[float]:
    """The popular values, s: the largest, then the others from the least on; fewer where it leaves fewer."""
    found = {60.0 * minutes for minutes in _MINUTES if 60.0 * minutes < most_s}
    for minutes in _FILLING_MINUTES:
        step = 60.0 * minutes
        for times in range(math.ceil(most_s / step) - 1, 0, -1):
            if len(found) == HEAD - 1:
                break
            found.add(times * step)
    return [most_s, *sorted(found)]


def head_shares(values: int) -> list[float]:
    """Percent of the jobs at each popular value by its rank; the first takes what the others leave."""
    others = [14.0491 * math.exp(-0.177531 * rank) + 0.462513 for rank in range(2, values + 1)]
    return [HEAD_PERCENT - sum(others), *others]


def head_ranks(generator: np.random.Generator) -> list[int]:
    """The rank of each of the twenty popular values: 1 for the largest, the others drawn from four logs."""
    latest = {rank: max(ranks.index(rank) for ranks in _RANKS) for rank in range(2, HEAD + 1)}
    pool = [ranks[0] for ranks in _RANKS if ranks[0] != 1]
    found, left = [1], set(range(2, HEAD + 1))
    for place in range(1, HEAD):
        pool += [ranks[place] for ranks in _RANKS]
        pool = [rank for rank in pool if rank in left]
        due = sorted(rank for rank in left if latest[rank] <= place)
        pair = generator.integers(0, len(pool), 2).tolist()
        rank = due[0] if due else min(pool[one] for one in pair)
        found.append(rank)
        left.remove(rank)
    return found


def tail_times(values: int, distinct: int, most_s: float, taken: Sequence[float]) -> list[float]:
    """*values* further values up to *most_s*, s, none of which is among those *taken*."""
    bend = 1.0 + 12.1039 * distinct**-0.6026
    used, found = set(taken), []
    for place in range(1, values + 1):
        x = place / values
        minutes = round((bend - 1.0) * x / (bend - x) * most_s / 60.0)
        time_s = _free(60.0 * minutes, most_s, used)
        if time_s is None:
            break
        used.add(time_s)
        found.append(time_s)
    return found


def _free(time_s: float, most_s: float, used: set[float]) -> float | None:
    """*time_s*, or what is near it: 30, 20 or 10 s away first, then ever further by 10 s."""
    for shift in (0.0, 30.0, -30.0, 20.0, -20.0, 10.0, -10.0):
        if 0.0 < time_s + shift <= most_s and time_s + shift not in used:
            return time_s + shift
    for away in range(4, int(most_s / 10.0) + 1):
        for shift in (10.0 * away, -10.0 * away):
            if 0.0 < time_s + shift <= most_s and time_s + shift not in used:
                return time_s + shift
    return None


@dataclass(frozen=True)
class EstimateCount:
    """An estimate of which it is known how many jobs give it."""

    time_s: float
    jobs: int


def modes(
    generator: np.random.Generator, jobs: int, most_s: float, known: Sequence[EstimateCount] = ()
) -> tuple[Floats, Ints]:
    """The different estimates, s, rising, and how many of *jobs* jobs give each.

    *known* values, 20 at most, take the place of the nearest popular ones. Raises BadValue.
    """
    if not (math.isfinite(most_s) and most_s >= LEAST_S):
        raise BadValue("most", most_s, f"{LEAST_S:g} s or more")
    distinct = min(distinct_values(jobs), jobs)
    times, shares = _head(generator, jobs, most_s, known)
    if distinct <= len(times):  # ours: the most popular alone
        keep = sorted(range(len(times)), key=lambda at: -shares[at])[:distinct]
        times, shares = [times[at] for at in keep], [shares[at] for at in keep]
    else:
        further = tail_times(distinct - len(times), distinct, most_s, times)
        ranks = np.arange(len(times) + 1.0, len(times) + 1.0 + len(further))
        weights = generator.permutation(ranks**-2.267)
        times = [*times, *further]
        shares = [*shares, *((100.0 - HEAD_PERCENT) * weights / weights.sum()).tolist()]
    order = np.argsort(times)
    return np.asarray(times)[order], _whole(np.asarray(shares)[order], jobs)


def _head(
    generator: np.random.Generator, jobs: int, most_s: float, known: Sequence[EstimateCount]
) -> tuple[list[float], list[float]]:
    """The popular values and the percentage of each."""
    times = head_times(most_s)
    ranks = head_ranks(generator)[: len(times)]
    shares = head_shares(len(times))
    # Fewer values than twenty keep the order of their ranks.
    by_time = [shares[place] for place in np.argsort(np.argsort(ranks)).tolist()]
    if not known:
        return times, by_time
    return _with_known(times, by_time, jobs, most_s, known)


def _with_known(
    times: list[float], shares: list[float], jobs: int, most_s: float, known: Sequence[EstimateCount]
) -> tuple[list[float], list[float]]:
    _check_known(jobs, most_s, known, len(times))
    fixed: dict[float, float] = {}
    rest_times, rest_shares = list(times), list(shares)
    for one in known:
        share = 100.0 * one.jobs / jobs
        rest_times.remove(min(rest_times, key=lambda at, to=one.time_s: abs(at - to)))  # type: ignore[misc]
        rest_shares.remove(min(rest_shares, key=lambda at, to=share: abs(at - to)))  # type: ignore[misc]
        fixed[one.time_s] = share
    room = HEAD_PERCENT - sum(fixed.values())
    # Of two alike the known one counts.
    pairs = [(at, one) for at, one in zip(rest_times, rest_shares, strict=True) if at not in fixed]
    scale = room / sum(one for _, one in pairs) if pairs else 0.0
    return [*fixed, *(at for at, _ in pairs)], [*fixed.values(), *(scale * one for _, one in pairs)]


def _check_known(jobs: int, most_s: float, known: Sequence[EstimateCount], values: int) -> None:
    if len(known) > values:
        raise BadValue("bins", len(known), f"{values} at most")
    for one in known:
        if not 0.0 < one.time_s <= most_s:
            raise BadValue("bins", one.time_s, f"a time above 0, at most the largest estimate ({most_s:g} s)")
        if one.jobs < 1:
            raise BadValue("bins", one.jobs, "1 or more jobs at each time")
    held = sum(one.jobs for one in known)
    if held > HEAD_PERCENT / 100.0 * jobs:
        raise BadValue("bins", held, f"at most {HEAD_PERCENT:g}% of the {plural(jobs, 'job')} together")


def _whole(shares: Floats, jobs: int) -> Ints:
    """Whole numbers in proportion to *shares*, 1 or more each, *jobs* together."""
    exact = shares / shares.sum() * jobs
    counts: Ints = np.maximum(1, np.floor(exact)).astype(np.int64)
    short = jobs - int(counts.sum())
    if short > 0:
        largest = np.argsort(exact - np.floor(exact), kind="stable")[::-1]
        counts[np.resize(largest, short)] += 1 if short <= counts.size else 0
        counts[int(np.argmax(exact))] += jobs - int(counts.sum())
    while (over := int(counts.sum()) - jobs) > 0:
        at = int(np.argmax(counts))
        counts[at] -= min(over, max(1, int(counts[at]) // 2))
    return counts


def given_to(generator: np.random.Generator, run_s: Floats, times_s: Floats, counts: Ints) -> Floats:
    """An estimate for each run time that is as long: longest jobs choose first, uniformly among what is left.

    Jobs whose choice is among the same estimates are drawn together, by how many take each. Raises BadInput
    where some find none.
    """
    # Which is the least estimate that is as long.
    least = np.searchsorted(times_s, run_s)
    beyond = int((least == times_s.size).sum())
    if beyond:
        raise BadInput(
            f"tsafrir: {plural(beyond, 'job')} of {run_s.size:,} run longer than the largest estimate, "
            f"{times_s[-1]:g} s; give a larger one (most)"
        )
    order = np.argsort(-least, kind="stable")
    needed = np.bincount(least, minlength=times_s.size)
    left, chosen, done = np.zeros(times_s.size, np.int64), np.empty(run_s.size), 0
    for place in range(times_s.size - 1, -1, -1):
        left[place] = counts[place]
        want = int(needed[place])
        if want == 0:
            continue
        if want > left.sum():
            raise BadInput(
                f"tsafrir: more jobs than estimates are longer than {times_s[max(0, place - 1)]:g} s; "
                "give a larger largest estimate (most), or bins with more jobs at long times"
            )
        taken = generator.multivariate_hypergeometric(left[place:], want, method="marginals")
        left[place:] -= taken
        values = np.repeat(times_s[place:], taken)
        chosen[order[done : done + want]] = generator.permutation(values)
        done += want
    return chosen
