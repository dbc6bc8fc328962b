"""Tables of sshare and sacctmgr: columns by name, ``NAME[%[-]WIDTH]``, padded or with bars."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Values
from molokini.compat.slurm.filters import names
from molokini.compat.tool import Failed


class Table:
    """The columns that *words* name, out of *widths*: the width of each, below zero for one that is left."""

    def __init__(self, command: str, given: Values, widths: dict[str, int], words: str) -> None:
        self._given = given
        self._columns: list[tuple[str, int]] = []
        for word in names(words):
            name, _, form = word.partition("%")
            found = [one for one in widths if one.lower().startswith(name.lower())]
            exact = [one for one in found if one.lower() == name.lower()]
            if not found or (form and not form.removeprefix("-").isdigit()):
                raise Failed(f'{command}: error: Invalid field requested: "{word}"')
            column = (exact or found)[0]
            self._columns.append((column, int(form) if form else widths[column]))

    def show(self, run: Invocation, rows: list[dict[str, Any]]) -> None:
        """Print *rows*, under a header and a rule unless they are not wanted."""
        bars = self._given.flag("parsable") or self._given.flag("parsable2")
        header = not self._given.flag("noheader")
        cells = [{name: name for name, _ in self._columns}] if header else []
        for place, row in enumerate([*cells, *rows]):
            texts = [str(row.get(name, "")) for name, _ in self._columns]
            if bars:
                run.say("|".join(texts) + ("|" if self._given.flag("parsable") else ""))
                continue
            run.say(
                "".join(
                    _fitted(text, width) + " " for text, (_, width) in zip(texts, self._columns, strict=True)
                )
            )
            if header and not place:
                run.say("".join("-" * abs(width) + " " for _, width in self._columns))


def _fitted(text: str, width: int) -> str:
    size = abs(width)
    if len(text) > size:
        text = text[: size - 1] + "+"
    return text.ljust(size) if width < 0 else text.rjust(size)
