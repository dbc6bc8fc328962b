"""Names of nodes written as a pattern: "node[0001-1000]", "rack[1-4]n[01-32,40]", or plainly "login1"."""

import re
from itertools import product
from math import prod

from molokini.model.errors import BadValue

MOST_NAMES = 10_000
"""Names that one pattern may stand for."""

_BEGIN = re.compile(r"[A-Za-z0-9\[]")
_PART = re.compile(r"([A-Za-z0-9._-]+)|\[([0-9,-]+)\]")
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")
_LONGEST = 1024
_FORM = "letters, digits, '.', '_', '-' and ranges of digits such as node[0001-1000]"


def expand(pattern: str) -> list[str]:
    """The names that *pattern* stands for, in order; leading zeros give the width of the numbers.

    Raises BadValue for anything else, for a range that runs backwards, for more than ``MOST_NAMES`` names
    (before any is made) and for a name that comes twice.
    """
    parts = _parts(pattern)
    count = prod(sum(last - first + 1 for first, last, _ in part) if part else 1 for _, part in parts)
    if count > MOST_NAMES:
        raise BadValue("names", pattern, f"a pattern of at most {MOST_NAMES} names (it stands for {count})")
    names = ["".join(pieces) for pieces in product(*(_pieces(text, part) for text, part in parts))]
    if len(set(names)) < len(names):
        raise BadValue("names", pattern, "a pattern that gives each name once")
    return names


def _parts(pattern: str) -> list[tuple[str, list[tuple[int, int, int]]]]:
    """Text and ranges (first, last, width) in turn; a part is either."""
    if not _BEGIN.match(pattern) or len(pattern) > _LONGEST:
        raise BadValue("names", pattern[:80], f"{_FORM}, of 1 to {_LONGEST} characters, no sign first")
    parts: list[tuple[str, list[tuple[int, int, int]]]] = []
    place = 0
    while place < len(pattern):
        found = _PART.match(pattern, place)
        if found is None:
            raise BadValue("names", pattern, _FORM)
        text, ranges = found.groups()
        parts.append((text, []) if text else ("", [_range(pattern, one) for one in ranges.split(",")]))
        place = found.end()
    return parts


def _range(pattern: str, text: str) -> tuple[int, int, int]:
    found = _RANGE.fullmatch(text)
    if found is None:
        raise BadValue("names", pattern, _FORM)
    first, last = int(found[1]), int(found[2] or found[1])
    if last < first:
        raise BadValue("names", pattern, "a pattern whose ranges run upwards")
    return first, last, len(found[1])


def _pieces(text: str, ranges: list[tuple[int, int, int]]) -> list[str]:
    if not ranges:
        return [text]
    return [f"{number:0{width}d}" for first, last, width in ranges for number in range(first, last + 1)]
