"""Tables of sacct, sshare and sacctmgr: columns by name, ``NAME[%[-]WIDTH]``, padded or with bars."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Iterable, Sequence, Values
from molokini.compat.columns import Column, line, plus
from molokini.compat.slurm.filters import names
from molokini.compat.tool import Failed


def columns_of(command: str, widths: dict[str, int], words: str) -> list[Column]:
    """The columns that *words* name, out of *widths*: the width of each, below zero for one that is left."""
    made = []
    for word in names(words):
        name, _, form = word.partition("%")
        found = [one for one in widths if one.lower().startswith(name.lower())]
        exact = [one for one in found if one.lower() == name.lower()]
        if not found or (form and not form.removeprefix("-").isdigit()):
            raise Failed(f'{command}: error: Invalid field requested: "{word}"')
        column = (exact or found)[0]
        width = int(form) if form else widths[column]
        made.append(Column(column, abs(width), width >= 0, plus, cell=_said(column)))
    return made


def _said(name: str) -> Any:
    return lambda row: str(row.get(name, ""))


def show(
    run: Invocation,
    given: Values,
    columns: Sequence[Column],
    rows: Iterable[Any],
    between: str = "|",
    end: str = "",
) -> None:
    """Print *rows*, under a header and a rule unless they are not wanted; or parted by bars."""
    table = [[column.cell(row) for column in columns] for row in rows]
    header = [] if given.flag("noheader") else [[column.name for column in columns]]
    if given.flag("parsable") or given.flag("parsable2"):
        lines = [between.join(cells) + end for cells in header + table]
    else:
        rule = [["-" * (column.width or 0) for column in columns]] if header else []
        lines = [line(columns, cells, " ") + " " for cells in header + rule + table]
    if lines:
        run.say("\n".join(lines))
