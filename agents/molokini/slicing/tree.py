"""The processes of a sliced job, by handles: no signal reaches another process that has got the number."""

from __future__ import annotations

import os
import signal

from molokini.supervisor.trees import descendants

_ROUNDS = 50


class Tree:
    """All processes of a job: those in the list *procs* of its control group, else what *supervisor*
    began."""

    def __init__(self, supervisor: int, procs: str) -> None:
        self._supervisor, self._procs = supervisor, procs
        self._handles: dict[int, int] = {}

    def listed(self) -> list[int]:
        """Every process of it now, as the kernel says."""
        if not self._procs:
            return descendants(self._supervisor)
        try:
            with open(self._procs) as file:
                return list(map(int, file.read().split()))
        except OSError:
            return []

    @property
    def pids(self) -> list[int]:
        """Those of which it has handles."""
        return list(self._handles)

    def stop(self) -> None:
        """Stop those that are known, at once; then those that were made since, until there are no more."""
        self._send(signal.SIGSTOP)
        for _ in range(_ROUNDS):
            new = self.find()
            if not new:
                return
            for pid in new:
                if pid in self._handles:
                    self._signal(pid, signal.SIGSTOP)

    def go(self) -> None:
        """Continue all that are known: who stands still makes no new ones."""
        self._send(signal.SIGCONT)

    def go_all(self) -> None:
        """Continue those as well that were made since they were looked for last."""
        self.find()
        self._send(signal.SIGCONT)

    def find(self) -> list[int]:
        """The processes that are new. Kept are those that are still there after their handles were opened."""
        listed = self.listed()
        opened = [pid for pid in listed if pid not in self._handles and self._open(pid)]
        if not opened:
            return []
        still = set(self.listed())
        for pid in [pid for pid in opened if pid not in still]:
            self._forget(pid)
        return opened

    def _open(self, pid: int) -> bool:
        try:
            self._handles[pid] = os.pidfd_open(pid)
        except OSError:
            return False
        return True

    def _send(self, number: int) -> None:
        for pid in list(self._handles):
            self._signal(pid, number)

    def _signal(self, pid: int, number: int) -> None:
        try:
            signal.pidfd_send_signal(self._handles[pid], number)
        except OSError:
            self._forget(pid)

    def _forget(self, pid: int) -> None:
        os.close(self._handles.pop(pid))

    def close(self) -> None:
        """Let the handles go."""
        for pid in list(self._handles):
            self._forget(pid)
