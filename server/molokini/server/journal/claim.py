"""The claim on a state folder: one writer at a time on this machine, and its name.

The lock is the kernel's, on an open file: it goes with the process however that dies, and a second claim in
the same process is refused too. It does not prove everything (a lock file can be deleted, a network file
system can lose locks), so the journal checks its epoch besides.
"""

import fcntl
import os
import socket
import time
from pathlib import Path

from molokini.server.journal.port import StateTaken
from molokini.server.journal.troubles import of_system

LOCK_FILE = "journal.lock"


def whoami() -> str:
    """This process, as others will read it."""
    since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime())
    return f"process {os.getpid()} on {socket.gethostname()} (since {since})"


class Claim:
    """A held lock; ``release`` gives it back."""

    def __init__(self, path: Path, handle: int) -> None:
        self._path, self._handle = path, handle

    @classmethod
    def make(cls, folder: Path, take_over: bool) -> "Claim":
        """Claim *folder*, or StateTaken that names the holder.

        *take_over* claims it from a holder that lives (one that is paused, say): the old lock file is put
        aside for a new one, and the old holder learns it from the epoch when it next writes.
        """
        path = folder / LOCK_FILE
        try:
            return cls(path, _locked(path, take_over))
        except OSError as error:
            raise of_system(error, path) from error

    def release(self) -> None:
        """Give the lock back; doing so twice is harmless."""
        if self._handle >= 0:
            # The file stays: a process that has just opened it may wait for the lock.
            os.close(self._handle)
            self._handle = -1


def _locked(path: Path, take_over: bool) -> int:
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            if _try_lock(handle, path, take_over):
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _try_lock(handle: int, path: Path, take_over: bool) -> bool:
    """Whether *handle* is now the lock at *path*, with our name in it; if not, open *path* again."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        if not take_over:
            holder = os.pread(handle, 200, 0).decode(errors="replace").strip()
            raise StateTaken(f"{path.parent} is in use by {holder or 'another process'}") from None
        path.unlink(missing_ok=True)
        return False
    # Another process may have put the file aside between our opening and locking it.
    if not _is_at(handle, path):
        return False
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"{whoami()}\n".encode(), 0)
    return True


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), os.stat(path, follow_symlinks=False))
    except FileNotFoundError:
        return False
