"""The file of an SQLite journal: where it is, making it, opening it, and refusing one that is not whole."""

import os
import pwd
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from molokini.server.journal.mark import MARK_FILE, Marked
from molokini.server.journal.port import JournalError, StateDamaged, StateMissing
from molokini.server.journal.seals import FORMAT, opened
from molokini.server.journal.syncing import make_folders, sync
from molokini.server.journal.troubles import of_sqlite, of_system

DATABASE_FILE = "journal.sqlite"
APPLICATION_ID = 0x4D6F6C6F
"""``Molo``: tells ``file`` and us that this database is a journal."""
ASIDE = "-wal.background"
"""Ending of the name under which the log of a damaged state is kept."""
BUSY_S = 1.0

_TABLES = f"""
PRAGMA journal_mode = WAL;
BEGIN;
CREATE TABLE entries (
    serial INTEGER PRIMARY KEY, time_s REAL NOT NULL, kind TEXT NOT NULL, version INTEGER NOT NULL,
    body TEXT NOT NULL, crc INTEGER NOT NULL) STRICT;
CREATE TABLE holder (
    one INTEGER PRIMARY KEY CHECK (one = 1), epoch INTEGER NOT NULL, name TEXT NOT NULL) STRICT;
CREATE TABLE snapshots (
    serial INTEGER PRIMARY KEY, parts INTEGER NOT NULL, size_bytes INTEGER NOT NULL,
    crc INTEGER NOT NULL) STRICT;
CREATE TABLE snapshot_parts (
    serial INTEGER NOT NULL, part INTEGER NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (serial, part)) STRICT;
INSERT INTO holder VALUES (1, 0, '');
PRAGMA application_id = {APPLICATION_ID};
PRAGMA user_version = {FORMAT};
COMMIT;
"""

HISTORY = """
CREATE TABLE IF NOT EXISTS finished (
    number INTEGER PRIMARY KEY, user_name TEXT NOT NULL, queue TEXT NOT NULL, name TEXT NOT NULL,
    version INTEGER NOT NULL, body TEXT NOT NULL, crc INTEGER NOT NULL) STRICT;
CREATE INDEX IF NOT EXISTS finished_of_user ON finished (user_name, number);
CREATE TABLE IF NOT EXISTS finished_runs (
    number INTEGER NOT NULL, last_index INTEGER NOT NULL, version INTEGER NOT NULL, body TEXT NOT NULL,
    crc INTEGER NOT NULL, PRIMARY KEY (number, last_index)) STRICT, WITHOUT ROWID;
"""
"""Beside the journal: finished jobs, for callers that ask for them."""

LAST = "SELECT serial, time_s, kind, version, body, crc FROM entries ORDER BY serial DESC LIMIT 1"


def wal_of(path: Path) -> Path:
    """The write-ahead log of the database at *path*."""
    return path.with_name(path.name + "-wal")


@contextmanager
def translated(path: Path, doing: str) -> Iterator[None]:
    """Errors of SQLite and the system, met *doing* something with *path*, as those of the port."""
    try:
        yield
    except sqlite3.Error as error:
        raise of_sqlite(error, path, doing) from error
    except OSError as error:
        raise of_system(error, path) from error


def prepare(folder: Path, *, new: bool, marked: Marked) -> Path:
    """The path of the database in *folder*: there already, or, if *new*, made now.

    StateMissing where there is none and none was asked for; StateDamaged where there was one.
    """
    path = folder / DATABASE_FILE
    if path.exists():
        _check_file(path)
        _check_file(wal_of(path))
        return path
    if marked.serial or wal_of(path).exists():
        raise StateDamaged(
            f"{path} is missing, but {folder} has held a journal of {marked.serial} entries or more: "
            f"restore it (to give it up, remove {MARK_FILE} and {wal_of(path).name} too)"
        )
    if not new:
        raise StateMissing(
            f"no state in {folder}: {DATABASE_FILE} is missing; a new one begins only with --new (server.new)"
        )
    with translated(path, "making a new journal"):
        _make(path)
    return path


def make_folder(folder: Path) -> None:
    """Make *folder* for this user alone, if it is not there."""
    try:
        make_folders(folder, 0o700)
    except OSError as error:
        raise of_system(error, folder) from error


def connect(path: Path, *, synced: bool = True) -> sqlite3.Connection:
    """A connection whose commits are durable when they return, and whose checkpoints are ours to run.

    Without *synced* they are so against the death of the process, not against a power cut.
    """
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_S,
    )
    try:
        connection.execute(f"PRAGMA synchronous = {'FULL' if synced else 'OFF'}")
        # SQLite's own checkpoints swallow the errors of their syncs.
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("PRAGMA cell_size_check = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def log_bytes(path: Path) -> int:
    """Size of the write-ahead log of the database at *path*; ask before connecting, which makes one."""
    try:
        return wal_of(path).stat().st_size
    except FileNotFoundError:
        return 0


def set_log_aside(path: Path) -> None:
    """Give the log a second name: closing the connection copies what is whole in it, and removes the rest."""
    with suppress(FileExistsError, FileNotFoundError):
        os.link(wal_of(path), path.with_name(path.name + ASIDE))


def last_of(connection: sqlite3.Connection, path: Path) -> int:
    """Serial of the last entry, which is checked; 0 where there is none."""
    row = connection.execute(LAST).fetchone()
    return opened(row, row[0], str(path)).serial if row else 0


def check_whole(connection: sqlite3.Connection, path: Path, marked: Marked, log_size_bytes: int) -> None:
    """StateDamaged where less is there than was acknowledged or referred to."""
    _check_kind(connection, path)
    last = last_of(connection, path)
    epoch = connection.execute("SELECT epoch FROM holder").fetchone()
    if epoch is None:
        raise StateDamaged(f"{path}: its holder row is missing")
    if not isinstance(epoch[0], int):
        raise StateDamaged(f"{path}: its holder row is damaged (epoch {epoch[0]!r})")
    if last < marked.serial or epoch[0] < marked.epoch:
        raise _cut(path, last, marked, log_size_bytes)
    (kept,) = connection.execute("SELECT coalesce(max(serial), 0) FROM snapshots").fetchone()
    if kept > last:
        raise StateDamaged(f"{path}: holds a snapshot of entry {kept}, but its last entry is {last}")


def _check_kind(connection: sqlite3.Connection, path: Path) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise StateDamaged(f"{path}: is not a journal of molokini (application id {application:#x})")
    if version > FORMAT:
        raise JournalError(f"{path}: has format {version}, of a later release; this one reads up to {FORMAT}")
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    if version < 1 or mode != "wal":
        raise StateDamaged(f"{path}: its header is damaged (format {version}, journal mode {mode})")


def _cut(path: Path, last: int, marked: Marked, log_size_bytes: int) -> StateDamaged:
    cause = f"{wal_of(path).name} is {'damaged or cut' if log_size_bytes else 'missing or empty'}"
    return StateDamaged(
        f"{path}: ends at entry {last}, but entry {marked.serial} (epoch {marked.epoch}) was acknowledged; "
        f"{cause}, or the file is an older copy (to go on without them, remove {MARK_FILE})"
    )


def _check_file(path: Path) -> None:
    """Refuse, by name, a file that is not this user's, not a plain file, or empty where it cannot be."""
    try:
        status = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return
    except OSError as error:
        raise of_system(error, path) from error
    if status.st_uid != os.geteuid():
        raise StateDamaged(
            f"{path} belongs to {_user(status.st_uid)}, but this process runs as {_user(os.geteuid())}"
        )
    if path.name == DATABASE_FILE and status.st_size == 0:
        raise StateDamaged(f"{path} is empty: it was cut, for a new journal is never empty")


def _user(number: int) -> str:
    try:
        return f"user {pwd.getpwuid(number).pw_name}"
    except KeyError:
        return f"user {number}"


def _make(path: Path) -> None:
    """A new database, under its name only when it is whole and on disk."""
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    wal_of(draft).unlink(missing_ok=True)
    os.close(os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    connection = sqlite3.connect(draft, isolation_level=None)
    try:
        connection.execute("PRAGMA synchronous = FULL")
        connection.executescript(_TABLES)
    finally:
        connection.close()
    sync(draft)
    os.replace(draft, path)
    sync(path.parent)
