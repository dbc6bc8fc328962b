"""The journal in PostgreSQL: for a server whose state is to outlive its machine."""

import asyncio
import logging
from collections.abc import AsyncIterator, Sequence
from functools import partial

from molokini.model.codec import Entry
from molokini.server.crash import crash_point
from molokini.server.journal import postgres_tables as sql
from molokini.server.journal.finished import finished_rows, opened_rows, opened_runs, runs_rows
from molokini.server.journal.port import Finished, JournalError, Runs, Snapshot, StateDamaged, Which
from molokini.server.journal.postgres_session import Connection, PostgresSession
from molokini.server.journal.seals import (
    PAGE_ENTRIES,
    Head,
    Row,
    check_follows,
    head_of,
    joined,
    opened,
    parts_of,
    sealed,
)

PATIENCE_S = 5.0
"""Seconds of waiting for a lost or silent database, and of reconnecting, before it counts as busy."""

_log = logging.getLogger(__name__)


class PostgresJournal:
    """A ``Journal`` in a schema of a database, of which it is the only writer."""

    def __init__(self, session: PostgresSession) -> None:
        self._session = session
        self._appending = asyncio.Lock()

    @classmethod
    async def open(
        cls, url: str, *, new: bool, take_over: bool = False, patience_s: float = PATIENCE_S
    ) -> "PostgresJournal":
        """Open the journal at *url* for writing, and raise its epoch.

        *new* makes the tables where there are none (StateMissing otherwise). *take_over* ends the connection
        of a holder that lives (StateTaken otherwise, after 2 s). Busy where no database answers.
        """
        session = PostgresSession(url, patience_s)
        await session.open(new=new, take_over=take_over)
        return cls(session)

    @property
    def last_serial(self) -> int:
        """Serial of the last durable entry; 0 where there is none."""
        return self._session.last_serial

    @property
    def epoch(self) -> int:
        """How often this state was opened for writing, this time included."""
        return self._session.epoch

    async def append(self, entries: Sequence[Entry]) -> None:
        """Keep *entries* in one transaction with one sync; see ``Journal.append``.

        After Busy it may turn out later that the batch had been kept, its answer lost. The next append
        settles that: if it brings the same batch, it is there; else what was there is undone first.
        """
        if not entries:
            return
        async with self._appending:
            check_follows(entries, self.last_serial)
            await self._session.run(partial(self._append, sealed(entries), entries), "appending")

    async def read(self, after: int) -> AsyncIterator[Entry]:
        """All entries after serial *after*, those included that are appended while it runs."""
        while rows := await self._session.run(partial(self._page, after), f"reading entries after {after}"):
            for row in rows:
                yield opened(row, after + 1, self._session.place)
                after += 1
        if after < self.last_serial:
            raise StateDamaged(
                f"{self._session.place}: entries {after + 1} to {self.last_serial} are missing"
            )

    async def keep_snapshot(self, snapshot: Snapshot) -> None:
        """Keep *snapshot*, and the one before it; appends go on meanwhile."""
        if snapshot.serial > self.last_serial:
            raise JournalError(
                f"snapshot of entry {snapshot.serial}, but the last entry is {self.last_serial}"
            )
        for number, part in enumerate(parts_of(snapshot)):
            keep = partial(self._keep_part, snapshot.serial, number, part)
            await self._session.run(keep, "keeping a snapshot")
        crash_point("before-snapshot")
        await self._session.run(partial(self._keep_head, head_of(snapshot)), "keeping a snapshot")
        crash_point("after-snapshot")

    async def load_snapshot(self) -> Snapshot | None:
        """The newest snapshot that can be read, or None: then all entries are to be replayed."""
        return await self._session.run(self._load_snapshot, "reading a snapshot")

    async def keep_finished(self, jobs: Sequence[Finished], runs: Sequence[Runs] = ()) -> None:
        """Keep these records permanently; see ``Journal.keep_finished``."""
        rows = ((sql.KEEP_FINISHED, finished_rows(jobs)), (sql.KEEP_RUNS, runs_rows(runs)))
        await self._session.run(partial(self._keep_finished, rows), "keeping finished jobs")

    async def clear_finished(self) -> None:
        """Forget these records; see ``Journal.clear_finished``."""
        await self._session.run(self._clear_finished, "clearing finished jobs")

    async def finished(self, which: Which, after: int, most: int) -> list[Finished]:
        """Records of finished jobs; see ``Journal.finished``."""
        text, values = sql.read_finished(which, after, most)
        rows = await self._session.run(
            lambda connection: connection.fetch(text, *values), "reading finished jobs"
        )
        return list(opened_rows(map(tuple, rows), self._session.place))

    async def runs(self, number: int, index: int) -> Runs | None:
        """Elements of a finished array; see ``Journal.runs``."""
        row = await self._session.run(
            lambda connection: connection.fetchrow(sql.READ_RUNS, number, index), "reading finished jobs"
        )
        return opened_runs(None if row is None else tuple(row), self._session.place)

    async def close(self) -> None:
        """Wait for what is being written and give the state back."""
        await self._session.close()

    async def _append(self, rows: list[Row], entries: Sequence[Entry], connection: Connection) -> None:
        if not (self._session.tail_unknown and await self._is_there(rows, connection)):
            crash_point("before-commit", (one.kind for one in entries))
            columns = [list(column) for column in zip(*rows, strict=True)]
            if await connection.execute(sql.APPEND, self.epoch, *columns) == "INSERT 0 0":
                raise await self._session.taken(connection)
        self._session.last_serial = rows[-1][0]
        self._session.tail_unknown = False
        crash_point("after-commit", (one.kind for one in entries))

    async def _keep_finished(
        self, kept: Sequence[tuple[str, Sequence[tuple[object, ...]]]], connection: Connection
    ) -> None:
        async with connection.transaction():
            await self._session.check_ours(connection)
            for text, rows in kept:
                if rows:
                    await connection.execute(text, *(list(column) for column in zip(*rows, strict=True)))

    async def _clear_finished(self, connection: Connection) -> None:
        async with connection.transaction():
            await self._session.check_ours(connection)
            await connection.execute(sql.CLEAR_FINISHED)

    async def _is_there(self, rows: list[Row], connection: Connection) -> bool:
        """Whether *rows* are what follows the last acknowledged entry; anything else there is undone."""
        there = [tuple(row) for row in await connection.fetch(sql.BEYOND, self.last_serial)]
        if there == rows:
            return True
        async with connection.transaction():
            await self._session.check_ours(connection)
            await connection.execute(sql.CUT, self.last_serial)
        self._session.tail_unknown = False
        return False

    async def _page(self, after: int, connection: Connection) -> list[Row]:
        rows = await connection.fetch(sql.PAGE, after, self.last_serial, PAGE_ENTRIES)
        return [(r[0], r[1], r[2], r[3], r[4], r[5]) for r in rows]

    async def _keep_part(self, serial: int, number: int, part: bytes, connection: Connection) -> None:
        async with connection.transaction():
            await self._session.check_ours(connection)
            if number == 0:
                await connection.execute(sql.DROP_HEAD, serial)
                await connection.execute(sql.DROP_LOOSE_PARTS)
            await connection.execute(sql.KEEP_PART, serial, number, part)

    async def _keep_head(self, head: Head, connection: Connection) -> None:
        async with connection.transaction():
            await self._session.check_ours(connection)
            await connection.execute(sql.KEEP_HEAD, head.serial, head.parts, head.size_bytes, head.crc)
            await connection.execute(sql.DROP_OLD_HEADS)
            await connection.execute(sql.DROP_LOOSE_PARTS)

    async def _load_snapshot(self, connection: Connection) -> Snapshot | None:
        for row in await connection.fetch(sql.HEADS):
            head = Head(*row)
            parts = [part["body"] for part in await connection.fetch(sql.PARTS, head.serial)]
            snapshot = joined(head, parts)
            if snapshot is not None:
                return snapshot
            _log.warning(
                "%s: the snapshot of entry %d is damaged; using an older one",
                self._session.place,
                head.serial,
            )
        return None
