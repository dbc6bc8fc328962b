"""Slurm's two ways to say which columns a listing has: ``%.18i %j`` and ``JobID:10,Name:.30``."""

from __future__ import annotations

from molokini.compat._types import Any, Callable, Mapping
from molokini.compat.columns import Column


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
        columns.append(Column(letter, int(text[first:end] or 0) or None, right, header=header, cell=cell))
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
        columns.append(Column(word.lower(), size or None, right, header=header, cell=cell))
        columns[-1].suffix = form[len(digits) :]
    return columns
