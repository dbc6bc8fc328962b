"""On which line of a TOML file a key stands, so that a refusal can say it.

The standard library's reader keeps no lines. This one reads only table headers and the keys in front of
``=``; it is used for messages alone, and where it finds nothing the message has no line.
"""

import re
from collections import Counter

Place = tuple[str | int, ...]
"""A key by its way through the tables; tables of an array are counted from 0."""

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)


def lines_of(text: str) -> dict[Place, list[int]]:
    """The lines of every key and table header of *text*."""
    found: dict[Place, list[int]] = {}
    arrays: Counter[tuple[str, ...]] = Counter()
    table: Place = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := _HEADER.match(line):
            names = _parts(header[2])
            table = names
            if header[1] == "[[":
                table = (*names, arrays[names])
                arrays[names] += 1
            found.setdefault(table, []).append(number)
        elif match := _KEY.match(line):
            found.setdefault((*table, *_parts(match[1])), []).append(number)
    return found


def line_of(text: str, place: Place) -> int | None:
    """The line on which *place*, or else the innermost table around it, begins."""
    lines = lines_of(text)
    while place:
        if place in lines:
            return lines[place][0]
        place = place[:-1]
    return None


def doubled(text: str) -> tuple[Place, int] | None:
    """The first key that is given twice, and the line of its second time."""
    again = [(lines[1], place) for place, lines in lines_of(text).items() if len(lines) > 1]
    return (min(again)[1], min(again)[0]) if again else None


def shown(place: Place) -> str:
    """*place* for a person: ``nodes[1].processors``, counted from 1."""
    text = ""
    for part in place:
        text += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
