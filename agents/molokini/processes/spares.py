"""Folders of attempts that are over, kept for others: no file has to be made, and none removed.

Making and removing half a dozen files costs more than running a short job: a file system may pass over each
number of a file that was removed just now, so that a thousand jobs look past thousands of them.

What is left in such a folder of the attempt before cannot be taken for what came of the next: without a
launch it is no attempt, each line of a record names its own, and the lock has no process's number.
"""

import os
import shutil
import stat
from pathlib import Path

from molokini.supervisor.records import CONTROL, LAUNCH, LAUNCH_DRAFT, LOCK, NODES, RECORD, SCRIPT

MOST = 256
"""Folders that are kept."""
_KEPT = {LAUNCH, LOCK, CONTROL, RECORD, NODES}
_NODES_MODE = stat.S_IFREG | 0o644


class Spares:
    """Spare folders in *place*, of this start of the agent alone; those of the start before are removed."""

    def __init__(self, place: Path) -> None:
        self._place = place
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(mode=0o700, exist_ok=True)
        self._free: list[str] = []
        self._made = 0

    def give(self, path: Path) -> None:
        """Keep the folder of an attempt that is over, and that no process uses; else remove it."""
        try:
            if len(self._free) < MOST and _is_plain(path):
                _empty(path)
                self._made += 1
                spare = f"{self._place}/{self._made}"
                os.rename(path, spare)
                self._free.append(spare)
                return
        except OSError:
            # It may be half emptied: it is no attempt any more, and goes.
            pass
        shutil.rmtree(path, ignore_errors=True)

    def take(self, place: str) -> bool:
        """Have *place*, which is to be an attempt's, from what was kept; False: there is nothing."""
        try:
            spare = self._free.pop()
        except IndexError:
            return False
        os.rename(spare, place)
        return True


def _is_plain(path: Path) -> bool:
    """Whether the folder has what every attempt has, as its supervisor made it, and a script at most."""
    names = set(os.listdir(path))
    # A job of the agent's own user may have put something else in its place.
    nodes = os.lstat(path / NODES) if NODES in names else None
    if names - {SCRIPT} != _KEPT or nodes is None:
        return False
    return (nodes.st_mode, nodes.st_nlink) == (_NODES_MODE, 1)


def _empty(path: Path) -> None:
    """Leave nothing of its attempt; the launch first, for without it there is none."""
    (path / LAUNCH).rename(path / LAUNCH_DRAFT)
    (path / SCRIPT).unlink(missing_ok=True)
    for name, text in ((LOCK, b"0"), (RECORD, b"\n"), (LAUNCH_DRAFT, b"\n")):
        # Not truncated: a file that is written after a truncation is flushed to the disk when it is closed.
        file = os.open(path / name, os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            os.pwrite(file, text, 0)
            os.ftruncate(file, len(text))
        finally:
            os.close(file)
