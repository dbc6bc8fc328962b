"""The lock file of a state, what a process that died has left of others, and work that nobody waits for."""

import asyncio
import fcntl
import os
import threading
from pathlib import Path

import pytest

from molokini.server.journal.claim import LOCK_FILE, Claim, whoami
from molokini.server.journal.mark import MARK_FILE, Mark, Marked, read_mark
from molokini.server.journal.pace import Pace
from molokini.server.journal.port import StateDamaged, StateTaken
from molokini.server.journal.sqlite_file import DATABASE_FILE
from tests.kit.waiting import DEADLINE_S
from tests.server.journal.lines import begun, kept_in, lines


def handles_in(folder: Path) -> list[str]:
    """The files below *folder* that this process has open."""
    found = [os.path.realpath(path) for path in Path("/proc/self/fd").iterdir()]
    return sorted(one for one in found if one.startswith(str(folder)))


def test_a_claim_that_is_refused_and_one_that_is_given_back_leave_nothing_open(tmp_path: Path) -> None:
    first = Claim.make(tmp_path, take_over=False)
    for _ in range(3):
        with pytest.raises(StateTaken):
            Claim.make(tmp_path, take_over=False)
    assert handles_in(tmp_path) == [str(tmp_path / LOCK_FILE)]
    second = Claim.make(tmp_path, take_over=True)
    # That of the first is put aside, and no more than that and the new one are open.
    assert len(handles_in(tmp_path)) == 2
    first.release()
    assert handles_in(tmp_path) == [str(tmp_path / LOCK_FILE)]
    with pytest.raises(StateTaken):
        Claim.make(tmp_path, take_over=False)
    second.release()
    assert handles_in(tmp_path) == []
    # Given back twice, it closes no file of anybody else that has got the number meanwhile.
    other = os.open(tmp_path / "other", os.O_CREAT | os.O_RDWR)
    second.release()
    os.fstat(other)
    os.close(other)


def test_a_lock_file_names_the_holder_and_nobody_else(tmp_path: Path) -> None:
    (tmp_path / LOCK_FILE).write_text("process 1 on a machine with a very long name " * 9)
    claim = Claim.make(tmp_path, take_over=False)
    said = (tmp_path / LOCK_FILE).read_text()
    assert said.partition(" (since")[0] == whoami().partition(" (since")[0]
    assert said.count("\n") == 1
    assert said.endswith(")\n")
    claim.release()


def test_two_that_take_over_at_once_do_not_collide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = Claim.make(tmp_path, take_over=False)
    locked = fcntl.flock

    def first_to_the_other(handle: int, operation: int) -> None:
        # The other one has put the file aside before we do.
        monkeypatch.setattr(fcntl, "flock", locked)
        (tmp_path / LOCK_FILE).unlink()
        locked(handle, operation)

    monkeypatch.setattr(fcntl, "flock", first_to_the_other)
    young = Claim.make(tmp_path, take_over=True)
    with pytest.raises(StateTaken):
        Claim.make(tmp_path, take_over=False)
    young.release()
    old.release()


def test_a_link_is_no_lock_file(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("keep me")
    (tmp_path / LOCK_FILE).symlink_to(tmp_path / "precious")
    with pytest.raises(StateDamaged, match=LOCK_FILE):
        Claim.make(tmp_path, take_over=False)
    assert (tmp_path / "precious").read_text() == "keep me"


async def test_drafts_of_a_process_that_died_are_no_obstacle(tmp_path: Path) -> None:
    names = [f"{MARK_FILE}.new", f"{DATABASE_FILE}.new", f"{DATABASE_FILE}.new-wal"]
    for name in names:
        (tmp_path / name).write_bytes(b"half of it")
    await begun(tmp_path, lines(1, 5))
    assert await kept_in(tmp_path) == lines(1, 5)
    assert [name for name in names if (tmp_path / name).exists()] == []
    (tmp_path / MARK_FILE).rename(tmp_path / f"{MARK_FILE}.new")
    Mark(tmp_path, Marked(7, 4321)).close()
    assert read_mark(tmp_path) == Marked(7, 4321)


async def test_work_that_was_given_up_twice_is_waited_for_all_the_same() -> None:
    """The next piece would meet it on the same connection."""
    pace = Pace(slow_s=0.0)
    await pace.run(lambda: None)
    assert pace.threaded
    begun_it, go_on = threading.Event(), threading.Event()
    done: list[str] = []

    def works() -> None:
        begun_it.set()
        go_on.wait(DEADLINE_S)
        done.append("first")

    given_up = asyncio.create_task(pace.run(works))
    while not begun_it.is_set():
        await asyncio.sleep(0)
    after = asyncio.create_task(pace.run(lambda: done.append("second")))
    try:
        for _ in range(3):
            given_up.cancel()
            for _ in range(5):
                await asyncio.sleep(0)
            assert not given_up.done()
            assert not after.done()
    finally:
        go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    await after
    assert done == ["first", "second"]
    await pace.close()
    await pace.close()
