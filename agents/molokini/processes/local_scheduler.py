"""The local scheduler of a node that coschedules by messages: requests of jobs' processes, on a Unix socket.

A process connects, and the kernel says which process that is and as which user. It registers with its job,
learns where its status word is, and asks for its job when a message has come from where that job is
scheduled. A connection that ends is a process that has gone. What is decided is the business of ``Decider``;
shares of time are bounded by quotas of the control group of a job, or else by slices.
"""

import asyncio
import logging
import mmap
import os
import socket
import struct
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum
from typing import Protocol

from molokini.processes.rates import Running
from molokini.processes.spool import Spool
from molokini.supervisor.trees import descends

_log = logging.getLogger(__name__)
SOCKET, STATUS = "local", "status"
"""In the folder of the agent."""
WORDS = 4096
"""Status words in the file: a byte each."""
REQUEST = struct.Struct("<qq")
"""What a process says: a number of ``Code``, and its job."""
ANSWER = struct.Struct("<qq")
"""What it hears: a number of the decider's answers, or ``REFUSED``; and the place of its status word."""
REFUSED = 4
_PEER = struct.Struct("=3i")
_LONGEST = 107
_MOST_REFUSALS_TOLD = 20
_NS = 1_000_000_000


class Code(IntEnum):
    """Requests on the wire."""

    REGISTER = 1
    LEAVE = 2
    SCHEDULE = 3


class Decider(Protocol):
    """Decides which job is scheduled here (``process_sim.node_daemon``)."""

    @property
    def jobs(self) -> Sequence[str]:
        """Those that have registered."""

    @property
    def scheduled(self) -> str | None:
        """The one that is scheduled."""

    def share(self, job: str) -> int:
        """Per cent of each of its processors that *job* may use."""

    def register(self, job: str, process: int, at_ns: int) -> int:
        """A process begins."""

    def leave(self, job: str, process: int, at_ns: int, cpu_ns: Mapping[str, int]) -> int:
        """A process has ended."""

    def schedule(self, job: str, process: int, at_ns: int) -> int:
        """A process asks for its job."""

    def switch(self, at_ns: int, cpu_ns: Mapping[str, int]) -> int:
        """The timer asks for the job with the least CPU time."""


@dataclass(slots=True)
class _Guest:
    """A process that has connected."""

    connection: socket.socket
    pid: int
    uid: int
    label: str = ""
    """Its attempt, once it is registered."""
    word: int = -1


class LocalScheduler:
    """Serves requests while it is attached.

    *running* names the attempts of a job; *cap* bounds an attempt to a share of its processors, in per
    cent (100: no bound), and hears of its place among the others.
    """

    def __init__(
        self,
        decider: Decider,
        slice_s: float,
        spool: Spool,
        running: Callable[[int], Iterable[Running]],
        cap: Callable[[str, int, int], None],
    ) -> None:
        self._decider, self._slice_s, self._spool = decider, slice_s, spool
        self._running, self._cap = running, cap
        self._guests: dict[int, _Guest] = {}
        self._shares: dict[str, int] = {}
        self._free = list(range(WORDS - 1, -1, -1))
        self._words = bytearray(WORDS)
        """What the file says, unless it was tampered with."""
        self.refused = 0
        """Requests that were refused."""
        self.served_ns: list[int] = []
        """How long each of the last requests took."""
        self._timer: asyncio.TimerHandle | None = None
        self._socket: socket.socket | None = None
        self._status = self._map(str(spool.folder / STATUS))
        self.path = ""
        """What jobs have as the variable; empty: there is no socket."""
        self._open(str(spool.folder / SOCKET))

    def _map(self, path: str) -> mmap.mmap:
        """The status words: any process may read them, and none but the agent's user write."""
        if os.path.lexists(path):
            os.unlink(path)
        made = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o644)
        try:
            os.fchmod(made, 0o644)
            os.ftruncate(made, WORDS)
            return mmap.mmap(made, WORDS)
        finally:
            os.close(made)

    def _open(self, path: str) -> None:
        if len(os.fsencode(path)) > _LONGEST:
            _log.warning("jobs are not coscheduled: %s is too long a path for a socket", path)
            return
        made = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET | socket.SOCK_NONBLOCK)
        try:
            if os.path.lexists(path):
                os.unlink(path)
            made.bind(path)
            os.chmod(path, 0o666)
            made.listen(128)
        except OSError as error:
            made.close()
            _log.warning("jobs are not coscheduled: %s: %s", path, error.strerror)
            return
        self._socket, self.path = made, path

    def attach(self) -> None:
        """Serve in the running loop."""
        loop = asyncio.get_running_loop()
        if self._socket is not None:
            loop.add_reader(self._socket, self._accept)
        for guest in self._guests.values():
            loop.add_reader(guest.connection, self._hear, guest)
        self._timer = loop.call_later(self._slice_s, self._ring)

    def detach(self) -> None:
        """Serve no more until it is attached again; what is scheduled stays."""
        loop = asyncio.get_running_loop()
        if self._socket is not None:
            loop.remove_reader(self._socket)
        for guest in self._guests.values():
            loop.remove_reader(guest.connection)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def close(self) -> None:
        """The agent ends: its jobs go on without bounds."""
        for guest in list(self._guests.values()):
            self._forget(guest)
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        for label in self._shares:
            self._cap(label, 100, 0)
        self._shares.clear()

    def drop(self, label: str) -> None:
        """The attempt is over."""
        for guest in [one for one in self._guests.values() if one.label == label]:
            self._leave(guest)

    def _ring(self) -> None:
        """The timer daemon: a request like any other, once a slice."""
        self._timer = asyncio.get_running_loop().call_later(self._slice_s, self._ring)
        self._check_words()
        if self._decider.jobs:
            self._decider.switch(time.monotonic_ns(), self._cpu_times())
            self._apply()

    def _accept(self) -> None:
        assert self._socket is not None
        try:
            connection, _ = self._socket.accept()
        except OSError:
            return
        connection.setblocking(False)
        pid, uid, _ = _PEER.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size))
        guest = _Guest(connection, pid, uid)
        self._guests[connection.fileno()] = guest
        asyncio.get_running_loop().add_reader(connection, self._hear, guest)

    def _hear(self, guest: _Guest) -> None:
        began = time.monotonic_ns()
        try:
            text = guest.connection.recv(REQUEST.size + 1)
        except (BlockingIOError, InterruptedError):
            return
        except OSError:
            text = b""
        if not text:
            self._leave(guest)
            return
        answer = self._serve(guest, text)
        with suppress(OSError):
            # Where it does not read, nothing waits for it.
            guest.connection.send(ANSWER.pack(answer, guest.word))
        self.served_ns.append(time.monotonic_ns() - began)
        del self.served_ns[:-10_000]

    def _serve(self, guest: _Guest, text: bytes) -> int:
        if len(text) != REQUEST.size:
            return self._refuse(guest, "a request of another length")
        code, job = REQUEST.unpack(text)
        self._check_words()
        if code == Code.REGISTER and not guest.label:
            return self._register(guest, job)
        if not guest.label:
            return self._refuse(guest, f"request {code} of a process that is not registered")
        if code == Code.SCHEDULE:
            before = self._decider.scheduled
            found = self._decider.schedule(guest.label, guest.pid, time.monotonic_ns())
            if self._decider.scheduled != before:
                self._apply()
            return found
        if code == Code.LEAVE:
            self._leave(guest, close=False)
            return 0
        return self._refuse(guest, f"request {code}, which is none of a process")

    def _register(self, guest: _Guest, job: int) -> int:
        running = self._of(guest, job)
        if running is None:
            return self._refuse(guest, f"to register with job {job}, whose process it is not")
        if not self._free:
            return self._refuse(guest, "no status word is free")
        found = self._decider.register(running.label, guest.pid, time.monotonic_ns())
        if found == REFUSED:
            return self._refuse(
                guest, f"job {job}: there is no share of time for another job, or it is twice"
            )
        guest.label, guest.word = running.label, self._free.pop()
        self._apply()
        return found

    def _of(self, guest: _Guest, job: int) -> Running | None:
        """The attempt of *job* whose process that is."""
        for running in self._running(job):
            started = self._spool.record(running.label).started
            if started is None or started.get("uid") != guest.uid:
                continue
            if running.supervisor and descends(guest.pid, running.supervisor):
                return running
        return None

    def _refuse(self, guest: _Guest, why: str) -> int:
        self.refused += 1
        if self.refused <= _MOST_REFUSALS_TOLD:
            _log.warning("coscheduling: refused process %d of user %d: %s", guest.pid, guest.uid, why)
        return REFUSED

    def _leave(self, guest: _Guest, close: bool = True) -> None:
        if guest.label:
            self._decider.leave(guest.label, guest.pid, time.monotonic_ns(), self._cpu_times())
            self._set_word(guest.word, 0)
            self._free.append(guest.word)
            label, guest.label, guest.word = guest.label, "", -1
            if label not in self._decider.jobs and self._shares.pop(label, 100) != 100:
                self._cap(label, 100, 0)
            self._apply()
        if close:
            self._forget(guest)

    def _forget(self, guest: _Guest) -> None:
        self._guests.pop(guest.connection.fileno(), None)
        with suppress(RuntimeError):
            # The loop may have ended before.
            asyncio.get_running_loop().remove_reader(guest.connection)
        guest.connection.close()

    def _apply(self) -> None:
        """Bound every job to its share, and set the status words."""
        scheduled, jobs = self._decider.scheduled, list(self._decider.jobs)
        # Those whose share falls come first, so that no instant gives more than there is.
        changed = [job for job in jobs if self._shares.get(job) != self._decider.share(job)]
        for job in sorted(changed, key=lambda job: job == scheduled):
            self._shares[job] = self._decider.share(job)
            self._cap(job, self._shares[job], jobs.index(job))
        for guest in self._guests.values():
            if guest.label:
                self._set_word(guest.word, int(guest.label == scheduled))

    def _set_word(self, place: int, word: int) -> None:
        self._words[place] = self._status[place] = word

    def _check_words(self) -> None:
        """Words are for processes to read: what has changed in the file by another hand is put right."""
        if self._status[:] != bytes(self._words):
            _log.warning("coscheduling: status words were tampered with; they are written again")
            self._status[:] = bytes(self._words)

    def _cpu_times(self) -> dict[str, int]:
        """CPU time of the registered processes of each job, ns: those that have gone are not counted."""
        found = dict.fromkeys(self._decider.jobs, 0)
        for guest in self._guests.values():
            if guest.label:
                found[guest.label] += cpu_time_ns(guest.pid)
        return found


def cpu_time_ns(pid: int) -> int:
    """CPU time of a process and its threads so far; 0 where it has gone."""
    total = 0
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/schedstat") as file:
                total += int(file.read().split()[0])
    except (OSError, ValueError, IndexError):
        return total
    return total
