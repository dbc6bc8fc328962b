"""Signals by name, by their numbers on Linux."""

from __future__ import annotations

from molokini.compat.lsf.quantities import whole
from molokini.compat.signals import MOST, NAMES

ENDING = (NAMES["INT"], NAMES["TERM"], NAMES["KILL"])
"""Signals that end a job that has not started yet, too."""


def number(text: str) -> int:
    """The signal called *text*: ``TERM``, ``SIGTERM`` or ``15``. Raises ValueError."""
    name = text.upper().removeprefix("SIG")
    if name in NAMES:
        return NAMES[name]
    return whole(text, "signal", 1, MOST)
