"""What is left of a job whose supervisor was killed: its processes, by control group or by their
variables."""

import os
import signal
import time
from collections.abc import Container, Iterator, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from molokini.supervisor.cgroups import ControlGroup
from molokini.supervisor.trees import Descendants, kill_all, send

_KILL_S, _EMPTY_S, _PAUSE_S = 5.0, 1.0, 0.005


class KilledProcesses(NamedTuple):
    """What a supervisor that was killed has left."""

    found: int
    """Processes that were there."""
    staying: list[int]
    """Those that do not end."""


class _Marked(Descendants):
    """Processes with a variable that names an attempt's folder: what there is without a control group."""

    def __init__(self, folder: str) -> None:
        super().__init__(0)
        # Not the number of the job, which another cluster on this machine may have, too.
        self._mark = f"MOLOKINI_NODE_FILE={folder}/nodes".encode()

    def pids(self) -> list[int]:
        """All processes with the mark."""
        return [pid for pid in _pids() if pid != os.getpid() and self._mark in _variables(pid)]


def kill_left(started: dict[str, Any], folder: str, label: str, groups: dict[str, str]) -> KilledProcesses:
    """Kill what is left of the attempt *label* in *folder*; what became of it."""
    tree: Descendants
    if started["cgroup"] and groups:
        # No descendant of ours: the group alone says what is of the job.
        tree = ControlGroup(-1, groups, label)
    else:
        tree = _Marked(folder)
    found = tree.pids()
    send(found, signal.SIGKILL)
    # What its supervisor had frozen ends when it is thawed, and not before.
    tree.resume()
    gone = kill_all(tree, lambda: None, time.monotonic() + _KILL_S)
    left = [] if gone else tree.pids()
    tree.remove()
    until = time.monotonic() + _EMPTY_S
    while gone and tree.cgroup and groups_of(groups, label) and time.monotonic() < until:
        # A process is no longer listed a while before its group is empty: it gives up its memory first.
        time.sleep(_PAUSE_S)
        tree.remove()
    return KilledProcesses(len(found), left)


def clear_groups(groups: Mapping[str, str], kept: Container[str]) -> None:
    """End what is in the groups of other attempts than *kept*, which could not be ended then; remove them.

    Nothing is waited for: what still does not end keeps its group until the next start of the agent.
    """
    labels: set[str] = set()
    for base in groups.values():
        with suppress(OSError):
            labels.update(one.name for one in os.scandir(base) if one.is_dir())
    for label in labels:
        if label not in kept:
            tree = ControlGroup(-1, groups, label)
            send(tree.pids(), signal.SIGKILL)
            tree.resume()
            tree.remove()


def groups_of(groups: Mapping[str, str], label: str) -> list[str]:
    """The groups of the attempt *label* that are there."""
    return [path for base in groups.values() if os.path.isdir(path := f"{base}/{label}")]


def kill_marked(folder: str) -> None:
    """Kill what a prolog or an epilog of the attempt in *folder* has left, whose supervisor was killed."""
    kill_all(_Marked(folder), lambda: None, time.monotonic() + _KILL_S)


def _pids() -> Iterator[int]:
    return (int(name) for name in os.listdir("/proc") if name.isdigit())


def _variables(pid: int) -> set[bytes]:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return set(file.read().split(b"\0"))
    except OSError:
        return set()
