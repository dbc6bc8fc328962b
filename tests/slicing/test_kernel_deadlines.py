"""Slices that the kernel itself keeps by SCHED_DEADLINE: the real call, on a real busy loop."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from molokini.slicing import capabilities
from molokini.slicing.kernel_slices import KernelSlices, set_ordinary
from molokini.supervisor.records import ENDING, RUNNING
from tests.kit.waiting import DEADLINE_S

pytestmark = pytest.mark.waits

MS = 1_000_000
SCHED_DEADLINE = 6
LOOP = "while True: pass"
THREADS = """
import threading, time
def work():
    while True: time.sleep(0.001)
threading.Thread(target=work, daemon=True).start()
work()
"""


@pytest.fixture(autouse=True)
def _allowed() -> None:
    if trouble := capabilities.deadline_trouble():
        pytest.skip(f"no SCHED_DEADLINE here: {trouble}")


def started(text: str) -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", text]) as made:
        yield made.pid
        made.kill()


@pytest.fixture
def loop() -> Iterator[int]:
    """A busy loop."""
    yield from started(LOOP)


@pytest.fixture
def threads() -> Iterator[int]:
    """A process of two threads."""
    yield from started(THREADS)


def order(folder: Path, process: int, period: int, slice_: int) -> dict[str, Any]:
    (folder / "procs").write_text(f"{process}\n")
    (folder / "state").write_bytes(RUNNING + b"0")
    return {
        "job": "1-1",
        "state": str(folder / "state"),
        "supervisor": 0,
        "procs": str(folder / "procs"),
        "period": period,
        "windows": [(0, slice_)],
        "enforce": "deadline",
    }


def policy(thread: int) -> int:
    return os.sched_getscheduler(thread) & ~getattr(os, "SCHED_RESET_ON_FORK", 0x40000000)


def share(process: int, for_s: float) -> float:
    """The part of a core that *process* has from now on."""
    clock = (~process << 3) | 2
    began, before = time.monotonic(), time.clock_gettime(clock)
    time.sleep(for_s)
    return (time.clock_gettime(clock) - before) / (time.monotonic() - began)


def test_a_busy_loop_has_its_share_and_then_another(tmp_path: Path, loop: int) -> None:
    """The kernel bounds it and guarantees it, whatever else runs: a slice may be off by a timer tick."""
    job = KernelSlices(order(tmp_path, loop, 200 * MS, 60 * MS))
    try:
        assert job.act()
        assert job.trouble == ""
        assert policy(loop) == SCHED_DEADLINE
        time.sleep(0.4)
        assert share(loop, 3.0) == pytest.approx(0.30, abs=0.03)
        assert job.change(order(tmp_path, loop, 100 * MS, 10 * MS))
        assert job.act()
        time.sleep(0.4)
        assert share(loop, 3.0) == pytest.approx(0.10, abs=0.03)
        assert job.act()
        assert job.record.figures()["ran_s"] > 0
    finally:
        job.release()
    assert policy(loop) == os.SCHED_OTHER


def test_all_threads_of_a_process_have_it(tmp_path: Path, threads: int) -> None:
    until = time.monotonic() + DEADLINE_S
    while len(os.listdir(f"/proc/{threads}/task")) < 2:
        assert time.monotonic() < until
        time.sleep(0.01)
    job = KernelSlices(order(tmp_path, threads, 100 * MS, 5 * MS))
    try:
        assert job.act()
        assert [policy(int(one)) for one in os.listdir(f"/proc/{threads}/task")] == [SCHED_DEADLINE] * 2
        (tmp_path / "state").write_bytes(ENDING + b"0")
        assert not job.act()
    finally:
        job.release()
    assert [policy(int(one)) for one in os.listdir(f"/proc/{threads}/task")] == [os.SCHED_OTHER] * 2


def test_more_than_there_is_is_refused_by_the_kernel_and_told(tmp_path: Path, loop: int) -> None:
    """Each may have 90% of a core: with one more than there are cores the sum is above the bound."""
    others = [
        subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
        for _ in range(os.cpu_count() or 1)
    ]
    jobs: list[KernelSlices] = []
    try:
        for k, pid in enumerate([*(one.pid for one in others), loop]):
            folder = tmp_path / str(k)
            folder.mkdir()
            jobs.append(KernelSlices(order(folder, pid, 100 * MS, 90 * MS)))
            jobs[-1].act()
        troubles = [job.trouble for job in jobs]
        assert any(trouble.startswith("no SCHED_DEADLINE: ") for trouble in troubles)
        assert policy(loop) == os.SCHED_OTHER or troubles[-1] == ""
    finally:
        for job in jobs:
            job.release()
        for one in others:
            one.kill()
            one.wait()
    assert set_ordinary(loop) == ""
