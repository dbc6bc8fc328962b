"""A line of a table of sacct, cell by cell; what a job can do without need not be understood.

Numbers come as sacct writes them: whole, or without --noconvert in units of 1,024 (``2K`` nodes, ``1.50K``
processors), of which a fraction says that it was rounded.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeVar

from molokini.accounting.fields import BadField, shown, size_kb, whole
from molokini.accounting.record import RANGE, ROUNDED, Odd

ABSENT = frozenset({"", "Unknown", "None", "N/A", "None assigned", "INVALID", "NONE"})
_LARGEST_MACHINE = 2**31 - 1
_SCALED = re.compile(r"([0-9]{1,12})(\.[0-9]{1,9})?([KMGTP])")
_POWERS = {"K": 1, "M": 2, "G": 3, "T": 4, "P": 5}
_UNIT = 1024
Value = TypeVar("Value")


class Row:
    """The cells of a line by the names of their columns."""

    def __init__(self, names: Iterable[str], cells: Iterable[str]) -> None:
        self._cells: Mapping[str, str] = dict(zip(names, cells, strict=True))
        self.odd: dict[str, Odd] = {}
        """What was not understood, by column."""
        self._reasons: dict[str, str] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._cells

    def raw(self, name: str, default: str = "") -> str:
        """The cell as it stands; *default* where there is no such column."""
        return self._cells.get(name, default)

    def text(self, name: str) -> str:
        """The cell without blanks round it; empty where Slurm says that nothing is known."""
        text = self.raw(name).strip()
        return "" if text in ABSENT else text

    def spare(self, name: str, read: Callable[[str, str], Value], default: Value) -> Value:
        """What *read* makes of the cell; *default*, and an odd field, where it can make nothing of it."""
        text = self.text(name)
        if not text:
            return default
        try:
            return read(name, text)
        except BadField as error:
            self.odd[name], self._reasons[name] = Odd(name, error.cause), error.reason
            return default

    def count(self, name: str) -> int:
        """Processors, nodes or restarts; 0 where the cell does not tell."""
        return self.spare(name, self._count, 0)

    def size_kb(self, name: str) -> int:
        """Kilobytes of memory; 0 where the cell does not tell."""
        return self.spare(name, size_kb, 0)

    def resource(self, name: str, kind: str) -> str:
        """How much of *kind* a TRES list names (``billing=4,cpu=4,mem=16G,node=1``); empty: none."""
        parts = (part.partition("=") for part in self.text(name).split(","))
        return next((amount for key, _, amount in parts if key == kind), "")

    def resource_count(self, name: str, kind: str) -> int:
        """The same, as a count; 0 where the cell does not tell."""
        amount = self.resource(name, kind)
        return self.spare(name, lambda column, _: self._count(column, amount), 0) if amount else 0

    def _count(self, name: str, text: str) -> int:
        if match := _SCALED.fullmatch(text):
            exact = float(match[1] + (match[2] or "")) * _UNIT ** _POWERS[match[3]]
            if float(match[2] or 0):
                self.odd[name] = Odd(
                    name, f"{name}: {shown(text)} is rounded; print it with --noconvert", ROUNDED
                )
            count = int(exact + 0.5)
        else:
            count = whole(name, text)
        if not 0 <= count <= _LARGEST_MACHINE:
            raise BadField(RANGE, f"{name}: {shown(text)} is not a count")
        return count

    def complain_of(self, names: Iterable[str]) -> None:
        """Raise BadField where one of these cells was not understood."""
        for name in names:
            if name in self._reasons:
                raise BadField(self._reasons[name], self.odd[name].cause)
