"""An open SQLite journal, blocking: each method is one transaction, checked, with one sync.

The face that the server awaits is ``sqlite.SqliteJournal``. Here is what must hold in whatever thread it
runs: the epoch is read inside each transaction that writes, and after an uncertain write nothing is written.
"""

import logging
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from molokini.model.codec import Entry
from molokini.server.crash import crash_point
from molokini.server.journal.claim import Claim, whoami
from molokini.server.journal.finished import (
    COLUMNS,
    RUN_COLUMNS,
    condition,
    finished_rows,
    opened_rows,
    opened_runs,
    runs_rows,
)
from molokini.server.journal.mark import MARK_FILE, Mark, Marked, read_mark
from molokini.server.journal.port import (
    Busy,
    Finished,
    JournalError,
    Runs,
    Snapshot,
    StateBroken,
    StateDamaged,
    StateFull,
    StateMissing,
    StateTaken,
    Which,
)
from molokini.server.journal.seals import PAGE_ENTRIES, Head, check_follows, joined, opened, sealed
from molokini.server.journal.sqlite_file import (
    DATABASE_FILE,
    HISTORY,
    check_whole,
    connect,
    last_of,
    log_bytes,
    make_folder,
    prepare,
    set_log_aside,
    translated,
    wal_of,
)

CHECKPOINT_PAGES = 2000
"""The log is copied into the database each time it has grown by about so many pages of 4 KiB."""
_PAGE_BYTES = 4096
_LINE_BYTES = 64
"""About what an entry takes beside its body."""

_INSERT = "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?)"
_PAGE = (
    "SELECT serial, time_s, kind, version, body, crc FROM entries WHERE serial > ? ORDER BY serial LIMIT ?"
)
_EPOCH = "SELECT epoch, name FROM holder"
_KEEP_FINISHED = "INSERT OR REPLACE INTO finished VALUES (?, ?, ?, ?, ?, ?, ?)"
_KEEP_RUNS = "INSERT OR REPLACE INTO finished_runs VALUES (?, ?, ?, ?, ?)"
_RUNS = f"""
SELECT {RUN_COLUMNS} FROM finished_runs WHERE number = ? AND last_index >= ? ORDER BY last_index LIMIT 1
"""
_HEADS = "SELECT serial, parts, size_bytes, crc FROM snapshots ORDER BY serial DESC"
_PARTS = "SELECT body FROM snapshot_parts WHERE serial = ? ORDER BY part"

_log = logging.getLogger(__name__)


class SqliteStore:
    """The one writer of a state folder."""

    def __init__(self, path: Path, connection: sqlite3.Connection, claim: Claim) -> None:
        self.path, self.last_serial, self.epoch = path, 0, 0
        self._connection, self._claim = connection, claim
        self._mark: Mark | None = None
        self._refusal: JournalError | None = None
        self._pages = 0
        self._files: tuple[tuple[Path, os.stat_result], ...] = ()

    @classmethod
    def open(cls, folder: Path, *, new: bool, take_over: bool, synced: bool = True) -> "SqliteStore":
        """Claim *folder* and take its journal over; see ``SqliteJournal.open``."""
        if new:
            make_folder(folder)
        elif not folder.is_dir():
            raise StateMissing(
                f"no state: the folder {folder} is missing; a new one begins only with --new (server.new)"
            )
        elif not (folder / DATABASE_FILE).exists():
            # Before the claim, so that a mistyped folder is left without a lock file.
            prepare(folder, new=False, marked=read_mark(folder))
        claim = Claim.make(folder, take_over)
        try:
            return cls._claimed(folder, claim, new, synced)
        except BaseException:
            claim.release()
            raise

    @classmethod
    def _claimed(cls, folder: Path, claim: Claim, new: bool, synced: bool) -> "SqliteStore":
        marked = read_mark(folder)
        path = prepare(folder, new=new, marked=marked)
        log_size_bytes = log_bytes(path)
        with translated(path, "opening it"):
            connection = connect(path, synced=synced)
            try:
                check_whole(connection, path, marked, log_size_bytes)
                connection.executescript(HISTORY)
                store = cls(path, connection, claim)
                store._begin()
            except BaseException as error:
                if log_size_bytes and isinstance(error, (StateDamaged, sqlite3.DatabaseError)):
                    set_log_aside(path)
                connection.close()
                raise
        if marked == Marked() and store.epoch > 1:
            _log.warning(
                "%s is not there, so nothing tells whether entries that were acknowledged are missing: the "
                "journal is taken as it is, up to entry %d",
                folder / MARK_FILE,
                store.last_serial,
            )
        return store

    def _begin(self) -> None:
        """Raise the epoch: from its commit on, the server that wrote before cannot write any more."""
        crash_point("before-epoch")
        self._connection.execute("BEGIN IMMEDIATE")
        # The server that wrote before may have done so since we looked; from here on it cannot.
        self.last_serial = last_of(self._connection, self.path)
        self._connection.execute("UPDATE holder SET epoch = epoch + 1, name = ?", (whoami(),))
        (self.epoch,) = self._connection.execute("SELECT epoch FROM holder").fetchone()
        self._connection.execute("COMMIT")
        crash_point("after-epoch")
        self._mark = Mark(self.path.parent, Marked(self.epoch, self.last_serial))
        self._files = tuple((one, os.stat(one)) for one in (self.path, wal_of(self.path)))

    def append(self, entries: Sequence[Entry]) -> None:
        """Keep *entries*; durable on return."""
        self._check_usable()
        check_follows(entries, self.last_serial)
        rows = sealed(entries)
        with self._writing("appending"):
            self._connection.executemany(_INSERT, rows)
            crash_point("before-commit", (one.kind for one in entries))
        self.last_serial = entries[-1].serial
        crash_point("after-commit", (one.kind for one in entries))
        self._acknowledge(sum(len(one.body) + _LINE_BYTES for one in entries))

    def _acknowledge(self, size_bytes: int) -> None:
        """Move the mark; copy the log where it has grown enough. What fails here is not the batch."""
        try:
            if self._mark is not None:
                self._mark.set(self.epoch, self.last_serial)
            self._wrote(size_bytes)
        except JournalError as error:
            self._refusal = error
            raise

    def page(self, after: int) -> list[Entry]:
        """The next entries after serial *after*: none only at the end of the journal."""
        self._check_usable()
        entries: list[Entry] = []
        place, last = str(self.path), self.last_serial
        try:
            for row in self._connection.execute(_PAGE, (after, PAGE_ENTRIES)):
                entries.append(opened(row, after + 1 + len(entries), place))
        except (sqlite3.Error, StateDamaged) as error:
            # What could be read comes first; asked for what follows, we name it.
            if not entries:
                raise self._unreadable(error, after + 1) from error
        if not entries and after < last:
            raise StateDamaged(f"{place}: entries {after + 1} to {last} are missing")
        return entries

    def keep_part(self, serial: int, part: int, body: bytes) -> None:
        """Keep part *part* of the snapshot of *serial*; the first clears what an interrupted one has left."""
        if serial > self.last_serial:
            raise JournalError(f"snapshot of entry {serial}, but the last entry is {self.last_serial}")
        with self._writing("keeping a snapshot"):
            if part == 0:
                self._connection.execute("DELETE FROM snapshots WHERE serial = ?", (serial,))
                self._clear_parts()
            self._connection.execute("INSERT INTO snapshot_parts VALUES (?, ?, ?)", (serial, part, body))
        self._wrote(len(body))

    def keep_head(self, head: Head) -> None:
        """Make the parts kept before a snapshot, and let go of all but the last two."""
        crash_point("before-snapshot")
        with self._writing("keeping a snapshot"):
            values = (head.serial, head.parts, head.size_bytes, head.crc)
            self._connection.execute("INSERT INTO snapshots VALUES (?, ?, ?, ?)", values)
            self._connection.execute(
                "DELETE FROM snapshots WHERE serial NOT IN "
                "(SELECT serial FROM snapshots ORDER BY serial DESC LIMIT 2)"
            )
            self._clear_parts()
        crash_point("after-snapshot")

    def load_snapshot(self) -> Snapshot | None:
        """The newest snapshot that can be read; those that cannot are named in the log."""
        self._check_usable()
        try:
            heads = [Head(*row) for row in self._connection.execute(_HEADS)]
        except sqlite3.DatabaseError as error:
            _log.warning("%s: no snapshot can be read (%s); replaying the whole journal", self.path, error)
            return None
        for head in heads:
            snapshot = self._joined(head)
            if snapshot is not None:
                return snapshot
            _log.warning(
                "%s: the snapshot of entry %d is damaged; using the one before", self.path, head.serial
            )
        return None

    def keep_finished(self, jobs: Sequence[Finished], runs: Sequence[Runs]) -> None:
        """Keep the records of *jobs*, and of *runs* of arrays; durable on return."""
        job_rows, part_rows = finished_rows(jobs), runs_rows(runs)
        with self._writing("keeping finished jobs", beside=True):
            self._connection.executemany(_KEEP_FINISHED, job_rows)
            self._connection.executemany(_KEEP_RUNS, part_rows)
        bodies = [*(job.body for job in jobs), *(part.body for part in runs)]
        self._wrote(sum(len(body) + _LINE_BYTES for body in bodies))

    def clear_finished(self) -> None:
        """See ``Journal.clear_finished``."""
        with self._writing("clearing finished jobs", beside=True):
            for table in ("finished", "finished_runs"):
                self._connection.execute(f"DROP TABLE IF EXISTS {table}")
            for statement in HISTORY.split(";"):
                self._connection.execute(statement)

    def finished(self, which: Which, after: int, most: int) -> list[Finished]:
        """See ``Journal.finished``."""
        self._check_usable()
        values: list[object] = [after]

        def is_one_of(column: str, wanted: Sequence[object]) -> str:
            values.extend(wanted)
            return f"{column} IN ({','.join('?' * len(wanted))})"

        where = f"number > ?{condition(which, is_one_of)}"
        text = f"SELECT {COLUMNS} FROM finished WHERE {where} ORDER BY number LIMIT ?"
        with (
            translated(self.path, "reading finished jobs"),
            closing(self._connection.execute(text, (*values, most))) as rows,
        ):
            return list(opened_rows(rows, str(self.path)))

    def runs(self, number: int, index: int) -> Runs | None:
        """See ``Journal.runs``."""
        self._check_usable()
        with translated(self.path, "reading finished jobs"):
            return opened_runs(self._connection.execute(_RUNS, (number, index)).fetchone(), str(self.path))

    def close(self) -> None:
        """Give the folder back; doing so twice is harmless."""
        self._refusal = JournalError(f"{self.path}: the journal is closed")
        # Closing copies the log into the database. Should that fail, the log stays, and nothing is lost.
        with suppress(sqlite3.Error):
            self._connection.close()
        if self._mark is not None:
            self._mark.close()
            self._mark = None
        self._claim.release()

    def _joined(self, head: Head) -> Snapshot | None:
        try:
            return joined(head, [body for (body,) in self._connection.execute(_PARTS, (head.serial,))])
        except (sqlite3.DatabaseError, TypeError):
            return None

    def _clear_parts(self) -> None:
        self._connection.execute(
            "DELETE FROM snapshot_parts WHERE serial NOT IN (SELECT serial FROM snapshots)"
        )

    @contextmanager
    def _writing(self, doing: str, beside: bool = False) -> Iterator[None]:
        """One transaction, ours by its epoch; what fails is undone, what ends uncertain is the last.

        Not so where tables *beside* the journal are found damaged: all that is in them is in the facts, too.
        """
        self._check_usable()
        self._check_files()
        try:
            with translated(self.path, doing):
                self._connection.execute("BEGIN IMMEDIATE")
                self._check_epoch()
                yield
                self._connection.execute("COMMIT")
        except BaseException as error:
            self._undo()
            passes = (StateFull, Busy, StateDamaged) if beside else (StateFull, Busy)
            if isinstance(error, JournalError) and not isinstance(error, passes):
                self._refusal = error
            raise

    def _undo(self) -> None:
        with suppress(sqlite3.Error):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def _check_usable(self) -> None:
        if self._refusal is not None:
            raise self._refusal

    def _check_epoch(self) -> None:
        epoch, name = self._connection.execute(_EPOCH).fetchone()
        if epoch != self.epoch:
            raise StateTaken(
                f"{self.path.parent} was taken over by {name}: its epoch is {epoch}, ours {self.epoch}"
            )

    def _check_files(self) -> None:
        """Refuse to write into files that no longer have their names: no restart would find them."""
        for path, at_first in self._files:
            try:
                there = os.path.samestat(os.stat(path), at_first)
            except OSError:
                there = False
            if not there:
                self._refusal = StateBroken(f"{path} was removed or replaced while it was in use")
                raise self._refusal

    def _wrote(self, size_bytes: int) -> None:
        """Copy the log into the database when it is long; a full disk puts that off, no other error does."""
        self._pages += 2 + size_bytes // _PAGE_BYTES
        if self._pages < CHECKPOINT_PAGES:
            return
        crash_point("before-checkpoint")
        with suppress(StateFull, Busy), translated(self.path, "copying its log"):
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            self._pages = 0
        crash_point("after-checkpoint")

    def _unreadable(self, error: Exception, serial: int) -> JournalError:
        if isinstance(error, StateDamaged):
            return error
        return StateDamaged(f"{self.path}: entry {serial} cannot be read: {error}")
