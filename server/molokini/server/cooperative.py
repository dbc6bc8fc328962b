"""Long computations in pieces: other tasks of the event loop run in between."""

import asyncio

LONGEST_S = 0.004
"""Seconds of work between two yields: with what is begun by then, a turn waits for some 5 ms."""


class Yielder:
    """Yields to the event loop when a long computation has held it for 4 ms."""

    def __init__(self) -> None:
        self._time = asyncio.get_running_loop().time
        self._since_s = self._time()

    async def maybe_yield(self) -> None:
        """Let other tasks run, if this one has held the loop for longer than ``LONGEST_S``."""
        if self._time() - self._since_s > LONGEST_S:
            await asyncio.sleep(0)
            self._since_s = self._time()
