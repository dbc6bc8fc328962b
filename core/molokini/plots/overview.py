"""A schedule in one figure: its queue, its utilization and its Gantt chart on one time axis."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from molokini.metrics.labels import labels
from molokini.metrics.measures import measure, number
from molokini.plots.frame import frame_of, heading
from molokini.plots.gantt import draw_gantt
from molokini.plots.scales import duration
from molokini.plots.style import head, new_figure, styled, title
from molokini.plots.timeline import draw_queue, draw_utilization
from molokini.sim.schedule import Schedule

_HEIGHTS = (1.0, 1.0, 2.4)
_INCHES = 8.0


def overview(schedule: Schedule, colour_by: str = "size", note: str = "") -> Figure:
    """Queue, utilization and Gantt chart of one schedule, on one time axis; *note* stands in the heading."""
    return overview_many([schedule], colour_by, note)


@styled()
def overview_many(schedules: Sequence[Schedule], colour_by: str = "size", note: str = "") -> Figure:
    """The same for several schedules of one workload, one above the other, on one time axis.

    Each has its own scale of jobs waiting: queues of two policies may differ a hundredfold.
    """
    figure = new_figure(11, max(_INCHES * len(schedules), 1.0))
    head(figure, *heading(schedules, note))
    if not schedules:
        return figure
    frame = frame_of(schedules)
    grid = figure.add_gridspec(3 * len(schedules), 1, height_ratios=list(_HEIGHTS) * len(schedules))
    first = None
    for at, (schedule, name) in enumerate(zip(schedules, labels(schedules), strict=True)):
        queue, busy, chart = (figure.add_subplot(grid[3 * at + row, 0], sharex=first) for row in range(3))
        first = first or queue
        title(queue, summary(schedule) if len(schedules) == 1 else f"{name}: {summary(schedule)}")
        draw_queue(queue, schedule, frame)
        draw_utilization(busy, schedule, frame)
        draw_gantt(chart, schedule, frame, colour_by)
        frame.apply(queue, labelled=False)
        frame.apply(busy, labelled=False)
        frame.apply(chart)
    figure.align_ylabels()
    return figure


def summary(schedule: Schedule) -> str:
    """The most important numbers, as one line."""
    measures = measure(schedule)
    wait, slowdown = number(measures, "mean_wait_s"), number(measures, "mean_bounded_slowdown")
    busy, lost = number(measures, "utilization"), number(measures, "loss_of_capacity")
    told = [
        None if wait is None else f"mean wait {duration(wait)}",
        None if slowdown is None else f"mean bounded slowdown {slowdown:,.2f}",
        None if busy is None else f"utilization {busy:.1%}",
        None if lost is None else f"loss of capacity {lost:.1%}",
    ]
    return ", ".join(part for part in told if part) or "no job finished"
