"""What a call to the server may come back with, as a tree by what the caller can do.

    ServerError                  (MolokiniError, exit 1) the server said no, or nothing
    ├── Unavailable              no server can be reached: try later
    │   ├── NoAnswer             none in time: what was asked for may be done or not, so look
    │   └── Busy                 it asks to be left alone for ``retry_after_s``
    ├── OverLimit                a limit is reached, and waiting alone does not help: ask for less
    ├── NotFound                 there is no such job, node or queue: look at the name
    ├── NotSignedIn              no token, or one that the server does not take: get another
    ├── NotAllowed               needs a role that the token has not: ask a user that has it
    ├── Refused                  (BadInput, exit 2) it cannot be had like this: the text names the field
    ├── NotNow                   its present state forbids it: look at the state first
    ├── HistoryGone              changes from so far back are no longer kept: list again, then watch
    ├── NotSupported             this server cannot do that
    └── ServerFault              a mistake in the server: report it

``from_status`` is the only place that knows status codes. ``reason`` is the server's word for machines.
"""

from collections.abc import Iterable, Mapping

import grpc

from molokini.model.errors import BadInput, MolokiniError

REASON_KEY = "molokini-reason"
FIELD_KEY = "molokini-field"
RETRY_AFTER_KEY = "retry-after"


class ServerError(MolokiniError):
    """The server refused, failed, or did not answer; ``reason`` is a word for programs, or empty.

    ``field`` is what it is about, as errors name it; empty where that is not known.
    """

    def __init__(self, text: str, reason: str = "", field: str = "") -> None:
        self.reason, self.field = reason, field
        super().__init__(text)


class Unavailable(ServerError):
    """No server can be reached. Trying again later is right."""


class NoAnswer(Unavailable):
    """The server did not answer in time: it may have done what it was asked for, or may still do it."""


class Busy(Unavailable):
    """The server has too much to do, and wants ``retry_after_s`` of quiet (None: it did not say)."""

    retry_after_s: float | None = None


class OverLimit(ServerError):
    """A limit of the server is reached, and trying again does not help by itself."""


class NotFound(ServerError):
    """There is no such job, node or queue."""


class NotSignedIn(ServerError):
    """The server wants a token, or does not take this one."""


class NotAllowed(ServerError):
    """This needs a role that the caller does not have."""


class Refused(ServerError, BadInput):
    """What was asked for cannot be had as it is; the text names the field, its value and what is allowed."""

    exit_code = BadInput.exit_code


class NotNow(ServerError):
    """The present state of the job, node or cluster forbids this."""


class HistoryGone(ServerError):
    """The changes that were asked for are older than what the server keeps."""


class NotSupported(ServerError):
    """This server does not know the call."""


class ServerFault(ServerError):
    """Something is wrong in the server."""


_BY_CODE: Mapping[grpc.StatusCode, type[ServerError]] = {
    grpc.StatusCode.UNAVAILABLE: Unavailable,
    grpc.StatusCode.DEADLINE_EXCEEDED: NoAnswer,
    grpc.StatusCode.CANCELLED: Unavailable,
    grpc.StatusCode.RESOURCE_EXHAUSTED: Busy,
    grpc.StatusCode.NOT_FOUND: NotFound,
    grpc.StatusCode.UNAUTHENTICATED: NotSignedIn,
    grpc.StatusCode.PERMISSION_DENIED: NotAllowed,
    grpc.StatusCode.INVALID_ARGUMENT: Refused,
    grpc.StatusCode.FAILED_PRECONDITION: NotNow,
    grpc.StatusCode.ABORTED: NotNow,
    grpc.StatusCode.ALREADY_EXISTS: NotNow,
    grpc.StatusCode.OUT_OF_RANGE: HistoryGone,
    grpc.StatusCode.UNIMPLEMENTED: NotSupported,
}


_ALL_TRIED = "failed to connect to all addresses"
_BROKEN_WRITE = "Internal error from Core"
"""What gRPC puts in the place of the server's status where a stream ends during a write (grpc/grpc#36066)."""


def from_status(error: grpc.aio.AioRpcError, target: str) -> ServerError:
    """The error of the tree that stands for a call's status; *target* is where the server should be."""
    trailing = _texts(error.trailing_metadata())
    reason, retry_after_s = trailing.get(REASON_KEY, ""), _seconds(trailing.get(RETRY_AFTER_KEY))
    kind = _BY_CODE.get(error.code(), ServerFault)
    if status_is_lost(error):
        kind = Unavailable
    if kind is Busy and "larger than max" in (error.details() or ""):
        kind = Refused  # gRPC itself says this, of a message above its limit
    elif kind is Busy and reason and retry_after_s is None:
        kind = OverLimit  # without a reason it is gRPC that has too many calls at once
    made = kind(_text(error, kind, target), reason, trailing.get(FIELD_KEY, ""))
    if isinstance(made, Busy):
        made.retry_after_s = retry_after_s
    return made


def status_is_lost(error: grpc.aio.AioRpcError) -> bool:
    """Whether a stream ended during a write, so that the server's own status cannot be known."""
    return error.details() == _BROKEN_WRITE


def _text(error: grpc.aio.AioRpcError, kind: type[ServerError], target: str) -> str:
    said = error.details() or error.code().name.lower().replace("_", " ")
    if kind is NoAnswer:
        return f"{target}: the server did not answer in time"
    if kind is Unavailable:
        # Of addresses that were tried gRPC tells at length; its last words say why.
        why = said.rpartition(": ")[2] if said.startswith(_ALL_TRIED) else said
        return f"{target}: no server can be reached: {why[:1].lower()}{why[1:]}"
    if kind is ServerFault:
        return f"{target}: the server failed: {said}"
    return said


def _texts(metadata: Iterable[tuple[str, str | bytes]] | None) -> dict[str, str]:
    return {name: value for name, value in metadata or () if isinstance(value, str)}


def _seconds(text: str | None) -> float | None:
    try:
        seconds = float(text) if text is not None else -1.0
    except ValueError:
        return None
    return seconds if 0 <= seconds < float("inf") else None
