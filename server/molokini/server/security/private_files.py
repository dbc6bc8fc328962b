"""Files that hold secrets: made whole or not at all, mode 0600, and refused when others can read them."""

import errno
import os
import secrets
import stat
from pathlib import Path

from molokini.model.errors import BadFile

MOST_BYTES = 1 << 20
_FULL = (errno.ENOSPC, errno.EDQUOT)


class NotWritten(BadFile):
    """A file could not be written; what was there before is still there."""

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(str(path), f"cannot be written: {(error.strerror or str(error)).lower()}")
        self.full = error.errno in _FULL
        """Whether there is no room for it."""


def create(path: Path, body: bytes) -> bool:
    """Make *path* with *body*, mode 0600, durable; False where there is such a file already, which stays."""
    draft = _draft(path, body)
    try:
        # Linking refuses to replace, and shows the file only when it is complete.
        os.link(draft, path)
    except FileExistsError:
        return False
    finally:
        os.unlink(draft)
    _sync_folder(path)
    return True


def replace(path: Path, body: bytes) -> None:
    """Put *body* in the place of what *path* holds, mode 0600, durable; readers see the old or the new."""
    os.replace(_draft(path, body), path)
    _sync_folder(path)


def read(path: Path) -> bytes:
    """The content of *path*, which must be a file of this process's user that no other user can read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, "rb") as stream:
            _check(path, os.fstat(handle))
            return stream.read(MOST_BYTES)
    except OSError as error:
        raise BadFile(str(path), (error.strerror or str(error)).lower()) from error


def _check(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise BadFile(str(path), "not a file")
    if status.st_uid not in (0, os.geteuid()):
        raise BadFile(str(path), "belongs to another user; it must be the server's or root's")
    if status.st_mode & 0o077:
        raise BadFile(str(path), "holds a secret and others can read or write it; set its mode to 0600")


def _draft(path: Path, body: bytes) -> Path:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(handle, "wb") as stream:
            stream.write(body)
            stream.flush()
            os.fsync(handle)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise NotWritten(path, error) from error
    return draft


def _sync_folder(path: Path) -> None:
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
