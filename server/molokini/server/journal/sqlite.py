"""The journal in one SQLite file: the default, for a server with a disk of its own."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

from molokini.model.codec import Entry
from molokini.server.journal.pace import SLOW_S, Pace
from molokini.server.journal.port import Finished, Runs, Snapshot, Which
from molokini.server.journal.seals import head_of, parts_of
from molokini.server.journal.sqlite_store import SqliteStore


class SqliteJournal:
    """A ``Journal`` in a state folder of which it is the only writer."""

    def __init__(self, store: SqliteStore, pace: Pace) -> None:
        self._store, self._pace = store, pace

    @classmethod
    async def open(
        cls,
        folder: Path,
        *,
        new: bool,
        take_over: bool = False,
        slow_commit_s: float = SLOW_S,
        synced: bool = True,
    ) -> "SqliteJournal":
        """Open the journal in *folder* for writing, and raise its epoch.

        *new* makes folder and journal where there are none (StateMissing otherwise); one that is there is
        opened as it is. *take_over* claims a folder whose holder lives (StateTaken otherwise). StateDamaged
        names what is damaged. A commit of more than *slow_commit_s* moves those that follow to a thread.
        Without *synced* no commit waits for the disk: for a state that may be lost in a power cut.
        """
        store = SqliteStore.open(folder, new=new, take_over=take_over, synced=synced)
        return cls(store, Pace(slow_commit_s))

    @property
    def last_serial(self) -> int:
        """Serial of the last durable entry; 0 where there is none."""
        return self._store.last_serial

    @property
    def epoch(self) -> int:
        """How often this state was opened for writing, this time included."""
        return self._store.epoch

    async def append(self, entries: Sequence[Entry]) -> None:
        """Keep *entries* in one transaction with one sync; see ``Journal.append``."""
        if entries:
            await self._pace.run(partial(self._store.append, entries))

    async def read(self, after: int) -> AsyncIterator[Entry]:
        """All entries after serial *after*, those included that are appended while it runs."""
        while entries := await self._pace.run(partial(self._store.page, after)):
            for one in entries:
                yield one
            after = entries[-1].serial
            await asyncio.sleep(0)

    async def keep_snapshot(self, snapshot: Snapshot) -> None:
        """Keep *snapshot*, and the one before it; appends go on meanwhile."""
        for number, part in enumerate(parts_of(snapshot)):
            await self._pace.run(partial(self._store.keep_part, snapshot.serial, number, part))
            await asyncio.sleep(0)
        await self._pace.run(partial(self._store.keep_head, head_of(snapshot)))

    async def load_snapshot(self) -> Snapshot | None:
        """The newest snapshot that can be read, or None: then all entries are to be replayed."""
        return await self._pace.run(self._store.load_snapshot)

    async def keep_finished(self, jobs: Sequence[Finished], runs: Sequence[Runs] = ()) -> None:
        """Keep these records permanently; see ``Journal.keep_finished``."""
        await self._pace.run(partial(self._store.keep_finished, jobs, runs))

    async def clear_finished(self) -> None:
        """Forget these records; see ``Journal.clear_finished``."""
        await self._pace.run(self._store.clear_finished)

    async def finished(self, which: Which, after: int, most: int) -> list[Finished]:
        """Records of finished jobs; see ``Journal.finished``."""
        return await self._pace.run(partial(self._store.finished, which, after, most))

    async def runs(self, number: int, index: int) -> Runs | None:
        """Elements of a finished array; see ``Journal.runs``."""
        return await self._pace.run(partial(self._store.runs, number, index))

    async def close(self) -> None:
        """Wait for what is being written and give the folder back."""
        await self._pace.close()
        self._store.close()
