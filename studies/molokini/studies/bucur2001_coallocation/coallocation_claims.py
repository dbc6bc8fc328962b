"""What Bucur and Epema, JSSPP 2001, claim, as functions of our results."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from molokini.studies.bucur2001_coallocation.coallocation_cases import (
    ORDERED_PERCENT,
    RATIOS,
    SINGLE,
    Example,
    Full,
    Loaded,
    curve,
    measured_curve,
    mix_of,
    small_curve,
)
from molokini.studies.claims import Claims, Figure, Finding
from molokini.studies.results import Interval, Results, interval, less
from molokini.studies.rule import (
    above,
    at_least,
    exactly,
    in_shape_if,
    no_more_than_shape,
    together,
    weakest,
    within,
)

SAID = Claims()

TABLE_1 = {
    "ordered": (0.00553, 0.02075, 0.03100),
    "unordered": (0.00393, 0.01581, 0.02415),
    "flexible": (0.00013, 0.00034, 0.00050),
    "total": (0.00006, 0.00006, 0.00006),
}
"""The extra capacity loss at ratios 10, 50 and 100, as published."""
SHARE, AMOUNT = 0.25, 0.002
"""A figure of Table 1 is met within a quarter of it or this much, whichever is more."""

LEVELS = (0.1, 0.2, 0.3, 0.4)
"""Utilizations at which curves are compared."""
IN_MIXES = (0.2, 0.3, 0.4, 0.45)
NEAR_THE_ASYMPTOTE = (0.45, 0.475)

Points = Sequence[Loaded]
"""Of a curve."""


def response_at(results: Results, points: Points, utilization: float) -> list[float]:
    """Mean response at *utilization*, by seed: straight between points of the curve, which must reach it."""
    x = np.array([results.samples(point, "utilization") for point in points])
    y = np.array([results.samples(point, "response_s") for point in points])
    found = []
    for seed in range(x.shape[1]):
        order = np.argsort(x[:, seed])
        found.append(float(np.interp(utilization, x[order, seed], y[order, seed])))
    return found


def _reach(results: Results, points: Points) -> float:
    return max(min(results.samples(point, "utilization")) for point in points)


def longer_at(results: Results, one: Points, other: Points, utilization: float) -> Interval:
    """How much longer the response of one curve is than of the other, seed by seed."""
    return less(response_at(results, one, utilization), response_at(results, other, utilization))


def _longer(pairs: Sequence[tuple[Points, Points]], levels: Sequence[float]) -> Callable[[Results], Finding]:
    """Whether the first curve of each pair lies above the second at every level that both reach."""

    def check(results: Results) -> Finding:
        compared = [
            (one, other, level)
            for one, other in pairs
            for level in levels
            if level <= min(_reach(results, one), _reach(results, other))
        ]
        found = [longer_at(results, *pair) for pair in compared]
        highest = max((level for _, _, level in compared), default=0.0)
        return above(found, f"how much longer, curves x utilizations up to {highest:g}")

    return check


@SAID(
    "example",
    "section 3.3, figure 3",
    "18 tasks on four clusters of 8: 216 messages between clusters when balanced, 192 filled; 12 and "
    "10.7 a task; 12 and 16 of the longest task.",
)
def _example(results: Results) -> Finding:
    published = {
        "messages": (216.0, 192.0),
        "messages_a_task": (12.0, 10.7),
        "messages_of_the_longest": (12.0, 16.0),
    }
    figures = [
        Figure(f"{metric.replace('_', ' ')}, {spread}", values[k], results.mean(Example(spread), metric))
        for metric, values in published.items()
        for k, spread in enumerate(("balance", "fill"))
    ]
    same = all(round(figure.ours.mean, 1) == figure.published for figure in figures)
    return exactly(same, "all six figures are the same" if same else "they differ", figures)


SAID(
    "kinds",
    "section 3.1, figure 1",
    "At each ratio response times rise from total over flexible and unordered to ordered requests.",
)(_longer([(curve(b, ratio), curve(a, ratio)) for ratio in RATIOS for a, b in pairwise(SINGLE)], LEVELS))
SAID(
    "ratio",
    "section 3.1, figures 1 and 2",
    "Ordered, unordered and flexible requests respond later the slower messages between clusters are, "
    "at all utilizations.",
)(
    _longer(
        [(curve(kind, b), curve(kind, a)) for kind in SINGLE[1:] for a, b in pairwise(RATIOS)],
        (*LEVELS, *NEAR_THE_ASYMPTOTE),
    )
)


@SAID("total", "section 3.1, figure 1", "The ratio does not affect total requests.")
def _total_unmoved(results: Results) -> Finding:
    found = [longer_at(results, curve("total", 100), curve("total", 10), level) for level in LEVELS]
    same = all(abs(one.mean) < 1e-9 for one in found)
    return exactly(same, f"the largest difference is {found[-1].mean:g} s")


@SAID(
    "low",
    "section 3.1, figure 2",
    "At low utilization, where all would respond alike without communication, the increase over total "
    "requests is large.",
)
def _low_utilization(results: Results) -> Finding:
    base = interval(response_at(results, curve("total", 100), 0.1))
    figures = [
        Figure(
            f"{kind}, ratio 100, over total: s",
            None,
            longer_at(results, curve(kind, 100), curve("total", 100), 0.1),
        )
        for kind in SINGLE[1:]
    ]
    large = 0.2 * base.mean
    verdict = weakest([at_least(figure.ours, large, slack=large).verdict for figure in figures])
    return Finding(verdict, f"at a utilization of 0.1 total requests take {base.mean:.2f} s", figures)


def loss(results: Results, kind: str, ratio: int, iterations: str = "one", metric: str = "held") -> Interval:
    """The maximal utilization without communication less that with it, seed by seed."""
    return results.difference(Full(kind, 0), Full(kind, ratio, iterations=iterations), metric)


def met(published: float, ours: float) -> bool:
    """Whether a figure of Table 1 is met."""
    return abs(ours - published) <= max(SHARE * published, AMOUNT)


def _figures(of: Callable[[str, int], Interval], words: str) -> list[Figure]:
    """Those of Table 1, and ours."""
    return [
        Figure(f"{kind}, ratio {ratio}, {words}", value, of(kind, ratio))
        for kind, published in TABLE_1.items()
        for ratio, value in zip(RATIOS, published, strict=True)
    ]


def _as_printed(figures: Sequence[Figure]) -> Finding:
    """Whether each of these figures of Table 1 is met."""
    parts = []
    for figure in figures:
        published = figure.published or 0.0
        most = max(SHARE * published, AMOUNT)
        parts.append(within(figure.ours, published - most, published + most))
    return together(parts)


def _table_1(iterations: str) -> Callable[[Results], Finding]:
    def check(results: Results) -> Finding:
        figures = _figures(lambda kind, ratio: loss(results, kind, ratio, iterations), iterations)
        inside = [met(figure.published or 0.0, figure.ours.mean) for figure in figures]
        mirrored = sum(met(figure.published or 0.0, abs(figure.ours.mean)) for figure in figures)
        rises = sum(figure.ours.below for figure in figures)
        counts = (f"{sum(inside[3 * k : 3 * k + 3])} of 3 {kind}" for k, kind in enumerate(TABLE_1))
        said = f"within a quarter or 0.002: {', '.join(counts)}"
        if rises:
            said += f"; utilization rises beyond the interval in {rises} of 12 ({mirrored} met by size alone)"
        met_by = in_shape_if(_as_printed(figures), _as_printed(figures[: 2 * len(RATIOS)]))
        return Finding(met_by.verdict, said, figures)

    return check


@SAID(
    "table-1-denied",
    "section 3.2, table 1",
    "The same, as the external loss that section 3.2 defines: processors of jobs in their communication "
    "step that the head of the queue would take, while enough are idle in number but not in their "
    "division.",
)
def _table_1_measured(results: Results) -> Finding:
    figures = _figures(lambda kind, ratio: results.mean(Full(kind, ratio), "freed"), "denied to the head")
    inside = sum(met(figure.published or 0.0, figure.ours.mean) for figure in figures)
    by_size = sum((figure.published or 0.0) <= AMOUNT for figure in figures)
    return Finding(
        # Never more than in shape: the text says that two utilizations were subtracted.
        no_more_than_shape(_as_printed(figures), unless=False).verdict,
        f"within a quarter or 0.002: {inside} of {len(figures)}, of which {by_size} are smaller than 0.002 "
        "themselves; it is measured, not the difference of two utilizations of which the paper speaks",
        figures,
    )


@SAID("computing", "section 3.2", "Communication costs capacity, and more with a larger ratio.")
def _computing_falls(results: Results) -> Finding:
    lost = {(kind, r): loss(results, kind, r, metric="computing") for kind in TABLE_1 for r in RATIOS}
    rising = [
        results.difference(Full(kind, a), Full(kind, b), "computing")
        for kind in SINGLE[1:]
        for a, b in pairwise(RATIOS)
    ]
    apart = all(lost["ordered", ratio].mean > lost["total", ratio].mean for ratio in RATIOS)
    costly = together([above([*lost.values()]), above(rising)])
    figures = [Figure(f"{kind}, ratio {ratio}: computing", None, one) for (kind, ratio), one in lost.items()]
    why = "in every case less of the machine computes, and less with each larger ratio"
    return Finding(no_more_than_shape(costly, unless=apart).verdict, why, figures)


SAID(
    "balance",
    "section 3.3, figure 5",
    "Flexible requests alone respond sooner when balanced, at ratios 50 and 100.",
)(_longer([(curve("flexible", r, "fill"), curve("flexible", r)) for r in (50, 100)], (*LEVELS, 0.5, 0.55)))
SAID(
    "percent",
    "section 3.4, figure 4",
    "Response times rise with the share of ordered requests, however flexible ones are spread.",
)(
    _longer(
        [
            (curve(mix_of(b), 50, spread), curve(mix_of(a), 50, spread))
            for spread in ("balance", "fill")
            for a, b in pairwise(ORDERED_PERCENT)
        ],
        IN_MIXES,
    )
)


@SAID(
    "percent-capacity",
    "section 3.4, figure 4",
    "The maximal utilization falls with the share of ordered requests.",
)
def _capacity_falls(results: Results) -> Finding:
    runs = [[Full(mix_of(p), 50, spread) for p in ORDERED_PERCENT] for spread in ("balance", "fill")]
    falls = [results.difference(a, b, "held") for line in runs for a, b in pairwise(line)]
    figures = [
        Figure(f"{percent}% ordered, {one.spread}", None, results.mean(one, "held"))
        for line in runs
        for percent, one in zip(ORDERED_PERCENT, line, strict=True)
    ]
    return above(falls, "it falls step by step", figures)


SAID(
    "balance-in-mixes",
    "section 3.4, figure 5",
    "Up to 50% ordered requests the system responds sooner when flexible ones are balanced.",
)(_longer([(curve(mix_of(p), 50, "fill"), curve(mix_of(p))) for p in (0, 10, 50)], IN_MIXES))
SAID(
    "small",
    "section 3.4, figure 6",
    "With components of 1 to 4 processors and equal shares, balancing is visibly better.",
)(_longer([(small_curve("fill"), small_curve("balance"))], (0.3, 0.4, 0.5, 0.6)))
SAID(
    "measured",
    "section 4.2, figure 7",
    "The measured application responds later as ordered than as total requests.",
)(_longer([(measured_curve("ordered"), measured_curve("total"))], (0.1, 0.3, 0.5, 0.6)))


@SAID("measured-same", "section 4.2", "Without communication the two would be the same.")
def _same_without(results: Results) -> Finding:
    total, ordered = (Full(mix, 0, application="gauss-seidel") for mix in ("total", "ordered"))
    apart = results.difference(total, ordered, "held")
    return exactly(abs(apart.mean) < 1e-9, f"their maximal utilizations differ by {apart.mean:.2g}")


for _name, _iterations, _text in (
    ("table-1", "one", "The maximal utilization falls through communication by these amounts."),
    (
        "table-1-each-second",
        "each-second",
        "The same, with an exchange of messages for every second of computation.",
    ),
    (
        "table-1-given-up",
        "given-up",
        "The same, with exchanges within a time of mean 1, during which processors are given up.",
    ),
):
    SAID(_name, "section 3.2, table 1", _text)(_table_1(_iterations))

CLAIMS = SAID.made
