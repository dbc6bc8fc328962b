"""The requests of a stream, read ahead: what comes together is handled together, and no disk waited for."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Generic, TypeVar

from molokini.server.turn.gathering import Gathering

Request = TypeVar("Request")


async def one_ahead(made: AsyncIterator[Request]) -> AsyncGenerator[Request, None]:
    """The items of *made*, in order, of which the next is made while the one before is used.

    An error of the next is raised when it is asked for. Close it (``aclosing``): nothing more is made then.
    """
    coming = asyncio.ensure_future(anext(made))
    try:
        while True:
            try:
                item = await coming
            except StopAsyncIteration:
                return
            coming = asyncio.ensure_future(anext(made))
            yield item
    finally:
        if not coming.cancel() and not coming.cancelled():
            # An error of what is not asked for any more is of no interest.
            coming.exception()


class Arriving(Generic[Request]):
    """Reads *requests* ahead, *most* of them; all that have come are taken at once.

    A client that sends without waiting for answers mostly goes on to do so: then as many are waited for, for
    some milliseconds, as there were the last time, and as have come since. A client that waits for each
    answer is not delayed.
    """

    def __init__(self, requests: AsyncIterator[Request], most: int) -> None:
        self._most = most
        self._waiting: deque[Request] = deque()
        self._gathering = Gathering(self._waiting)
        self._taken = 0
        self._changed = asyncio.Event()
        self._room = asyncio.Event()
        self._reader = asyncio.create_task(self._read(requests))
        self._reader.add_done_callback(lambda _: self._ended())

    async def _read(self, requests: AsyncIterator[Request]) -> None:
        async for request in requests:
            self._waiting.append(request)
            self._changed.set()
            self._gathering.note()
            if len(self._waiting) >= self._most:
                self._room.clear()
                await self._room.wait()

    def _ended(self) -> None:
        """Nothing more comes, so nothing is waited for."""
        self._changed.set()
        self._gathering.forget()

    async def next_batch(self) -> list[Request]:
        """At least one; nothing at the end of the stream."""
        self._gathering.expect(min(self._taken + len(self._waiting), self._most))
        while not self._waiting and not self._reader.done():
            self._changed.clear()
            await self._changed.wait()
        if not self._reader.done():
            await self._gathering.wait()
        batch = list(self._waiting)
        self._waiting.clear()
        self._taken = len(batch)
        self._room.set()
        if not batch:
            # A message that cannot be read ends the stream with its own status.
            self._reader.result()
        return batch

    def close(self) -> None:
        """Read no further."""
        self._reader.cancel()
