"""Slurm's two ways to say which columns a listing has: ``%.18i %j`` and ``JobID:10,Name:.30``.

A column that a listing does not know costs the reader one line on the stream of errors, and no more: the
other columns are shown.
"""

from __future__ import annotations

from molokini.compat._types import Any, Callable, Mapping
from molokini.compat.columns import Column

EVERY = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The letters of ``%all``, in their order."""


def lettered(
    text: str, fields: Mapping[str, tuple[str, Callable[[Any], str]]], unknown: Callable[[str], None]
) -> tuple[str, list[Column]]:
    """What stands before the first column of the format *text*, and the columns. *fields* by letter.

    *unknown* is called with what names no column; that stays in the line as it is. ``%all`` means all.
    """
    prefix, *parts = text.split("%")
    columns: list[Column] = []
    unknown = _once(unknown)
    for part in parts:
        if not part:
            continue
        if part.startswith("all"):
            columns += _every(fields)
            continue
        digits = part.removeprefix(".")
        behind = digits.lstrip("0123456789")
        width, letter = digits[: len(digits) - len(behind)], behind[:1]
        if letter not in fields:
            unknown(letter)
            prefix = _behind(prefix, columns, f"%{part}")
            continue
        header, cell = fields[letter]
        column = Column(letter, int(width or 0) or None, part.startswith("."), header=header, cell=cell)
        column.suffix = behind[1:]
        columns.append(column)
    return prefix, columns


def _once(tell: Callable[[str], None]) -> Callable[[str], None]:
    """*tell*, for each name once: a format may have ten thousand columns."""
    told: set[str] = set()

    def tell_once(name: str) -> None:
        if name not in told:
            told.add(name)
            tell(name)

    return tell_once


def _every(fields: Mapping[str, tuple[str, Callable[[Any], str]]]) -> list[Column]:
    made = []
    for letter in EVERY:
        if letter in fields:
            header, cell = fields[letter]
            made.append(Column(letter, None, header=header, cell=cell))
            made[-1].suffix = "|"
    made[-1].suffix = ""
    return made


def _behind(prefix: str, columns: list[Column], text: str) -> str:
    """Put *text* behind the last column, or behind the *prefix*, which is returned."""
    if not columns:
        return prefix + text
    columns[-1].suffix += text
    return prefix


def named(
    text: str,
    fields: Mapping[str, tuple[str, Callable[[Any], str]]],
    unknown: Callable[[str], None],
    width: int = 20,
) -> list[Column]:
    """The columns of ``Name[:[.][width][suffix]]`` with commas between; *fields* by name in small letters.

    Without a colon a column has *width* letters; with one and no number it is as wide as each text. A name
    that *fields* does not have is passed to *unknown*.
    """
    columns = []
    unknown = _once(unknown)
    for part in text.split(","):
        word, colon, form = part.lstrip(" ").partition(":")
        word = word.rstrip(" ")
        if not word and not colon:
            continue
        if word.lower() not in fields:
            unknown(word)
            continue
        right = form.startswith(".")
        form = form[right:]
        behind = form.lstrip("0123456789")
        digits = form[: len(form) - len(behind)]
        header, cell = fields[word.lower()]
        size = int(digits or 0) if colon else width
        columns.append(Column(word.lower(), size or None, right, header=header, cell=cell))
        columns[-1].suffix = behind
    return columns
