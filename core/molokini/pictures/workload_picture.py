"""What is in a workload: sizes, run times and estimates, arrivals by the hour and by the day."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from molokini.metrics.breakdown import size_class, size_class_name
from molokini.model.text import plural
from molokini.pictures.distributions import cumulative
from molokini.pictures.scales import log_time_axis, plain_axis
from molokini.pictures.style import PALETTE, head, legend, new_figure, styled, title
from molokini.workloads.arrivals import hours_of_day
from molokini.workloads.workload import Floats, Workload

_DAY_S = 86400.0
_MOST_DAYS = 1000
_SHOWN_SHARE = 99.9
"""Percentile at which the axis of run times ends where a few values would stretch it."""

_STRETCH = 3.0
"""The largest value may be so many times the percentile before the axis is cut."""


@styled()
def workload_picture(workload: Workload) -> Figure:
    """Sizes, run times beside estimates, arrivals per hour of the day and per day over the log.

    Hours and days count from the first submit's instant 0 in the log; where the header gives
    ``UnixStartTime``, hours are those of the clock in Greenwich.
    """
    figure = new_figure(11, 7.5)
    machine = workload.machine_processors
    size = "" if machine is None else f", machine of {plural(machine, 'processor')}"
    head(figure, workload.name, f"{plural(len(workload), 'job')}{size}")
    (upper_left, upper_right), (lower_left, lower_right) = figure.subplots(2, 2)
    _sizes(upper_left, workload)
    _run_times(upper_right, workload)
    _by_hour(lower_left, workload)
    _by_day(lower_right, workload)
    return figure


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
