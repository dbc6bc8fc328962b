"""From an error to what the caller is told: a status code, one line, and a reason that machines can read.

One table. What is not in it is an internal error: the caller gets a number, the log gets the traceback under
it.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

import grpc

from molokini.model.errors import BadInput, BadValue, MissingExtra, MolokiniError, UnknownName
from molokini.server.journal.port import Busy, JournalError, StateBroken, StateDamaged, StateFull, StateTaken
from molokini.server.security.permissions import NoSuchJob, NotAllowed

MOST_CHARACTERS = 1000
"""Of a status' text; headers are bounded, and an error may quote what it was given."""


class Refused(MolokiniError):
    """Not now, or not as things are; *code* says which."""

    code = grpc.StatusCode.FAILED_PRECONDITION


class Conflict(Refused):
    """The object is not in a state for this."""


class TooMuch(Refused):
    """A limit is reached. *retry_after_s*: when trying again makes sense; None where waiting is no help."""

    code = grpc.StatusCode.RESOURCE_EXHAUSTED

    def __init__(self, text: str, retry_after_s: float | None = None) -> None:
        self.retry_after_s = retry_after_s
        super().__init__(text)


class Gone(Refused):
    """What is asked for is too old to be kept."""

    code = grpc.StatusCode.OUT_OF_RANGE


class Stopping(Refused):
    """The server is coming to its end and takes nothing new."""

    code = grpc.StatusCode.UNAVAILABLE


class Undecodable(BadInput):
    """A message that is not one of its kind."""


CODES: Mapping[type[MolokiniError], grpc.StatusCode] = MappingProxyType(
    {
        BadInput: grpc.StatusCode.INVALID_ARGUMENT,
        UnknownName: grpc.StatusCode.NOT_FOUND,
        NoSuchJob: grpc.StatusCode.NOT_FOUND,
        NotAllowed: grpc.StatusCode.PERMISSION_DENIED,
        MissingExtra: grpc.StatusCode.UNIMPLEMENTED,
        StateFull: grpc.StatusCode.RESOURCE_EXHAUSTED,
        Busy: grpc.StatusCode.UNAVAILABLE,
        StateBroken: grpc.StatusCode.UNAVAILABLE,
        StateTaken: grpc.StatusCode.UNAVAILABLE,
        StateDamaged: grpc.StatusCode.DATA_LOSS,
        JournalError: grpc.StatusCode.UNAVAILABLE,
    }
)
"""The nearest class above an error decides. Refused carries its own."""

Trailing = tuple[tuple[str, str], ...]

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def code_of(error: BaseException) -> grpc.StatusCode | None:
    """The status of *error*; None for what is internal."""
    if isinstance(error, Refused):
        return error.code
    return next((CODES[kind] for kind in type(error).__mro__ if kind in CODES), None)


def text_of(error: BaseException) -> str:
    """*error* in one line that fits into a header."""
    text = _CONTROL.sub(" ", str(error))
    return text if len(text) <= MOST_CHARACTERS else text[: MOST_CHARACTERS - 3] + "..."


def trailing_of(error: BaseException) -> Trailing:
    """The reason as metadata: ``reason`` (``bad-value``), ``field``, and ``retry-after`` in seconds."""
    found = [("reason", _CAPITAL.sub("-", type(error).__name__).lower())]
    if isinstance(error, BadValue):
        found.append(("field", error.field.encode("ascii", "backslashreplace").decode()[:200]))
    if isinstance(error, TooMuch) and error.retry_after_s is not None:
        found.append(retry_after(error.retry_after_s))
    return tuple(found)


def retry_after(seconds: float) -> tuple[str, str]:
    """The metadata entry that says when to try again, in seconds."""
    return "retry-after", f"{max(seconds, 0.001):.3f}"
