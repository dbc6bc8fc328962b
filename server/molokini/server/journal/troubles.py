"""What SQLite and the operating system report, as the errors of the port."""

import errno
import os
import sqlite3
from pathlib import Path

from molokini.server.journal.port import Busy, JournalError, StateBroken, StateDamaged, StateFull

_FULL = (errno.ENOSPC, errno.EDQUOT)
_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.ELOOP)
_DAMAGES = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_ERROR", "SQLITE_SCHEMA", "SQLITE_MISMATCH")
_NO_ROOM_BYTES = 1 << 16


def mount_of(path: Path) -> Path:
    """Where the file system that holds *path* is mounted."""
    place = path.absolute()
    while not os.path.ismount(place):
        place = place.parent
    return place


def full(path: Path) -> StateFull:
    """The error of a file system without room."""
    try:
        room = os.statvfs(path.parent)
        free = f"{room.f_bavail * room.f_frsize // 1024} KiB free"
    except OSError:
        free = "free space unknown"
    return StateFull(f"the file system {mount_of(path)} is full ({free}): {path} could not be written")


def of_system(error: OSError, path: Path) -> JournalError:
    """The error of the port for an error of the operating system at *path*."""
    if error.errno in _FULL:
        return full(path)
    if error.errno in _FORBIDDEN:
        return StateDamaged(f"{path}: {error.strerror} (this process runs as user {os.geteuid()})")
    if error.errno == errno.EROFS:
        return StateBroken(f"{path}: the file system {mount_of(path)} is read-only")
    return StateBroken(f"{path}: {error.strerror or error}")


def of_sqlite(error: sqlite3.Error, path: Path, doing: str) -> JournalError:
    """The error of the port for an error of SQLite, met while *doing* something with *path*."""
    name = str(getattr(error, "sqlite_errorname", ""))
    if name.startswith("SQLITE_FULL") or (name.startswith("SQLITE_IOERR_SHM") and _no_room(path)):
        return full(path)
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return Busy(f"{path}: another process keeps it locked ({doing})")
    if name.startswith("SQLITE_READONLY"):
        return StateBroken(f"{path}: cannot be written ({doing}): {error}")
    # SQLite without an error code: Python itself refuses what it read (text that is not UTF-8).
    if not name or name.startswith(_DAMAGES):
        return StateDamaged(f"{path}: {doing}: {error}")
    return StateBroken(f"{path}: {doing}: {error} ({name})")


def _no_room(path: Path) -> bool:
    """Whether an error that names no cause is one of space: the index of the log grows by 32 KiB."""
    room = os.statvfs(path.parent)
    return room.f_bavail * room.f_frsize < _NO_ROOM_BYTES
