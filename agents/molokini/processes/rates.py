"""How fast programs go, by their own account: datagrams on a Unix socket of the agent.

A datagram is believed of a job alone whose process sent it. The kernel says which process that was and as
which user; it has to be the job's user, and to descend from the supervisor of the job, which adopts its
orphans.
"""

import asyncio
import logging
import os
import socket
import struct
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import NamedTuple

from molokini.processes.datagram_filter import let_all_pass, let_pass
from molokini.processes.processor_time import ProcessorTime, Spent
from molokini.processes.spool import Spool
from molokini.proto.v1.agent_service_pb2 import AttemptRef, RatedAttempt
from molokini.proto.v1.jobs_pb2 import Rate
from molokini.supervisor.trees import descends

_log = logging.getLogger(__name__)
SOCKET = "rate"
"""In the folder of the agent."""
FORMAT = struct.Struct("<3qd")
_SENDER = struct.Struct("=3i")
_LONGEST = 107
"""Bytes of the longest path of a Unix socket."""
_TELL_S = 0.25
"""The server hears of an attempt so often at most."""
_BATCH = 64
"""Datagrams that are read before anything else of the agent has its turn. A job that sends so many before
the server hears of it again is not heard until then."""
_MOST = 4 * _BATCH
"""So many of all jobs together are a flood, too."""


class Datagram(NamedTuple):
    """What a program says."""

    job: int
    iteration: int
    at_ns: int
    """When it ended, on the machine's monotonic clock."""
    per_s: float


class Sender(NamedTuple):
    """Who it was, as the kernel says."""

    pid: int
    uid: int


@dataclass(slots=True)
class Running:
    """An attempt that may send."""

    label: str
    ref: AttemptRef
    supervisor: int
    """The process of its supervisor; 0: not known yet."""


@dataclass(slots=True)
class _Rated:
    """What is known of an attempt."""

    ref: AttemptRef
    uid: int
    own: set[int] = field(default_factory=set)
    """Processes that were found to be its own."""
    last: Datagram | None = None
    told: bool = True
    clock: ProcessorTime | None = None
    spent: Spent | None = None
    """When that was said."""


class Rates:
    """Reads while it is attached; *tell* hears what was said last of each attempt.

    *running* names the attempts of a job, *jobs* all of which there are any, and *at_s* says when it was an
    instant of the monotonic clock. *groups* are the control groups of all jobs, by controller.
    """

    def __init__(
        self,
        spool: Spool,
        running: Callable[[int], Iterable[Running]],
        jobs: Callable[[], Iterable[int]],
        at_s: Callable[[float], float],
        groups: Mapping[str, str],
    ) -> None:
        self._groups = groups
        self._spool, self._running, self._jobs, self._at_s = spool, running, jobs, at_s
        self.tell: Callable[[RatedAttempt], None] = lambda rated: None
        self.begins: Callable[[str], None] = lambda label: None
        """Hears of an attempt that reports for the first time."""
        self._rated: dict[str, _Rated] = {}
        self.refused = 0
        """Datagrams that were dropped."""
        self.floods = 0
        """How often some were not heard for a moment."""
        self._timer: asyncio.TimerHandle | None = None
        """The server hears of all attempts then, and all are heard again."""
        self._heard: Counter[int] = Counter()
        """Datagrams since then, by the job of which they said to be."""
        self._flooding: set[int] = set()
        """Jobs that are not heard until then."""
        self._filters = self._pauses = False
        """Whether the kernel drops their reports, and whether nothing is read at all."""
        self._socket: socket.socket | None = None
        self.path = ""
        """What jobs have as the variable; empty: there is no socket."""
        self._open(str(spool.folder / SOCKET))

    def _open(self, path: str) -> None:
        if len(os.fsencode(path)) > _LONGEST:
            _log.warning("jobs cannot report their rates: %s is too long a path for a socket", path)
            return
        made = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            if os.path.lexists(path):
                # Of a start before: the folder has one agent at a time.
                os.unlink(path)
            made.bind(path)
            # Every user may send; the kernel adds the process and the user of the sender.
            os.chmod(path, 0o666)
        except OSError as error:
            made.close()
            _log.warning("jobs cannot report their rates: %s: %s", path, error.strerror)
            return
        self._socket, self.path = made, path

    def attach(self) -> None:
        """Read in the running loop, and tell again what is known: the server may be another one."""
        if self._socket is not None:
            asyncio.get_running_loop().add_reader(self._socket, self._hear)
        for one in self._rated.values():
            one.told = one.last is None
        self._tell_soon()

    def detach(self) -> None:
        """Read no longer."""
        self._hear_all()
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket)
        if self._timer is not None:
            self._timer.cancel()
        self._timer = None

    def drop(self, label: str) -> None:
        """The attempt is over; its last rate goes to the server."""
        if label in self._rated:
            self._hear()
            one = self._rated.pop(label)
            self._tell(one)
            if one.clock is not None:
                one.clock.close()

    def close(self) -> None:
        """The agent ends; rates that jobs send are lost until its next start."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _hear(self) -> None:
        if self._socket is None:
            return
        for _ in range(_BATCH):
            try:
                text, more, flags, _ = self._socket.recvmsg(FORMAT.size, socket.CMSG_SPACE(_SENDER.size))
            except OSError:
                break
            self._heard[int.from_bytes(text[:8], "little")] += 1
            said, sender = _read(text, flags), _sender(more)
            if said is None or sender is None or not self._take(said, sender):
                self.refused += 1
        flooding = {job for job, count in self._heard.items() if count >= _BATCH}
        if flooding or self._heard.total() >= _MOST:
            self._stem(flooding)
        self._tell_soon()

    def _stem(self, flooding: set[int]) -> None:
        """Leave the agent its time, and the queue to others: 10^5 datagrams a second would take both.

        Until the server hears of attempts again the kernel queues reports of other jobs alone. Where it
        cannot, or that is too much, nothing is read: senders find the socket full, and lose what they send.
        """
        assert self._socket is not None
        self.floods += 1
        self._heard.clear()
        self._flooding |= flooding
        others = set(self._jobs()) - self._flooding
        if (self._filters and not flooding) or not let_pass(self._socket, others, FORMAT.size):
            self._pauses = asyncio.get_running_loop().remove_reader(self._socket)
        self._filters = True

    def _hear_all(self) -> None:
        self._heard.clear()
        self._flooding.clear()
        if self._socket is not None:
            if self._filters:
                let_all_pass(self._socket)
            if self._pauses:
                asyncio.get_running_loop().add_reader(self._socket, self._hear)
        self._filters = self._pauses = False

    def _take(self, said: Datagram, sender: Sender) -> bool:
        """Keep what was said; False: it is of no job of that sender, or not new."""
        for running in self._running(said.job):
            one = self._known(running)
            if one is None or not self._is_of(sender, running, one):
                continue
            if one.last is not None and (
                said.iteration <= one.last.iteration or said.at_ns <= one.last.at_ns
            ):
                return False
            if one.last is None:
                self.begins(running.label)
            one.last, one.told = said, False
            one.clock = one.clock or ProcessorTime(self._groups, running.label)
            one.spent = one.clock.spent(sender.pid)
            return True
        return False

    def _known(self, running: Running) -> _Rated | None:
        """What is known of an attempt; None where it has not begun."""
        if (one := self._rated.get(running.label)) is None:
            started = self._spool.record(running.label).started
            if started is None or "uid" not in started:
                return None
            one = self._rated[running.label] = _Rated(running.ref, started["uid"])
        return one

    @staticmethod
    def _is_of(sender: Sender, running: Running, one: _Rated) -> bool:
        if sender.uid != one.uid:
            # Also where the number was a process of the job's before: only its own user may have it now.
            return False
        if sender.pid not in one.own:
            if not running.supervisor or not descends(sender.pid, running.supervisor):
                return False
            one.own.add(sender.pid)
        return True

    def _tell_soon(self) -> None:
        untold = any(not one.told for one in self._rated.values())
        if self._timer is None and (untold or self._heard or self._filters):
            self._timer = asyncio.get_running_loop().call_later(_TELL_S, self._tell_all)

    def _tell_all(self) -> None:
        self._timer = None
        self._hear_all()
        for one in self._rated.values():
            self._tell(one)

    def _tell(self, one: _Rated) -> None:
        if one.told or one.last is None:
            return
        one.told = True
        at_s = self._at_s(one.last.at_ns / 1e9)
        rate = Rate(iteration=one.last.iteration, per_s=one.last.per_s, at_s=at_s)
        if one.spent is not None:
            one.spent.write(rate)
        self.tell(RatedAttempt(attempt=one.ref, rate=rate))


def _read(text: bytes, flags: int) -> Datagram | None:
    """What the datagram says; None for one that cannot be."""
    if len(text) != FORMAT.size or flags & socket.MSG_TRUNC:
        return None
    said = Datagram(*FORMAT.unpack(text))
    well = said.iteration > 0 and 0 < said.at_ns <= time.monotonic_ns() and 0.0 < said.per_s < inf
    return said if well else None


def _sender(more: list[tuple[int, int, bytes]]) -> Sender | None:
    for level, kind, value in more:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS) and len(value) >= _SENDER.size:
            pid, uid, _ = _SENDER.unpack_from(value)
            # 0 is a process that is not to be seen from here.
            return Sender(pid, uid) if pid > 0 else None
    return None
