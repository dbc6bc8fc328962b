"""The matrix of gang scheduling at an instant: rows below one another, a box for each run of columns."""

from collections.abc import Mapping
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from molokini.plots.scales import plain_axis
from molokini.plots.style import (
    COPY_ALPHA,
    HATCHES,
    OTHER,
    colour,
    head,
    ink_on,
    legend_below,
    new_figure,
    styled,
    width_points,
)

_LABEL_POINTS = 8.0
_WIDE_IN, _ROW_IN = 11.0, 0.5
_AWAY = "#dddddd"


@styled()
def matrix_picture(found: Mapping[str, Any], heading: str, below: str = "") -> Figure:
    """The report ``matrix`` as a picture: jobs have colours, copies outside their home rows are paler.

    Jobs are numbered where their boxes have room; colours repeat after eight.
    """
    count = len(found["rows"])
    figure = new_figure(_WIDE_IN, 1.9 + _ROW_IN * count)
    head(figure, heading, below)
    axes = figure.subplots()
    axes.set_xlim(0, max(found["columns"], 1))
    axes.set_ylim(max(count, 1), 0)
    axes.grid(visible=False)
    axes.set_xlabel("processors (number)")
    axes.set_ylabel("row (time slice)")
    active = found["active_row"]
    ticks = [f"{r}, active" if r == active else str(r) for r in range(count)]
    axes.set_yticks([r + 0.5 for r in range(count)], ticks)
    axes.tick_params(axis="y", length=0)
    plain_axis(axes.xaxis, whole=True, ticks=10)
    for r in range(1, count):
        axes.axhline(r, color="#bbbbbb", linewidth=0.6)
    for first, last in found.get("away", ()):
        axes.axvspan(first, last + 1, color=_AWAY, linewidth=0)
    points = 0.86 * 72 * _WIDE_IN / max(found["columns"], 1)
    for place, job in enumerate(found["jobs"]):
        for r in job["rows"]:
            for first, last in job["columns"]:
                _box(axes, job["job"], colour(place), (first, last + 1), r, r == job["home"], points)
    patches = [
        Patch(facecolor=OTHER, edgecolor="white"),
        Patch(facecolor=OTHER, edgecolor="white", alpha=COPY_ALPHA, hatch=HATCHES[1]),
    ]
    names = ["in its home row", "copy in another row"]
    if found.get("away", ()):
        patches.append(Patch(facecolor=_AWAY, edgecolor="white"))
        names.append("not in service")
    legend_below(figure, patches, names)
    return figure


def _box(
    axes: Axes, name: str, face: str, ends: tuple[int, int], r: int, is_home: bool, points: float
) -> None:
    """A run of columns of one job in row *r*; a processor is so many *points* wide."""
    low, high = ends
    axes.add_patch(
        Rectangle(
            (low, r + 0.06),
            high - low,
            0.88,
            facecolor=face,
            edgecolor="white",
            linewidth=0.8,
            alpha=1.0 if is_home else COPY_ALPHA,
            hatch=None if is_home else HATCHES[1],
        )
    )
    along = width_points(name, _LABEL_POINTS) + 3
    room = (high - low) * points
    upright = room < along
    if (room < _LABEL_POINTS + 2 or along > 0.88 * 72 * _ROW_IN) if upright else False:
        return
    axes.text(
        (low + high) / 2,
        r + 0.5,
        name,
        ha="center",
        va="center",
        rotation=90 if upright else 0,
        fontsize=_LABEL_POINTS,
        color=ink_on(face) if is_home else "black",
        parse_math=False,
        bbox=None if is_home else {"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 0.8},
    )
