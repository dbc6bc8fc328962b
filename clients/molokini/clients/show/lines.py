"""Listings for people: columns that fit the terminal, nothing that it would obey.

Rich is loaded for a terminal alone: a command in a pipe would spend a tenth of its time on that.
In a pipe a thing is one line, whole, so that other programs find it; on a terminal sentences are broken.
"""

import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any

from molokini.model.text import printable

if TYPE_CHECKING:
    from rich.console import Console

_GAP = 2
_LEAST = 6
"""A column that may be cut is made no narrower than this for the sake of the others."""

_SENTENCE, _LAST = 30, 12
"""The last column gives way first, down to the one; where the others have nothing to give, to the other."""


_FORCED = ("FORCE_COLOR", "TTY_COMPATIBLE")
"""Variables by which Rich takes a pipe for a terminal."""


@dataclass(frozen=True)
class Column:
    """A column: its name, whether it holds figures, whether it may be narrower than its words, and what it
    says of a thing."""

    name: str
    figures: bool = False
    cut: bool = False
    of: Callable[[Any], str] = str


def console() -> "Console | None":
    """The terminal that standard output is; None where it is none."""
    forced = any(os.environ.get(name) for name in _FORCED)
    if not forced and not sys.stdout.isatty():
        return None
    from molokini.clients.show.rich_tables import console as terminal

    return terminal()


def show_listing(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """Print rows of plain text below their header.

    In a pipe, and where there is room, a row is one line. On a narrower terminal sentences go on in further
    lines, and nothing of the last column is lost; a name in another column that may be cut is, with a mark.
    Where that is not enough, columns go below one another.
    """
    out = console()
    cells = [[printable(cell) for cell in row] for row in rows]
    header = [column.name for column in columns]
    natural = [max(_cells(cell) for cell in column) for column in zip(header, *cells, strict=True)]
    if out is None:
        for row in [header, *cells]:
            sys.stdout.write(f"{_line(columns, natural, row)}\n")
        return
    from rich.text import Text

    from molokini.clients.show.rich_tables import width

    widths = _fitted(columns, natural, width(out))
    if widths is None:
        _show_stacked(out, columns, cells)
        return
    mark = "+" if out.options.ascii_only else "…"
    bold, *plain = [_broken(columns, widths, row, mark) for row in [header, *cells]]
    for line in bold:
        out.print(Text(line, "bold"), soft_wrap=True)
    _print(out, chain.from_iterable(plain))


def show_things(columns: Sequence[Column], things: Iterable[Any]) -> None:
    """Print a row for each of *things*, as the columns say."""
    show_listing(columns, ([column.of(thing) for column in columns] for thing in things))


def _fitted(columns: Sequence[Column], natural: Sequence[int], room: float) -> list[int] | None:
    """A width for each column; None where the columns do not fit beside one another."""
    widths, last = list(natural), len(columns) - 1
    excess = sum(widths) + _GAP * last - room
    cut = [at for at, column in enumerate(columns) if column.cut]

    def shrink(at: int, least: int) -> None:
        nonlocal excess
        taken = int(max(0, min(excess, widths[at] - least)))
        widths[at] -= taken
        excess -= taken

    if last in cut:
        shrink(last, _SENTENCE)
    while excess > 0 and (wide := [at for at in cut if at != last and widths[at] > _LEAST]):
        shrink(max(wide, key=lambda at: widths[at]), max(_LEAST, max(widths[at] for at in wide) - 1))
    if last in cut:
        shrink(last, _LAST)
    return widths if excess <= 0 else None


def _broken(columns: Sequence[Column], widths: Sequence[int], row: Sequence[str], mark: str) -> list[str]:
    """The lines of one row."""
    from molokini.clients.show.text_grid import WORDS, joined

    if all(_cells(cell) <= room for cell, room in zip(row, widths, strict=True)):
        return [_line(columns, widths, row)]
    last = len(columns) - 1
    parts = [
        joined(_cut(cell, room, mark) if at != last else WORDS.findall(cell), room, room)
        for at, (cell, room) in enumerate(zip(row, widths, strict=True))
    ]
    return [_line(columns, widths, line) for line in zip_longest(*parts, fillvalue="")]


def _cut(cell: str, room: int, mark: str) -> list[str]:
    """The words of *cell*, each cut off where it is longer than a line."""
    from rich.cells import set_cell_size

    from molokini.clients.show.text_grid import WORDS

    words = WORDS.findall(cell)
    return [word if _cells(word.rstrip()) <= room else set_cell_size(word, room - 1) + mark for word in words]


def _show_stacked(out: "Console", columns: Sequence[Column], rows: list[list[str]]) -> None:
    from rich.text import Text

    from molokini.clients.show.rich_tables import width
    from molokini.clients.show.text_grid import Grid

    words = [at for at, column in enumerate(columns) if not column.figures]
    whole = [at for at, column in enumerate(columns) if not column.cut]
    grid = Grid("", [column.name for column in columns], words, whole=whole, rows=list(rows))
    for number, part in enumerate(grid.parts(width(out))):
        for line in (*[""] * (number > 0), *part.header()):
            out.print(Text(line, "bold"), soft_wrap=True)
        _print(out, part.body())


def show_facts(facts: Mapping[str, str]) -> None:
    """Print names and values, one a line; those without a value are left out.

    On a terminal a value that is too long goes on below itself.
    """
    room = max((len(name) for name, value in facts.items() if value), default=0)
    out = console()
    lines = {name: f"{name:<{room}}  {printable(value)}" for name, value in facts.items() if value}
    if out is None:
        sys.stdout.writelines(f"{line}\n" for line in lines.values())
        return
    from molokini.clients.show.rich_tables import width
    from molokini.clients.show.text_grid import wrapped

    for line in lines.values():
        _print(out, wrapped(line, width(out), room + 2))


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


def _print(out: "Console", lines: Iterable[str]) -> None:
    # Rich takes long over many lines, and there is nothing in them for it to do.
    out.file.writelines(f"{line}\n" for line in lines)


def _line(columns: Sequence[Column], widths: Sequence[int], cells: Sequence[str]) -> str:
    return (" " * _GAP).join(map(_placed, columns, widths, cells)).rstrip()


def _placed(column: Column, width: int, text: str) -> str:
    room = " " * (width - _cells(text))
    return room + text if column.figures else text + room


def _cells(text: str) -> int:
    """How wide *text* is on a terminal; plain letters are as wide as they are many."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)
