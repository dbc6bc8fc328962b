"""Whether a mean has settled: its running average, and its interval as jobs completed."""

from collections.abc import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from molokini.metrics.intervals import (
    CONFIDENCE,
    batch_means,
    in_order_of_end,
    running_average,
    running_interval,
)
from molokini.metrics.job_measures import DEFAULT_TAU_S
from molokini.model.text import plural
from molokini.plots.frame import heading
from molokini.plots.labels import metric_name, unit_of
from molokini.plots.scales import plain_axis
from molokini.plots.style import PALETTE, head, legend, new_figure, styled, wrapped_title
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Floats

_LEGEND_ROOM = 1.22

METRICS = ("response_s", "wait_s", "bounded_slowdown")
"""The metrics that are drawn by default."""


@styled()
def convergence(
    schedule: Schedule,
    metrics: Sequence[str] = METRICS,
    tau_s: float = DEFAULT_TAU_S,
    batch_size: int | None = None,
    confidence: float = CONFIDENCE,
    note: str = "",
) -> Figure:
    """The running average of each metric over job completions, with its batch-means interval.

    After Feitelson (JSSPP 2001, figures 5 and 6): a curve that jumps at its right end has not converged.
    """
    figure = new_figure(11, 0.8 + 2.6 * len(metrics))
    head(figure, *heading([schedule], note))
    panels = figure.subplots(len(metrics), 1, sharex=True, squeeze=False)[:, 0]
    for axes, metric in zip(panels, metrics, strict=True):
        _, values = in_order_of_end(schedule, metric, tau_s)
        _draw(axes, f"mean_{metric}", values, batch_size, confidence)
        axes.set_xlim(0, max(values.size, 1))
        plain_axis(axes.xaxis, whole=True, ticks=8)
        axes.tick_params(labelbottom=axes is panels[-1])
    panels[-1].set_xlabel("jobs completed (jobs)")
    figure.align_ylabels()
    return figure


def _draw(axes: Axes, metric: str, values: Floats, batch_size: int | None, confidence: float) -> None:
    unit, scale = unit_of(metric, float(values.mean()) if values.size else 0.0)
    axes.set_ylabel(f"{metric_name(metric)}\n({unit})")
    count, average = running_average(values)
    axes.plot(count, average / scale, color=PALETTE[0], linewidth=1.4, label="running average")
    found = batch_means(values, batch_size, confidence)
    after, middle, half = running_interval(values, batch_size, confidence)
    if after.size:
        name = f"{confidence:.0%} interval, batches of {plural(found.batch_size, 'job')}"
        low, high = (middle - half) / scale, (middle + half) / scale
        axes.fill_between(after, low, high, color=PALETTE[5], alpha=0.4, linewidth=0, label=name)
        # The first intervals, over two or three batches, may be a hundred times the mean.
        later = after.size // 5
        top = max(float(high[later:].max()), float(average.max()) / scale)
        bottom = max(min(0.0, float(low[later:].min())), -0.25 * top)
    else:
        top, bottom = float(average.max(initial=0.0)) / scale, 0.0
    # From 0, whatever the values: an axis that begins elsewhere makes noise look like a trend. The room above
    # the curves is the legend's.
    axes.set_ylim(bottom, bottom + _LEGEND_ROOM * (top - bottom) or 1.0)
    plain_axis(axes.yaxis, ticks=5)
    wrapped_title(axes, found.warning or "converged", size=9.0)
    legend(axes, columns=2, loc="upper right")
