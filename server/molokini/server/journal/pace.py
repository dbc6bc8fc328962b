"""Where a commit runs: in the event loop while the disk is quick, in a thread while it is slow.

A sync of a good disk takes 0.2 ms, less than the way to a thread and back under load; a sync of a bad one
takes a second, in which no client would be answered.
"""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

SLOW_S = 0.05
QUICK_AGAIN = 16
"""So many commits in a row, each quicker than half of slow, bring the work back into the loop."""

T = TypeVar("T")


class Pace:
    """Runs blocking work, one piece at a time, wherever it disturbs least."""

    def __init__(self, slow_s: float = SLOW_S) -> None:
        self._slow_s = slow_s
        self._quick_left = 0
        self._thread: ThreadPoolExecutor | None = None
        self._turn = asyncio.Lock()

    @property
    def threaded(self) -> bool:
        """Whether the next piece of work goes to the thread."""
        return self._quick_left > 0

    async def run(self, work: Callable[[], T]) -> T:
        """What *work* returns. It is never left half waited for: cancelling waits for its end."""
        async with self._turn:
            return await self._elsewhere(work) if self.threaded else self._timed(work)

    async def close(self) -> None:
        """Wait for the work under way and end the thread."""
        async with self._turn:
            if self._thread is not None:
                self._thread.shutdown()
                self._thread = None

    def _timed(self, work: Callable[[], T]) -> T:
        began = time.perf_counter()
        try:
            return work()
        finally:
            self._took(time.perf_counter() - began)

    def _took(self, seconds: float) -> None:
        if seconds > self._slow_s:
            self._quick_left = QUICK_AGAIN
        elif self._quick_left and seconds < self._slow_s / 2:
            self._quick_left -= 1

    async def _elsewhere(self, work: Callable[[], T]) -> T:
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="journal")
        running = asyncio.get_running_loop().run_in_executor(self._thread, self._timed, work)
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            # A thread cannot be stopped; the next work must not meet it on the same connection.
            await _ended(running)
            raise


async def _ended(running: "asyncio.Future[T]") -> None:
    """Wait for *running* whatever comes, and leave its outcome alone."""
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError:
            continue
    running.exception()
