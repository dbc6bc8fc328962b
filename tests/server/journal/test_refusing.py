"""What is no journal of ours, or none any more: refused before it is used, and after an error."""

import contextlib
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from molokini.server.journal import sqlite_store
from molokini.server.journal.port import Finished, JournalError, Runs, StateBroken, StateDamaged
from molokini.server.journal.seals import FORMAT
from molokini.server.journal.sqlite import SqliteJournal
from molokini.server.journal.sqlite_file import DATABASE_FILE, connect
from tests.server.journal.lines import all_of, begun, kept_in, line, lines


def changed(folder: Path, *statements: str) -> None:
    with contextlib.closing(sqlite3.connect(folder / DATABASE_FILE, isolation_level=None)) as other:
        for statement in statements:
            other.execute(statement)


@pytest.mark.parametrize(
    ("statement", "kind", "said"),
    [
        (f"PRAGMA user_version = {FORMAT + 1}", JournalError, f"has format {FORMAT + 1}, of a later release"),
        ("PRAGMA user_version = 0", StateDamaged, "its header is damaged"),
        ("PRAGMA journal_mode = DELETE", StateDamaged, "its header is damaged"),
        ("PRAGMA application_id = 7", StateDamaged, "is not a journal of molokini"),
        ("DELETE FROM holder", StateDamaged, "its holder row is missing"),
    ],
)
async def test_a_file_with_another_header_is_refused_and_left_as_it_is(
    tmp_path: Path, statement: str, kind: type[JournalError], said: str
) -> None:
    await begun(tmp_path, lines(1, 3))
    changed(tmp_path, statement)
    before = (tmp_path / DATABASE_FILE).read_bytes()
    for new in (True, False):
        with pytest.raises(kind, match=said) as refused:
            await SqliteJournal.open(tmp_path, new=new)
        assert type(refused.value) is kind
    assert (tmp_path / DATABASE_FILE).read_bytes() == before


@pytest.mark.parametrize(("synced", "level"), [(True, 2), (False, 0)])
async def test_a_connection_leaves_copying_the_log_to_us(tmp_path: Path, synced: bool, level: int) -> None:
    """A checkpoint of SQLite's own swallows the error of its sync."""
    await begun(tmp_path, lines(1, 3))
    with contextlib.closing(connect(tmp_path / DATABASE_FILE, synced=synced)) as made:
        found = [
            made.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("synchronous", "wal_autocheckpoint", "cell_size_check")
        ]
    assert found == [level, 0, 1]


async def test_damage_that_an_append_has_met_is_the_last(tmp_path: Path) -> None:
    journal = await SqliteJournal.open(tmp_path, new=True)
    await journal.append(lines(1, 3))
    changed(tmp_path, "ALTER TABLE entries RENAME TO elsewhere")
    with pytest.raises(StateDamaged):
        await journal.append([line(4)])
    changed(tmp_path, "ALTER TABLE elsewhere RENAME TO entries")
    with pytest.raises(StateDamaged):
        await journal.append([line(4)])
    await journal.close()
    assert await kept_in(tmp_path) == lines(1, 3)


class Failing:
    """A connection that cannot copy its log."""

    def __init__(self, inner: Any, name: str) -> None:
        self._inner, self._name = inner, name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def execute(self, text: str, *given: Any) -> Any:
        if "wal_checkpoint" in text:
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorname = self._name
            raise error
        return self._inner.execute(text, *given)


@pytest.mark.parametrize("name", ["SQLITE_IOERR_FSYNC", "SQLITE_FULL", "SQLITE_BUSY"])
async def test_a_log_that_cannot_be_copied_ends_the_writing_unless_there_is_no_room_for_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(sqlite_store, "CHECKPOINT_PAGES", 4)
    journal = await SqliteJournal.open(tmp_path, new=True)
    await journal.append([line(1)])
    connection = journal._store._connection
    journal._store._connection = Failing(connection, name)  # type: ignore[assignment]
    if name == "SQLITE_IOERR_FSYNC":
        for _ in range(2):
            with pytest.raises(StateBroken, match="copying its log"):
                await journal.append([line(2)])
    else:
        await journal.append([line(2)])
        await journal.append([line(3)])
        journal._store._connection = connection
        assert await all_of(journal) == lines(1, 3)
        # What was put off is made up for at the next commit, however small.
        copied: list[str] = []
        connection.set_trace_callback(copied.append)
        await journal.append([line(4)])
        assert sum("wal_checkpoint" in text for text in copied) == 1
    journal._store._connection = connection
    await journal.close()
    # The batch was kept all the same.
    kept = await kept_in(tmp_path)
    assert kept == lines(1, len(kept))
    assert len(kept) >= 2


async def test_finished_jobs_make_the_log_long_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_store, "CHECKPOINT_PAGES", 10)
    journal = await SqliteJournal.open(tmp_path, new=True)
    copied: list[str] = []
    journal._store._connection.set_trace_callback(copied.append)
    large = "x" * 4096 * 3
    for number, (jobs, runs) in enumerate([(1, 0), (0, 1), (1, 1)]):
        made = [Finished(number, "ann", "q", "a", 1, large)] * jobs
        await journal.keep_finished(made, [Runs(number, 0, 1, large)] * runs)
    # Five pages and five fill it; so do the eight of the third with the next.
    assert sum("wal_checkpoint" in text for text in copied) == 1
    await journal.append([line(1)])
    assert sum("wal_checkpoint" in text for text in copied) == 2
    await journal.close()
