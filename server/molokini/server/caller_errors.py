"""The text of an error for callers and agents: the one place through which every such text goes.

Callers get the errors of their own requests as they are. Errors of the server's own place (its disk, its
database, its files) name paths and addresses, which stay inside: a caller gets what the error means for the
call and a number, and the log has the whole text under that number.
"""

import logging
import re
import secrets
from collections.abc import Mapping
from types import MappingProxyType

from molokini.model.errors import BadValue, MolokiniError, UnknownName
from molokini.server.journal.port import (
    Busy,
    JournalError,
    StateBroken,
    StateDamaged,
    StateFull,
    StateMissing,
    StateTaken,
    Unwritten,
)

log = logging.getLogger("molokini.server.calls")


class EventGone(MolokiniError):
    """The request is for changes older than the oldest that is kept."""

    def __init__(self, after: int, oldest: int) -> None:
        super().__init__(f"changes after {after} are no longer kept; the oldest kept is {oldest}")


class WrongClock(MolokiniError):
    """This kind of clock cannot do that."""


INSTEAD: Mapping[type[MolokiniError], str] = MappingProxyType(
    {
        StateFull: "the server has no disk space left for its journal, and nothing was changed",
        Unwritten: "the server could not write one of its files, and nothing was changed",
        Busy: "the server's database cannot be reached just now, and nothing was changed",
        StateBroken: "the server could not write its journal, and stops",
        StateTaken: "another server has taken over",
        StateMissing: "the server's state is missing",
        StateDamaged: "what the server has stored cannot be read",
        JournalError: "the server's journal failed, and nothing was changed",
    }
)
"""What is said instead of an error's own text; the nearest class above an error decides."""

_AS_IT_IS = (BadValue, UnknownName)
"""They quote what the caller has sent, which may be a path of the caller's own."""

_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s'\"()]+", re.I)
_FOLDERS = re.compile(r"(?<![\w/])(?:~|\.{1,2})?/(?:[^\s/:'\"()]+/)*(?=[^\s/])")


def text_for_caller(error: BaseException) -> str:
    """*error* for a caller: without paths and addresses of the server."""
    instead = next((INSTEAD[kind] for kind in type(error).__mro__ if kind in INSTEAD), None)
    if instead is not None:
        return f"{instead} (number {_number_of(error)} in the server's log)"
    text = str(error)
    if isinstance(error, _AS_IT_IS):
        return text
    return _FOLDERS.sub("", _ADDRESS.sub("...", text))


def _number_of(error: BaseException) -> str:
    """The number under which the log has *error*, which is logged once however many callers get it."""
    number = getattr(error, "_number", None)
    if number is None:
        number = secrets.token_hex(6)
        error._number = number  # type: ignore[attr-defined]
        log.error("number %s: %s: %s", number, type(error).__name__, error)
    return str(number)
