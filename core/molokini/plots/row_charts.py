"""Rows of the matrix of gang scheduling over time: a Gantt chart for each row, on one time axis."""

from dataclasses import replace

import numpy as np
from matplotlib.figure import Figure

from molokini.model.errors import BadInput
from molokini.plots.frame import frame_of, heading
from molokini.plots.gantt import colouring_of, draw_gantt
from molokini.plots.style import head, new_figure, styled
from molokini.sim.schedule import Schedule
from molokini.tables.sizes import COLUMNS_A_WORD

_ROWS_IN, _MOST_IN = 1.5, 30.0


@styled()
def rows_over_time(schedule: Schedule, note: str = "") -> Figure:
    """Which jobs stand in which row, their copies outside the home row hatched; *note* stands in the heading.

    Which columns a job has is not in a schedule: in each row processors are chosen for the drawing. Of more
    rows than a schedule names, the first are drawn. Raises BadInput for a schedule without rows.
    """
    count = row_count(schedule)
    figure = new_figure(11, min(1.2 + _ROWS_IN * count, _MOST_IN))
    head(figure, *heading([schedule], note))
    frame, colouring = frame_of([schedule]), colouring_of(schedule, "size")
    for r, axes in enumerate(figure.subplots(count, 1, squeeze=False, sharex=True).ravel().tolist()):
        draw_gantt(axes, in_row(schedule, r), frame, colouring=colouring, row=r)
        axes.set_ylabel(f"row {r}\nprocessors")
        frame.apply(axes, labelled=r == count - 1)
    _one_legend(figure)
    return figure


def _one_legend(figure: Figure) -> None:
    """The legend of the first chart stands beside all of them, so that they are equally high."""
    boxes = [box for axes in figure.axes if (box := axes.get_legend()) is not None]
    first = boxes[0]
    names = [text.get_text() for text in first.get_texts()]
    shared = figure.legend(
        [handle for handle in first.legend_handles if handle is not None],
        names,
        title=first.get_title().get_text(),
        loc="outside right upper",
        frameon=False,
        handlelength=1.2,
        title_fontsize=8.5,
        alignment="left",
    )
    for text in shared.get_texts():
        text.set_parse_math(False)
    for box in boxes:
        box.remove()


def row_count(schedule: Schedule) -> int:
    """The rows of the matrix. Raises BadInput where there is none."""
    if not schedule.trace.rows.any():
        raise BadInput(f"policy {schedule.policy} has no rows, or no job started; see docs/gang.md")
    if schedule.trace.turns.any():
        return min(int(schedule.trace.turns.max()), COLUMNS_A_WORD)
    return int(schedule.parameters["mpl"])


def in_row(schedule: Schedule, r: int) -> Schedule:
    """*schedule* as it would be if jobs held their processors only while they stand in row *r*."""
    trace = schedule.trace
    there = (trace.rows >> r & 1).astype(np.float64)
    return replace(schedule, trace=replace(trace, occupied=there * schedule.workload.processors[trace.job]))
