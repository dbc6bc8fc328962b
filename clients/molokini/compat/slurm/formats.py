"""Slurm's two ways to say which columns a listing has: ``%.18i %j`` and ``JobID:10,Name:.30``."""

from __future__ import annotations

from molokini.compat._types import Any, Callable, Mapping, Sequence


class Column:
    """One column: its header, the text of its values, how wide, on which side, and what stands behind it."""

    __slots__ = ("cell", "header", "name", "right", "suffix", "width")

    def __init__(
        self, header: str, cell: Callable[[Any], str], width: int, right: bool, suffix: str, name: str = ""
    ) -> None:
        self.header, self.cell, self.width, self.right, self.suffix = header, cell, width, right, suffix
        self.name = name

    def fitted(self, text: str) -> str:
        """*text* cut to the width, or filled up to it; as it is where there is no width."""
        if not self.width:
            return text
        cut = text[: self.width]
        return cut.rjust(self.width) if self.right else cut.ljust(self.width)


class BadFormat(Exception):
    """A format that names a column that there is not."""


def lettered(text: str, fields: Mapping[str, tuple[str, Callable[[Any], str]]]) -> tuple[str, list[Column]]:
    """What stands before the first column of the format *text*, and the columns. *fields* by letter.

    A ``%`` before a letter that names no column, and digits with it, stay as they are.
    """
    columns: list[Column] = []
    prefix, k, plain = "", 0, ""
    while k < len(text):
        if text[k] != "%":
            plain += text[k]
            k += 1
            continue
        end = k + 1
        right = text[end : end + 1] == "."
        end += right
        first = end
        while text[end : end + 1].isdigit():
            end += 1
        letter = text[end : end + 1]
        if letter not in fields:
            raise BadFormat(letter)
        if columns:
            columns[-1].suffix = plain
        else:
            prefix = plain
        plain = ""
        header, cell = fields[letter]
        columns.append(Column(header, cell, int(text[first:end] or 0), right, "", letter))
        k = end + 1
    if columns:
        columns[-1].suffix = plain
    else:
        prefix = plain
    return prefix, columns


def named(text: str, fields: Mapping[str, tuple[str, Callable[[Any], str]]], width: int = 20) -> list[Column]:
    """The columns of ``Name[:[.][width][suffix]]`` with commas between; *fields* by name in small letters."""
    columns = []
    for part in text.split(","):
        word, _, form = part.strip().partition(":")
        if word.lower() not in fields:
            raise BadFormat(word)
        right = form.startswith(".")
        form = form[right:]
        digits = form[: len(form) - len(form.lstrip("0123456789"))]
        header, cell = fields[word.lower()]
        size = int(digits) if digits else width
        columns.append(Column(header, cell, size, right, form[len(digits) :], word.lower()))
    return columns


def line(prefix: str, columns: Sequence[Column], texts: Sequence[str]) -> str:
    """One line of a listing."""
    return prefix + "".join(
        column.fitted(text) + column.suffix for column, text in zip(columns, texts, strict=True)
    )


def plain(text: str) -> str:
    """*text* as a terminal may have it: letters that would steer it are shown as question marks."""
    return text if text.isprintable() else "".join(one if one.isprintable() else "?" for one in text)
