"""What this node can keep of (period, slice) pairs, measured: a busy loop is stopped and continued as a job.

Run as a process of its own, on one of the agent's cores; it prints one line of JSON. What is measured holds
for the present load of the machine. A child is killed whatever happens to its parent.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
import time

from molokini.slicing.kernel_slices import set_deadline
from molokini.supervisor import priorities
from molokini.supervisor.waking import waking_trouble

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeVar

    T = TypeVar("T")

MS = 1_000_000
PERIODS = (5 * MS, 10 * MS, 20 * MS, 50 * MS, 100 * MS)
SLICES = (MS // 2, MS, 2 * MS, 5 * MS, 10 * MS)
SHARES = (0.95, 0.9, 0.85, 0.8)
_FOR = 150 * MS
"""A pair is tried for so long, three periods at least."""
MOST_POINTS = 1.0
"""By which the share may be off, in percentage points."""
_LEAST_OF_SLICE = 0.8
_DEATH_SIGNAL = 1


def measured() -> dict[str, object]:
    """Periods, slices and shares that are kept; None where none of those that were tried is."""
    cores = sorted(os.sched_getaffinity(0))
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, [cores[-1]])
    no_priority = priorities.raise_own(priorities.SLICER)
    child = _spinning(cores[-1], not no_priority)
    try:
        share, _ = _tried(child, 50 * MS, 25 * MS, 0)
        lost = max(0, round((0.5 - share) * 50 * MS)) if share < 0.5 else 0
        lost = min(lost, MS // 2)

        def error(period: int, slice_: int) -> float:
            return abs(100 * (_tried(child, period, slice_, lost)[0] - slice_ / period))

        def keeps_slice(slice_: int) -> bool:
            return _tried(child, 50 * MS, slice_, lost)[0] * 50 * MS >= _LEAST_OF_SLICE * slice_

        period = _first(PERIODS, lambda one: error(one, one // 2) <= MOST_POINTS)
        slice_ = _first(SLICES, keeps_slice)
        usable = _first(SHARES, lambda one: error(50 * MS, round(one * 50 * MS)) <= MOST_POINTS)
        late = _tried(child, 20 * MS, 10 * MS, lost)[1]
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return {
        "real_time": not no_priority,
        "no_real_time": no_priority,
        "deadline": not (trouble := deadline_trouble()),
        "no_deadline": trouble,
        "awake": not (sleeps := waking_trouble()),
        "no_awake": sleeps,
        "least_period_s": period / 1e9 if period else None,
        "least_slice_s": slice_ / 1e9 if slice_ else None,
        "usable_share": usable,
        "late_s": late / 1e9,
    }


def _first(values: Iterable[T], holds: Callable[[T], bool]) -> T | None:
    return next((value for value in values if holds(value)), None)


def _spinning(core: int, real_time: bool) -> int:
    """A busy loop on *core* in a child that is stopped."""
    child = os.fork()
    if child == 0:
        try:
            ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGKILL)
            os.sched_setaffinity(0, [core])
            if real_time:
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priorities.JOB))
            os.kill(os.getpid(), signal.SIGSTOP)
            while True:
                pass
        finally:
            os._exit(1)
    os.waitpid(child, os.WUNTRACED)
    return child


def _tried(child: int, period: int, slice_: int, later: int) -> tuple[float, int]:
    """The share that *child* has under this pair, whose stops come *later*; and the latest wake-up."""
    count = max(3, _FOR // period)
    clock = (~child << 3) | 2
    began, before = time.monotonic_ns() + MS, time.clock_gettime_ns(clock)
    late = 0
    for k in range(count):
        late = max(late, _sleep_until(began + k * period))
        os.kill(child, signal.SIGCONT)
        late = max(late, _sleep_until(began + k * period + slice_ + later))
        os.kill(child, signal.SIGSTOP)
    _sleep_until(began + count * period)
    return (time.clock_gettime_ns(clock) - before) / (count * period), late


def _sleep_until(at: int) -> int:
    """Sleep, and say how late it was."""
    while (left := at - time.monotonic_ns()) > 0:
        time.sleep(left / 1e9)
    return -left


def deadline_trouble() -> str:
    """Why a process cannot be scheduled by deadline here; empty: it can."""
    child = os.fork()
    if child == 0:
        try:
            os.sched_setaffinity(0, range(os.cpu_count() or 1))
            trouble = set_deadline(0, MS, 100 * MS)
        except OSError as error:
            trouble = error.strerror or "no affinity"
        os._exit(0 if not trouble else 1 if "permitted" in trouble else 2)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return ("", "Operation not permitted", "the kernel refuses it")[code] if 0 <= code <= 2 else "it failed"


def main(what: str = "all") -> None:
    """Print what is measured; *deadline*: whether the kernel schedules by deadline alone."""
    found = {"no_deadline": deadline_trouble()} if what == "deadline" else measured()
    print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
