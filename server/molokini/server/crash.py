"""Named points at which a server can be made to die, so that tests can kill it where it hurts.

``MOLOKINI_CRASH_AT=name`` ends the process with status 137 (what ``kill -9`` leaves), without any
clean-up, when it passes the point *name*; ``name:N`` at the N-th passing. A point that journals facts can be
narrowed to one kind of fact: ``before-commit/JobStarted:3`` is the third commit that holds a ``JobStarted``.
"""

import os
from collections.abc import Iterable
from dataclasses import dataclass

from molokini.model.codec import KINDS
from molokini.model.errors import BadValue, UnknownName

VARIABLE = "MOLOKINI_CRASH_AT"
STATUS = 137

POINTS: dict[str, str] = {
    "before-commit": "a batch is written and not yet committed",
    "after-commit": "a batch is durable and not applied yet",
    "before-answer": "a batch is durable and applied, and no caller has an answer",
    "before-send": "decisions are durable and applied, and no agent has heard of them",
    "before-epoch": "the state is ours by its lock and not yet by its epoch",
    "after-epoch": "the state is taken over and nothing was read",
    "before-snapshot": "the parts of a snapshot are kept, the line that makes them one is not",
    "after-snapshot": "a snapshot is durable",
    "before-retiring": "records of finished jobs are kept, the fact that they have left the memory is not",
    "before-accounting-mark": "lines of accounting are durable, the mark that says so is not",
    "before-checkpoint": "the write-ahead log is due to be copied into the database",
    "after-checkpoint": "the write-ahead log was copied into the database",
}
"""Every point by its name, and what is true there. Code passes a point with ``crash_point(name)``."""


@dataclass(slots=True)
class _Plan:
    """Where this process is to die: *left* passings of *point* from now, of *kind* if that is not empty."""

    point: str
    kind: str
    left: int


def _read(text: str) -> _Plan | None:
    """The plan in the text of the variable; a misspelt one is refused, or a test would prove nothing."""
    if not text:
        return None
    where, _, count = text.partition(":")
    point, _, kind = where.partition("/")
    if point not in POINTS:
        raise UnknownName("crash point", point, POINTS)
    if kind and kind not in KINDS:
        raise UnknownName("kind of fact", kind, KINDS)
    if count and not (count.isascii() and count.isdigit() and int(count) > 0):
        raise BadValue(VARIABLE, text, "NAME, NAME:N or NAME/KIND:N with N from 1")
    return _Plan(point, kind, int(count or 1))


_plan = _read(os.environ.get(VARIABLE, ""))


def crash_point(name: str, kinds: Iterable[str] = ()) -> None:
    """Die here if the environment says so; *kinds* are those of the facts at hand, read only then."""
    if _plan is None or _plan.point != name:
        return
    if _plan.kind and _plan.kind not in kinds:
        return
    _plan.left -= 1
    if _plan.left == 0:
        os._exit(STATUS)
