"""Waits by users, groups, queues or sizes, one policy beside the other: which classes gain or lose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import FigureBase

from molokini.metrics.breakdown import every_class
from molokini.plots.labels import unit_of
from molokini.plots.scales import plain_axis, short
from molokini.plots.style import HATCHED, colour, fitted, hatch, title, width_points

MOST_CLASSES = 8
"""Drawn of each kind: those with the most work; of sizes and run times, in their order."""

_METRIC = "mean_wait_s"
_ORDERED = ("size", "run_time")
_NAME_POINTS, _NAME_SIZE = 90.0, 9.0
_TITLE_SIZE = 10.5
_BESIDE_PANEL = 130.0  # points: names of classes, gaps
_LEAST_LOG = 40.0
_ACROSS = 2


@dataclass(frozen=True)
class Parts:
    """One workload's jobs by *by*: for each policy the rows of ``metrics.breakdown``."""

    workload: str
    by: str
    policies: Mapping[str, Sequence[Mapping[str, Any]]]
    load_factor: float = 1.0
    run_time_factor: float = 1.0

    def classes(self) -> dict[str, str]:
        """The names of the classes that are drawn, by class: those with the most work."""
        rows = every_class(self.policies)
        busiest = sorted(rows, key=lambda row: -(row["share_of_work"] or 0.0))[:MOST_CLASSES]
        if self.by in _ORDERED:
            busiest = [row for row in rows if row in busiest]
        return {str(row["class"]): str(row["name"]) for row in busiest}

    def of(self, policy: str) -> dict[str, Mapping[str, Any]]:
        """The rows of *policy* by class."""
        return {str(row["class"]): row for row in self.policies[policy]}

    @property
    def rows(self) -> int:
        """Bars, one below the other."""
        return len(self.classes()) * (len(self.policies) + 1)


def height_in(parts: Sequence[Parts]) -> float:
    """How high a drawing of *parts* is, in inches."""
    lines = [parts[at : at + _ACROSS] for at in range(0, len(parts), _ACROSS)]
    return sum(1.3 + 0.17 * max(one.rows for one in line) for line in lines)


def draw_parts(figure: FigureBase, parts: Sequence[Parts]) -> None:
    """A panel for each of *parts*: the classes from top to bottom, in each a bar a policy."""
    lines = [parts[at : at + _ACROSS] for at in range(0, len(parts), _ACROSS)]
    ratios = [1.3 + 0.17 * max(one.rows for one in line) for line in lines]
    grid = figure.subplots(len(lines), _ACROSS, squeeze=False, height_ratios=ratios).ravel().tolist()
    several = len({one.workload for one in parts}) > 1
    for at, (axes, one) in enumerate(zip(grid, parts, strict=False)):
        room = max(len(other.classes()) for other in lines[at // _ACROSS])
        _draw(axes, one, room, one.workload if several else "")
    for axes in grid[len(parts) :]:
        axes.set_visible(False)


def _draw(axes: Axes, parts: Parts, room: int, workload: str) -> None:
    classes, policies = parts.classes(), list(parts.policies)
    values = {policy: parts.of(policy) for policy in policies}
    known = [values[policy].get(name, {}).get(_METRIC) or 0.0 for policy in policies for name in classes]
    unit, scale = unit_of(_METRIC, max(known, default=0.0))
    thick = 0.84 / len(policies)
    ends = []
    for index, policy in enumerate(policies):
        for row, name in enumerate(classes):
            mean = values[policy].get(name, {}).get(_METRIC)
            if mean is None:
                continue
            place = row + (index - (len(policies) - 1) / 2) * thick
            bar = {"facecolor": colour(index), "hatch": hatch(index), **HATCHED}
            axes.barh(place, mean / scale, height=0.92 * thick, **bar)
            axes.annotate(
                short(mean / scale),
                (mean / scale, place),
                xytext=(4, 0),
                textcoords="offset points",
                va="center",
                fontsize=7.0,
            )
            ends.append(mean / scale)
    kind = parts.by.replace("_", " ")
    shown = [fitted(f"{kind} {name}", _NAME_POINTS, _NAME_SIZE) for name in classes.values()]
    axes.set_yticks(range(len(classes)), shown, parse_math=False)
    # Bars of one line of panels are of one height.
    axes.set_ylim(room - 0.4, -0.6)
    axes.grid(visible=False, axis="y")
    axes.set_xlim(left=0.0, right=1.25 * max(ends, default=1.0) or 1.0)
    axes.set_xlabel(f"mean wait ({unit})")
    plain_axis(axes.xaxis, ticks=4)
    total = len(next(iter(parts.policies.values()), ()))
    most = f", the {len(classes)} with the most work of {total:,}" if total > len(classes) else ""
    told = f"mean wait by {parts.by.replace('_', ' ')}{most}"
    title(axes, f"{_beside(axes, workload, told)}: {told}" if workload else told)


def _beside(axes: Axes, workload: str, told: str) -> str:
    """The workload's name in the room that *told* leaves above a panel."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    panel = 72 * float(figure.get_size_inches()[0]) / _ACROSS - _BESIDE_PANEL
    return fitted(workload, max(panel - width_points(told, _TITLE_SIZE), _LEAST_LOG), _TITLE_SIZE)
