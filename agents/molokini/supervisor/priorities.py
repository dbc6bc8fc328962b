"""Real-time priorities: of the process that slices, and of jobs that are ordered to have one."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

SLICER, JOB = 50, 10
"""The slicer goes before what it stops: it has its priority first, and a job gives its own up first."""


def raise_own(priority: int) -> str:
    """Give this process a real-time priority; empty, or why that cannot be."""
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except OSError as error:
        return f"{error.strerror}{_why()}"
    return ""


def raise_all(pids: Iterable[int]) -> str:
    """Give all threads of these processes the priority of a job; empty, or why that cannot be."""
    trouble = ""
    for thread in _threads(pids):
        try:
            os.sched_setscheduler(thread, os.SCHED_FIFO, os.sched_param(JOB))
        except ProcessLookupError:
            continue
        except OSError as error:
            trouble = f"{error.strerror}{_why()}"
    return trouble


def lower_all(pids: Iterable[int]) -> None:
    """Take it from them again."""
    for thread in _threads(pids):
        try:
            if os.sched_getscheduler(thread) in (os.SCHED_FIFO, os.SCHED_RR):
                os.sched_setscheduler(thread, os.SCHED_OTHER, os.sched_param(0))
        except OSError:
            continue


def _threads(pids: Iterable[int]) -> list[int]:
    found: list[int] = []
    for pid in pids:
        try:
            found.extend(map(int, os.listdir(f"/proc/{pid}/task")))
        except OSError:
            continue
    return found


def _why() -> str:
    """A group of version 1 may have no real-time runtime of its own, whatever rights its processes have."""
    try:
        with open("/proc/self/cgroup") as file:
            groups = [line.rstrip("\n").split(":", 2) for line in file]
        path = next(path for _, controllers, path in groups if "cpu" in controllers.split(","))
        with open(f"/sys/fs/cgroup/cpu{path.rstrip('/')}/cpu.rt_runtime_us") as file:
            return " (cpu.rt_runtime_us of its control group is 0)" if int(file.read()) == 0 else ""
    except (OSError, StopIteration, ValueError):
        return ""
