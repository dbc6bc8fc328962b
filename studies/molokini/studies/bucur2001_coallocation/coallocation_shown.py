"""The curves of Bucur and Epema's figures, and Table 1, from our results."""

from collections.abc import Sequence

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
from molokini.studies.shown import Picture, Table
from molokini.studies.shown import curve as means_of

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
    by_ratio = [
        _panel(f"ratio {ratio}", [_curve(results, kind, curve(kind, ratio)) for kind in reversed(SINGLE)])
        for ratio in RATIOS
    ]
    by_kind = [
        _panel(kind, [_curve(results, f"ratio {ratio}", curve(kind, ratio)) for ratio in RATIOS])
        for kind in SINGLE[1:]
    ]
    mixed = [
        _panel(
            f"flexible requests: {spread}",
            [
                _curve(results, f"{percent}% ordered", curve(mix_of(percent), 50, spread))
                for percent in ORDERED_PERCENT
            ],
        )
        for spread in ("balance", "fill")
    ]
    spreads = [
        _panel(
            f"flexible, ratio {ratio}",
            [_curve(results, spread, curve("flexible", ratio, spread)) for spread in ("balance", "fill")],
        )
        for ratio in (50, 100)
    ]
    small = [
        _panel(
            "half ordered, half flexible",
            [_curve(results, spread, small_curve(spread)) for spread in ("balance", "fill")],
        )
    ]
    measured = [
        _panel(
            "the measured application",
            [_curve(results, mix, measured_curve(mix)) for mix in ("ordered", "total")],
        )
    ]
    return [
        Picture("figure-1", "Figure 1: four kinds of requests", "Three communication ratios.", by_ratio, 3),
        Picture("figure-2", "Figure 2: three communication ratios", "Kinds of requests.", by_kind, 3),
        Picture("figure-4", "Figure 4: ordered among flexible requests", "Ratio 50.", mixed),
        Picture("figure-5", "Figure 5: balancing or filling", "Flexible requests alone.", spreads),
        Picture("figure-6", "Figure 6: components of 1 to 4 processors", "Ratio 50.", small, 1),
        Picture("figure-7", "Figure 7: red-black Gauss-Seidel", "Times measured on the DAS.", measured, 1),
    ]


def _cell(ours: Interval) -> str:
    return f"{ours.mean:.5f} ± {(ours.high - ours.low) / 2:.5f}"


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
    title = "the extra capacity loss through communication, processors held"
    others = "the same, of other quantities than the share of processors held"
    return [
        _readings(results, title, [(when, "held", words) for when, words in _WHEN.items()]),
        _readings(
            results,
            others,
            [
                (when, metric, f"{words}; {_WHEN[when]}")
                for metric, words in _WHAT.items()
                for when in ("one", "each-second")
            ],
        ),
        _measured(results),
    ]


def _measured(results: Results) -> Table:
    """Table 1 beside the loss that the head of the queue meets, which is measured and not subtracted."""
    rows, count = [], 0
    for kind, published in TABLE_1.items():
        for ratio, value in zip(RATIOS, published, strict=True):
            ours = results.mean(Full(kind, ratio), "freed")
            count += met(value, ours.mean)
            rows.append([kind, str(ratio), f"{value:.5f}", _cell(ours) + "*" * met(value, ours.mean)])
    rows.append(["met", "", "", f"{count} of {len(rows)}"])
    columns = ["request", "ratio", "published", "processors in communication that the head would take"]
    title = "the external loss of section 3.2, measured in one run (* within a quarter or 0.002)"
    return Table(title, "Table 1", columns, rows)


def _readings(results: Results, title: str, readings: Sequence[tuple[str, str, str]]) -> Table:
    """One column a reading: when messages are exchanged, the metric that falls, and both in words."""
    rows, count = [], [0] * len(readings)
    for kind, published in TABLE_1.items():
        for ratio, value in zip(RATIOS, published, strict=True):
            found = [loss(results, kind, ratio, when, metric) for when, metric, _ in readings]
            marks = [met(value, one.mean) for one in found]
            count = [many + mark for many, mark in zip(count, marks, strict=True)]
            cells = [_cell(one) + "*" * mark for one, mark in zip(found, marks, strict=True)]
            rows.append([kind, str(ratio), f"{value:.5f}", *cells])
    rows.append(["met", "", "", *(f"{many} of 12" for many in count)])
    columns = ["request", "ratio", "published", *(words for _, _, words in readings)]
    return Table(f"{title} (* within a quarter or 0.002)", "Table 1", columns, rows)
