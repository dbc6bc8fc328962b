"""Two schedules of one workload: which jobs start earlier or later under the second, and the effect."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from molokini.metrics.labels import labels
from molokini.metrics.start_changes import CLASSES, NOT_BOTH, Changes, start_changes
from molokini.metrics.timelines import Steps, busy_processors, queue_length, resample, value_at
from molokini.model.text import plural
from molokini.plots.frame import Frame, frame_of, heading
from molokini.plots.gantt import Colouring, draw_gantt
from molokini.plots.scales import duration, plain_axis
from molokini.plots.style import OTHER, PALETTE, head, new_figure, styled, title
from molokini.plots.timeline import COLUMNS
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Floats

_COLOURS = ("#053061", "#4393c3", "#b3d4e8", "#d9d9d9", "#fdc58f", "#e6701b", "#8c2d04")
"""Blue for earlier, orange for later: told apart with any colour vision, and in grey by depth."""

_HEIGHTS = (2.2, 2.2, 0.9, 0.9)


@styled()
def difference(before: Schedule, after: Schedule, note: str = "") -> Figure:
    """The Gantt charts of both, each job coloured by the change of its start, over the difference of queues.

    Below them: jobs waiting and processors busy under *after* less those under *before*.
    """
    first, second = labels([before, after])
    found = start_changes(before, after)
    figure = new_figure(11, 10.5)
    head(figure, heading([before, after])[0], "; ".join(filter(None, (told(found, second), note))))
    frame = frame_of([before, after])
    grid = figure.subplots(4, 1, sharex=True, gridspec_kw={"height_ratios": _HEIGHTS}).tolist()
    colouring = Colouring(
        "changes",
        found.of_class,
        [*CLASSES, NOT_BOTH],
        [*_COLOURS, OTHER],
        np.nan_to_num(found.change_s) != 0,
    )
    for axes, schedule, name in zip(grid, (before, after), (first, second), strict=False):
        draw_gantt(axes, schedule, frame, colouring=colouring)
        title(axes, name)
    _difference(grid[2], queue_length(before), queue_length(after), frame, 1.0)
    grid[2].set_ylabel("change of jobs\nwaiting (jobs)")
    share = 100.0 / after.processors
    _difference(grid[3], busy_processors(before), busy_processors(after), frame, share)
    grid[3].set_ylabel("change of busy\nprocessors (%)")
    title(grid[2], f"{second} less {first}")
    for axes in grid:
        frame.apply(axes, labelled=axes is grid[-1])
    figure.align_ylabels()
    return figure


def told(found: Changes, policy: str) -> str:
    """The changes as one line; *policy* is the second one."""
    numbers = found.as_dict()
    parts = []
    for what in ("earlier", "later"):
        jobs, by_s = numbers[f"{what}_jobs"], numbers[f"mean_{what}_s"]
        by = f" by {duration(by_s)} on average" if isinstance(by_s, float) else ""
        parts.append(f"{plural(int(str(jobs)), 'job')} {what}{by}")
    return f"starts under {policy}: " + ", ".join(parts) + f", of {plural(int(str(numbers['jobs'])), 'job')}"


def _difference(axes: Axes, before: Steps, after: Steps, frame: Frame, scale: float) -> None:
    """*after* less *before*, times *scale*; the mean of each column where there are many steps."""
    times = np.union1d(before.times, after.times)
    steps = Steps(times, scale * (value_at(after, times) - value_at(before, times)))
    inside = (times > frame.start_s) & (times < frame.stop_s)
    if int(inside.sum()) <= 2 * COLUMNS:
        at: Floats = np.concatenate([[frame.start_s], times[inside], [frame.stop_s]])
        values = value_at(steps, at)
    else:
        at = frame.edges(COLUMNS)
        mean, _, _ = resample(steps, at)
        values = np.append(mean, mean[-1])
    shown = frame.shown(at)
    axes.axhline(0, color="#444444", linewidth=0.9)
    for part, colour in ((np.minimum(values, 0.0), PALETTE[0]), (np.maximum(values, 0.0), PALETTE[1])):
        axes.fill_between(shown, part, step="post", color=colour, alpha=0.75, linewidth=0)
    plain_axis(axes.yaxis, ticks=4)
