"""All processes of a job: those of its control group, or, where there is none, all descendants of its
supervisor.

A supervisor adopts the orphans among its descendants, so neither a second fork nor a session of its own
takes a process out of its job.
"""

from __future__ import annotations

import os
import signal
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ROUNDS = 100
_DEEPEST = 1000
_PART = 65536
_PAUSE_S = 0.002


def descendants(of: int) -> list[int]:
    """Every process that descends from process *of*, parents before children."""
    found = list(_children(of))
    for pid in found:
        found.extend(_children(pid))
    return found


def _children(pid: int) -> Iterator[int]:
    try:
        threads = os.listdir(f"/proc/{pid}/task")
        for thread in threads:
            yield from map(int, whole(f"/proc/{pid}/task/{thread}/children").split())
    except OSError:
        return


def whole(path: str) -> bytes:
    """What is in a file; without a file object, which takes ten times as long to make."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        parts = []
        while part := os.read(file, _PART):
            parts.append(part)
        return b"".join(parts)
    finally:
        os.close(file)


def descends(pid: int, of: int) -> bool:
    """Whether process *pid* descends from process *of*, as far as that can be seen now."""
    for _ in range(_DEEPEST):
        if pid <= 1:
            return False
        try:
            with open(f"/proc/{pid}/stat") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
        except OSError:
            return False
        if pid == of:
            return True
    return False


def alive(pid: int) -> bool:
    """Whether *pid* is a process that has not ended."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except OSError:
        return False


def send(pids: list[int], number: int) -> None:
    """Send a signal to each that is still there."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except OSError:
            continue


class Descendants:
    """A job without a control group."""

    cgroup = False

    def __init__(self, supervisor: int) -> None:
        self._supervisor = supervisor

    def pids(self) -> list[int]:
        """All processes that have not ended."""
        return [pid for pid in descendants(self._supervisor) if alive(pid)]

    def entrances(self) -> list[str]:
        """Files that take the number of a process which is to be one of them: none here."""
        return []

    def enter(self) -> None:
        """A child of the supervisor is a descendant already."""

    def suspend(self) -> None:
        """Stop all: again, until no process has been made meanwhile."""
        stopped: set[int] = set()
        for _ in range(_ROUNDS):
            new = [pid for pid in self.pids() if pid not in stopped]
            if not new:
                return
            send(new, signal.SIGSTOP)
            stopped.update(new)

    def resume(self) -> None:
        """Let all go on."""
        send(self.pids(), signal.SIGCONT)

    def share(self, processors: int, rate: float, period_us: int = 0) -> None:
        """Have no more than this share of so many processors: not without a control group."""

    def usage(self) -> dict[str, float]:
        """What the kernel has counted for all of them: nothing, without a control group."""
        return {}

    def out_of_memory(self) -> bool:
        """Whether a process was killed for want of memory: not known."""
        return False

    def remove(self) -> None:
        """Nothing was made."""


def kill_all(tree: Descendants, reap: Callable[[], object], until: float) -> bool:
    """Kill every process, and those that are made meanwhile; whether all had ended by the instant *until*."""
    while True:
        pids = tree.pids()
        if not pids:
            return True
        send(pids, signal.SIGKILL)
        reap()
        if time.monotonic() >= until:
            return not tree.pids()
        time.sleep(_PAUSE_S)


class Reaper:
    """Takes the ends of all children, adopted ones included."""

    def __init__(self) -> None:
        self.ends: dict[int, int] = {}
        """By pid, the status of those that are waited for by name."""
        self.seconds = 0.0
        """Processor time of all that have ended."""
        self.memory_kb = 0
        """The most that one process had."""
        self.blocks = (0, 0)
        """Read and written, as the kernel counts them: 512 bytes each."""

    def expect(self, pid: int) -> None:
        """The end of *pid* is to be kept."""
        self.ends.setdefault(pid, -1)

    def __call__(self) -> bool:
        """Take what has ended; whether there is any child left."""
        try:
            while True:
                pid, status, used = os.wait4(-1, os.WNOHANG)
                if not pid:
                    return True
                self.seconds += used.ru_utime + used.ru_stime
                self.memory_kb = max(self.memory_kb, used.ru_maxrss)
                self.blocks = (self.blocks[0] + used.ru_inblock, self.blocks[1] + used.ru_oublock)
                if pid in self.ends:
                    self.ends[pid] = status
        except ChildProcessError:
            return False
