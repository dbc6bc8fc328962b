"""Policies side by side: bars with intervals, or lines over the load."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, FigureBase
from matplotlib.patches import Patch

from molokini.metrics.cells import Cell
from molokini.metrics.intervals import CONFIDENCE
from molokini.model.text import duration
from molokini.plots.labels import PERCENT, is_time, metric_name, unit_of
from molokini.plots.parts import Parts, draw_parts, height_in
from molokini.plots.scales import log_ticks, plain_axis, short
from molokini.plots.style import (
    HATCHED,
    colour,
    dashes,
    fitted,
    hatch,
    head,
    legend_below,
    new_figure,
    styled,
    title,
)

_ACROSS = 3
_MOST_TICKS = 8
_MARKERS = "osD^vP*X"
_MOST_BANDS = 4
"""Policies up to which intervals are bands; more would hide one another."""
_BESIDE = 0.006
"""Of the width of a panel: between the whiskers of two policies."""

_NAME_POINTS, _NAME_SIZE = 150.0, 9.0
_LEGEND_ROW = 0.2  # inches


@styled()
def comparison(
    cells: Sequence[Cell],
    heading: str = "",
    confidence: float = CONFIDENCE,
    parts: Sequence[Parts] = (),
    sizes: Mapping[str, str] | None = None,
    logarithmic: bool = False,
) -> Figure:
    """A panel for each metric: a bar for each policy with its interval, or a line for each over load.

    Where there are several workloads each has panels of its own, below its name. Lines are drawn where
    there is more than one load factor, or run-time factor. A policy without an interval has no whiskers; one
    without a value is named and has no bar. *confidence* is the level of the cells' intervals, which the
    heading gives.
    Below stand *parts* of the jobs, where there is one factor. *sizes* says how many jobs and processors
    each workload has. *logarithmic* makes the axes of times and ratios logarithmic, so that one bad policy
    does not flatten the others; shares keep their linear axes.
    """
    workloads: dict[str, dict[str, list[Cell]]] = {}
    for cell in cells:
        workloads.setdefault(cell.workload, {}).setdefault(cell.metric, []).append(cell)
    policies = list(dict.fromkeys(cell.policy for cell in cells))
    lines = len({cell.load_factor for cell in cells}) > 1 or _is_over_run_times(cells)
    across = min(_ACROSS, max(map(len, workloads.values()), default=1))
    rows = [math.ceil(len(panels) / across) for panels in workloads.values()]
    several = len(rows) > 1
    tall = 3.2 + _LEGEND_ROW * len(policies) / max(sum(rows), 1) if lines else 1.1 + 0.3 * len(policies)
    high = 0.9 + tall * max(sum(rows), 1) + 0.35 * several * len(rows)
    below = 0.0 if lines or not parts else height_in(parts) + _LEGEND_ROW * (1 + len(policies) // 3)
    figure = new_figure(max(4.0 * across, 6.0), high + below)
    told = (
        f"{len(rows)} logs, {len(policies)} {'policy' if len(policies) == 1 else 'policies'}"
        if several
        else "".join(workloads)
    )
    known = {} if sizes is None else sizes
    size = "" if several else "".join(known.get(workload, "") for workload in workloads)
    caption = "; ".join(part for part in (size, _caption(cells, lines, confidence)) if part)
    head(figure, heading or told or "nothing to compare", caption)
    above: FigureBase = figure
    if below:
        halves = figure.subfigures(2, 1, squeeze=False, height_ratios=[high, below])
        above, under = halves.ravel().tolist()
        draw_parts(under, parts)
    blocks: Sequence[FigureBase] = [above]
    if several:
        blocks = above.subfigures(len(rows), 1, squeeze=False, height_ratios=rows).ravel().tolist()
    for part, (workload, panels) in zip(blocks, workloads.items(), strict=False):
        if several:
            head(part, ": ".join(filter(None, (workload, known.get(workload)))), size=10.5)
        _panels(part, across, panels, policies, lines, logarithmic)
    if lines:
        legend_below(figure, *figure.axes[0].get_legend_handles_labels())
    elif below:
        names = list(dict.fromkeys(policy for one in parts for policy in one.policies))
        patches = [Patch(facecolor=colour(at), hatch=hatch(at), **HATCHED) for at in range(len(names))]
        legend_below(figure, patches, names)
    return figure


def _is_over_run_times(cells: Sequence[Cell]) -> bool:
    """Whether lines are over the factor of run times, and not over that of gaps."""
    return len({cell.run_time_factor for cell in cells}) > 1


def _caption(cells: Sequence[Cell], lines: bool, confidence: float) -> str:
    """The caption: which marks show intervals, and how the intervals were computed."""
    known = [cell.replications for cell in cells if cell.low is not None]
    if not known:
        return ""
    source = f"over {max(known)} seeds" if max(known) > 1 else "by batch means"
    marks = "bands" if lines and len({cell.policy for cell in cells}) <= _MOST_BANDS else "whiskers"
    return f"{marks}: {confidence:.0%} intervals {source}"


def _panels(
    figure: FigureBase,
    across: int,
    metrics: Mapping[str, Sequence[Cell]],
    policies: Sequence[str],
    lines: bool,
    logarithmic: bool,
) -> None:
    """A panel for each metric, *across* in a row; places that are left over stay empty."""
    down = math.ceil(len(metrics) / across)
    grid = figure.subplots(down, across, squeeze=False).ravel().tolist()
    for at, (axes, (metric, cells)) in enumerate(zip(grid, metrics.items(), strict=False)):
        typical = max((abs(cell.mean) for cell in cells if cell.mean is not None), default=0.0)
        unit, scale = unit_of(metric, typical)
        powers = logarithmic and unit != "%" and any(cell.mean for cell in cells)
        label = f"{metric_name(metric)} ({unit}{', logarithmic' * powers})"
        if lines:
            _lines(axes, cells, policies, scale, label)
            if powers:
                log_ticks(axes.yaxis, *_bounds(cells, scale))
        else:
            _bars(axes, cells, policies, scale, label, powers)
            # Named once a row: bars of one height are of one policy.
            axes.tick_params(axis="y", left=at % across == 0, labelleft=at % across == 0)
        title(axes, metric_name(metric))
    for axes in grid[len(metrics) :]:
        axes.set_visible(False)


def _bounds(cells: Sequence[Cell], scale: float) -> tuple[float, float]:
    """A little more than the values above 0 of *cells*, their intervals included where they are above 0."""
    every = [value for cell in cells for value in (cell.mean, cell.low, cell.high) if value and value > 0]
    return 0.7 * min(every) / scale, 1.4 * max(every) / scale


def _bars(
    axes: Axes, cells: Sequence[Cell], policies: Sequence[str], scale: float, label: str, powers: bool
) -> None:
    ends = []
    # No metric is below 0; an interval by batch means may reach there.
    least = _bounds(cells, scale)[0] if powers else 0.0
    for cell in cells:
        if cell.mean is None:
            continue
        row, value = policies.index(cell.policy), cell.mean / scale
        axes.barh(row, value, height=0.62, facecolor=colour(row), hatch=hatch(row), **HATCHED)
        end = max(value, 0.0, least)
        if cell.low is not None and cell.high is not None:
            low, high = max(cell.low / scale, least), max(cell.high / scale, least)
            axes.plot([low, high], [row, row], color="black", linewidth=1.3)
            axes.plot([low, high], [row, row], color="black", linestyle="", marker="|", markersize=9)
            end = max(end, high)
        ends.append(end)
        told = duration(cell.mean) if is_time(cell.metric) else short(value) + "%" * (scale == PERCENT)
        axes.annotate(told, (end, row), xytext=(5, 0), textcoords="offset points", va="center", fontsize=8.5)
    names = [fitted(policy, _NAME_POINTS, _NAME_SIZE) for policy in policies]
    axes.set_yticks(range(len(policies)), names, parse_math=False)
    axes.set_ylim(len(policies) - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.set_xlabel(label)
    # Room for the number at the end of the longest bar.
    if powers:
        far = max(ends)
        log_ticks(axes.xaxis, least, far * (far / least) ** 0.34)
        return
    axes.set_xlim(left=0.0, right=1.45 * max(ends, default=1.0) or 1.0)
    plain_axis(axes.xaxis, ticks=4)


def _lines(axes: Axes, cells: Sequence[Cell], policies: Sequence[str], scale: float, label: str) -> None:
    longer = _is_over_run_times(cells)
    for index, policy in enumerate(policies):
        known = [
            cell
            for cell in cells
            if cell.policy == policy and cell.mean is not None and _factor(cell, longer) is not None
        ]
        known.sort(key=lambda cell: _factor(cell, longer) or 0.0)
        if not known:
            continue
        load = np.array([_factor(cell, longer) for cell in known], dtype=np.float64)
        mean = np.array([cell.mean for cell in known], dtype=np.float64) / scale
        low, high = (
            np.array([np.nan if end is None else end for end in ends], dtype=np.float64) / scale
            for ends in ([cell.low for cell in known], [cell.high for cell in known])
        )
        if len(policies) <= _MOST_BANDS:
            axes.fill_between(load, low, high, color=colour(index), alpha=0.15, linewidth=0)
        else:
            # Bands of many policies are one grey; whiskers stand side by side.
            aside = _BESIDE * (load.max() - load.min()) * (index - len(policies) / 2)
            axes.vlines(
                load + aside, np.maximum(low, 0.0), high, color=colour(index), linewidth=1.3, alpha=0.8
            )
        axes.plot(
            load,
            mean,
            color=colour(index),
            linestyle=dashes(index),
            marker=_MARKERS[(index + index // len(_MARKERS)) % len(_MARKERS)],
            markersize=5,
            linewidth=1.5,
            label=policy,
        )
    axes.set_xlabel(f"{'run-time' if longer else 'load'} factor (ratio to the log's)")
    axes.set_ylabel(label)
    plain_axis(axes.yaxis, ticks=5)
    plain_axis(axes.xaxis, ticks=6)
    loads = sorted({at for cell in cells if (at := _factor(cell, longer)) is not None})
    if len(loads) <= _MOST_TICKS:
        axes.set_xticks(loads)


def _factor(cell: Cell, longer: bool) -> float | None:
    """Where a cell stands on the axis."""
    return cell.run_time_factor if longer else cell.load_factor
