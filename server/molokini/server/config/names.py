"""Names of nodes, queues and users, and patterns that stand for many: ``node[001-064]``."""

import re
from collections.abc import Iterator
from itertools import product

MOST_NAMES = 1_000_000
"""A pattern stands for no more names than this."""

NAME = "a name of 1 to 64 letters, digits, '.', '_' and '-', which begins with a letter or digit"
PATTERN = (
    f"a name or a pattern like 'node[001-064]' or 'rack[1-4]-[01,03-08]', of at most {MOST_NAMES:,} names"
)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)
_PART = re.compile(r"\[([0-9,-]+)\]", re.ASCII)
_RANGE = re.compile(r"([0-9]{1,12})(?:-([0-9]{1,12}))?", re.ASCII)


def is_name(text: str) -> bool:
    """Whether *text* may name a node, queue, user or cluster."""
    return _NAME.fullmatch(text) is not None


def expanded(pattern: str) -> tuple[str, ...]:
    """The names that *pattern* stands for, in order; ValueError where it is none or stands for too many."""
    pieces = _PART.split(pattern)
    choices = [_numbers(piece) if place % 2 else (piece,) for place, piece in enumerate(pieces)]
    count = 1
    for choice in choices:
        count *= len(choice)
        if count > MOST_NAMES:
            raise ValueError(f"more than {MOST_NAMES} names")
    names = tuple("".join(parts) for parts in product(*choices))
    if not all(map(is_name, names)):
        raise ValueError(f"{names[0]!r} is not a name")
    return names


def _numbers(text: str) -> tuple[str, ...]:
    """What stands between brackets: numbers and ranges, each as wide as it is written."""
    found: list[str] = []
    for part in text.split(","):
        found.extend(_range(part, MOST_NAMES - len(found)))
    return tuple(found)


def _range(text: str, room: int) -> Iterator[str]:
    match = _RANGE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is no range of numbers")
    first = int(match[1])
    last = first if match[2] is None else int(match[2])
    if last < first or last - first >= room:
        raise ValueError(f"{text!r} is empty or too long")
    width = len(match[1])
    return (f"{one:0{width}d}" for one in range(first, last + 1))
