"""Work beside other work: in a process of its own, in silence, and never for longer than it is wanted."""

import multiprocessing
import os
import time
from pathlib import Path

import pytest

from molokini.parallel.beside import beside


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})


def test_it_is_done_in_another_process_and_waited_for(tmp_path: Path) -> None:
    left = tmp_path / "left"

    def work() -> None:
        time.sleep(0.05)
        left.write_text(str(os.getpid()))

    with beside(work):
        assert not left.exists()
    assert int(left.read_text()) != os.getpid()
    assert not multiprocessing.active_children()


def test_what_it_says_and_how_it_fails_is_its_own_affair(capfd: pytest.CaptureFixture[str]) -> None:
    def work() -> None:
        print("this is not to be seen", flush=True)
        raise ValueError("nor this")

    with beside(work):
        pass
    said, failed = capfd.readouterr()
    # Where another test has left gRPC's threads, gRPC itself remarks on each fork.
    lines = [line for line in failed.splitlines() if "fork_posix.cc" not in line]
    assert (said, lines) == ("", [])


def test_it_ends_with_what_it_is_beside() -> None:
    with pytest.raises(KeyError), beside(lambda: time.sleep(1000)):
        raise KeyError("the block has failed")
    assert not multiprocessing.active_children()


def test_one_core_does_one_thing_at_a_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    with beside((tmp_path / "left").touch):
        pass
    assert not (tmp_path / "left").exists()
