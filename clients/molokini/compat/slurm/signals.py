"""What Slurm's commands take for a signal."""

from __future__ import annotations

from molokini.compat.signals import MOST, NAMES

KILL, CONT, STOP = 9, 18, 19


def number_of(text: str) -> int:
    """The number of the signal *text* (``10``, ``USR1``, ``SIGUSR1``); 0 for none."""
    word = text.strip().upper()
    if word.isdigit() and word.isascii():
        return int(word) if 1 <= int(word) <= MOST else 0
    return NAMES.get(word.removeprefix("SIG"), 0)
