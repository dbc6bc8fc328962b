"""Which requests share one sync: those that are there, and those that are about to come back.

A client that has just got an answer mostly has the next request ready. So a turn waits until as many
commands are there as it knows of callers: those that the turn before has answered, and those that had come
meanwhile. It does not wait for one that stays silent for two milliseconds, nor longer than ten. Callers are
forgotten little by little: were a turn that missed some taken for all there are, the next would not wait for
them either, and many small turns, each with its sync, would go on for as long as the callers do.
"""

import asyncio
from collections.abc import Sized

SILENCE_S = 0.002
"""A caller that was silent for so long does something else."""
LONGEST_S = 0.01
_FORGETS = 8
"""The part of the callers, one eighth, that is forgotten in a turn in which they did not come."""


class Gathering:
    """Counts the callers, and waits for them."""

    def __init__(self, mailbox: Sized) -> None:
        self._mailbox = mailbox
        self._expected = 1
        self._complete = asyncio.Event()

    def expect(self, callers: int) -> None:
        """So many commands are likely to come together, or nearly as many as before."""
        nearly = self._expected - max(1, self._expected // _FORGETS)
        self._expected = max(1, callers, nearly)

    def forget(self) -> None:
        """No more callers come: a turn that waits goes on with the commands that are there."""
        self._expected = 0
        self._complete.set()

    def note(self) -> None:
        """A command has come."""
        if len(self._mailbox) >= self._expected:
            self._complete.set()

    async def wait(self) -> None:
        """Return when all expected commands are there, or no more are likely to come."""
        until = asyncio.get_running_loop().time() + LONGEST_S
        while (before := len(self._mailbox)) < self._expected:
            self._complete.clear()
            if await self._heard(until) or len(self._mailbox) == before:
                return

    async def _heard(self, until: float) -> bool:
        """Whether waiting for more is over, once all are there or for the length of a silence."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(SILENCE_S):
                await self._complete.wait()
        except TimeoutError:
            return loop.time() >= until
        return True
