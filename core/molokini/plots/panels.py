"""Curves in panels, with bands for intervals: what figures of papers look like."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from molokini.metrics.curves import Curve, Panel
from molokini.plots.scales import log_ticks, plain_axis
from molokini.plots.style import (
    HATCHED,
    colour,
    dashes,
    fitted,
    hatch,
    head,
    legend,
    new_figure,
    styled,
    title,
    width_points,
)

_WIDTH_IN = 5.4
_HEIGHT_IN = 3.4
_BESIDE_CURVES = 5
"""How many names find room beside the curves."""
_LINE_SHARE = 0.085
"""Of the height of a panel, for one line of a legend."""
_NAME_SIZE = 8.5
_LONGEST_NAME = 120.0
"""Points of the name of a bar, beyond which its middle is left out."""
_MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")


@styled()
def panels(heading: str, shown: Sequence[Panel], columns: int = 2, below: str = "") -> Figure:
    """One picture of *shown*, so many a row; bands are the curves' intervals."""
    columns = max(1, min(columns, len(shown)))
    rows = -(-len(shown) // columns)
    figure = new_figure(_WIDTH_IN * columns, 0.5 + _HEIGHT_IN * rows)
    head(figure, heading, below)
    every = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, panel in zip(every, shown, strict=False):
        _draw(axes, panel)
    for axes in every[len(shown) :]:
        axes.remove()
    return figure


def _draw(axes: Axes, panel: Panel) -> None:
    title(axes, panel.title)
    axes.set_xlabel(panel.x_label, parse_math=False)
    axes.set_ylabel(panel.y_label, parse_math=False)
    for shaded in panel.ranges:
        axes.axvspan(shaded.low, shaded.high, color="#999999", alpha=0.18, linewidth=0, label=shaded.name)
    if panel.zero:
        axes.axhline(0, color="#444444", linewidth=0.9)
    if panel.bars:
        _bars(axes, panel)
        return
    for place, curve in enumerate(panel.curves):
        _curve(axes, curve, place if curve.style is None else curve.style)
    plain_axis(axes.xaxis, ticks=6)
    if panel.log_y:
        log_ticks(axes.yaxis, *_decades(panel.curves))
    else:
        plain_axis(axes.yaxis, ticks=5)
    names = len(panel.ranges) + len(panel.curves)
    if names <= _BESIDE_CURVES:
        legend(axes, loc="best")
    else:
        _legend_above(axes, names)


def _bars(axes: Axes, panel: Panel) -> None:
    """A bar a curve with its interval, and its name below it; upright where the names are long."""
    names = [curve.name for curve in panel.curves]
    room = 0.8 * 72 * _WIDTH_IN / len(names)
    widest = max(width_points(name, _NAME_SIZE) for name in names)
    for place, curve in enumerate(panel.curves):
        style = place if curve.style is None else curve.style
        axes.bar(place, curve.y[0], width=0.62, facecolor=colour(style), hatch=hatch(style), **HATCHED)
        if curve.low and curve.low[0] < curve.high[0]:
            ends = [max(0.0, curve.low[0]), curve.high[0]]
            axes.plot([place, place], ends, color="black", linewidth=1.3, marker="_", markersize=9)
    axes.set_xticks(
        range(len(names)),
        [fitted(name, _LONGEST_NAME, _NAME_SIZE) for name in names],
        rotation=0 if widest < room else 90,
        fontsize=_NAME_SIZE,
        parse_math=False,
    )
    axes.set_xlim(-0.6, len(names) - 0.4)
    axes.grid(visible=False, axis="x")
    axes.set_ylim(bottom=0)
    plain_axis(axes.yaxis, ticks=5)


def _legend_above(axes: Axes, names: int) -> None:
    """A legend of many *names* in two columns over the curves, none of which it hides."""
    low, high = axes.get_ylim()
    more = 0.06 + _LINE_SHARE * -(-names // 2)
    logarithmic = axes.get_yscale() == "log"
    axes.set_ylim(low, high * (high / low) ** more if logarithmic else high + (high - low) * more)
    legend(axes, columns=2, loc="upper left")


def _decades(curves: Sequence[Curve]) -> tuple[float, float]:
    """From below the least to above the largest value, with some room."""
    values = [value for curve in curves for value in (*curve.y, *curve.low, *curve.high) if value > 0]
    return min(values, default=1.0) / 1.2, max(values, default=10.0) * 1.2


def _curve(axes: Axes, curve: Curve, style: int) -> None:
    x, y = np.array(curve.x, dtype=np.float64), np.array(curve.y, dtype=np.float64)
    axes.plot(
        x,
        y,
        color=colour(style),
        linestyle="--" if curve.dashed else dashes(0),
        marker=_MARKERS[style % len(_MARKERS)] if x.size <= 40 else None,
        markersize=4,
        linewidth=1.4,
        label=curve.name,
    )
    if len(curve.low):
        low, high = np.array(curve.low, dtype=np.float64), np.array(curve.high, dtype=np.float64)
        axes.fill_between(x, low, high, color=colour(style), alpha=0.2, linewidth=0)
