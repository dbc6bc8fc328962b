"""On which line of a TOML text each key stands."""

import re
import tomllib
from typing import Any

_HEADER = re.compile(r"\s*(\[\[?)([^\[\]]+)\]\]?\s*(?:#.*)?$")
_KEY = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")

Place = tuple[Any, ...]
"""Keys, and numbers of repeated tables, from the top."""


def lines_of(text: str) -> dict[Place, int]:
    """The first line of each key and table; a text in several lines may lend a key it has not got."""
    found: dict[Place, int] = {}
    above: Place = ()
    counts: dict[Place, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        header = _HEADER.match(line)
        if header and (parts := _parts(header[2])):
            above = parts
            if header[1] == "[[":
                counts[parts] = counts.get(parts, -1) + 1
                above = (*parts, counts[parts])
            found.setdefault(above, number)
            continue
        key = _KEY.match(line)
        if key and (parts := _parts(key[1])):
            found.setdefault((*above, *parts), number)
    return found


def line_of(lines: dict[Place, int], place: Place) -> int | None:
    """The line of *place*, or of the nearest thing around it that has one."""
    while place:
        if place in lines:
            return lines[place]
        place = place[:-1]
    return None


def _parts(key: str) -> Place:
    """A dotted key in its parts; empty for what is none."""
    if _BARE.fullmatch(key):
        return (key,)
    try:
        table = tomllib.loads(f"{key} = 0")
    except tomllib.TOMLDecodeError:
        return ()
    parts: list[str] = []
    while isinstance(table, dict):
        ((part, table),) = table.items()
        parts.append(part)
    return tuple(parts)
