"""The one connection to PostgreSQL that may write a journal: taking it, losing it, taking it again.

The holder of the state's advisory lock is its writer. The lock belongs to the connection, so that it
goes with a server that dies. It also settles what a lost answer leaves open: a new connection gets the lock
only when the back end of the old one is gone, and then its last statement is finally committed or undone.
"""

import asyncio
import logging
import uuid
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import asyncpg

from molokini.model.errors import BadValue
from molokini.server.crash import crash_point
from molokini.server.journal import postgres_tables as sql
from molokini.server.journal.claim import whoami
from molokini.server.journal.port import (
    JournalError,
    StateBroken,
    StateDamaged,
    StateMissing,
    StateTaken,
)
from molokini.server.journal.postgres_troubles import AGAIN, LOST, REFUSED, busy, of_postgres, place_of
from molokini.server.journal.seals import FORMAT, opened

if TYPE_CHECKING:
    Connection: TypeAlias = asyncpg.Connection[asyncpg.Record]
else:
    Connection: TypeAlias = asyncpg.Connection

T = TypeVar("T")
Work: TypeAlias = Callable[[Connection], Awaitable[T]]

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.02, 0.5
_log = logging.getLogger(__name__)


class PostgresSession:
    """The writer's connection to the state at *url*, renewed when it is lost."""

    def __init__(self, url: str, patience_s: float) -> None:
        self.place = place_of(url)
        self.epoch = 0
        self.last_serial = 0
        """Of the last entry that was acknowledged."""
        self.tail_unknown = False
        """Whether there may be entries beyond, of a batch whose answer was lost."""
        self._url, self._patience_s = url, patience_s
        self._name = f"molokini {uuid.uuid4().hex}"
        self._connection: Connection | None = None
        self._turn = asyncio.Lock()
        self._refusal: JournalError | None = None

    async def open(self, *, new: bool, take_over: bool) -> None:
        """Take the state over; see ``PostgresJournal.open``."""
        try:
            async with asyncio.timeout(2 * self._patience_s):
                self._connection = await self._connect()
                await self._claim(self._connection, take_over)
                await self._check_tables(self._connection, new)
                crash_point("before-epoch")
                self.epoch = await self._connection.fetchval(sql.RAISE, whoami())
                crash_point("after-epoch")
                await self._check_whole(self._connection)
                await self._connection.execute(sql.HISTORY)
        except BaseException as error:
            self._drop()
            raise self._at_opening(error) from error

    def _at_opening(self, error: BaseException) -> BaseException:
        """*error* as the port has it. What has been refused once will be again: that is not busy."""
        if isinstance(error, LOST) and not isinstance(error, REFUSED):
            return busy(self.place, error)
        if isinstance(error, (asyncpg.PostgresError, asyncpg.InterfaceError)):
            return of_postgres(error, self.place, "opening it")
        if isinstance(error, ValueError):
            # Its text may quote the part of the address that holds a password.
            return BadValue("journal", self.place, "postgresql://USER@HOST:PORT/DATABASE")
        return error

    async def run(self, work: Work[T], doing: str) -> T:
        """What *work* returns on a connection that is ours, within our patience; Busy after that.

        Work that was cut off is done again, so doing it twice must be as good as once.
        """
        async with self._turn:
            if self._refusal is not None:
                raise self._refusal
            heard: list[BaseException] = []
            try:
                async with asyncio.timeout(self._patience_s):
                    return await self._until_done(work, heard)
            except TimeoutError:
                raise busy(self.place, heard[-1] if heard else None) from None
            except asyncpg.PostgresError as error:
                raise self._final(of_postgres(error, self.place, doing)) from error
            except JournalError as error:
                raise self._final(error) from None

    async def close(self) -> None:
        """Give the state back; doing so twice is harmless."""
        async with self._turn:
            self._refusal = JournalError(f"{self.place}: the journal is closed")
            if self._connection is not None:
                try:
                    await self._connection.close(timeout=self._patience_s)
                except (*LOST, asyncpg.PostgresError):
                    self._drop()
                self._connection = None

    async def check_ours(self, connection: Connection) -> None:
        """StateTaken where the epoch is not ours; else it stays ours until the transaction ends."""
        if await connection.fetchval(sql.OURS, self.epoch) is None:
            raise await self.taken(connection)

    async def taken(self, connection: Connection) -> StateTaken:
        """The error that names the server that has taken over."""
        row = await connection.fetchrow(sql.HOLDER)
        by, epoch = (row["name"], row["epoch"]) if row else ("an unknown process", "none")
        return StateTaken(f"{self.place} was taken over by {by}: its epoch is {epoch}, ours {self.epoch}")

    async def _until_done(self, work: Work[T], heard: list[BaseException]) -> T:
        pause_s = _FIRST_PAUSE_S
        while True:
            try:
                return await work(await self._ours())
            except AGAIN as error:
                heard.append(error)
            except (*LOST, *REFUSED) as error:
                heard.append(error)
                self._drop()
            except asyncpg.PostgresError:
                raise
            except BaseException:
                # Cancelled or out of time: the statement may be at work, and no caller waits for its answer.
                self._drop()
                raise
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, _LONGEST_PAUSE_S)

    async def _ours(self) -> Connection:
        if self._connection is None or self._connection.is_closed():
            self._drop()
            connection = await self._connect()
            try:
                await self._resume(connection)
            except BaseException:
                connection.terminate()
                raise
            self._connection = connection
        return self._connection

    async def _resume(self, connection: Connection) -> None:
        """Be the writer again on a new *connection*, if no other server has become it and nothing is lost."""
        row = await connection.fetchrow(sql.HOLDER) if await connection.fetchval(sql.TABLES) == 4 else None
        if row is None:
            raise StateBroken(f"{self.place}: the journal is gone from the database that answers now")
        if row["epoch"] != self.epoch:
            raise await self.taken(connection)
        await connection.execute(sql.END_NAMESAKES)
        await connection.execute(sql.LOCK)
        await self.check_ours(connection)
        last = await connection.fetchval(sql.LAST_SERIAL)
        if last < self.last_serial:
            raise StateBroken(
                f"{self.place}: ends at entry {last}, but {self.last_serial} was acknowledged: "
                "the database that answers now is not the one before, or has lost its last commits"
            )
        self.tail_unknown = last > self.last_serial

    async def _connect(self) -> Connection:
        milliseconds = str(max(1, round(self._patience_s * 1000)))
        connection: Connection = await asyncpg.connect(
            self._url,
            timeout=self._patience_s,
            server_settings={
                "application_name": self._name,
                "statement_timeout": milliseconds,
                "lock_timeout": milliseconds,
                "idle_in_transaction_session_timeout": milliseconds,
                "default_transaction_isolation": "read committed",
                # A server whose machine has died must not hold the lock for the usual two hours.
                "tcp_keepalives_idle": "10",
                "tcp_keepalives_interval": "5",
                "tcp_keepalives_count": "3",
            },
        )
        try:
            await connection.execute(sql.PREPARE)
        except BaseException:
            connection.terminate()
            raise
        return connection

    async def _claim(self, connection: Connection, take_over: bool) -> None:
        """Hold the lock of the state, or StateTaken. The back end of a server just killed has time to go."""
        settings = await connection.fetchrow(sql.SETTINGS)
        if settings is None or settings["schema"] is None:
            raise JournalError(f"{self.place}: none of the schemas of its search_path exists")
        if settings["fsync"] == "off":
            _log.warning("%s runs with fsync = off: a power cut can lose what was acknowledged", self.place)
        if take_over:
            await connection.execute(sql.END_HOLDERS)
        try:
            await connection.execute(sql.CLAIM_PATIENCE)
            await connection.execute(sql.LOCK)
            await connection.execute("RESET lock_timeout")
        except (asyncpg.LockNotAvailableError, asyncpg.QueryCanceledError):
            raise StateTaken(f"{self.place} is in use by {await self._holder(connection)}") from None

    async def _holder(self, connection: Connection) -> str:
        row = await connection.fetchrow(sql.HOLDER) if await connection.fetchval(sql.TABLES) == 4 else None
        return row["name"] if row else "another process"

    async def _check_tables(self, connection: Connection, new: bool) -> None:
        tables = await connection.fetchval(sql.TABLES)
        if tables == 0 and not new:
            raise StateMissing(
                f"no state in {self.place}: it has no journal; a new one begins only with --new (server.new)"
            )
        if tables == 0:
            async with connection.transaction():
                await connection.execute(sql.MAKE.format(format=FORMAT))
        elif tables < 4:
            raise StateDamaged(f"{self.place}: only {tables} of the 4 tables of a journal are there")
        await self._check_holder(connection)

    async def _check_whole(self, connection: Connection) -> None:
        """Look for the last entry only now that no other server can add one."""
        row = await connection.fetchrow(sql.LAST)
        self.last_serial = opened(tuple(row), row["serial"], self.place).serial if row else 0
        kept = await connection.fetchval(sql.NEWEST_HEAD)
        if kept > self.last_serial:
            raise StateDamaged(
                f"{self.place}: holds a snapshot of entry {kept}, but its last entry is {self.last_serial}"
            )

    async def _check_holder(self, connection: Connection) -> None:
        row = await connection.fetchrow(sql.HOLDER)
        if row is None:
            raise StateDamaged(f"{self.place}: its holder row is missing")
        if row["format"] > FORMAT:
            raise JournalError(
                f"{self.place}: has format {row['format']}, of a later release; this one reads up to {FORMAT}"
            )

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.terminate()
            self._connection = None

    def _final(self, error: JournalError) -> JournalError:
        """*error*; after one that leaves us uncertain, or no longer the writer, all is refused."""
        if isinstance(error, (StateBroken, StateTaken)):
            self._refusal = error
            self._drop()
        return error
