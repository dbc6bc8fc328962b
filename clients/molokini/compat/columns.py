"""Columns of tables: how wide, on which side, and what is cut off where a text is longer."""

from __future__ import annotations

from molokini.compat._types import Any, Callable, Sequence


def end_off(text: str, width: int) -> str:
    """The first *width* letters of a longer *text*."""
    return text[:width]


def plus(text: str, width: int) -> str:
    """The same with a plus in place of what is cut off."""
    return f"{text[: width - 1]}+" if width else ""


def star(text: str, width: int) -> str:
    """The same with a star."""
    return f"{text[: width - 1]}*"


def star_before(text: str, width: int) -> str:
    """A star and the end of *text*."""
    return f"*{text[len(text) - width + 1 :]}" if width > 1 else text[:width]


def points_before(text: str, width: int) -> str:
    """Three points and the end of *text*."""
    return f"...{text[3 - width :]}"


class Column:
    """One column: its name, its width (None: that of each text), on which side texts stand, what *cuts* them.

    A listing may have a *header* for it, what shows its *cell* of a thing, and a *suffix* behind it.
    """

    __slots__ = ("cell", "cuts", "header", "name", "right", "suffix", "width")

    def __init__(
        self,
        name: str,
        width: int | None,
        right: bool = False,
        cuts: Callable[[str, int], str] = end_off,
        *,
        header: str = "",
        cell: Callable[[Any], str] = str,
    ) -> None:
        self.name, self.width, self.right, self.cuts = name, width, right, cuts
        self.header, self.cell, self.suffix = header, cell, ""

    def fitted(self, text: str) -> str:
        """*text* as wide as the column."""
        width = self.width
        if width is None:
            return text
        if len(text) > width:
            text = self.cuts(text, width)
        return text.rjust(width) if self.right else text.ljust(width)


def fit(text: str, width: int, cuts: Callable[[str, int], str] = star) -> str:
    """*text*, cut where it is longer than *width*, and filled up with blanks."""
    return (text if len(text) <= width else cuts(text, width)).ljust(width)


def line(columns: Sequence[Column], texts: Sequence[str], between: str = "") -> str:
    """A line of a table."""
    return between.join(
        [column.fitted(text) + column.suffix for column, text in zip(columns, texts, strict=True)]
    )


def printable(text: str) -> str:
    """*text* as a terminal may have it: letters that would steer it are shown as question marks."""
    return text if text.isprintable() else "".join(one if one.isprintable() else "?" for one in text)
