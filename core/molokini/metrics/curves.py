"""Curves with intervals, in panels: what a figure shows, as data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Curve:
    """Points from left to right, each with its interval; *name* stands in the legend."""

    name: str
    x: Sequence[float]
    y: Sequence[float]
    low: Sequence[float] = ()
    """Lower ends of the intervals, one for each point; empty for a curve without intervals."""
    high: Sequence[float] = ()
    style: int | None = None
    """Colour and marker, by number; by its place in the panel where None."""
    dashed: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        points = {"x": list(self.x), "y": list(self.y)}
        return {"name": self.name, **points, "low": list(self.low), "high": list(self.high)}


@dataclass(frozen=True)
class Range:
    """A part of the x axis that is shaded, and what it is called."""

    name: str
    low: float
    high: float


@dataclass(frozen=True)
class Panel:
    """One pair of axes. Labels carry their units."""

    title: str
    x_label: str
    y_label: str
    curves: Sequence[Curve]
    ranges: Sequence[Range] = ()
    zero: bool = False
    """Whether a line is drawn at 0, above and below which mean different things."""
    log_y: bool = False
    """Whether the y axis is logarithmic: every value is above 0."""
    bars: bool = False
    """Whether each curve is one value, drawn as a bar that its name stands below."""

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "title": self.title,
            "x": self.x_label,
            "y": self.y_label,
            "curves": [curve.as_dict() for curve in self.curves],
        }
