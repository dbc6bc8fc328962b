"""Real-time priorities, of a process that looks at itself and of its child."""

import os
import subprocess
from collections.abc import Iterator

import pytest

from molokini.supervisor.priorities import JOB, SLICER, lower_all, raise_all, raise_own


@pytest.fixture
def child() -> Iterator[int]:
    with subprocess.Popen(["sleep", "1000"]) as running:
        yield running.pid
        running.kill()


def test_the_priority_of_a_job_is_below_that_of_the_slicer_and_is_taken_away_again(child: int) -> None:
    gone = 2**22 + 1
    if why := raise_all([child, gone]):
        assert os.sched_getscheduler(child) == os.SCHED_OTHER
        pytest.skip(f"no real-time priority is to be had here: {why}")
    assert (os.sched_getscheduler(child), os.sched_getparam(child).sched_priority) == (os.SCHED_FIFO, JOB)
    assert JOB < SLICER
    lower_all([gone, child])
    assert os.sched_getscheduler(child) == os.SCHED_OTHER


def test_a_priority_that_the_kernel_refuses_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    assert raise_own(SLICER).startswith("Operation not permitted")
    assert raise_all([os.getpid()]).startswith("Operation not permitted")
