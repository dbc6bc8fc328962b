"""What requests bring: one message, or a message a line, and never more than a message may have."""

import asyncio
from collections.abc import AsyncIterator

import grpc
from aiohttp import web
from google.protobuf.message import Message

from molokini.server.cooperative import Yielder
from molokini.server.security.statuses import REASON_KEY, Undecodable
from molokini.server.web.call import CallFailed
from molokini.server.web.methods import Method

BODY_S = 30.0
"""A request of one message whose body has not come by then is refused."""


async def one(request: web.BaseRequest, method: Method, most_bytes: int) -> Message:
    """The message of a request."""
    try:
        async with asyncio.timeout(BODY_S):
            body = await whole(request, most_bytes)
    except TimeoutError:
        raise Undecodable(f"the body has not come within {BODY_S:g} s") from None
    return method.request(body)


async def many(request: web.BaseRequest, method: Method, most_bytes: int) -> AsyncIterator[Message]:
    """A message a line, as they come; empty lines are none."""
    held = bytearray()
    yielder = Yielder()
    async for part in request.content.iter_any():
        # Joined where a line ends, and not before: a long line may come in many small parts.
        if b"\n" not in part:
            held += part
        else:
            *lines, rest = (bytes(held) + part).split(b"\n")
            held = bytearray(rest)
            for line in lines:
                _bounded(len(line), most_bytes)
                if line.strip():
                    yield method.request(line)
                    await yielder.maybe_yield()
        _bounded(len(held), most_bytes)
    if held.strip():
        yield method.request(bytes(held))


async def whole(request: web.BaseRequest, most_bytes: int) -> bytes:
    """The body of *request*; CallFailed for one of more than *most_bytes*."""
    _bounded(request.content_length or 0, most_bytes)
    parts, size = [], 0
    async for part in request.content.iter_any():
        parts.append(part)
        size += len(part)
        _bounded(size, most_bytes)
    return b"".join(parts)


def _bounded(size: int, most_bytes: int) -> None:
    if size > most_bytes:
        text = f"a message of more than {most_bytes:,} bytes, which is limits.message_bytes"
        raise CallFailed(grpc.StatusCode.RESOURCE_EXHAUSTED, text, ((REASON_KEY, "too_large"),))
