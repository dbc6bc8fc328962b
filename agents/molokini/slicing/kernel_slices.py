"""A job whose (period, slice) the kernel itself keeps: each of its threads is a task of SCHED_DEADLINE.

Nothing is stopped: the kernel takes the processor from a thread that has had its slice, in steps of its timer
ticks, and counts processor time, not time. Threads cannot be bound to cores, and where in a period they
compute is not said, so that nodes are not in phase. What such a thread makes is an ordinary one until it is
looked for next.
"""

from __future__ import annotations

import ctypes
import os
import struct
import time

from molokini.slicing.meter import Meter
from molokini.slicing.record import Record
from molokini.slicing.tree import Tree
from molokini.supervisor.records import ENDING, RUNNING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OTHER, _DEADLINE = 0, 6
_RESET_ON_FORK = 1
_ATTRIBUTES = struct.Struct("=IIQiIQQQ")
"""``struct sched_attr``: size, policy, flags, nice, priority; runtime, deadline, period in nanoseconds."""
_CALLS = {"x86_64": 314, "aarch64": 274, "riscv64": 274, "ppc64le": 355, "s390x": 345}
"""Numbers of the call sched_setattr."""
_LOOK_NS = 50_000_000
"""How often new threads are looked for, and figures are taken."""


def set_deadline(thread: int, slice_: int, period: int) -> str:
    """Give *thread* (0: this one) *slice_* of each *period*, nanoseconds; empty, or why that cannot be."""
    return _set(thread, _DEADLINE, _RESET_ON_FORK, slice_, period)


def set_ordinary(thread: int) -> str:
    """Make *thread* an ordinary one again."""
    return _set(thread, _OTHER, 0, 0, 0)


def _set(thread: int, policy: int, flags: int, slice_: int, period: int) -> str:
    number = _CALLS.get(os.uname().machine)
    if number is None:
        return "this kind of machine is not known"
    text = _ATTRIBUTES.pack(_ATTRIBUTES.size, policy, flags, 0, 0, slice_, period, period)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(number, thread, ctypes.create_string_buffer(text, len(text)), 0) == 0:
        return ""
    return os.strerror(ctypes.get_errno())


class KernelSlices:
    """One job, as ``Sliced``."""

    by_deadline = False
    """It has no turns among the jobs of the slicer: the kernel gives it those."""

    def __init__(self, order: dict[str, Any]) -> None:
        self.job: str = order["job"]
        self._state_path: str = order["state"]
        self._state = -1
        self._tree = Tree(order["supervisor"], order["procs"])
        self._meter, self.record = Meter(), Record()
        self._given: set[int] = set()
        """Threads that have the present pair."""
        self.trouble = ""
        self._told = False
        self._since = 0
        self.next = 0
        self._period, self._slice = order["period"], order["windows"][0][1]

    def change(self, order: dict[str, Any]) -> bool:
        """Another pair for the same processes."""
        if order.get("enforce") != "deadline":
            return False
        self._period, self._slice = order["period"], order["windows"][0][1]
        self._given.clear()
        self._since = self.next = 0
        return True

    def replan(self) -> None:
        """Others change nothing for it."""

    def move(self, origin: int) -> None:
        """Its periods have no origin."""

    def look(self) -> None:
        """It is looked for in ``act``."""

    def stops_at(self, now: int) -> bool:
        """It is never stopped."""
        return False

    def act(self) -> bool:
        """Give new threads the pair, and take figures; False: the job has ended, or ends."""
        letter, now = self._letter(), time.monotonic_ns()
        if letter == ENDING:
            return False
        self.next = now + _LOOK_NS
        if letter != RUNNING:
            self._since = 0
            return True
        self._tree.find()
        self._give()
        self._meter.follow(self._tree.pids)
        spent = self._meter.spent()
        if self._since:
            self.record.counted(now - self._since, self._period, spent.ran, spent.waited_most)
        self._since = now
        return True

    def _give(self) -> None:
        for thread in self._threads():
            if thread in self._given:
                continue
            self._given.add(thread)
            try:
                # The kernel keeps deadlines of threads that may run everywhere.
                os.sched_setaffinity(thread, range(os.cpu_count() or 1))
            except OSError:
                continue
            trouble = set_deadline(thread, self._slice, self._period)
            if trouble and not self._told:
                self.trouble, self._told = f"no SCHED_DEADLINE: {trouble}", True

    def _threads(self) -> list[int]:
        found: list[int] = []
        for pid in self._tree.pids:
            try:
                found.extend(map(int, os.listdir(f"/proc/{pid}/task")))
            except OSError:
                continue
        return found

    def _letter(self) -> bytes:
        """What the supervisor says of it; empty: nothing yet."""
        if self._state < 0:
            try:
                self._state = os.open(self._state_path, os.O_RDONLY | os.O_CLOEXEC)
            except FileNotFoundError:
                return b"" if os.path.isdir(os.path.dirname(self._state_path)) else ENDING
            except OSError:
                return ENDING
        return os.pread(self._state, 1, 0)

    def release(self) -> None:
        """Let it go on without a pair."""
        self._tree.find()
        for thread in self._threads():
            set_ordinary(thread)
        self._meter.close()
        self._tree.close()
        if self._state >= 0:
            os.close(self._state)
            self._state = -1
