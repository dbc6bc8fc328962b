"""What is left of a job whose keeper was killed: its processes, by control group or by their variables."""

import os
import signal
import time
from collections.abc import Iterator
from typing import Any

from molokini.keeper.cgroups import ControlGroup
from molokini.keeper.trees import Descendants, kill_all, send

_KILL_S = 5.0


class _Marked(Descendants):
    """Processes with a variable that names an attempt's folder: what there is without a control group."""

    def __init__(self, folder: str) -> None:
        super().__init__(0)
        # Not the number of the job, which another cluster on this machine may have, too.
        self._mark = f"MOLOKINI_NODE_FILE={folder}/nodes".encode()

    def pids(self) -> list[int]:
        """All processes with the mark."""
        return [pid for pid in _pids() if pid != os.getpid() and self._mark in _variables(pid)]


def kill_left(started: dict[str, Any], folder: str, label: str, groups: dict[str, str]) -> int:
    """Kill what is left of the attempt *label* in *folder*; how many processes that were."""
    tree: Descendants
    if started["cgroup"] and groups:
        # No descendant of ours: the group alone says what is of the job.
        tree = ControlGroup(-1, groups, label)
    else:
        tree = _Marked(folder)
    left = tree.pids()
    # What stands still hears the signal when it goes on.
    send(left, signal.SIGKILL)
    tree.resume()
    kill_all(tree, lambda: None, time.monotonic() + _KILL_S)
    tree.remove()
    return len(left)


def kill_marked(folder: str) -> None:
    """Kill what a prolog or an epilog of the attempt in *folder* has left, whose keeper was killed."""
    kill_all(_Marked(folder), lambda: None, time.monotonic() + _KILL_S)


def _pids() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdigit())


def _variables(pid: int) -> set[bytes]:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return set(file.read().split(b"\0"))
    except OSError:
        return set()
