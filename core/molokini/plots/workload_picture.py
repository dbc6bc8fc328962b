"""What is in a workload, on one page: sizes and times, rhythm, users and estimates, tails."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.gridspec import SubplotSpec

from molokini.metrics.breakdown import size_class, size_class_name
from molokini.model.text import plural
from molokini.plots.distributions import cumulative
from molokini.plots.log_people import (
    draw_accuracy,
    draw_memory,
    draw_modes,
    draw_run_by_size,
    draw_top_users,
)
from molokini.plots.log_rhythm import (
    draw_correlations,
    draw_hours_of_week,
    draw_queue_against_load,
    draw_running_means,
    draw_scale,
    draw_weeks,
)
from molokini.plots.log_tails import draw_aggregated, draw_hill, draw_hurst, draw_llcd, draw_mass_count
from molokini.plots.scales import log_time_axis, plain_axis
from molokini.plots.style import PALETTE, head, legend, new_figure, styled, title
from molokini.workloads.arrivals import hours_of_day
from molokini.workloads.statistics.all import statistics as all_statistics
from molokini.workloads.workload import Floats, Workload

_WIDTH_IN, _HEIGHT_IN = 20.0, 25.0
_ROWS, _COLUMNS = 6, 4
_DAY_S = 86400.0
_MOST_DAYS = 1000
_SHOWN_SHARE = 99.9
"""Percentile at which the axis of run times ends where a few values would stretch it."""

_STRETCH = 3.0
"""The largest value may be so many times the percentile before the axis is cut."""


@styled()
def workload_picture(workload: Workload, statistics: Mapping[str, Any] | None = None) -> Figure:
    """A log on one page: sizes and times, rhythm, users and estimates, tails, self-similarity.

    *statistics*: those of ``workloads.statistics.all``, made here where they are not given. Hours and days
    count from the first submit's instant 0 in the log; where the header gives ``UnixStartTime``, they are
    local ones. The first four panels: sizes, run times beside estimates, arrivals by hour and over the log.
    """
    found = all_statistics(workload) if statistics is None else statistics
    figure = new_figure(_WIDTH_IN, _HEIGHT_IN)
    # Places by rule: to find them by drawing everything twice takes longer than all the rest.
    figure.set_layout_engine("none")
    machine = workload.machine_processors
    size = "" if machine is None else f", machine of {plural(machine, 'processor')}"
    head(figure, workload.name, f"{plural(len(workload), 'job')}{size}")
    rows = figure.add_gridspec(_ROWS, 1, left=0.045, right=0.985, bottom=0.025, top=0.95, hspace=0.55)
    panels = [_row(rows[row], _COLUMNS, 0.26) for row in range(_ROWS - 1)]
    for draw, axes in zip((_sizes, _run_times, _by_hour, _by_day), panels[0], strict=True):
        draw(axes, workload)
    draw_hours_of_week(panels[1][0], found["hours_of_week"])
    draw_weeks(panels[1][1], found["weeks"])
    draw_queue_against_load(panels[1][2], found["queue_against_load"])
    draw_running_means(panels[1][3], found["running_means"], len(workload))
    draw_top_users(panels[2][0], found["users"])
    draw_run_by_size(panels[2][1], found["run_by_size"])
    draw_accuracy(panels[2][2], found["estimates"])
    draw_modes(panels[2][3], found["estimates"])
    draw_llcd(panels[3][0], found["tails"])
    draw_aggregated(panels[3][1], found["tails"])
    draw_hill(panels[3][2], found["tails"])
    draw_mass_count(panels[3][3], found["mass"])
    draw_hurst(panels[4][0], found["hurst"], "variance_time")
    draw_hurst(panels[4][1], found["hurst"], "rescaled_range")
    draw_correlations(panels[4][2], found["correlations"])
    draw_memory(panels[4][3], found["memory"])
    _at_scales(figure, rows[_ROWS - 1], found["arrivals_at_scales"], workload)
    return figure


def _row(place: SubplotSpec, columns: int, space: float) -> list[Axes]:
    parts = place.subgridspec(1, columns, wspace=space)
    figure = parts.figure
    assert figure is not None
    return [figure.add_subplot(parts[0, column]) for column in range(columns)]


def _at_scales(
    figure: Figure, place: SubplotSpec, scales: Sequence[Mapping[str, Any]], workload: Workload
) -> None:
    if not scales:
        return
    for column, (axes, found) in enumerate(zip(_row(place, len(scales), 0.2), scales, strict=True)):
        draw_scale(axes, found, float(workload.submit_s[0]))
        if not column:
            axes.set_ylabel("arrivals (jobs)")


def _sizes(axes: Axes, workload: Workload) -> None:
    title(axes, "Sizes: jobs, and the work they bring")
    axes.set_xlabel("size of the job (processors)")
    axes.set_ylabel("share (%)")
    if not len(workload):
        return
    present, index = np.unique(size_class(workload.processors), return_inverse=True)
    work = workload.processors * workload.run_s
    at = np.arange(present.size)
    jobs = np.bincount(index) / len(workload)
    axes.bar(at - 0.2, 100 * jobs, width=0.4, color=PALETTE[0], label="of the jobs")
    if work.sum() > 0:
        share = np.bincount(index, weights=work) / work.sum()
        axes.bar(at + 0.2, 100 * share, width=0.4, color=PALETTE[4], label="of the processor-seconds")
    names = [size_class_name(int(value)) for value in present]
    axes.set_xticks(
        at, names, rotation=40 if len(names) > 7 else 0, ha="right" if len(names) > 7 else "center"
    )
    axes.grid(visible=False, axis="x")
    plain_axis(axes.yaxis)
    legend(axes, loc="best")


def _run_times(axes: Axes, workload: Workload) -> None:
    samples = [workload.run_s, workload.estimate_s]
    top, beyond = _top(samples)
    title(axes, f"Run times and estimates{beyond}")
    log_time_axis(axes, 1.0, 1.1 * top + 10.0)
    cumulative(axes, samples, ["run time", "estimate"])
    axes.set_xlabel("time (seconds to days, logarithmic)")
    axes.set_ylabel("share of jobs no longer than this (%)")
    legend(axes, loc="upper left")


def _top(samples: Sequence[Floats]) -> tuple[float, str]:
    """Where the axis ends, in seconds, and what the title says of the values beyond it."""
    known = [values for values in samples if values.size]
    top = max((float(values.max()) for values in known), default=10.0)
    cut = max((float(np.percentile(values, _SHOWN_SHARE)) for values in known), default=top)
    if top <= _STRETCH * cut:
        return top, ""
    beyond = sum(int((values > 1.1 * cut + 10.0).sum()) for values in known)
    return cut, f" (to p{_SHOWN_SHARE:g}; {plural(beyond, 'value')} beyond)"


def _by_hour(axes: Axes, workload: Workload) -> None:
    hour, clock = hours_of_day(workload)
    days = max(1.0, float(np.ptp(workload.submit_s)) / _DAY_S) if len(workload) else 1.0
    axes.bar(np.arange(24) + 0.5, np.bincount(hour, minlength=24) / days, width=0.9, color=PALETTE[2])
    axes.set_xlim(0, 24)
    axes.set_xticks(range(0, 25, 3))
    axes.grid(visible=False, axis="x")
    title(axes, "Arrivals by the hour of the day")
    axes.set_xlabel(f"hour of the day ({clock})")
    axes.set_ylabel("arrivals per hour (jobs)")
    plain_axis(axes.yaxis)


def _by_day(axes: Axes, workload: Workload) -> None:
    title(axes, "Arrivals over the log")
    axes.set_xlabel("time since the first submit (days)")
    since = workload.submit_s - workload.submit_s.min() if len(workload) else workload.submit_s
    last = float(since.max()) / _DAY_S if len(workload) else 0.0
    width = max(1, int(np.ceil(last / _MOST_DAYS)))
    axes.set_ylabel("arrivals per day (jobs)")
    edges = np.arange(0, int(last / width) + 2) * float(width)
    count: Floats = np.histogram(since / _DAY_S, bins=edges)[0] / width
    axes.stairs(count, edges, fill=True, color=PALETTE[3])
    axes.set_xlim(0, float(edges[-1]))
    axes.grid(visible=False, axis="x")
    plain_axis(axes.xaxis)
    plain_axis(axes.yaxis)
