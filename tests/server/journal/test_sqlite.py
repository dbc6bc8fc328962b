"""Opening, refusing and taking over a journal in a folder."""

import asyncio
import contextlib
import fcntl
import os
import sqlite3
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from molokini.model.codec import Entry
from molokini.server.journal import pace as pace_module
from molokini.server.journal import sqlite_store
from molokini.server.journal.claim import LOCK_FILE, Claim
from molokini.server.journal.mark import MARK_FILE
from molokini.server.journal.pace import QUICK_AGAIN, Pace
from molokini.server.journal.port import (
    Busy,
    Finished,
    JournalError,
    Snapshot,
    StateBroken,
    StateDamaged,
    StateMissing,
    StateTaken,
    Which,
)
from molokini.server.journal.seals import PART_BYTES
from molokini.server.journal.sqlite import SqliteJournal
from molokini.server.journal.sqlite_file import DATABASE_FILE, wal_of
from tests.server.journal.lines import all_of, begun, kept_in, line, lines


async def test_a_folder_without_a_journal_is_refused_and_left_alone(tmp_path: Path) -> None:
    with pytest.raises(StateMissing, match="state is missing"):
        await SqliteJournal.open(tmp_path / "state", new=False)
    with pytest.raises(StateMissing, match=DATABASE_FILE):
        await SqliteJournal.open(tmp_path, new=False)
    assert list(tmp_path.iterdir()) == []


async def test_new_opens_what_is_there_as_it_is(tmp_path: Path) -> None:
    await begun(tmp_path / "a" / "b", lines(1, 5))
    journal = await SqliteJournal.open(tmp_path / "a" / "b", new=True)
    assert (journal.last_serial, journal.epoch) == (5, 2)
    assert await all_of(journal) == lines(1, 5)
    await journal.close()


async def test_new_does_not_begin_where_a_journal_has_been(tmp_path: Path) -> None:
    await begun(tmp_path, lines(1, 5))
    (tmp_path / DATABASE_FILE).rename(tmp_path / "elsewhere")
    for new in (True, False):
        with pytest.raises(StateDamaged, match="journal of 5 entries"):
            await SqliteJournal.open(tmp_path, new=new)


async def test_the_state_is_for_its_user_alone(tmp_path: Path) -> None:
    journal = await SqliteJournal.open(tmp_path / "state", new=True)
    await journal.append(lines(1, 3))
    files = [tmp_path / "state", *(tmp_path / "state").iterdir()]
    assert len(files) == 6
    assert [path for path in files if path.stat().st_mode & 0o077] == []
    await journal.close()


async def test_a_second_writer_is_refused_and_told_who_holds_the_state(tmp_path: Path) -> None:
    first = await SqliteJournal.open(tmp_path, new=True)
    with pytest.raises(StateTaken, match=f"process {os.getpid()} on {os.uname().nodename}"):
        await SqliteJournal.open(tmp_path, new=False)
    await first.append(lines(1, 2))
    await first.close()
    assert await kept_in(tmp_path) == lines(1, 2)


@pytest.mark.parametrize("how", ["taken over", "lock file deleted"])
async def test_who_was_taken_over_writes_nothing_more(tmp_path: Path, how: str) -> None:
    old = await SqliteJournal.open(tmp_path, new=True)
    await old.append(lines(1, 2))
    if how == "lock file deleted":
        (tmp_path / LOCK_FILE).unlink()
    young = await SqliteJournal.open(tmp_path, new=False, take_over=how == "taken over")
    assert (young.epoch, young.last_serial) == (2, 2)
    for _ in range(2):
        with pytest.raises(StateTaken, match=r"epoch is 2, ours 1"):
            await old.append([Entry(3, 0.0, "JobEnded", 1, '{"from":"the old one"}')])
    await young.append(lines(3, 4))
    await old.close()
    await young.append(lines(5, 5))
    await young.close()
    assert await kept_in(tmp_path) == lines(1, 5)


async def test_a_database_that_another_process_locks_is_busy_and_then_goes_on(tmp_path: Path) -> None:
    # Also what a server leaves that was paused in the middle of a commit: it cannot be taken over just then.
    journal = await SqliteJournal.open(tmp_path, new=True)
    await journal.append(lines(1, 2))
    with contextlib.closing(sqlite3.connect(tmp_path / DATABASE_FILE, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(Busy, match="another process keeps it locked"):
            await journal.append([line(3)])
        with pytest.raises(Busy, match="another process keeps it locked"):
            await SqliteJournal.open(tmp_path, new=False, take_over=True)
        other.execute("ROLLBACK")
        await journal.append([line(3)])
    assert (await all_of(journal), journal.epoch) == (lines(1, 3), 1)
    await journal.close()


async def test_a_batch_with_a_gap_is_refused_whole(tmp_path: Path) -> None:
    journal = await SqliteJournal.open(tmp_path, new=True)
    await journal.append(lines(1, 2))
    for batch in ([line(4)], [line(2)], [line(3), line(5)], [line(3), line(3)]):
        with pytest.raises(JournalError, match="has to follow"):
            await journal.append(batch)
    await journal.append([])
    await journal.append([line(3)])
    assert await all_of(journal) == lines(1, 3)
    await journal.close()


@pytest.mark.parametrize("entry", [Entry(1, float("nan"), "A", 1, "{}"), Entry(1, 0.0, "A", 1, '"\ud800"')])
async def test_what_cannot_be_stored_is_refused_before_it_is_written(tmp_path: Path, entry: Entry) -> None:
    journal = await SqliteJournal.open(tmp_path, new=True)
    with pytest.raises(JournalError, match="entry 1"):
        await journal.append([entry])
    await journal.append([line(1)])
    assert await all_of(journal) == [line(1)]
    await journal.close()


@pytest.mark.parametrize("name", [DATABASE_FILE, f"{DATABASE_FILE}-wal"])
async def test_files_that_go_while_they_are_used_end_the_writing(tmp_path: Path, name: str) -> None:
    journal = await SqliteJournal.open(tmp_path, new=True)
    await journal.append(lines(1, 2))
    (tmp_path / name).rename(tmp_path / "away")
    for _ in range(2):
        with pytest.raises(StateBroken, match=f"{name} was removed or replaced"):
            await journal.append([line(3)])
    await journal.close()


async def test_a_closed_journal_says_so(tmp_path: Path) -> None:
    journal = await SqliteJournal.open(tmp_path, new=True)
    await journal.close()
    await journal.close()
    with pytest.raises(JournalError, match="is closed"):
        await journal.append([line(1)])
    with pytest.raises(JournalError, match="is closed"):
        await all_of(journal)


async def test_a_mark_that_lags_is_no_obstacle(tmp_path: Path) -> None:
    await begun(tmp_path, lines(1, 8))
    behind = (tmp_path / MARK_FILE).read_bytes()
    journal = await SqliteJournal.open(tmp_path, new=False)
    await journal.append(lines(9, 9))
    await journal.close()
    assert b" 00000000000000000008 " in behind
    (tmp_path / MARK_FILE).write_bytes(behind)
    assert await kept_in(tmp_path) == lines(1, 9)
    assert b" 00000000000000000009 " in (tmp_path / MARK_FILE).read_bytes()


def test_a_lock_file_put_aside_first_is_no_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    locked = fcntl.flock

    def slowly(handle: int, operation: int) -> None:
        monkeypatch.setattr(fcntl, "flock", locked)
        (tmp_path / LOCK_FILE).unlink()
        locked(handle, operation)

    monkeypatch.setattr(fcntl, "flock", slowly)
    claim = Claim.make(tmp_path, take_over=False)
    with pytest.raises(StateTaken, match="in use by process"):
        Claim.make(tmp_path, take_over=False)
    claim.release()


async def test_a_copy_from_before_the_last_start_is_refused(tmp_path: Path) -> None:
    await begun(tmp_path, lines(1, 9))
    older = (tmp_path / DATABASE_FILE).read_bytes()
    again = await SqliteJournal.open(tmp_path, new=False)
    assert again.epoch == 2
    await again.close()
    (tmp_path / DATABASE_FILE).write_bytes(older)
    with pytest.raises(StateDamaged, match=r"entry 9 \(epoch 2\) was acknowledged"):
        await SqliteJournal.open(tmp_path, new=False)


async def test_entries_that_went_from_the_end_while_it_was_open_are_missed(tmp_path: Path) -> None:
    await begun(tmp_path, lines(1, 9))
    journal = await SqliteJournal.open(tmp_path, new=False)
    with contextlib.closing(sqlite3.connect(tmp_path / DATABASE_FILE)) as other:
        other.execute("DELETE FROM entries WHERE serial > 5")
        other.commit()
    with pytest.raises(StateDamaged, match="entries 6 to 9 are missing"):
        await all_of(journal)
    await journal.close()


async def test_a_journal_that_ends_before_its_own_snapshot_is_damaged(tmp_path: Path) -> None:
    """Also where the mark is gone, too: what comes next would have the serial of what went."""
    journal = await SqliteJournal.open(tmp_path, new=True)
    await journal.append(lines(1, 9))
    await journal.keep_snapshot(Snapshot(9, b"nine"))
    await journal.close()
    (tmp_path / MARK_FILE).unlink()
    assert len(await kept_in(tmp_path)) == 9
    (tmp_path / MARK_FILE).unlink()
    with contextlib.closing(sqlite3.connect(tmp_path / DATABASE_FILE)) as other:
        other.execute("DELETE FROM entries WHERE serial > 8")
        other.commit()
    with pytest.raises(StateDamaged, match="holds a snapshot of entry 9, but its last entry is 8"):
        await SqliteJournal.open(tmp_path, new=False)


async def test_the_log_is_copied_into_the_database_while_it_runs(tmp_path: Path) -> None:
    journal = await SqliteJournal.open(tmp_path, new=True)
    sizes = []
    for first in range(1, 40_001, 1000):
        await journal.append(lines(first, first + 999))
        sizes.append(wal_of(tmp_path / DATABASE_FILE).stat().st_size)
    assert (tmp_path / DATABASE_FILE).stat().st_size > 5_000_000
    assert max(sizes) < 10_000_000
    await journal.close()
    assert await kept_in(tmp_path) == lines(1, 40_000)


async def test_slow_commits_leave_the_loop_to_others_until_they_are_quick_again(tmp_path: Path) -> None:
    pace = Pace(slow_s=0.02)
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    ticking = asyncio.create_task(tick())
    await pace.run(lambda: time.sleep(0.05))
    assert pace.threaded
    before = ticks
    await pace.run(lambda: time.sleep(0.1))
    assert ticks > before + 10
    for _ in range(QUICK_AGAIN):
        assert pace.threaded
        await pace.run(lambda: None)
    assert not pace.threaded
    ticking.cancel()
    await pace.close()


async def test_only_commits_quicker_than_half_of_slow_count_as_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 0.0

    def takes(seconds: float) -> None:
        nonlocal now_s
        now_s += seconds

    monkeypatch.setattr(pace_module, "time", SimpleNamespace(perf_counter=lambda: now_s))
    pace = Pace(slow_s=1.0)
    await pace.run(lambda: takes(1.5))
    for _ in range(2 * QUICK_AGAIN):
        await pace.run(lambda: takes(0.75))
        await pace.run(lambda: takes(0.5))
    assert pace.threaded
    for _ in range(QUICK_AGAIN):
        await pace.run(lambda: takes(0.25))
    assert not pace.threaded
    await pace.close()


async def test_who_gives_up_waiting_for_a_slow_commit_leaves_it_whole(tmp_path: Path) -> None:
    journal = await SqliteJournal.open(tmp_path, new=True, slow_commit_s=1e-9)
    await journal.append([line(1)])
    assert journal._pace.threaded
    impatient = asyncio.create_task(journal.append([line(2)]))
    await asyncio.sleep(0)
    impatient.cancel()
    with pytest.raises(asyncio.CancelledError):
        await impatient
    await journal.append(lines(journal.last_serial + 1, journal.last_serial + 3))
    kept = await all_of(journal)
    assert kept == lines(1, journal.last_serial)
    assert len(kept) >= 4
    await journal.close()


async def test_the_log_is_copied_when_it_has_grown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_store, "CHECKPOINT_PAGES", 10)
    journal = await SqliteJournal.open(tmp_path, new=True)
    copied: list[int] = []

    def seen(text: str) -> None:
        if "wal_checkpoint" in text:
            copied.append(journal.last_serial)

    journal._store._connection.set_trace_callback(seen)
    for serial in range(1, 21):
        await journal.append([line(serial)])
    # A short entry is reckoned as two pages.
    assert copied == [5, 10, 15, 20]
    await journal.close()


@pytest.mark.parametrize("new", [True, False])
async def test_a_log_without_its_database_is_damage_and_no_new_journal(tmp_path: Path, new: bool) -> None:
    log = wal_of(tmp_path / DATABASE_FILE)
    log.write_bytes(b"x" * 100)
    with pytest.raises(StateDamaged, match=f"{DATABASE_FILE} is missing"):
        await SqliteJournal.open(tmp_path, new=new)
    assert log.read_bytes() == b"x" * 100
    assert not (tmp_path / DATABASE_FILE).exists()


async def test_damage_beside_the_journal_does_not_end_it(tmp_path: Path) -> None:
    journal = await SqliteJournal.open(tmp_path / "state", new=True)
    with contextlib.closing(sqlite3.connect(tmp_path / "state" / DATABASE_FILE)) as other:
        other.executescript("DROP TABLE finished; CREATE VIEW finished AS SELECT 1 AS number")
    with pytest.raises(StateDamaged):
        await journal.keep_finished([Finished(1, "ann", "q", "a", 1, "{}")])
    with pytest.raises(StateDamaged):
        await journal.clear_finished()
    await journal.append(lines(1, 5))
    assert await all_of(journal) == lines(1, 5)
    await journal.close()


async def test_parts_of_snapshots_and_of_interrupted_ones_go_with_them(tmp_path: Path) -> None:
    """Otherwise each snapshot of a large state would stay in the file for ever."""
    journal = await SqliteJournal.open(tmp_path, new=True)
    await journal.append(lines(1, 9))

    def kept() -> list[tuple[int, int]]:
        with contextlib.closing(sqlite3.connect(tmp_path / DATABASE_FILE)) as other:
            return other.execute("SELECT serial, part FROM snapshot_parts ORDER BY serial, part").fetchall()

    for serial in (1, 2, 3):
        await journal.keep_snapshot(Snapshot(serial, bytes(PART_BYTES + 1)))
    assert kept() == [(2, 0), (2, 1), (3, 0), (3, 1)]
    # A server ends in the middle of the next one; the next start keeps a smaller one, or a later one.
    for part in range(3):
        journal._store.keep_part(4, part, b"lost")
    assert await journal.load_snapshot() == Snapshot(3, bytes(PART_BYTES + 1))
    await journal.keep_snapshot(Snapshot(4, b"four"))
    assert await journal.load_snapshot() == Snapshot(4, b"four")
    assert kept() == [(3, 0), (3, 1), (4, 0)]
    for part in range(2):
        journal._store.keep_part(5, part, b"lost")
    await journal.keep_snapshot(Snapshot(6, b"six"))
    assert kept() == [(4, 0), (6, 0)]
    await journal.close()


async def test_who_was_taken_over_does_not_clear_the_records_of_finished_jobs(tmp_path: Path) -> None:
    old = await SqliteJournal.open(tmp_path, new=True)
    one = Finished(1, "ann", "q", "a", 1, "{}")
    await old.keep_finished([one])
    young = await SqliteJournal.open(tmp_path, new=False, take_over=True)
    with pytest.raises(StateTaken):
        await old.clear_finished()
    await old.close()
    assert await young.finished(Which(), 0, 9) == [one]
    await young.close()


async def test_a_commit_of_exactly_what_is_slow_is_not_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 0.0

    def takes(seconds: float, fails: bool = False) -> None:
        nonlocal now_s
        now_s += seconds
        if fails:
            raise StateBroken

    monkeypatch.setattr(pace_module, "time", SimpleNamespace(perf_counter=lambda: now_s))
    pace = Pace(slow_s=1.0)
    await pace.run(lambda: takes(1.0))
    assert not pace.threaded
    with pytest.raises(StateBroken):
        await pace.run(lambda: takes(1.25, fails=True))
    assert pace.threaded, "one that failed was slow all the same"
    await pace.close()
