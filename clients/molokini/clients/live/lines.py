"""Listings for people: one line a thing, columns that fit the terminal, nothing that it would obey.

In a pipe nothing is cut off, so that other programs find every name whole.
"""

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from molokini.clients.tables import console, width
from molokini.clients.text import printable

_GAP = 2
_LEAST = 6
"""A column of words is made no narrower than this for the sake of the others."""

_LAST = 12
"""The last column gives way before the others do, down to this."""


@dataclass(frozen=True)
class Column:
    """A column: its name, whether it holds figures, and whether its words may be cut where room is short."""

    name: str
    figures: bool = False
    cut: bool = False


def show_listing(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """Print rows of plain text below their header; the last column takes what room is left."""
    out = console()
    cells = [[printable(cell) for cell in row] for row in rows]
    header = [column.name for column in columns]
    widths = _widths(columns, [header, *cells], width(out))
    mark = "+" if out.options.ascii_only else "…"
    out.print(Text(_line(columns, widths, header, mark), "bold"), soft_wrap=True)
    _print(out, (_line(columns, widths, row, mark) for row in cells))


def show_facts(facts: Mapping[str, str]) -> None:
    """Print names and values, one a line; those without a value are left out."""
    room = max((len(name) for name, value in facts.items() if value), default=0)
    _print(console(), (f"{name:<{room}}  {printable(value)}" for name, value in facts.items() if value))


def show_json(schema: str, found: Mapping[str, Any], rows: str | None = None) -> None:
    """Print *found* as JSON, its schema first; the list called *rows* goes one to a line."""
    head = {"schema": schema, **{name: value for name, value in found.items() if name != rows}}
    # Only ASCII, so that no terminal obeys what is in a name and any encoding can carry it.
    text = json.dumps(head, allow_nan=False)
    if rows is None:
        sys.stdout.write(f"{text}\n")
        return
    sys.stdout.write(f'{text[:-1]}, "{rows}": [')
    for place, row in enumerate(found[rows]):
        sys.stdout.write((",\n" if place else "\n") + json.dumps(row, allow_nan=False))
    sys.stdout.write("\n]}\n")


def finite(value: float) -> float | None:
    """*value*, or null for JSON where it is no number."""
    return value if math.isfinite(value) else None


def _print(out: Console, lines: Iterable[str]) -> None:
    # Rich takes long over many lines, and there is nothing in them for it to do.
    out.file.writelines(f"{line}\n" for line in lines)


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[str]], room: float) -> list[int]:
    natural = [max(cell_len(cell) for cell in cells) for cells in zip(*rows, strict=True)]
    if room == math.inf:
        return natural
    widths = list(natural)
    least = [min(one, _LEAST) if column.cut else one for one, column in zip(natural, columns, strict=True)]
    excess = sum(widths) + _GAP * (len(widths) - 1) - room
    # The last gives way first, but for a few words; then whichever of the others is widest.
    spare = min(excess, widths[-1] - max(least[-1], _LAST)) if columns[-1].cut else 0
    if spare > 0:
        widths[-1] -= int(spare)
        excess -= spare
    while excess > 0:
        at = max(range(len(widths)), key=lambda n: (widths[n] > least[n], widths[n]))
        if widths[at] <= least[at]:
            break
        widths[at] -= 1
        excess -= 1
    return widths


def _line(columns: Sequence[Column], widths: Sequence[int], cells: Sequence[str], mark: str) -> str:
    shown = [_placed(*one, mark) for one in zip(columns, widths, cells, strict=True)]
    return (" " * _GAP).join(shown).rstrip()


def _placed(column: Column, width: int, text: str, mark: str) -> str:
    if cell_len(text) > width:
        return set_cell_size(text, width - 1) + mark if width else ""
    room = " " * (width - cell_len(text))
    return room + text if column.figures else text + room
