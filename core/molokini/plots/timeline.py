"""Queue and utilization over time."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from molokini.metrics.timelines import Steps, busy_processors, queue_length, resample, within
from molokini.plots.frame import Frame, frame_of, heading
from molokini.plots.scales import percent_axis, plain_axis
from molokini.plots.style import PALETTE, head, legend, new_figure, styled
from molokini.sim.schedule import Schedule

COLUMNS = 900
"""Parts of the time axis in which a long time line is summed up: about one a pixel."""


@styled()
def timeline(schedule: Schedule) -> Figure:
    """Jobs waiting, and the share of processors that is busy, over time.

    A time line of more steps than the picture has columns is drawn as its mean in each column,
    within a band from the least to the most in that column.
    """
    figure = new_figure(11, 5.5)
    head(figure, *heading([schedule]))
    upper, lower = figure.subplots(2, 1, sharex=True)
    frame = frame_of([schedule])
    draw_queue(upper, schedule, frame)
    draw_utilization(lower, schedule, frame)
    frame.apply(upper, labelled=False)
    frame.apply(lower)
    figure.align_ylabels()
    return figure


def draw_queue(axes: Axes, schedule: Schedule, frame: Frame) -> None:
    """Jobs waiting, on *axes*."""
    _draw(axes, queue_length(schedule), frame, PALETTE[1])
    axes.set_ylabel("jobs waiting (jobs)")
    axes.set_ylim(bottom=0, top=max(axes.get_ylim()[1], 1.0))
    plain_axis(axes.yaxis, whole=True, ticks=5)


def draw_utilization(axes: Axes, schedule: Schedule, frame: Frame) -> None:
    """The share of busy processors, on *axes*."""
    busy = busy_processors(schedule)
    share = Steps(busy.times, 100.0 * busy.values / schedule.processors)
    _draw(axes, share, frame, PALETTE[0])
    axes.set_ylabel("busy processors (%)")
    percent_axis(axes)


def _draw(axes: Axes, steps: Steps, frame: Frame, colour: str) -> None:
    shown = within(steps, frame.start_s, frame.stop_s)
    if shown.times.size <= 2 * COLUMNS:
        times = frame.shown(np.append(shown.times, frame.stop_s))
        values = np.append(shown.values, shown.values[-1])
        axes.fill_between(times, values, step="post", color=colour, alpha=0.25, linewidth=0)
        axes.step(times, values, where="post", color=colour, linewidth=1.1)
        return
    edges = frame.edges(COLUMNS)
    mean, low, high = resample(steps, edges)
    times = frame.shown(edges)
    axes.fill_between(
        times,
        np.append(low, low[-1]),
        np.append(high, high[-1]),
        step="post",
        color=colour,
        alpha=0.25,
        linewidth=0,
        label="min to max of a pixel",
    )
    axes.step(times, np.append(mean, mean[-1]), where="post", color=colour, linewidth=0.9, label="mean")
    # Beside the axes: inside, it would hide the curves.
    legend(axes, loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.4, handlelength=1.2)
