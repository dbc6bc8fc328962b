"""The window of time that a picture of schedules shows, and the sentence that heads it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from molokini.metrics.labels import labels
from molokini.metrics.timelines import span
from molokini.model.text import plural
from molokini.plots.scales import TimeUnit, time_axis, time_unit
from molokini.sim.schedule import Schedule
from molokini.workloads.workload import Floats

_MOST_PARAMETERS = 4


@dataclass(frozen=True)
class Frame:
    """From the first submit to the last event, in a unit that is easy to read."""

    start_s: float
    stop_s: float
    unit: TimeUnit
    since: str = "the first submit"
    """What happens where the axis begins."""

    def shown(self, times_s: Floats) -> Floats:
        """Seconds on the workload's clock as numbers on the axis."""
        return (times_s - self.start_s) / self.unit.seconds

    @property
    def length(self) -> float:
        """The length of the window, in its unit."""
        return (self.stop_s - self.start_s) / self.unit.seconds

    def edges(self, columns: int) -> Floats:
        """The bounds of *columns* equal parts of the window, in seconds on the workload's clock."""
        return np.linspace(self.start_s, self.stop_s, columns + 1)

    def apply(self, axes: Axes, labelled: bool = True) -> None:
        """Make the window the x axis of *axes*."""
        axes.set_xlim(0, self.length)
        time_axis(axes.xaxis, self.unit, self.stop_s - self.start_s)
        axes.tick_params(labelbottom=labelled)
        if labelled:
            axes.set_xlabel(f"time since {self.since} ({self.unit.name})")


def frame_of(schedules: Sequence[Schedule]) -> Frame:
    """The window that holds all of *schedules* that counts; one second where nothing took any time."""
    starts, stops = [], []
    for schedule in schedules:
        submits = schedule.workload.submit_s[~schedule.refused_rows & schedule.counted]
        ends = span(schedule)
        known = [submits, schedule.start_s[np.isfinite(schedule.start_s)], schedule.trace.time_s]
        last = max((float(times.max()) for times in known if times.size), default=0.0)
        first_s, last_s = schedule.counted_s
        starts.append(max(float(submits.min()) if submits.size else 0.0, first_s))
        stops.append(min(last if ends is None else max(last, ends[1]), last_s))
    start = min(starts, default=0.0)
    stop = max(max(stops, default=0.0), start + 1.0)
    if any(math.isfinite(schedule.counted_s[0]) for schedule in schedules):
        return Frame(start, stop, time_unit(stop - start), f"second {start:,.15g} of the log")
    return Frame(start, stop, time_unit(stop - start))


def heading(schedules: Sequence[Schedule], note: str = "") -> tuple[str, str]:
    """What the picture shows: the workload and the policies; and its size in numbers, followed by *note*."""
    if not schedules:
        return "no schedules", ""
    first = schedules[0]
    return (
        f"{first.workload.name}: {', '.join(labels(schedules))}{_parameters(schedules)}",
        f"{plural(len(first.workload), 'job')}, {plural(first.processors, 'processor')}"
        + (f", {note}" if note else ""),
    )


def _parameters(schedules: Sequence[Schedule]) -> str:
    """The parameters of a single policy, where it has few; the labels of several have those that differ."""
    told = [f"{name}={value}" for name, value in schedules[0].parameters.items()]
    return f" ({', '.join(told)})" if len(schedules) == 1 and 0 < len(told) <= _MOST_PARAMETERS else ""
