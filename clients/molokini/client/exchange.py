"""Requests over a stream, one answer each, in order: and over the next stream, where one breaks.

What a broken stream has left unanswered is sent again, so the requests must bear being carried out twice.
"""

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, Generic, TypeVar

import grpc

from molokini.client.calls import Caller, Pauses
from molokini.client.errors import NoAnswer, ServerFault, status_is_lost

Request = TypeVar("Request")
_STREAM_S = 3600.0
"""Seconds after which a stream is opened again, so that every call has a deadline."""

_LISTEN_S = 0.2
"""So long a server has to refuse a stream before anything is written to it."""


class Exchange(Generic[Request]):
    """Sends *requests* over streams of *method*, at most *window* ahead of their answers.

    *answers_in* gives the answers that one message holds; without it a message is an answer.
    """

    def __init__(
        self,
        caller: Caller,
        method: Callable[..., Any],
        requests: AsyncIterator[Request],
        window: int,
        answers_in: Callable[[Any], Iterable[Any]] = lambda message: (message,),
    ) -> None:
        self._caller, self._method, self._window = caller, method, window
        self._answers_in = answers_in
        self._requests = requests
        self._next: asyncio.Task[Request | None] | None = None
        self._unanswered: deque[Request] = deque()
        self._all_read = False
        self._room, self._first_answered = asyncio.Event(), asyncio.Event()
        self._waiting_since_s = time.monotonic()
        self._stalled = False
        self._listen_first = False
        self._broken: BaseException | None = None

    async def answers(self) -> AsyncIterator[tuple[Request, Any]]:
        """Each request with its answer, in order."""
        caller = self._caller
        pauses, answered_s = Pauses(caller.patience), time.monotonic()
        try:
            while not self._all_read or self._unanswered:
                try:
                    async for answer in self._over_one_stream():
                        caller.reached()
                        pauses.reset()
                        answered_s = time.monotonic()
                        yield self._unanswered.popleft(), answer
                        self._room.set()
                except NoAnswer as failed:
                    await caller.pause(failed, pauses, answered_s)
                except grpc.aio.AioRpcError as error:
                    self._listen_first = status_is_lost(error)
                    await caller.pause(await caller.failure(error), pauses, answered_s)
        finally:
            if self._next is not None:
                self._next.cancel()

    async def _over_one_stream(self) -> AsyncIterator[Any]:
        self._stalled, self._first_answered = False, asyncio.Event()
        self._waiting_since_s = time.monotonic()
        stream = self._method(timeout=_STREAM_S, metadata=self._caller.metadata)
        helpers = [asyncio.create_task(self._send(stream)), asyncio.create_task(self._watch(stream))]
        try:
            while (message := await self._read(stream)) is not grpc.aio.EOF:
                self._waiting_since_s = time.monotonic()
                for answer in self._answers_in(message):
                    if not self._unanswered:
                        target = self._caller.endpoint.target
                        raise ServerFault(f"{target}: an answer that nothing was asked for")
                    self._first_answered.set()
                    yield answer
            if (code := await stream.code()) is not grpc.StatusCode.OK:
                raise ServerFault(f"{self._caller.endpoint.target}: the stream ended with {code.name}")
            if self._unanswered:
                raise ServerFault(
                    f"{self._caller.endpoint.target}: the server ended the stream without an answer"
                )
        finally:
            stream.cancel()
            for helper in helpers:
                helper.cancel()
            await asyncio.wait(helpers)

    async def _read(self, stream: Any) -> Any:
        try:
            return await stream.read()
        except asyncio.CancelledError:
            # Cancelled by one of the helpers, or else with our own task.
            if self._broken is not None:
                raise self._broken from None
            if self._stalled:
                raise NoAnswer(f"{self._caller.endpoint.target}: the server did not answer in time") from None
            raise

    async def _send(self, stream: Any) -> None:
        # What the library raises where the stream has ended; how it ended, the reader hears.
        with contextlib.suppress(
            grpc.aio.AioRpcError, grpc.aio.UsageError, grpc.aio.InternalError, asyncio.InvalidStateError
        ):
            if self._listen_first:
                # It may have said why it ends the stream, and a write may have hidden that.
                await asyncio.sleep(min(_LISTEN_S, self._caller.patience.attempt_s / 4))
            for request in tuple(self._unanswered):
                await self._write(stream, request)
            while (new := await self._new_request(stream)) is not None:
                if not self._unanswered:
                    self._waiting_since_s = time.monotonic()
                self._unanswered.append(new)
                await self._write(stream, new)
            self._all_read = True
            await stream.done_writing()

    async def _write(self, stream: Any, request: Request) -> None:
        await stream.write(request)
        # The first goes alone: a server that wants none of this says why, and a write would hide that.
        await self._first_answered.wait()

    async def _new_request(self, stream: Any) -> Request | None:
        """The next request, once there is room for it; None after the last."""
        while len(self._unanswered) >= self._window:
            self._room.clear()
            await self._room.wait()
        if self._next is None:
            self._next = asyncio.create_task(self._take())
        try:
            # Shielded: a broken stream must not cost a request that is just being made.
            request = await asyncio.shield(self._next)
        except Exception as error:
            self._broken = error
            stream.cancel()
            raise asyncio.CancelledError from None
        self._next = None
        return request

    async def _take(self) -> Request | None:
        return await anext(self._requests, None)

    async def _watch(self, stream: Any) -> None:
        """End a stream that leaves a request unanswered for too long."""
        attempt_s = self._caller.patience.attempt_s
        while not self._stalled:
            await asyncio.sleep(attempt_s / 4)
            waited_s = time.monotonic() - self._waiting_since_s
            self._stalled = bool(self._unanswered) and waited_s > attempt_s
        stream.cancel()
