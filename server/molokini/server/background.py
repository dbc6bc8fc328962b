"""Long reckoning beside the event loop: one piece at a time, in a thread that ends with the process."""

import asyncio
import ctypes
import threading
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import TypeAlias, TypeVar

T = TypeVar("T")

GivenUp: TypeAlias = Callable[[], bool]
"""Whether the caller no longer waits for the result; the work asks it now and then."""


class Background:
    """Runs work that shares nothing with the loop; other callers meanwhile wait for its end.

    A thread pool would hold up the end of the process until the work is done, which may take minutes.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()

    async def run(self, prepare: Callable[[], Callable[[GivenUp], T]]) -> T:
        """What the work that *prepare* hands out returns or raises.

        *prepare* is called in the loop when the work's turn has come, so that what it copies is of that
        instant, and copies do not pile up. When the caller is cancelled the work can see that; none waits.
        """
        async with self._turn:
            given_up = threading.Event()
            answer = _in_a_thread(prepare(), given_up)
            try:
                return await answer
            finally:
                given_up.set()


def _in_a_thread(work: Callable[[GivenUp], T], given_up: threading.Event) -> "asyncio.Future[T]":
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[T] = loop.create_future()
    # Not kept beyond its end: it holds what it has reckoned with.
    pending = [work]

    def settle(result: T | None, error: BaseException | None) -> None:
        if answer.done():
            return
        if error is not None:
            answer.set_exception(error)
        else:
            answer.set_result(result)  # type: ignore[arg-type]

    def reckon() -> None:
        result, failure = None, None
        try:
            result = pending.pop()(given_up.is_set)
        except BaseException as error:
            failure = error
        give_back()
        # The loop may have ended meanwhile: then no caller waits for the outcome.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(settle, result, failure)

    context = copy_context()
    threading.Thread(target=lambda: context.run(reckon), name="background", daemon=True).start()
    return answer


def give_back() -> None:
    """Hand unused memory of this process back to the system: the allocator keeps much of it."""
    # Another libc than GNU's has no such function, and mostly no need of it.
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
