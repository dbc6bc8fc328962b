"""The word of a server that is starting: a file in its state that it keeps locked until it can be asked.

The lock goes with the process, however that ends, so no file that is left behind misleads a command.
"""

import contextlib
import fcntl
import time
from pathlib import Path
from typing import BinaryIO

from molokini.client.endpoint import STARTING

_TRIES, _PAUSE_S = 20, 0.002
"""A command that looks has the lock for a moment."""


class Starting:
    """Tells commands that a server on the state in *folder* is starting."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / STARTING
        self._file: BinaryIO | None = None

    def tell(self) -> None:
        """From now on, where there is such a folder already: a start that fails leaves no trace."""
        if self._file is not None or not self._path.parent.is_dir():
            return
        # A state that cannot be written to is complained about elsewhere, and better.
        with contextlib.suppress(OSError):
            file = self._path.open("ab")
            if not _locked(file):  # another server is starting here, and says so
                file.close()
                return
            self._file = file

    def over(self) -> None:
        """It can be asked, or never will be; a second time does nothing."""
        if self._file is not None:
            self._path.unlink(missing_ok=True)
            self._file.close()
            self._file = None


def _locked(file: BinaryIO) -> bool:
    for _ in range(_TRIES):
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(_PAUSE_S)
        else:
            return True
    return False
