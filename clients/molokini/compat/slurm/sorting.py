"""The order of squeue's lines: ``P,t,-p``."""

from __future__ import annotations

from molokini.compat._types import Any, Callable, JobView

_NUMBERS: dict[str, Callable[[JobView], Any]] = {
    "i": lambda v: (v.job.id, float("inf") if v.job.index is None else v.job.index),
    "A": lambda v: int(v.raw_id),
    "F": lambda v: v.job.id,
    "C": lambda v: v.processors,
    "D": lambda v: v.node_count,
    "l": lambda v: v.job.limit_s,
    "L": lambda v: v.job.limit_s - v.elapsed_s,
    "M": lambda v: v.elapsed_s,
    "m": lambda v: v.memory_kb,
    "p": lambda v: v.priority,
    "Q": lambda v: v.priority,
    "S": lambda v: v.start_s if v.start_s is not None else float("inf"),
    "e": lambda v: v.end_s if v.end_s is not None else float("inf"),
    "V": lambda v: v.job.submitted_s,
    "y": lambda v: int(v.nice),
    "U": lambda v: int(v.user_id),
}


def sort(lines: list[JobView], order: str) -> None:
    """Put *lines* into the *order* of letters of columns, each with + or - before it. Failed for another."""
    from molokini.compat.slurm.squeue_fields import LETTERED
    from molokini.compat.tool import Failed

    # Of jobs that differ in nothing that was asked for, squeue has the last one first.
    lines.sort(key=lambda v: (-v.job.id, _NUMBERS["i"](v)[1]))
    words = [one.strip() for one in order.split(",") if one.strip()]
    for word in reversed(words):
        letter = word.lstrip("+-")
        if letter not in LETTERED:
            raise Failed(f"squeue: error: Invalid sort specification: {word}")
        key = _NUMBERS.get(letter) or LETTERED[letter][1]
        lines.sort(key=key, reverse=word.startswith("-"))
