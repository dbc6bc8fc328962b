"""How every mean settles: its course over its final value, and the size of its interval."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from molokini.metrics.intervals import CONFIDENCE
from molokini.metrics.settling import TRACKED, Running, running_of, settled
from molokini.plots.frame import heading
from molokini.plots.scales import log_ticks, plain_axis
from molokini.plots.style import colour, dashes, head, legend_below, new_figure, styled, title
from molokini.sim.schedule import Schedule

_EARLY = 10
"""Counts that are left out at the beginning of the upper panel: means over few batches are far off."""


@styled()
def settling_picture(
    schedule: Schedule,
    precision: float,
    batch_size: int | None = None,
    confidence: float = CONFIDENCE,
    note: str = "",
) -> Figure:
    """Above the running mean of each metric over its final mean, below the half width of its interval over
    the mean, with the first and the second crossing of *precision*. After Feitelson, JSSPP 2001, figure 7.
    """
    figure = new_figure(11, 9.5)
    head(figure, *heading([schedule], note))
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(2, 3))
    lines = []
    for index, tracked in enumerate(TRACKED):
        running = running_of(schedule, tracked, batch_size, confidence)
        if running.completed.size:
            lines.append(_draw(upper, lower, running, index, precision))
    title(upper, "running mean over final mean")
    upper.axhline(1.0, color="#444444", linewidth=0.9)
    upper.set_ylabel("ratio")
    plain_axis(upper.yaxis, ticks=5)
    title(lower, f"half width of the {confidence:.0%} interval over the mean; circles: at {precision:g}")
    lower.axhline(precision, color="#444444", linewidth=0.9)
    lower.set_ylabel("size (share of the mean)")
    sizes = [np.asarray(line.get_ydata()) for line in lower.get_lines()[:-1]]
    low = min([float(one[one > 0].min()) for one in sizes if (one > 0).any()] or [precision])
    high = max([float(one[np.isfinite(one)].max()) for one in sizes if np.isfinite(one).any()] or [1.0])
    log_ticks(lower.yaxis, min(low, precision) * 0.8, min(max(high, 2 * precision), 10.0))
    lower.set_xlabel("jobs completed (jobs)")
    plain_axis(lower.xaxis, whole=True, ticks=8)
    legend_below(figure, lines, [str(line.get_label()) for line in lines])
    return figure


def _draw(upper: Axes, lower: Axes, running: Running, index: int, precision: float) -> Line2D:
    ink, style = colour(index), dashes(index)
    final = running.final or 1.0
    later = slice(min(_EARLY, running.completed.size - 1), None)
    looks: dict[str, Any] = {"color": ink, "linestyle": style, "linewidth": 1.2}
    upper.plot(running.completed[later], running.mean[later] / final, **looks)
    label = running.name.replace("_", " ")
    (line,) = lower.plot(running.completed, running.size, label=label, **looks)
    report = settled(running, int(running.completed[-1]), precision)
    for one in (report.first, report.second):
        if one is not None:
            lower.plot([one.completed], [precision], "o", color=ink, markersize=5, fillstyle="none")
    return line
