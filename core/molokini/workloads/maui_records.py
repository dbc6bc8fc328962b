"""Maui's trace lines as text: words, lists in square brackets, sizes, times (trace format of Maui 3.2).

What its two traces have in common: one record a line, blank-separated words, ``[NONE]`` for no value,
``#`` comments, and a first line that may name the version. Lists stand in brackets, one after another.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from molokini.model.errors import BadFile, BadValue
from molokini.workloads.atomic import atomic_path
from molokini.workloads.blocks import LINE_BYTES, blocks
from molokini.workloads.header import decode_line
from molokini.workloads.swf import open_output

NONE = "[NONE]"
VERSION = "230"


@dataclass(frozen=True)
class Words:
    """One record: its line in the file (from 1) and its words."""

    line: int
    words: tuple[str, ...]


def read_words(path: Path) -> Iterator[Words]:
    """The records of a trace, in order; comments, empty lines and the version are passed over.

    Raises ``BadFile`` for a file that cannot be read, or a line too long to be a record.
    """
    line = 0
    for block in blocks(path):
        for raw in block.splitlines():
            line += 1
            if len(raw) > LINE_BYTES:
                raise BadFile(str(path), f"the line is longer than {LINE_BYTES} bytes", line)
            words = tuple(decode_line(raw).split())
            if words and not words[0].startswith("#") and words[0] != "VERSION":
                yield Words(line, words)


def write_words(path: str | Path, records: Iterable[Iterable[str]], comment: str) -> None:
    """Write records under the version and one comment line, whole or not at all."""
    with atomic_path(path) as temporary, open_output(temporary) as stream:
        stream.write(f"VERSION {VERSION}\n# {comment}\n")
        for words in records:
            stream.write(" ".join(words) + "\n")


def word(text: str) -> str:
    """*text* as one word: empty text is ``[NONE]``; blanks, which would end it, become underscores."""
    return "_".join(text.split()) or NONE


def text_of(word: str) -> str:
    """The text of a word; empty where it is ``[NONE]`` (or Maui's other spelling, ``NONE``)."""
    return "" if word in (NONE, "NONE") else word


def bracketed(parts: Iterable[str]) -> str:
    """A list in brackets, ``[a][b]``; ``[NONE]`` where it is empty."""
    return "".join(f"[{part}]" for part in parts) or NONE


def parts_of(word: str) -> tuple[str, ...]:
    """The parts of a list in brackets; a word without brackets is a list of one."""
    if not text_of(word):
        return ()
    if not word.startswith("["):
        return (word,)
    return tuple(part for part in word.strip("[]").split("][") if part)


def whole(field: str, word: str) -> int:
    """A whole number; ``BadValue`` names the field."""
    try:
        return int(word)
    except ValueError:
        raise BadValue(field, word, "a whole number") from None


def number(field: str, word: str) -> float:
    """A finite number; 0 where there is no value. ``BadValue`` names the field."""
    try:
        value = float(text_of(word) or 0)
    except ValueError:
        raise BadValue(field, word, "a number") from None
    if not abs(value) <= 2.0**53:
        raise BadValue(field, word, "a finite number")
    return value


def megabytes(field: str, word: str) -> int:
    """A size in MB, with or without its suffix M; 0 where there is none. ``BadValue`` names the field."""
    text = text_of(word)
    return whole(field, text[:-1] if text[-1:] in ("M", "m") else text) if text else 0
