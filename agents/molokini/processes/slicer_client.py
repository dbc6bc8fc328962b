"""The agent's side of the slicer: which attempts are sliced and how; it is restarted when it ends."""

import asyncio
import contextlib
import json
import logging
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from molokini.agents.offset import ClockOffset
from molokini.feedback.admission import emptiest
from molokini.model.slicing import Slicing
from molokini.processes.helpers import start_helper
from molokini.processes.spool import Spool
from molokini.proto.v1.agent_service_pb2 import AttemptRef, SlicedAttempt
from molokini.proto.v1.jobs_pb2 import Sliced
from molokini.supervisor.leases import LeaseFile
from molokini.supervisor.records import RUNNING, STATE
from molokini.supervisor.trees import descendants

_log = logging.getLogger(__name__)
_FIGURES_S, _AGAIN_S = 2.0, 1.0
"""How often figures are asked for; and a slicer that ends is started again no sooner."""
_END_S, _LOOK_S = 2.0, 0.001
"""So long it may take to let its jobs go on when the agent ends."""
_MOVED_NS = 50_000
"""A grid is moved when the offset is known better by so much."""
SIGNALS, DEADLINE, QUOTA = "signals", "deadline", "quota"
"""What keeps the slices of jobs by deadline: the slicer stops and continues, the kernel schedules threads by
deadlines, or the quota of the control group of the job is its share."""
ENFORCEMENTS = (SIGNALS, DEADLINE, QUOTA)
_LISTS = ("freezer", "memory", "cpuacct", "unified")
"""Controllers with whose groups every job is listed that has one."""


def slicing_of(wired: Any) -> Slicing:
    """What the message says. Raises BadInput for what cannot be."""
    made = Slicing(
        period_s=wired.period_s,
        slice_s=wired.slice_s,
        rows=wired.rows,
        row=tuple(wired.row),
        quantum_s=wired.quantum_s,
        origin_s=wired.origin_s,
        real_time=wired.real_time,
        by_deadline=wired.by_deadline,
        cores={one.node: tuple(one.core) for one in wired.cores},
    )
    made.check()
    return made


class Windows(NamedTuple):
    """When an attempt computes, in nanoseconds of our monotonic clock."""

    period: int
    windows: tuple[tuple[int, int], ...]
    origin: int


@dataclass(slots=True)
class _Taken:
    """A sliced attempt."""

    ref: AttemptRef
    slicing: Slicing
    supervisor: int
    cores: tuple[int, ...] = ()
    """Those that it shares with others by deadline."""
    origin: int = 0
    """As the slicer has it, nanoseconds of our clock."""


class Slicer:
    """Starts the slicer with the first order, and ends it with the agent; *tell* lets the server know."""

    def __init__(
        self,
        spool: Spool,
        groups: dict[str, str],
        offset: ClockOffset | None,
        node: str = "",
        enforce: str = SIGNALS,
    ) -> None:
        self.enforce = enforce
        self._spool, self._groups, self._offset, self._node = spool, groups, offset, node
        self.tell: Callable[[SlicedAttempt], None] = lambda sliced: None
        self.windows: Callable[[str, Windows], None] = lambda label, windows: None
        """Hears of the windows of an attempt whenever they are ordered."""
        self._beat = spool.folder / "beat"
        self._cores = sorted(os.sched_getaffinity(0))
        self._taken: dict[str, _Taken] = {}
        self._leaving: dict[str, AttemptRef] = {}
        """Attempts whose last figures have not come."""
        self.pid = 0
        """The process of the slicer; 0: there is none."""
        self._writes = self._reads = -1
        self._text, self._attached = b"", False
        self._timer: asyncio.TimerHandle | None = None
        if offset is not None:
            offset.watch(self._moved)

    @property
    def beat(self) -> str:
        """The file with the slicer's beat."""
        if not self._beat.exists():
            # Over at once: no slicer beats yet.
            LeaseFile(str(self._beat), writes=True).ends_s = 0.0
        return str(self._beat)

    def slicing(self, label: str) -> Slicing | None:
        """How the attempt is sliced."""
        taken = self._taken.get(label)
        return taken.slicing if taken is not None else None

    def take(
        self, label: str, ref: AttemptRef, slicing: Slicing, supervisor: int, processors: int = 1
    ) -> None:
        """Slice the attempt from now on as *slicing* says, whatever was before.

        By deadline it has the cores that are ordered; where none are, as many as *processors*, those of which
        least is taken, and keeps them.
        """
        taken = self._taken.get(label)
        if taken is not None and taken.slicing == slicing:
            return
        cores: tuple[int, ...] = ()
        if slicing.by_deadline:
            cores = self._ordered(slicing) or (taken.cores if taken is not None else ())
            cores = cores or self._emptiest(processors)
        self._taken[label] = _Taken(ref, slicing, supervisor, cores)
        if not self.pid:
            self._start()
        self._order(label)

    def _ordered(self, slicing: Slicing) -> tuple[int, ...]:
        """The cores that the server has chosen here; empty: none, or some that this agent has not got."""
        chosen = slicing.cores.get(self._node, ())
        if not all(core < len(self._cores) for core in chosen):
            return ()
        return tuple(self._cores[core] for core in chosen)

    def _emptiest(self, count: int) -> tuple[int, ...]:
        shares = [
            sum(round(1e6 * one.slicing.share) for one in self._taken.values() if core in one.cores)
            for core in self._cores
        ]
        return tuple(self._cores[place] for place in emptiest(shares, count))

    def drop(self, label: str) -> None:
        """Slice it no more."""
        if (taken := self._taken.pop(label, None)) is not None:
            self._leaving[label] = taken.ref
            self._send(do="drop", job=label)

    def attach(self) -> None:
        """Hear the slicer in the running loop."""
        self._attached = True
        if self.pid:
            asyncio.get_running_loop().add_reader(self._reads, self._hear)
            self._ask()

    def detach(self) -> None:
        """Stop reading its reports; the slicer continues."""
        self._attached = False
        if self._timer is not None:
            self._timer.cancel()
        if self.pid:
            asyncio.get_running_loop().remove_reader(self._reads)

    def stop(self) -> None:
        """End it; it lets all jobs go on."""
        if self.pid:
            self._close()

    def _start(self) -> None:
        # As if it had beaten: it is given a moment to begin.
        LeaseFile(self.beat, writes=True).ends_s = time.monotonic()
        self.pid, self._writes, self._reads = start_helper("molokini.slicing.helper", self.beat)
        os.set_blocking(self._writes, False)
        self._text = b""
        if self._attached:
            self.attach()

    def _close(self) -> None:
        os.close(self._writes)
        os.close(self._reads)
        until = time.monotonic() + _END_S
        while os.waitpid(self.pid, os.WNOHANG) == (0, 0):
            if time.monotonic() >= until:
                # It stands still itself; supervisors continue its jobs.
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                break
            time.sleep(_LOOK_S)
        self.pid, self._writes, self._reads = 0, -1, -1

    def _order(self, label: str) -> None:
        taken = self._taken[label]
        if self._offset is not None and not self._offset.known:
            # The first answer to a heartbeat comes soon, and all that is waiting is ordered then.
            return
        taken.origin = self._origin(taken)
        period, windows = taken.slicing.windows()
        self.windows(label, Windows(period, windows, taken.origin))
        self._send(
            do="slice",
            job=label,
            state=str(self._spool.path(label) / STATE),
            supervisor=taken.supervisor,
            procs=self._procs(label),
            period=period,
            windows=windows,
            origin=taken.origin,
            corrects=not taken.slicing.rows,
            fifo=taken.slicing.real_time,
            cores=taken.cores,
            **({"enforce": DEADLINE} if self.enforce == DEADLINE and taken.slicing.by_deadline else {}),
        )

    def _origin(self, taken: _Taken) -> int:
        own_s = taken.slicing.origin_s
        if self._offset is not None:
            own_s = self._offset.own_s(own_s)
        return round(own_s * 1e9)

    def _moved(self) -> None:
        """The offset to the server's clock is known better."""
        for label, taken in self._taken.items():
            origin = self._origin(taken)
            if not taken.origin:
                self._order(label)
            elif abs(origin - taken.origin) >= _MOVED_NS:
                taken.origin = origin
                self.windows(label, Windows(*taken.slicing.windows(), origin))
                self._send(do="move", job=label, origin=origin)

    def _send(self, **order: Any) -> None:
        try:
            os.write(self._writes, json.dumps(order).encode() + b"\n")
        except OSError:
            # It has ended, or stands still: supervisors continue what it has stopped, and its end tells of
            # it.
            return

    def _ask(self) -> None:
        if self._taken or self._leaving:
            self._send(do="tell")
            if LeaseFile(self.beat).ends_s < time.monotonic() - _FIGURES_S:
                # It stands still, and its end has to be noticed like any other.
                os.kill(self.pid, signal.SIGKILL)
        self._timer = asyncio.get_running_loop().call_later(_FIGURES_S, self._ask)

    def _hear(self) -> None:
        try:
            text = os.read(self._reads, 65536)
        except BlockingIOError:
            return
        if not text:
            self._ended()
            return
        *lines, self._text = (self._text + text).split(b"\n")
        for line in lines:
            try:
                said = json.loads(line)
            except ValueError:
                continue
            self._heard(said)

    def _heard(self, said: dict[str, Any]) -> None:
        label = said.get("job", "")
        taken = self._taken.get(label)
        ref = taken.ref if taken is not None else self._leaving.pop(label, None)
        if "trouble" in said:
            _log.warning("slicer: %s%s", f"job {label}: " if label else "", said["trouble"])
        if ref is not None:
            self.tell(SlicedAttempt(attempt=ref, sliced=_wired(said)))

    def _ended(self) -> None:
        """Everything goes on at once; supervisors would continue what it has stopped when its beat is
        over."""
        _log.warning("the slicer ended; restarting it")
        for label in self._taken:
            self._let_go_on(label)
        asyncio.get_running_loop().remove_reader(self._reads)
        if self._timer is not None:
            self._timer.cancel()
        self._close()
        self._leaving.clear()
        asyncio.get_running_loop().call_later(_AGAIN_S, self._again)

    def _let_go_on(self, label: str) -> None:
        """Continue the processes of an attempt that is not suspended, as its supervisor says."""
        try:
            if (self._spool.path(label) / STATE).read_bytes()[:1] != RUNNING:
                return
        except OSError:
            return
        for pid in self._pids(label):
            with contextlib.suppress(OSError):
                handle = os.pidfd_open(pid)
                try:
                    # What is still listed is the process that the handle is of.
                    if pid in self._pids(label):
                        signal.pidfd_send_signal(handle, signal.SIGCONT)
                finally:
                    os.close(handle)

    def _pids(self, label: str) -> list[int]:
        if not (listed := self._procs(label)):
            return descendants(self._taken[label].supervisor)
        try:
            with open(listed) as file:
                return list(map(int, file.read().split()))
        except OSError:
            return []

    def _procs(self, label: str) -> str:
        """The list of its control group; empty where it has none."""
        return next((f"{self._groups[c]}/{label}/cgroup.procs" for c in _LISTS if c in self._groups), "")

    def _again(self) -> None:
        if not self._taken or self.pid:
            return
        self._start()
        for label in self._taken:
            self._order(label)


def refused(ref: AttemptRef, reason: str) -> SlicedAttempt:
    """The report to the server about an order that is not carried out."""
    return SlicedAttempt(attempt=ref, sliced=Sliced(trouble=reason[:1000]))


def _wired(said: dict[str, Any]) -> Sliced:
    found = said.get("figures", {})
    return Sliced(
        periods=found.get("periods", 0),
        elapsed_s=found.get("elapsed_s", 0.0),
        on_s=found.get("on_s", 0.0),
        ran_s=found.get("ran_s", 0.0),
        waited_s=found.get("waited_s", 0.0),
        misses=found.get("misses", 0),
        late_s=found.get("late_s", ()),
        jitter_s=found.get("jitter_s", ()),
        trouble=said.get("trouble", "")[:1000],
    )
