"""Policies side by side: bars with intervals, or lines over the load."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from molokini.metrics.cells import Cell
from molokini.pictures.names import metric_name, unit_of
from molokini.pictures.scales import duration, plain_axis, short
from molokini.pictures.style import colour, dashes, head, legend, literal, new_figure, styled, title

_ACROSS = 3
_MOST_TICKS = 8
_MARKERS = "osD^vP*X"


@styled()
def comparison(cells: Sequence[Cell], heading: str = "") -> Figure:
    """A panel a metric (and workload): a bar a policy with its interval, or a line a policy over load.

    Lines are drawn where the cells of a panel have more than one load factor. A policy without an
    interval has no whiskers; one without a value is named and has no bar.
    """
    panels: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        panels.setdefault((cell.workload, cell.metric), []).append(cell)
    policies = list(dict.fromkeys(cell.policy for cell in cells))
    across = min(_ACROSS, max(len(panels), 1))
    down = max(1, math.ceil(len(panels) / across))
    lines = len({cell.load_factor for cell in cells}) > 1
    tall = 3.2 if lines else 1.3 + 0.42 * len(policies)
    figure = new_figure(max(4.0 * across, 6.0), 0.8 + tall * down)
    workloads = list(dict.fromkeys(workload for workload, _ in panels))
    head(figure, heading or ", ".join(workloads) or "nothing to compare")
    grid = figure.subplots(down, across, squeeze=False).ravel().tolist()
    for axes, ((workload, metric), held) in zip(grid, panels.items(), strict=False):
        unit, scale = unit_of(
            metric, max((abs(cell.mean) for cell in held if cell.mean is not None), default=0.0)
        )
        draw = _lines if lines else _bars
        draw(axes, held, policies, scale, f"{metric_name(metric)} ({unit})")
        title(axes, metric_name(metric) if len(workloads) < 2 else f"{workload}: {metric_name(metric)}")
    for axes in grid[len(panels) :]:
        axes.set_visible(False)
    return figure


def _bars(axes: Axes, cells: Sequence[Cell], policies: Sequence[str], scale: float, label: str) -> None:
    ends = []
    for cell in cells:
        if cell.mean is None:
            continue
        row, value = policies.index(cell.policy), cell.mean / scale
        axes.barh(row, value, height=0.62, color=colour(row))
        end = max(value, 0.0)
        if cell.low is not None and cell.high is not None:
            low, high = cell.low / scale, cell.high / scale
            axes.plot([low, high], [row, row], color="black", linewidth=1.3)
            axes.plot([low, high], [row, row], color="black", linestyle="", marker="|", markersize=9)
            end = max(end, high)
        ends.append(end)
        told = duration(cell.mean) if cell.metric.endswith("_s") else short(value)
        axes.annotate(told, (end, row), xytext=(5, 0), textcoords="offset points", va="center", fontsize=8.5)
    names = [literal(policy, 28) for policy in policies]
    axes.set_yticks(range(len(policies)), names, parse_math=False)
    axes.set_ylim(len(policies) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    # Room for the number at the end of the longest bar.
    axes.set_xlim(left=min(0.0, axes.get_xlim()[0]), right=1.34 * max(ends, default=1.0) or 1.0)
    axes.set_xlabel(label)
    plain_axis(axes.xaxis, ticks=4)


def _lines(axes: Axes, cells: Sequence[Cell], policies: Sequence[str], scale: float, label: str) -> None:
    for index, policy in enumerate(policies):
        known = [
            cell
            for cell in cells
            if cell.policy == policy and cell.mean is not None and cell.load_factor is not None
        ]
        known.sort(key=lambda cell: cell.load_factor or 0.0)
        if not known:
            continue
        load = np.array([cell.load_factor for cell in known], dtype=np.float64)
        mean = np.array([cell.mean for cell in known], dtype=np.float64) / scale
        low, high = (
            np.array([np.nan if end is None else end for end in ends], dtype=np.float64) / scale
            for ends in ([cell.low for cell in known], [cell.high for cell in known])
        )
        axes.fill_between(load, low, high, color=colour(index), alpha=0.15, linewidth=0)
        axes.plot(
            load,
            mean,
            color=colour(index),
            linestyle=dashes(index),
            marker=_MARKERS[index % len(_MARKERS)],
            markersize=5,
            linewidth=1.5,
            label=policy,
        )
    axes.set_xlabel("load factor (ratio to the log's)")
    axes.set_ylabel(label)
    plain_axis(axes.yaxis, ticks=5)
    plain_axis(axes.xaxis, ticks=6)
    loads = sorted({cell.load_factor for cell in cells if cell.load_factor is not None})
    if len(loads) <= _MOST_TICKS:
        axes.set_xticks(loads)
    legend(axes, loc="best")
