"""How long the threads of a job have computed, and how long they waited for a processor."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_THREADS = 64
"""Of jobs with more threads the first ones are measured, since each takes a microsecond."""


class Spent:
    """Nanoseconds since the look before."""

    __slots__ = ("ran", "ran_most", "waited_most")

    def __init__(self, ran: int, ran_most: int, waited_most: int) -> None:
        self.ran = ran
        """Of all threads together."""
        self.ran_most, self.waited_most = ran_most, waited_most
        """Of the thread that ran longest, and of the one that waited longest."""


class Meter:
    """Looks at ``/proc/PID/task/TID/schedstat``, which is kept open."""

    def __init__(self) -> None:
        self._files: dict[int, int] = {}
        self._before: dict[int, tuple[int, int]] = {}

    def follow(self, pids: Iterable[int]) -> None:
        """Look at the threads of these processes from now on."""
        threads: dict[int, int] = {}
        for pid in pids:
            try:
                threads.update(dict.fromkeys(map(int, os.listdir(f"/proc/{pid}/task")), pid))
            except OSError:
                continue
        for thread in self._files.keys() - threads.keys():
            self._forget(thread)
        for thread, pid in threads.items():
            if thread not in self._files and len(self._files) < MOST_THREADS:
                self._open(pid, thread)

    def _open(self, pid: int, thread: int) -> None:
        try:
            self._files[thread] = os.open(f"/proc/{pid}/task/{thread}/schedstat", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return
        self._read(thread)

    def _read(self, thread: int) -> tuple[int, int]:
        """What it has run and waited since it was read last."""
        try:
            ran, waited, _ = os.pread(self._files[thread], 80, 0).split()
        except (OSError, ValueError):
            self._forget(thread)
            return 0, 0
        now = int(ran), int(waited)
        before = self._before.get(thread, now)
        self._before[thread] = now
        return now[0] - before[0], now[1] - before[1]

    def spent(self) -> Spent:
        """What was spent since the last look."""
        found = [self._read(thread) for thread in list(self._files)]
        return Spent(
            sum(ran for ran, _ in found),
            max((ran for ran, _ in found), default=0),
            max((waited for _, waited in found), default=0),
        )

    def _forget(self, thread: int) -> None:
        os.close(self._files.pop(thread))
        self._before.pop(thread, None)

    def close(self) -> None:
        """Look no more."""
        for thread in list(self._files):
            self._forget(thread)
