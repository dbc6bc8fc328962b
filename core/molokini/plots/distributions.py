"""How wait and bounded slowdown are distributed over jobs, policy by policy."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from molokini.metrics.job_measures import DEFAULT_TAU_S, job_times
from molokini.metrics.labels import labels
from molokini.plots.frame import heading
from molokini.plots.scales import log_axis, log_time_axis, percent_axis, spaced
from molokini.plots.style import colour, dashes, head, legend, new_figure, styled, title
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Floats

_POINTS = 600


@styled()
def distributions(schedules: Sequence[Schedule], tau_s: float = DEFAULT_TAU_S, note: str = "") -> Figure:
    """Cumulative distributions of wait and bounded slowdown on logarithmic axes, a line a policy.

    The height of a line at the left edge is the share of jobs that waited less than a second, or had a
    bounded slowdown of 1.
    """
    figure = new_figure(11, 4.6)
    head(figure, *heading(schedules, note))
    left, right = figure.subplots(1, 2, sharey=True)
    times = [job_times(schedule) for schedule in schedules]
    names = labels(schedules)
    waits = [part.wait_s for part in times]
    log_time_axis(left, 1.0, _top(waits, 10.0))
    cumulative(left, waits, names)
    if any(part.size for part in waits) and not any(part.any() for part in waits):
        left.text(0.5, 0.5, "no job waited", transform=left.transAxes, ha="center", va="center")
    left.set_xlabel("wait (seconds to days, logarithmic)")
    left.set_ylabel("share of jobs that waited no longer (%)")
    title(left, "Wait")
    slowdowns = [part.bounded_slowdown(tau_s) for part in times]
    log_axis(right, 1.0, _top(slowdowns, 10.0))
    cumulative(right, slowdowns, names)
    right.set_xlabel(f"bounded slowdown (ratio, logarithmic; threshold {tau_s:g} s)")
    right.set_ylabel("share of jobs slowed no more (%)")
    title(right, "Bounded slowdown")
    legend(right, loc="lower right")
    return figure


def cumulative(axes: Axes, samples: Sequence[Floats], names: Sequence[str]) -> None:
    """The cumulative distribution of each of *samples* over the present logarithmic x axis, in percent."""
    low, high = axes.get_xlim()
    at = spaced(low, high, _POINTS)
    for index, (values, name) in enumerate(zip(samples, names, strict=True)):
        if not values.size:
            continue
        share = 100.0 * np.searchsorted(np.sort(values), at, side="right") / values.size
        axes.step(
            at, share, where="post", color=colour(index), linestyle=dashes(index), linewidth=1.6, label=name
        )
    percent_axis(axes)


def _top(samples: Sequence[Floats], least: float) -> float:
    return 1.1 * max((float(values.max()) for values in samples if values.size), default=least) + least
