"""The curves of Bucur and Epema's figures, and Table 1, from our results."""

from collections.abc import Callable, Mapping, Sequence

from molokini.metrics.curves import Curve, Panel
from molokini.studies.bucur2001_coallocation.coallocation_cases import (
    ORDERED_PERCENT,
    RATIOS,
    SINGLE,
    Full,
    Loaded,
    curve,
    measured_curve,
    mix_of,
    small_curve,
)
from molokini.studies.bucur2001_coallocation.coallocation_claims import TABLE_1, loss, met
from molokini.studies.results import Interval, Results
from molokini.studies.shown import Picture, Table, plus_minus
from molokini.studies.shown import curve as means_of

_Ours = Callable[[str, int], Interval]
"""What is beside a figure of Table 1, by the kind of requests and the ratio."""
_HIGHEST_S = 12.0
"""Where the axis of responses ends, times the least response of the panel: beyond is the asymptote."""


def _curve(results: Results, name: str, points: Sequence[Loaded]) -> Curve:
    found = [results.mean(point, "response_s") for point in points]
    x = [results.mean(point, "utilization").mean for point in points]
    return means_of(name, x, found)


def _panel(title: str, curves: Sequence[Curve]) -> Panel:
    least = min(min(one.y) for one in curves)
    kept = [_cut(one, _HIGHEST_S * least) for one in curves]
    return Panel(title, "utilization (share of processors)", "mean response (s)", kept)


def _cut(one: Curve, highest: float) -> Curve:
    """The curve up to the first point above *highest*, which is left out."""
    count = next((k for k, y in enumerate(one.y) if y > highest), len(one.y))
    return Curve(one.name, one.x[:count], one.y[:count], one.low[:count], one.high[:count])


def pictures(results: Results) -> list[Picture]:
    """Figures 1, 2, 4, 5, 6 and 7."""
    spreads = ("balance", "fill")

    def panel(title: str, curves: Mapping[str, Sequence[Loaded]]) -> Panel:
        return _panel(title, [_curve(results, name, points) for name, points in curves.items()])

    by_ratio = [panel(f"ratio {r}", {kind: curve(kind, r) for kind in reversed(SINGLE)}) for r in RATIOS]
    by_kind = [panel(kind, {f"ratio {r}": curve(kind, r) for r in RATIOS}) for kind in SINGLE[1:]]
    mixed = [
        panel(
            f"flexible requests: {one}", {f"{p}% ordered": curve(mix_of(p), 50, one) for p in ORDERED_PERCENT}
        )
        for one in spreads
    ]
    alone = [
        panel(f"flexible, ratio {ratio}", {one: curve("flexible", ratio, one) for one in spreads})
        for ratio in (50, 100)
    ]
    small = panel("half ordered, half flexible", {one: small_curve(one) for one in spreads})
    measured = panel("the measured application", {mix: measured_curve(mix) for mix in ("ordered", "total")})
    return [
        Picture("figure-1", "Figure 1: four kinds of requests", "Three communication ratios.", by_ratio, 3),
        Picture("figure-2", "Figure 2: three communication ratios", "Kinds of requests.", by_kind, 3),
        Picture("figure-4", "Figure 4: ordered among flexible requests", "Ratio 50.", mixed),
        Picture("figure-5", "Figure 5: balancing or filling", "Flexible requests alone.", alone),
        Picture("figure-6", "Figure 6: components of 1 to 4 processors", "Ratio 50.", [small], 1),
        Picture("figure-7", "Figure 7: red-black Gauss-Seidel", "Times measured on the DAS.", [measured], 1),
    ]


_WHEN = {
    "one": "one exchange a job",
    "each-second": "an exchange each second",
    "given-up": "processors given up meanwhile",
}
_WHAT = {
    "computing": "computing",
    "product": "throughput x mean size x mean time",
    "before_ends": "held just before ends",
}


def tables(results: Results) -> list[Table]:
    """Table 1 beside ours: three readings of when messages are exchanged, three more of what is compared."""

    def lost(when: str, metric: str) -> _Ours:
        return lambda kind, ratio: loss(results, kind, ratio, when, metric)

    others = {
        f"{words}; {_WHEN[when]}": lost(when, metric)
        for metric, words in _WHAT.items()
        for when in ("one", "each-second")
    }
    denied = "processors in communication that the head would take"
    marked = "(* within a quarter or 0.002)"
    return [
        _beside(
            f"the extra capacity loss through communication, processors held {marked}",
            {words: lost(when, "held") for when, words in _WHEN.items()},
        ),
        _beside(f"the same, of other quantities than the share of processors held {marked}", others),
        # Measured and not subtracted.
        _beside(
            f"the external loss of section 3.2, measured in one run {marked}",
            {denied: lambda kind, ratio: results.mean(Full(kind, ratio), "freed")},
        ),
    ]


def _beside(title: str, readings: Mapping[str, _Ours]) -> Table:
    """Table 1 beside ours, a column a reading."""
    rows, count = [], [0] * len(readings)
    for kind, published in TABLE_1.items():
        for ratio, value in zip(RATIOS, published, strict=True):
            found = [of(kind, ratio) for of in readings.values()]
            marks = [met(value, one.mean) for one in found]
            count = [many + mark for many, mark in zip(count, marks, strict=True)]
            cells = [plus_minus(one, 5) + "*" * mark for one, mark in zip(found, marks, strict=True)]
            rows.append([kind, str(ratio), f"{value:.5f}", *cells])
    rows.append(["met", "", "", *(f"{many} of 12" for many in count)])
    return Table(title, "Table 1", ["request", "ratio", "published", *readings], rows)
