"""The mark: how far a journal was acknowledged, in a file beside the database.

SQLite ends a write-ahead log, without a word, at the first page whose checksum is wrong, and does without a
log that is gone. After a power cut that is right: what is lost was never acknowledged. After a damage it
silently forgets what was. The mark tells the two apart. It is written after each commit and not synced: it
costs some microseconds, it is exact after the death of the process, and after a power cut it may be behind,
never ahead.
"""

import errno
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from molokini.server.journal.port import StateDamaged
from molokini.server.journal.syncing import sync
from molokini.server.journal.troubles import of_system

MARK_FILE = "journal.mark"
_LARGEST_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Marked:
    """What a mark says; zeros where there is none."""

    epoch: int = 0
    serial: int = 0


def read_mark(folder: Path) -> Marked:
    """The mark in *folder*. StateDamaged where there is one that cannot be read.

    A mark that is removed says nothing. One that is damaged may be all that is left to tell that entries are
    missing, so it is never taken for one that is not there.
    """
    path = folder / MARK_FILE
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return Marked()
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error
    try:
        said = os.read(handle, _LARGEST_BYTES)
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error
    finally:
        os.close(handle)
    marked = _marked_by(said)
    if marked is None:
        raise _unreadable(path, "it is empty" if not said else "its checksum is wrong")
    return marked


def _unreadable(path: Path, cause: str) -> StateDamaged:
    return StateDamaged(
        f"{path} cannot be read ({cause}), so nothing tells how far the journal was acknowledged: restore it "
        f"from a copy (to go on with the entries that are there, of which the last may be lost, remove it)"
    )


def _marked_by(line: bytes) -> Marked | None:
    """What *line* says; None where it is not, byte for byte, what a writer wrote."""
    with suppress(ValueError):
        epoch, serial, _ = line.split(b" ")
        marked = Marked(int(epoch), int(serial))
        if line == _line(marked.epoch, marked.serial):
            return marked
    return None


def _line(epoch: int, serial: int) -> bytes:
    said = f"{epoch:020d} {serial:020d}"
    return f"{said} {crc32(said.encode()):08x}\n".encode()


class Mark:
    """The open mark of the writer."""

    def __init__(self, folder: Path, marked: Marked) -> None:
        """Begin with *marked*; on return the file is on disk, whole and under its name."""
        self._path = folder / MARK_FILE
        try:
            self._handle = _opened(self._path, marked)
            self.set(marked.epoch, marked.serial)
            os.fsync(self._handle)
        except OSError as error:
            raise of_system(error, self._path) from error

    def set(self, epoch: int, serial: int) -> None:
        """*serial* and all before it are durable, by the writer of *epoch*."""
        try:
            os.pwrite(self._handle, _line(epoch, serial), 0)
        except OSError as error:
            # A mark that is behind is still true; a full disk must not fail a commit that is done.
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise of_system(error, self._path) from error

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)


def _opened(path: Path, marked: Marked) -> int:
    """A handle on the mark at *path*; where there is none it is made, and gets its name when it is whole.

    A file that is written under its name would be empty for a moment, and a process that dies in it leaves
    what looks like a damaged mark.
    """
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    with suppress(FileNotFoundError):
        return os.open(path, flags)
    draft = path.with_name(path.name + ".new")
    draft.unlink(missing_ok=True)
    handle = os.open(draft, flags | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        os.write(handle, _line(marked.epoch, marked.serial))
        os.fsync(handle)
        os.replace(draft, path)
        sync(path.parent)
    except BaseException:
        os.close(handle)
        raise
    return handle
