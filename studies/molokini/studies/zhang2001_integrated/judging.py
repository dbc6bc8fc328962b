"""What claims of this study have in common: both modes, groups of pairs, crossings, saturation."""

import math
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from molokini.studies.claims import Figure, Finding, Verdict
from molokini.studies.results import Interval, Results, interval, over
from molokini.studies.rule import Count, counted, needed, weakest, within
from molokini.studies.zhang2001_integrated.integrated_cases import BEYOND, FACTORS, GangRun, plain

Line = Callable[[float], GangRun]
"""The run of each factor: a curve of a figure."""

WITHIN = 0.03
"""How far a utilization or a loss of capacity may be from the printed one."""
SHARE = 0.25
"""How far another figure may be from the printed one, as a share of it."""


def bf(factor: float) -> GangRun:
    """Conservative backfilling, which the paper calls BF."""
    return plain("conservative", factor)


Measure = tuple[Hashable, str]
"""A case and a metric of it."""
Pairs = Sequence[tuple[Measure, Measure]]


def lower(results: Results, pairs: Pairs) -> Finding:
    """That the first of each pair is lower than the second."""
    found = [apart(results, one, other) for one, other in pairs]
    count = counted(found)
    same = [pair for pair, one in zip(pairs, found, strict=True) if one.is_nothing]
    happened = sum(any(results.samples(*one)) for one, _ in same)
    count = Count(count.wrong, count.right, count.unclear, happened)
    wrong = [pair for pair, one in zip(pairs, found, strict=True) if one.above]
    where = f" ({', '.join(map(_named, wrong[:4]))}{', ...' if len(wrong) > 4 else ''})" if wrong else ""
    right = sum(one.mean < 0 for one in found)
    why = (
        f"lower in {right} of {len(found)}, clearly in {count.right}, clearly higher in {count.wrong}{where}"
    )
    more = needed(count.verdict, found)
    return Finding(count.verdict, f"{why}; {more}" if more else why)


def apart(results: Results, one: Measure, other: Measure) -> Interval:
    """How far *one* is above *other*, seed by seed: as a logarithm of their ratio where both are above 0.

    Seeds differ by factors: their slowdowns near saturation are no samples of one normal distribution.
    """
    pairs = list(zip(results.samples(*one), results.samples(*other), strict=True))
    if all(a > 0 and b > 0 for a, b in pairs):
        return interval([math.log(a / b) for a, b in pairs])
    return interval([a - b for a, b in pairs])


def ratio(results: Results, one: Hashable, other: Hashable, metric: str) -> Interval:
    """One case's metric over another's, seed by seed: a mean of logarithms, as seeds differ by factors."""
    pairs = zip(results.samples(one, metric), results.samples(other, metric), strict=True)
    ratios = [over(a, b) for a, b in pairs]
    if not all(one > 0 for one in ratios):
        return interval(ratios)
    found = interval([math.log(one) for one in ratios])
    return Interval(math.exp(found.mean), math.exp(found.low), math.exp(found.high), found.samples)


def _named(pair: tuple[Measure, Measure]) -> str:
    (one, _), (other, _) = pair
    assert isinstance(one, GangRun)
    assert isinstance(other, GangRun)
    beside = "" if one == other else f" against {_label(other)}"
    return f"{_label(one)}{beside} at factor {one.factor:g}"


def _label(run: GangRun) -> str:
    more = f" with Phi {run.phi:g}" if run.phi != 0.2 else ""
    if run.policy not in ("gs", "bgs", "mgs", "mbgs"):
        return ("BF" if run.policy == "conservative" else run.policy.upper()) + more
    switch = f" with {run.switch:.0%}" if run.switch else ""
    return f"{run.policy.upper()}-{run.mpl}{switch}{more}"


def along(one: Line, other: Line, metric: str, factors: Sequence[float] = FACTORS) -> Pairs:
    """The pairs of two curves."""
    return [((one(factor), metric), (other(factor), metric)) for factor in factors]


def named(words: str, finding: Finding) -> Finding:
    """The same finding, whose reason begins with *words*."""
    return Finding(finding.verdict, f"{words}: {finding.why}", finding.figures)


def curve(results: Results, line: Line, metric: str) -> tuple[np.ndarray, np.ndarray]:
    """Utilizations and values of a curve, a column a seed."""
    x = np.array([results.samples(line(factor), "rho") for factor in FACTORS])
    return x, np.array([results.samples(line(factor), metric) for factor in FACTORS])


def reached(results: Results, line: Line, metric: str, level: float) -> Interval | None:
    """The utilization at which a curve reaches *level*, between logarithms; None: not under every seed."""
    x, y = curve(results, line, metric)
    found = []
    for seed in range(x.shape[1]):
        above = np.flatnonzero(y[:, seed] >= level)
        if not above.size or above[0] == 0:
            return None
        k = int(above[0])
        low, high = y[k - 1 : k + 1, seed]
        if low > 0:
            part = math.log(level / low) / math.log(high / low)
        else:  # which has no logarithm
            part = (level - low) / (high - low)
        found.append(float(x[k - 1, seed] + part * (x[k, seed] - x[k - 1, seed])))
    return interval(found)


def crossing(results: Results, one: Line, other: Line, metric: str) -> list[float | None]:
    """By seed: the utilization from which *one* lies above *other* for good, between points of the curves.

    None where it lies below, or above, throughout.
    """
    (x, y), (_, beside) = curve(results, one, metric), curve(results, other, metric)
    found: list[float | None] = []
    for seed in range(x.shape[1]):
        if not (np.all(y[:, seed] > 0) and np.all(beside[:, seed] > 0)):
            continue
        apart = np.log(y[:, seed] / beside[:, seed])
        under = np.flatnonzero(apart <= 0)
        if not under.size or under[-1] + 1 == apart.size:
            found.append(None)
            continue
        k = int(under[-1])
        part = -apart[k] / (apart[k + 1] - apart[k])
        found.append(float(x[k, seed] + part * (x[k + 1, seed] - x[k, seed])))
    return found


@dataclass(frozen=True)
class Saturation:
    """The most utilization that a policy reaches."""

    rho: Interval
    saturated: bool
    """Whether more work no longer raises it."""


def saturation(results: Results, line: Line) -> Saturation:
    """The larger utilization of factors 1.8 and 2.5."""
    last, beyond = (results.samples(line(factor), "rho") for factor in (FACTORS[-1], BEYOND))
    most = interval([max(pair) for pair in zip(last, beyond, strict=True)])
    return Saturation(most, abs(fmean(last) - fmean(beyond)) < 0.01)


def saturates(results: Results, told: Sequence[tuple[str, Line, float]]) -> Finding:
    """Whether each of the named curves saturates at its published utilization: all, or in their order."""
    found = [(name, saturation(results, line), published) for name, line, published in told]
    figures = [Figure(f"rho_max of {name}", published, one.rho) for name, one, published in found]
    parts = [
        f"{name} {one.rho.mean:.3f}{'' if one.saturated else ' (still rising or falling)'} for {published:g}"
        for name, one, published in found
    ]
    return printed(", ".join(parts), figures, WITHIN)


def ordered(figures: Sequence[Figure]) -> bool:
    """Whether ours stand in the order of the published ones; equal ones may stand in any."""
    ours = [(figure.published or 0.0, figure.ours.mean) for figure in figures]
    return all(a[1] < b[1] for a in ours for b in ours if a[0] < b[0])


def printed(why: str, figures: Sequence[Figure], most: float | None = None) -> Finding:
    """That each figure is as near to the printed one as it has to be.

    In shape where their order is the same, and half of them are so near.

    *most*: how far it may be; None: a share of the printed one.
    """
    found = [near(figure, most).verdict for figure in figures]
    met = weakest(found)
    if met is not Verdict.HOLDS and ordered(figures) and 2 * found.count(Verdict.HOLDS) >= len(found):
        met = Verdict.IN_SHAPE
    return Finding(met, why, figures)


def near(figure: Figure, most: float | None = None) -> Finding:
    """That ours is as near to the published one as a figure has to be."""
    assert figure.published is not None
    far = SHARE * abs(figure.published) if most is None else most
    return within(figure.ours, figure.published - far, figure.published + far)


def spreads(results: Results, lines: Sequence[Line], metric: str, factors: Sequence[float]) -> list[Interval]:
    """At each factor by how much *lines* differ, as a share of their mean, seed by seed."""
    found = []
    for factor in factors:
        by_seed = zip(*(results.samples(line(factor), metric) for line in lines), strict=True)
        found.append(interval([(max(one) - min(one)) / fmean(one) if any(one) else 0.0 for one in by_seed]))
    return found
