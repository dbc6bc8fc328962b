"""The mark: how far a journal was acknowledged, in a file beside the database.

SQLite ends a write-ahead log, without a word, at the first page whose checksum is wrong, and does without a
log that is gone. After a power cut that is right: what is lost was never acknowledged. After a damage it
silently forgets what was. The mark tells the two apart. It is written after each commit and not synced: it
costs some microseconds, it is exact after the death of the process, and after a power cut it may be behind,
never ahead.
"""

import errno
import os
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

from molokini.server.journal.troubles import of_system

MARK_FILE = "journal.mark"


@dataclass(frozen=True, slots=True)
class Marked:
    """What a mark says; zeros where there is none that can be read."""

    epoch: int = 0
    serial: int = 0


def read_mark(folder: Path) -> Marked:
    """The mark in *folder*. One that cannot be read says nothing: it is a witness, not the state."""
    try:
        text = (folder / MARK_FILE).read_text(encoding="ascii")
        said, _, crc = text.rstrip("\n").rpartition(" ")
        if crc32(said.encode()) != int(crc, 16):
            return Marked()
        epoch, serial = said.split()
        return Marked(int(epoch), int(serial))
    except (OSError, ValueError):
        return Marked()


class Mark:
    """The open mark of the writer."""

    def __init__(self, folder: Path, marked: Marked) -> None:
        """Begin with *marked*; on return the file has its full size on disk."""
        self._path = folder / MARK_FILE
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            self._handle = os.open(self._path, flags, 0o600)
            self.set(marked.epoch, marked.serial)
            os.fsync(self._handle)
        except OSError as error:
            raise of_system(error, self._path) from error

    def set(self, epoch: int, serial: int) -> None:
        """*serial* and all before it are durable, by the writer of *epoch*."""
        said = f"{epoch:020d} {serial:020d}"
        line = f"{said} {crc32(said.encode()):08x}\n".encode()
        try:
            os.pwrite(self._handle, line, 0)
        except OSError as error:
            # A mark that is behind is still true; a full disk must not fail a commit that is done.
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise of_system(error, self._path) from error

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)
