"""Answers of the gateway: a document, a line of a stream, or why not; and the status of HTTP for each."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

import grpc
from aiohttp import web

from molokini.server.security.statuses import FIELD_KEY, REASON_KEY, RETRY_AFTER_KEY
from molokini.server.web.call import CallFailed

JSON, LINES = "application/json", "application/x-ndjson"
INTERNAL = 500

STATUSES: Mapping[grpc.StatusCode, int] = MappingProxyType(
    {
        grpc.StatusCode.INVALID_ARGUMENT: 400,
        grpc.StatusCode.FAILED_PRECONDITION: 400,
        grpc.StatusCode.OUT_OF_RANGE: 400,
        grpc.StatusCode.UNAUTHENTICATED: 401,
        grpc.StatusCode.PERMISSION_DENIED: 403,
        grpc.StatusCode.NOT_FOUND: 404,
        grpc.StatusCode.RESOURCE_EXHAUSTED: 429,
        grpc.StatusCode.UNIMPLEMENTED: 501,
        grpc.StatusCode.UNAVAILABLE: 503,
    }
)
"""HTTP's for gRPC's, as API gateways have them; the others are 500."""

_HEADERS = {"Cache-Control": "no-store", "Server": "molokini", "X-Content-Type-Options": "nosniff"}


def written(document: Any) -> bytes:
    """*document* as one line of JSON."""
    return _ENCODER.encode(document).encode("utf-8", "surrogatepass")


_ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, separators=(",", ":"))


def answer(body: bytes, status: int = 200) -> web.Response:
    """The answer of a call that was served: one line."""
    return web.Response(body=body + b"\n", status=status, content_type=JSON, headers=_HEADERS)


def lines() -> web.StreamResponse:
    """The answer of a call that answers a message a line."""
    return web.StreamResponse(headers={**_HEADERS, "Content-Type": LINES})


def refusal(ended: CallFailed) -> web.Response:
    """The answer of a call that was not."""
    made = answer(written(why(ended)), status_of(ended))
    if RETRY_AFTER_KEY in ended.trailing:
        made.headers["Retry-After"] = ended.trailing[RETRY_AFTER_KEY]
    return made


def refusal_in_full(ended: CallFailed) -> bytes:
    """The same to a connection that is closed then, with what HTTP puts before it."""
    body, status = written(why(ended)) + b"\n", HTTPStatus(status_of(ended))
    headers = {"Content-Type": JSON, "Content-Length": str(len(body)), "Connection": "close", **_HEADERS}
    head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {status.value} {status.phrase}\r\n{head}\r\n".encode("ascii") + body


def status_of(ended: CallFailed) -> int:
    """HTTP's status of a call that was not served."""
    return ended.status or STATUSES.get(ended.code, INTERNAL)


def why(ended: CallFailed) -> dict[str, Any]:
    """The error that a caller gets: gRPC's status by name, one line, a word for machines, further fields."""
    told: dict[str, Any] = {"code": ended.code.name, "message": ended.text}
    told["reason"] = ended.trailing.get(REASON_KEY, "")
    if FIELD_KEY in ended.trailing:
        told["field"] = ended.trailing[FIELD_KEY]
    if RETRY_AFTER_KEY in ended.trailing:
        told["retry_after_s"] = float(ended.trailing[RETRY_AFTER_KEY])
    return {"error": told}
