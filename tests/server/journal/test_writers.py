"""Two servers on one state, and one that sleeps while another takes over (F6, F7), as processes."""

import os
import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from molokini.server.journal.claim import LOCK_FILE
from tests.kit.waiting import DEADLINE_S
from tests.server.journal.children import Writer, check
from tests.server.journal.conftest import Place


def paused(writer: Writer) -> None:
    """Stop *writer* wherever it is, and read what it has said."""
    os.kill(writer.process.pid, signal.SIGSTOP)
    os.waitid(os.P_PID, writer.process.pid, os.WSTOPPED | os.WNOWAIT)
    writer.drain()


async def test_a_second_server_is_refused_and_the_first_goes_on(place: Place) -> None:
    with Writer(place.url) as first:
        first.listen(lambda one: one.acknowledged > 0)
        with Writer(place.url) as second:
            assert second.ended() == 4
        assert re.fullmatch(
            rf"StateTaken: .* is in use by process {first.process.pid} on .*", second.failures[0]
        )
        goal = first.acknowledged + 100
        first.listen(lambda one: one.acknowledged > goal)
    journal = await place.open(new=False)
    assert journal.epoch == 2
    await check(journal, first.acknowledged)
    await journal.close()


async def test_a_paused_server_is_still_the_holder(place: Place) -> None:
    with Writer(place.url) as first:
        first.listen(lambda one: one.acknowledged > 0)
        paused(first)
        with Writer(place.url) as second:
            assert second.ended() == 4
        assert f"is in use by process {first.process.pid} on " in second.failures[0]


async def test_a_paused_server_that_wakes_after_another_took_over_writes_nothing(place: Place) -> None:
    with Writer(place.url, step=300) as old:
        old.go()
        old.listen(lambda one: one.acknowledged == 300)
        paused(old)
        young = await place.open(new=False, take_over=True)
        assert (young.epoch, young.last_serial) == (2, 300)
        os.kill(old.process.pid, signal.SIGCONT)
        old.go()
        assert old.ended() == 3
        assert old.acknowledged == 300
        assert len(old.failures) == 2
        for text in old.failures:
            assert f"was taken over by process {os.getpid()} on " in text
            assert "its epoch is 2, ours 1" in text
        assert len(await check(young, 300)) == 300
        await young.close()


async def test_a_lock_file_that_was_deleted_does_not_make_two_writers(tmp_path: Path) -> None:
    url = str(tmp_path / "state")
    with Writer(url, step=300) as old:
        old.go()
        old.listen(lambda one: one.acknowledged == 300)
        (tmp_path / "state" / LOCK_FILE).unlink()
        with Writer(url, step=300) as young:
            young.listen(lambda one: bool(one.lines))
            assert young.lines == ["open 2 300"]
            # The young one holds no transaction, so it is by the epoch alone that the old one is told.
            old.go()
            assert old.ended() == 3
            assert len(old.failures) == 2
            assert all("its epoch is 2, ours 1" in text for text in old.failures)
            assert old.acknowledged == 300
            young.go()
            young.listen(lambda one: one.acknowledged == 600)


async def test_of_two_that_write_at_the_same_moment_one_is_left(tmp_path: Path) -> None:
    url = str(tmp_path / "state")
    with Writer(url) as old:
        old.listen(lambda one: one.acknowledged > 0)
        (tmp_path / "state" / LOCK_FILE).unlink()
        with let_in(url) as young:
            assert old.ended() == 3
            # Told by the epoch, or by the other's transaction when both write at the same moment.
            assert any(text in old.failures[0] for text in ("its epoch is ", "Busy:"))
            goal = young.acknowledged + 100
            young.listen(lambda one: one.acknowledged > goal)
        first = int(young.lines[0].split()[2])
        assert old.acknowledged <= first < young.acknowledged


@contextmanager
def let_in(url: str) -> Iterator[Writer]:
    """A writer that has begun: on a busy machine another may hold the database for longer than it waits."""
    deadline = time.monotonic() + 4 * DEADLINE_S
    while True:
        with Writer(url) as writer:
            writer.listen(lambda one: one.acknowledged > 0 or bool(one.failures))
            if not writer.failures:
                yield writer
                return
        assert all(text.startswith("Busy:") for text in writer.failures), writer.failures
        assert time.monotonic() < deadline
