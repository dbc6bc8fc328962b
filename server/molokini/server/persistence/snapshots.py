"""When snapshots are taken: every so many happenings, and at a graceful stop."""

import asyncio
import logging
import time
from contextlib import suppress

from molokini.server.journal.port import Journal, JournalError, Snapshot
from molokini.server.persistence.recovery import uncollected
from molokini.server.state.snapshot import StateCopy, copy_state, pieces
from molokini.server.state.state import State

FEW = 1000
"""A stop with fewer happenings behind the last snapshot takes none: they are read in no time."""
REST = 9.0
"""So many times as long as a piece has taken a server that is busy is left alone before the next one."""
CALM_S = 0.05
"""A server is busy until nothing has happened for so long; a piece takes less time than a batch of jobs."""

log = logging.getLogger("molokini.server")


class Snapshots:
    """Takes snapshots of *state*, one at a time; a server goes on while one is written.

    The photograph of 100,000 jobs stops it for an eighth of a second, so a snapshot also waits until as much
    has happened as there are jobs: then taking them costs less than what they are of.
    """

    def __init__(self, journal: Journal, state: State, every: int, release: str) -> None:
        self._journal, self._state, self._every, self._release = journal, state, every, release
        self._taken_at = 0
        self._task: asyncio.Task[None] | None = None
        self._stopping = asyncio.Event()
        self.longest_stop_s = 0.0
        """The longest time for which a photograph has stopped the server."""

    def go_on_from(self, serial: int) -> None:
        """The newest snapshot is of entry *serial* (0: there is none)."""
        self._taken_at = self._happenings() - (self._state.serial - serial)

    def _happenings(self) -> int:
        """Facts, and jobs, of which one fact may hold many."""
        return self._state.serial + self._state.next_id

    def at_rest(self) -> None:
        """Between two turns: begin a snapshot if one is due."""
        if not self._every or (self._task is not None and not self._task.done()):
            return
        since = self._happenings() - self._taken_at
        if since >= self._every and since >= len(self._state.jobs):
            self._begin()

    async def last(self, bound_s: float) -> None:
        """At a stop, when no turn comes any more: a snapshot of the end, if there is time for it."""
        self._stopping.set()
        try:
            async with asyncio.timeout(bound_s):
                if self._task is not None:
                    await self._task
                if self._every and self._happenings() - self._taken_at >= FEW:
                    await self._begin()
        except TimeoutError:
            log.warning("no time for a snapshot; the next start replays the journal")

    def _begin(self) -> "asyncio.Task[None]":
        self._taken_at = self._happenings()
        began_s = time.perf_counter()
        with uncollected():
            taken = copy_state(self._state, self._release)
        self.longest_stop_s = max(self.longest_stop_s, time.perf_counter() - began_s)
        self._task = asyncio.create_task(self._keep(taken), name="snapshot")
        return self._task

    async def _rest(self, seconds: float) -> None:
        """Let others have their turn for so long, unless all of them are about to stop."""
        if seconds <= 0.0 or self._stopping.is_set():
            await asyncio.sleep(0)
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(self._stopping.wait(), seconds)

    async def _keep(self, taken: StateCopy) -> None:
        began_s, body = time.monotonic(), bytearray()
        seen, seen_s, piece_s = self._happenings(), float("-inf"), time.perf_counter()
        for piece in pieces(taken):
            body += piece
            now_s = time.perf_counter()
            if self._happenings() != seen:
                seen, seen_s = self._happenings(), now_s
            await self._rest(REST * (now_s - piece_s) if now_s - seen_s < CALM_S else 0.0)
            piece_s = time.perf_counter()
        try:
            await self._journal.keep_snapshot(Snapshot(taken.serial, bytes(body)))
        except JournalError as error:
            # Only the facts matter; the reactor finds out by itself whether they can still be written.
            log.warning("snapshot %d could not be written: %s", taken.serial, error)
            return
        log.info(
            "wrote snapshot %d: %d jobs, %d KiB, %.2f s",
            taken.serial,
            len(taken.jobs),
            len(body) // 1024,
            time.monotonic() - began_s,
        )
