"""Calls that a server may end while the client is still sending: gRPC's client can lose why.

In ``grpc.aio`` a write that meets the end of its call takes the place of the server's status by
INTERNAL, "Internal error from Core": in about one call of three hundred on a busy machine.
"""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from grpc import aio

T = TypeVar("T")
LOST = "Internal error from Core"
TRIES = 20


async def heard(ask: Callable[[], Awaitable[T]]) -> T:
    """What *ask* gives or raises; it is asked again where the client lost the server's status."""
    for _ in range(TRIES):
        try:
            return await ask()
        except aio.AioRpcError as error:
            if error.details() != LOST:
                raise
    raise AssertionError(f"the client lost the status of {TRIES} calls, one after another")
