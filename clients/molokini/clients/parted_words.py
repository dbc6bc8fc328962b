"""A day and a time behind an option, which a shell has parted: ``--from fri 18:00``."""

import re
from collections.abc import Iterator, Sequence

_OPTIONS = frozenset({"--from", "--start"})
"""Options that take an instant in words."""
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_TIME = re.compile(r"\d{1,2}:\d\d(:\d\d)?")


def joined(arguments: Sequence[str]) -> list[str]:
    """*arguments* with such a day and time in one word, as quotes would have it."""
    return list(_joined(arguments))


def _joined(arguments: Sequence[str]) -> Iterator[str]:
    at = 0
    while at < len(arguments):
        option, day, time = (*arguments[at : at + 3], "", "", "")[:3]
        if option == "--":
            # Behind it stands a command, whose words are its own.
            yield from arguments[at:]
            return
        yield option
        at += 1
        if option in _OPTIONS and day.lower()[:3] in _DAYS and day.isalpha() and _TIME.fullmatch(time):
            yield f"{day} {time}"
            at += 2
