"""What a page shows beside verdicts: tables, pictures of curves, and of a matrix."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from molokini.metrics.curves import Curve, Panel
from molokini.studies.results import Interval


def curve(
    name: str, x: Sequence[float], found: Sequence[Interval], style: int | None = None, dashed: bool = False
) -> Curve:
    """A curve of means with their intervals; of one seed it has none."""
    banded = not any(one.is_of_one_seed for one in found)
    low, high = ([one.low for one in found], [one.high for one in found]) if banded else ([], [])
    return Curve(name, x, [one.mean for one in found], low, high, style=style, dashed=dashed)


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
