"""What is left of a job whose keeper was killed: its processes, by control group or by their variables."""

import os
import time
from collections.abc import Iterator
from typing import Any

from molokini.keeper.cgroups import ControlGroup
from molokini.keeper.trees import Descendants, kill_all

_KILL_S = 5.0


class _Marked(Descendants):
    """Processes whose first variables name an attempt: all that is left to go by without a control group."""

    def __init__(self, marks: set[bytes]) -> None:
        super().__init__(0)
        self._marks = marks

    def pids(self) -> list[int]:
        """All processes with the marks."""
        return [pid for pid in _pids() if pid != os.getpid() and self._marks <= _variables(pid)]


def kill_left(started: dict[str, Any], label: str, groups: dict[str, str]) -> int:
    """Kill what is left of the attempt *label*; how many processes that were."""
    tree: Descendants
    if started["cgroup"] and groups:
        # No descendant of ours: the group alone says what is of the job.
        tree = ControlGroup(-1, groups, label)
    else:
        job, _, attempt = label.rpartition("-")
        number, _, index = job.partition(".")
        marks = {f"MOLOKINI_JOB_ID={number}".encode(), f"MOLOKINI_ATTEMPT={attempt}".encode()}
        tree = _Marked(marks | ({f"MOLOKINI_ARRAY_INDEX={index}".encode()} if index else set()))
    count = len(tree.pids())
    kill_all(tree, lambda: None, time.monotonic() + _KILL_S)
    tree.remove()
    return count


def _pids() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdigit())


def _variables(pid: int) -> set[bytes]:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return set(file.read().split(b"\0"))
    except OSError:
        return set()
