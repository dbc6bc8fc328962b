"""The word of a server that is starting: a file that it keeps locked until it can be asked.

It is in the folder of the state; a new state has none until the policy is compiled and the journal made, so
the file is beside where it will be until then. The lock goes with the process, however that ends, so no
file that is left behind misleads a command.
"""

import contextlib
import fcntl
import time
from pathlib import Path
from typing import BinaryIO

from molokini.client.endpoint import starting_files

_TRIES, _PAUSE_S = 20, 0.002
"""A command that looks has the lock for a moment."""


class Starting:
    """Tells commands that a server on the state in *folder* is starting."""

    def __init__(self, folder: Path) -> None:
        self._inside, self._beside = starting_files(folder)
        self._told: Path | None = None
        self._file: BinaryIO | None = None

    def tell(self) -> None:
        """From now on; called again once there is a folder. A start that fails leaves no trace."""
        path = self._inside if self._inside.parent.is_dir() else self._beside
        if path == self._told or not path.parent.is_dir():
            return
        # A state that cannot be written to is complained about elsewhere, and better.
        with contextlib.suppress(OSError):
            file = path.open("ab")
            if not _locked(file):  # another server is starting here, and says so
                file.close()
                return
            # First the new word, then no longer the old one: a command always finds one of them.
            self.over()
            self._told, self._file = path, file

    def over(self) -> None:
        """It can be asked, or never will be; a second time does nothing."""
        if self._told is not None and self._file is not None:
            self._told.unlink(missing_ok=True)
            self._file.close()
            self._told = self._file = None


def _locked(file: BinaryIO) -> bool:
    for _ in range(_TRIES):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE_S)
        else:
            return True
    return False
