"""Work in pieces: what takes long lets the others of its loop have a turn in between."""

import asyncio

LONGEST_S = 0.005
"""Seconds of work between two breaths."""


class Yielder:
    """Of one piece of work: after each step it is asked whether it is time for the others."""

    def __init__(self) -> None:
        self._time = asyncio.get_running_loop().time
        self._since_s = self._time()

    async def maybe_yield(self) -> None:
        """Let others run, if they have waited for long enough."""
        if self._time() - self._since_s > LONGEST_S:
            await asyncio.sleep(0)
            self._since_s = self._time()
