"""From an error to what the caller gets: a status code, one line, and a reason that machines can read.

One table. What is not in it is an internal error: the caller gets a number, the log gets the traceback under
it.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

import grpc

from molokini.cycle.calling import PolicyError
from molokini.model.errors import BadInput, BadValue, Conflict, MissingExtra, MolokiniError, UnknownName
from molokini.server.caller_errors import EventGone, WrongClock, text_for_caller
from molokini.server.journal.port import (
    Busy,
    JournalError,
    StateBroken,
    StateDamaged,
    StateFull,
    StateTaken,
    Unwritten,
)
from molokini.server.security.issued import TooManyTokens
from molokini.server.security.permissions import NoSuchJob, NotAllowed
from molokini.server.turn import changing, counts, reactor

MOST_BYTES = 3000
"""Of a status' text as gRPC sends it: callers take headers up to 8 KiB, and errors quote what they got."""


class Undecodable(BadInput):
    """A message that is not one of its kind."""


class NotReady(MolokiniError):
    """The server is starting: agents are answered already, others not yet."""


CODES: Mapping[type[MolokiniError], grpc.StatusCode] = MappingProxyType(
    {
        BadInput: grpc.StatusCode.INVALID_ARGUMENT,
        UnknownName: grpc.StatusCode.NOT_FOUND,
        NoSuchJob: grpc.StatusCode.NOT_FOUND,
        NotAllowed: grpc.StatusCode.PERMISSION_DENIED,
        changing.NoSuchJob: grpc.StatusCode.NOT_FOUND,
        counts.OverLimit: grpc.StatusCode.RESOURCE_EXHAUSTED,
        TooManyTokens: grpc.StatusCode.RESOURCE_EXHAUSTED,
        changing.NotNow: grpc.StatusCode.FAILED_PRECONDITION,
        WrongClock: grpc.StatusCode.FAILED_PRECONDITION,
        EventGone: grpc.StatusCode.OUT_OF_RANGE,
        PolicyError: grpc.StatusCode.INVALID_ARGUMENT,
        NotReady: grpc.StatusCode.UNAVAILABLE,
        reactor.Stopping: grpc.StatusCode.UNAVAILABLE,
        MissingExtra: grpc.StatusCode.UNIMPLEMENTED,
        StateFull: grpc.StatusCode.RESOURCE_EXHAUSTED,
        Busy: grpc.StatusCode.UNAVAILABLE,
        StateBroken: grpc.StatusCode.UNAVAILABLE,
        StateTaken: grpc.StatusCode.UNAVAILABLE,
        StateDamaged: grpc.StatusCode.DATA_LOSS,
        # Not UNAVAILABLE: what a disk refuses once is not to be tried again at once.
        Unwritten: grpc.StatusCode.INTERNAL,
        JournalError: grpc.StatusCode.UNAVAILABLE,
    }
)
"""The nearest class above an error decides."""

REASON_KEY, FIELD_KEY, RETRY_AFTER_KEY = "molokini-reason", "molokini-field", "retry-after"
"""Trailing metadata of a refusal."""

Trailing = tuple[tuple[str, str], ...]

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def code_of(error: BaseException) -> grpc.StatusCode | None:
    """The status of *error*; None for what is internal."""
    return next((CODES[kind] for kind in type(error).__mro__ if kind in CODES), None)


def text_of(error: BaseException) -> str:
    """*error* in one line that fits into a header, and names no place of the server."""
    text = _CONTROL.sub(" ", text_for_caller(error)[:MOST_BYTES])
    room = MOST_BYTES
    for place, letter in enumerate(text):
        # What is not plain ASCII is sent as a percent sign and two digits for each byte of UTF-8.
        room -= 1 if " " <= letter <= "~" and letter != "%" else 3 * len(letter.encode("utf-8", "replace"))
        if room < 0:
            return text[:place] + "..."
    return text


def reason_of(error: BaseException) -> str:
    """The word for programs: the name of the error's class, as ``bad_value``."""
    return _CAPITAL.sub("_", type(error).__name__).lower()


def trailing_of(error: BaseException) -> Trailing:
    """The reason as metadata: a word, and the field, or of what kind the name is that is not known."""
    found = [(REASON_KEY, reason_of(error))]
    if isinstance(error, BadValue | Conflict | UnknownName):
        named = error.kind if isinstance(error, UnknownName) else error.field
        field = _CONTROL.sub(" ", named[:200]).strip()
        found.append((FIELD_KEY, field.encode("ascii", "backslashreplace").decode()))
    return tuple(found)


def retry_after(seconds: float) -> tuple[str, str]:
    """The metadata entry that says when to try again, in seconds."""
    return RETRY_AFTER_KEY, f"{max(seconds, 0.001):.3f}"
