"""Jobs whose slices the kernel keeps: which threads have the pair, and what is told where it is refused."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from molokini.slicing import capabilities, kernel_slices
from molokini.slicing.kernel_slices import KernelSlices
from molokini.supervisor.records import ENDING, RUNNING, SUSPENDED

MS = 1_000_000


@pytest.fixture
def child() -> Iterator[int]:
    """A process that does nothing."""
    with subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"]) as made:
        yield made.pid
        made.kill()


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int, int, int]]:
    """What the kernel was asked: thread, policy, slice, period. Nothing is set."""
    asked: list[tuple[int, int, int, int]] = []

    def note(thread: int, policy: int, flags: int, slice_: int, period: int) -> str:
        asked.append((thread, policy, slice_, period))
        return "" if policy == 0 else refusal[0]

    refusal = [""]
    monkeypatch.setattr(kernel_slices, "_set", note)
    monkeypatch.setattr(kernel_slices, "refusal", refusal, raising=False)
    monkeypatch.setattr(os, "sched_setaffinity", lambda thread, cores: None)
    return asked


def order(folder: Path, child: int, period: int = 100 * MS, slice_: int = 40 * MS) -> dict[str, Any]:
    (folder / "procs").write_text(f"{child}\n")
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


def test_each_thread_has_the_pair_once_and_another_one_when_it_changes(
    tmp_path: Path, child: int, given: list[tuple[int, int, int, int]]
) -> None:
    job = KernelSlices(order(tmp_path, child))
    assert job.act()
    assert job.act()
    assert given == [(child, 6, 40 * MS, 100 * MS)]
    assert job.record.figures()["elapsed_s"] > 0
    assert job.change(order(tmp_path, child, 50 * MS, 10 * MS))
    assert job.next == 0
    assert job.act()
    assert given[1:] == [(child, 6, 10 * MS, 50 * MS)]
    assert not job.change({"job": "1-1"})
    job.release()
    assert given[2:] == [(child, 0, 0, 0)]


@pytest.mark.parametrize(("letter", "goes_on"), [(SUSPENDED, True), (ENDING, False)])
def test_a_job_that_is_suspended_or_ends_is_left_alone(
    tmp_path: Path, child: int, given: list[tuple[int, int, int, int]], letter: bytes, goes_on: bool
) -> None:
    job = KernelSlices(order(tmp_path, child))
    (tmp_path / "state").write_bytes(letter + b"0")
    assert job.act() is goes_on
    assert given == []
    job.release()


def test_a_refusal_is_told_once(tmp_path: Path, child: int, given: list[tuple[int, int, int, int]]) -> None:
    kernel_slices.refusal[0] = "Operation not permitted"  # type: ignore[attr-defined]
    job = KernelSlices(order(tmp_path, child))
    assert job.act()
    assert job.trouble == "no SCHED_DEADLINE: Operation not permitted"
    job.trouble = ""
    assert job.change(order(tmp_path, child, 50 * MS, 10 * MS))
    assert job.act()
    assert job.trouble == ""
    job.release()


def test_the_first_value_that_is_kept_is_found() -> None:
    assert capabilities._first((5, 10, 20), lambda one: one >= 10) == 10
    assert capabilities._first((5, 10), lambda one: False) is None


@pytest.mark.waits
def test_a_kernel_says_whether_it_schedules_by_deadline() -> None:
    """It may, or it says why not; a machine without the right refuses."""
    trouble = capabilities.deadline_trouble()
    assert trouble in ("", "Operation not permitted", "the kernel refuses it")
