"""What a page shows beside verdicts: tables, pictures of curves, and of a matrix."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from molokini.metrics.curves import Curve, Panel
from molokini.studies.results import Interval


def curve(
    name: str,
    x: Sequence[float],
    found: Sequence[Interval | None],
    style: int | None = None,
    dashed: bool = False,
) -> Curve:
    """A curve of means with their intervals, without points that are None; of one seed it has none."""
    points = [(at, one) for at, one in zip(x, found, strict=True) if one is not None]
    banded = not any(one.is_of_one_seed for _, one in points)
    low, high = ([one.low for _, one in points], [one.high for _, one in points]) if banded else ([], [])
    x, y = [at for at, _ in points], [one.mean for _, one in points]
    return Curve(name, x, y, low, high, style=style, dashed=dashed)


def plus_minus(ours: Interval, digits: int = 2) -> str:
    """A cell of a table: a mean, and half of its interval."""
    return f"{ours.mean:,.{digits}f} ± {(ours.high - ours.low) / 2:,.{digits}f}"


@dataclass(frozen=True)
class Table:
    """Cells as they are printed; *place* is the table of the paper that it answers."""

    title: str
    place: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        rows = [list(row) for row in self.rows]
        return {"title": self.title, "place": self.place, "columns": list(self.columns), "rows": rows}


@dataclass(frozen=True)
class Picture:
    """A picture of one or more panels; *name* is its file's, without folder and ending."""

    name: str
    title: str
    caption: str
    panels: Sequence[Panel]
    columns: int = 2

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON: every point of every curve."""
        panels = [panel.as_dict() for panel in self.panels]
        return {"name": self.name, "title": self.title, "caption": self.caption, "panels": panels}


@dataclass(frozen=True)
class MatrixPicture(Picture):
    """A picture of the report ``matrix`` of gang scheduling; *below* stands under its title."""

    panels: Sequence[Panel] = ()
    matrix: Mapping[str, Any] = field(default_factory=dict)
    below: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Ready for JSON: the report beside what pictures have."""
        return {**super().as_dict(), "matrix": dict(self.matrix)}
