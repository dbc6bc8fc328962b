"""Lines of a ``slurm.conf``: continued, stripped of comments, and cut into ``Key=Value`` pairs.

Source: the manual page of slurm.conf (release 26.05), and Slurm's parser as the project's reference restates
it. What ``scontrol show config`` prints (``Key = Value``, a pair a line) is understood, too.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

_PAIR = re.compile(r'\s*([A-Za-z][A-Za-z0-9_.]*)\s*([-+*/]?)=\s*(?:"([^"]*)"|(\S*))(?=\s|$)')
_INCLUDE = re.compile(r"\s*include\s+(\S.*)", re.IGNORECASE)
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)#.*")
_ESCAPED = re.compile(r"\\(.)")
_ANSWER = re.compile(r"\s*([A-Za-z][A-Za-z0-9_.]*(?:\[[0-9]+\])?)\s+= ?(.*)")
_UNITS = re.compile(r"\s*(sec|min|usec|msec|MB|hours|secs)\.?")
"""What ``scontrol show config`` writes behind a number."""
NULL = "(null)"
"""What it writes where there is no value."""


class Pair(NamedTuple):
    """One ``Key=Value``, with its place."""

    file: str
    line: int
    key: str
    """As it is written."""
    value: str
    operator: str = ""
    """``+`` or ``-`` before the equals sign, where there was one."""


class Line(NamedTuple):
    """One line, its continuations included."""

    file: str
    line: int
    """Where it begins."""
    text: str


class BadLine(ValueError):
    """A line that is no line of a slurm.conf; the text says why."""


def joined(file: str, text: str) -> Iterator[Line]:
    """The lines of *text* with their continuations, without comments; empty ones are left out."""
    begin, held = 1, ""
    for number, raw in enumerate(text.split("\n"), 1):
        line = raw.rstrip("\r")
        if not held:
            begin = number
        if line.endswith("\\") and not line.endswith("\\\\"):
            held += line[:-1]
            continue
        whole, held = held + line, ""
        if stripped := _without_comment(whole):
            yield Line(file, begin, stripped)
    if stripped := _without_comment(held):
        yield Line(file, begin, stripped)


def _without_comment(text: str) -> str:
    return _COMMENT.sub(r"\1", text).strip()


def included(text: str) -> str | None:
    """The name of the file that a line includes; None: it includes none."""
    match = _INCLUDE.fullmatch(text)
    return match[1].strip().strip('"') if match is not None and "=" not in match[1].split()[0] else None


def pairs(line: Line) -> list[Pair]:
    """The pairs of a line. Raises BadLine for what is none."""
    found: list[Pair] = []
    at, text = 0, line.text
    while at < len(text):
        match = _PAIR.match(text, at)
        if match is None:
            if found and (unit := _UNITS.match(text, at)) is not None:
                at = unit.end()
                continue
            return [_answer(line, text[at:].strip())]
        key, operator, quoted, plain = match.groups()
        value = quoted if quoted is not None else _ESCAPED.sub(r"\1", plain)
        found.append(Pair(line.file, line.line, key, "" if value == NULL else value, operator))
        at = match.end()
        while at < len(text) and text[at].isspace():
            at += 1
    return found


def _answer(line: Line, rest: str) -> Pair:
    """A line of ``scontrol show config``, whose value may have blanks."""
    match = _ANSWER.fullmatch(line.text)
    if match is None:
        raise BadLine(f"{rest[:60]!r} is no Key=Value; a value with blanks stands in double quotes")
    value = match[2].strip()
    return Pair(line.file, line.line, match[1], "" if value == NULL else value)
