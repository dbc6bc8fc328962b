"""Tables of text that fit the width they are given: a figure is never broken in the middle.

Where a table is too wide, headers are broken between words, then columns of words are; where that is not
enough the columns are dealt out to several tables one below the other, each beginning with the keys.
"""

import math
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from rich.cells import cell_len, chop_cells

_GAP, _WIDE_GAP = 2, 3
_READABLE = 12
"""A column of words is not made narrower than this for the sake of another column."""

_LONGEST_WORD = 24
"""A longer word is folded where room is short."""

_LONGEST_WHOLE = 36
"""A longer cell is broken even in a column whose cells are whole."""

_HEADER = re.compile(r"[^ _]+[ _]*|[ _]+")
WORDS = re.compile(r"[^ ]+ *| +")
"""Finds the words of a text, each with the spaces behind it."""
_FIGURES = re.compile(r".+? to |.+")


@dataclass
class Grid:
    """Cells in rows. Columns of *words* are aligned left and may be broken; the others hold figures."""

    title: str
    columns: Sequence[str]
    words: Collection[int] = (0,)
    keys: int = 1
    """Columns, from the left, that are repeated where the others are stacked."""
    rows: list[Sequence[str]] = field(default_factory=list)
    whole: Collection[int] = ()
    """Columns of which no cell is broken that is not very long."""
    prose: float = math.inf
    """The widest column of words, even in a pipe: sentences are easier to read in several lines."""

    @property
    def headed(self) -> bool:
        """Whether any column has a name."""
        return any(self.columns)

    def parts(self, width: float = math.inf) -> list["Part"]:
        """The table as one table of at most *width* cells a line, or as several, one below the other."""
        measures = [self._measure(column) for column in range(len(self.columns))]
        roomy = [self._roomy(column) for column in measures]
        if 1 + sum(roomy) + _WIDE_GAP * (len(roomy) - 1) <= width:
            return [Part(self, range(len(roomy)), roomy, _WIDE_GAP)]
        keys, others = measures[: self.keys], measures[self.keys :]
        return [self._part([*keys, *some], width) for some in _dealt(keys, others, width)]

    def _roomy(self, column: "_Column") -> int:
        if column.index not in self.words or column.natural <= self.prose:
            return column.natural
        return max(column.least, int(self.prose))

    def _part(self, columns: Sequence["_Column"], width: float) -> "Part":
        """The part of these columns; none is wider than what it holds once that is broken."""
        indices = [column.index for column in columns]
        loose = Part(self, indices, _fitted(columns, width), _GAP)
        return Part(self, indices, loose.used(), _GAP)

    def pieces(self, column: int, cell: str) -> list[str]:
        """A cell in the parts between which it may be broken."""
        if column in self.whole:
            return [cell]
        return (WORDS if column in self.words else _FIGURES).findall(cell)

    def _measure(self, column: int) -> "_Column":
        name, cells = self.columns[column], [row[column] for row in self.rows]
        natural = max(map(cell_len, [name, *cells]))
        pieces = [*_HEADER.findall(name), *(piece for cell in cells for piece in self.pieces(column, cell))]
        least = max((cell_len(piece.rstrip()) for piece in pieces), default=0)
        if column in self.whole:
            least = min(least, _LONGEST_WHOLE)
        elif column in self.words:
            least = max(min(least, _LONGEST_WORD), min(natural, _READABLE))
        unbroken = max(map(cell_len, cells), default=0)
        return _Column(column, least, max(unbroken, least), natural)


@dataclass(frozen=True)
class _Column:
    """What one column needs, in cells: broken wherever it may be, with cells whole, with its name whole."""

    index: int
    least: int
    cells: int
    natural: int


@dataclass(frozen=True)
class Part:
    """Some columns of a grid, each with the width that it has been given."""

    grid: Grid
    columns: Sequence[int]
    widths: Sequence[int]
    gap: int

    def header(self) -> list[str]:
        """The lines of the columns' names."""
        broken = self._names()
        tall = max(map(len, broken))
        return self._lines([[""] * (tall - len(name)) + name for name in broken])

    def used(self) -> list[int]:
        """The width that each column needs where its cells are broken as they are here."""
        broken = [self._names(), *(self._broken(row, self.grid.pieces) for row in self.grid.rows)]
        return [
            max(cell_len(line) for cell in column for line in cell) for column in zip(*broken, strict=True)
        ]

    def rule(self, sign: str) -> str:
        """The line below the header."""
        return self._lead() + sign * (sum(self.widths) + self.gap * (len(self.widths) - 1))

    def body(self) -> list[str]:
        """The lines of the rows; one that has nothing to say but its keys is left out."""
        beside = [column for column in self.columns if column >= self.grid.keys]
        found = []
        for row in self.grid.rows:
            if not beside or any(row[column] for column in beside):
                found += self._lines(self._broken(row, self.grid.pieces))
        return found

    def _names(self) -> list[list[str]]:
        return self._broken(self.grid.columns, lambda _, name: _HEADER.findall(name))

    def _lead(self) -> str:
        return " " if self.gap == _WIDE_GAP else ""

    def _broken(self, cells: Sequence[str], pieces: Callable[[int, str], Sequence[str]]) -> list[list[str]]:
        return [
            joined(pieces(column, cells[column]), width, width)
            for column, width in zip(self.columns, self.widths, strict=True)
        ]

    def _lines(self, broken: Sequence[Sequence[str]]) -> list[str]:
        return [
            (
                self._lead() + (" " * self.gap).join(map(self._placed, self.columns, self.widths, line))
            ).rstrip()
            for line in zip_longest(*broken, fillvalue="")
        ]

    def _placed(self, column: int, width: int, text: str) -> str:
        room = " " * (width - cell_len(text))
        return text + room if column in self.grid.words else room + text


def wrapped(text: str, width: float, hang: int = 0) -> list[str]:
    """*text* in lines of at most *width* cells, broken between words.

    Further lines are indented by two more than the first, by *hang* at least. A word that is longer than a
    line (a path, numbers to be copied) stays whole.
    """
    if cell_len(text) <= width:
        return [text.rstrip()]
    indent = len(text) - len(text.lstrip())
    further = max(indent + 2, hang)
    lines = joined(WORDS.findall(text.strip()), width - indent, width - further, fold=False)
    return [" " * (further if at else indent) + line for at, line in enumerate(lines)]


def joined(pieces: Sequence[str], first: float, further: float, fold: bool = True) -> list[str]:
    """*pieces* put together to lines, the first of *first* cells; a longer piece may be folded."""
    lines = [""]
    for piece in pieces:
        if lines[-1] and cell_len((lines[-1] + piece).rstrip()) > (first if len(lines) == 1 else further):
            lines.append("")
        lines[-1] += piece
        if fold and cell_len(lines[-1].rstrip()) > further:
            word = lines[-1].rstrip()
            lines[-1:] = chop_cells(word, int(further))
            lines[-1] += " " * (len(piece) - len(piece.rstrip()))  # or the next word would be glued to it
    return [line.rstrip() for line in lines]


def _needed(columns: Sequence[_Column]) -> int:
    return sum(column.least for column in columns) + _GAP * (len(columns) - 1)


def _dealt(keys: Sequence[_Column], others: Sequence[_Column], width: float) -> list[list[_Column]]:
    """*others* in as few groups as fit beside *keys*, of about the same number of columns."""
    groups: list[list[_Column]] = [[]]
    for column in others:
        if groups[-1] and _needed([*keys, *groups[-1], column]) > width:
            groups.append([])
        groups[-1].append(column)
    each = math.ceil(len(others) / len(groups))
    even = [list(others[at : at + each]) for at in range(0, len(others), each or 1)]
    return even if even and all(_needed([*keys, *some]) <= width for some in even) else groups


def _fitted(columns: Sequence[_Column], width: float) -> list[int]:
    """A width for each of *columns*; together they need no more than *width*, if that is possible."""
    widths = [column.least for column in columns]
    spare = width - _needed(columns)
    # Cells are made whole before names are.
    for wanted in ([column.cells for column in columns], [column.natural for column in columns]):
        while spare > 0:
            lack, at = max(
                (want - has, at) for at, (want, has) in enumerate(zip(wanted, widths, strict=True))
            )
            if lack <= 0:
                break
            widths[at] += 1
            spare -= 1
    return widths
