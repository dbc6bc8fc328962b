"""The process that forks the supervisors. The agent's own process never forks.

It reads folders, a line each, and answers with the folder and the process that keeps it, or the number of an
error below 0. A supervisor whose job has ended says so and may keep another one, for which no process has to
be made; the agent hears of such an end by the folder and a 0. The spawner ends when the agent has gone;
supervisors stay until their jobs have ended.
"""

from __future__ import annotations

import fcntl
import gc
import os
import pwd
import select
import signal
import time
from contextlib import suppress

from molokini.supervisor.lifetime import keep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

_HIGHEST = 2**30
_TAKES, _NOTES = 3, 4
"""Files of a supervisor: where it reads of its next attempt, and where it says that one is over."""
_IDLE_S = 1.0
"""A supervisor without a job ends after so long."""
_MOST_KEPT = 1000
"""Attempts of one supervisor: whatever a process gathers in its life has an end."""
_LONGEST = 65536
_SCORE = "/proc/self/oom_score_adj"


class _Supervisor:
    """A supervisor as the spawner knows it."""

    def __init__(self, pid: int, gives: int, folder: bytes) -> None:
        self.pid, self.gives, self.folder = pid, gives, folder
        self.idle_since = 0.0


class Spawner:
    """Forks supervisors, and gives attempts to those whose jobs have ended.

    *starts* is the file of the starter; empty: there is none.
    """

    def __init__(self, starts: str) -> None:
        self._starts = starts
        self._notes, self._noted = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self._poll = select.epoll()
        for file in (0, self._notes):
            self._poll.register(file, select.EPOLLIN)
        self._supervisors: dict[int, _Supervisor] = {}
        self._by_file: dict[int, _Supervisor] = {}
        self._idle: list[_Supervisor] = []
        """Those without a job; the last one had one last."""
        self._text = self._heard = b""

    def run(self) -> None:
        """Do as told until the agent has gone."""
        while True:
            for file, _ in self._poll.poll(_IDLE_S if self._idle else None):
                if file == 0:
                    if not self._read():
                        return
                elif file == self._notes:
                    self._hear()
                elif (supervisor := self._by_file.get(file)) is not None:
                    self._forget(supervisor)
            self._dismiss(time.monotonic() - _IDLE_S)

    def _read(self) -> bool:
        text = os.read(0, _LONGEST)
        *lines, self._text = (self._text + text).split(b"\n")
        if lines:
            # Those that have become free meanwhile come first.
            self._hear()
        for folder in lines:
            self._keep(folder)
        return bool(text)

    def _keep(self, folder: bytes) -> None:
        while self._idle:
            supervisor = self._idle.pop()
            try:
                os.write(supervisor.gives, folder + b"\n")
            except BrokenPipeError:
                self._forget(supervisor)
                continue
            supervisor.folder = folder
            return _say(folder, supervisor.pid)
        try:
            pid = self._fork(folder)
        except OSError as error:
            # The machine cannot make another process; the agent gets the error.
            pid = -(error.errno or 1)
        return _say(folder, pid)

    def _fork(self, folder: bytes) -> int:
        try:
            takes, gives = os.pipe2(os.O_CLOEXEC)
        except OSError:
            # No file is left: it keeps this attempt alone.
            takes = gives = -1
        try:
            pid = os.fork()
            if not pid:
                _be_supervisor(folder, takes, self._noted, self._starts)
        finally:
            if takes >= 0:
                os.close(takes)
        if gives >= 0:
            self._know(_Supervisor(pid, gives, folder))
        return pid

    def _know(self, supervisor: _Supervisor) -> None:
        self._supervisors[supervisor.pid] = self._by_file[supervisor.gives] = supervisor
        # Tells alone that its other end is closed.
        self._poll.register(supervisor.gives, 0)

    def _forget(self, supervisor: _Supervisor) -> None:
        """It has ended, or is to end."""
        if self._by_file.pop(supervisor.gives, None) is None:
            return
        # Another process may have its number by now.
        if self._supervisors.get(supervisor.pid) is supervisor:
            del self._supervisors[supervisor.pid]
        if supervisor in self._idle:
            self._idle.remove(supervisor)
        self._poll.unregister(supervisor.gives)
        os.close(supervisor.gives)

    def _hear(self) -> None:
        """Which supervisors have no job any more."""
        try:
            *lines, self._heard = (self._heard + os.read(self._notes, _LONGEST)).split(b"\n")
        except BlockingIOError:
            return
        for line in lines:
            if (supervisor := self._supervisors.get(int(line))) is not None:
                supervisor.idle_since = time.monotonic()
                self._idle.append(supervisor)
                _say(supervisor.folder, 0)

    def _dismiss(self, before: float) -> None:
        while self._idle and self._idle[0].idle_since <= before:
            self._forget(self._idle[0])


def _say(folder: bytes, pid: int) -> None:
    try:
        os.write(1, folder + b" %d\n" % pid)
    except BrokenPipeError:
        # The agent has gone; its next start finds the supervisor by its lock.
        return


def main(starts: str) -> None:
    """Have a supervisor for each line of standard input; "FOLDER PID" is the answer, and "FOLDER 0" its
    end."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    # Files that were open where the agent was started do not reach a job.
    os.closerange(_TAKES, _HIGHEST)
    _be_as_others()
    # Loads what looks users up, which each supervisor would load by itself.
    pwd.getpwuid(os.geteuid())
    spawner = Spawner(starts)
    # What is here stays: a supervisor that is collected would copy all of it.
    gc.freeze()
    gc.disable()
    spawner.run()


def _be_as_others() -> None:
    """An agent may be spared where the machine has no memory left; its jobs, which inherit that, are not."""
    with suppress(OSError, ValueError):
        with open(_SCORE) as score:
            spared = int(score.read()) < 0
        if spared:
            with open(_SCORE, "w") as score:
                score.write("0")


def _be_supervisor(folder: bytes, takes: int, notes: int, starts: str) -> NoReturn:
    """Cut loose from the spawner and its agent, and keep one attempt after the other."""
    code = 1
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        nothing = os.open("/dev/null", os.O_RDWR)
        for file in (0, 1, 2):
            os.dup2(nothing, file)
        _settle(nothing if takes < 0 else takes, notes)
        for _ in range(_MOST_KEPT):
            if not keep(os.fsdecode(folder), starts):
                break
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.closerange(_NOTES + 1, _HIGHEST)
            # The attempt is let go by now. A spawner that has gone, or does not read, needs no supervisor.
            os.write(_NOTES, b"%d\n" % os.getpid())
            folder = os.read(_TAKES, _LONGEST).rstrip(b"\n")
            if not folder:
                break
        code = 0
    finally:
        os._exit(code)


def _settle(takes: int, notes: int) -> None:
    """Have these files at their places, and no others but the standard ones; no program gets them."""
    high = [fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, _NOTES + 1) for file in (takes, notes)]
    for file, place in zip(high, (_TAKES, _NOTES), strict=True):
        os.dup2(file, place, inheritable=False)
    os.closerange(_NOTES + 1, _HIGHEST)
