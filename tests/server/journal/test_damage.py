"""Damaged copies of a state (F28), and copies taken while it is written (F27).

The rule for a damaged one: what can be read is exactly what was acknowledged, or the journal says what is
damaged. Less, in silence, never.
"""

import contextlib
import os
import random
import shutil
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from molokini.model.codec import Entry
from molokini.server.journal.mark import MARK_FILE
from molokini.server.journal.port import Snapshot, StateDamaged
from molokini.server.journal.sqlite import SqliteJournal
from molokini.server.journal.sqlite_file import ASIDE, DATABASE_FILE, wal_of
from tests.server.journal.children import Writer, check
from tests.server.journal.lines import all_of, begun, kept_in, lines

WAL_FILE = wal_of(Path(DATABASE_FILE)).name
RANDOM_DAMAGES = 60
COPIES = 8


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state whose writer was killed: a part in the database, the rest in the log alone."""
    folder = tmp_path_factory.mktemp("left") / "state"
    with Writer(str(folder), step=3000) as writer:
        writer.go()
        writer.listen(lambda one: one.acknowledged == 3000)
        with contextlib.closing(sqlite3.connect(folder / DATABASE_FILE)) as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            writer.go()
            writer.listen(lambda one: one.acknowledged == 6000)
            # The connection that closes last would copy the log: the writer has to outlive this one.
        os.kill(writer.process.pid, signal.SIGSTOP)
    assert (folder / WAL_FILE).stat().st_size > 100_000
    return folder


@pytest.fixture
def copy(left: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(left, tmp_path / "copy"))


@contextlib.contextmanager
def edited(path: Path) -> Iterator[bytearray]:
    """The bytes of *path*, written back afterwards."""
    data = bytearray(path.read_bytes())
    yield data
    path.write_bytes(data)


async def found_damage(folder: Path) -> str:
    """What the journal in *folder* says of its damage; it must."""
    with pytest.raises(StateDamaged) as caught:
        await kept_in(folder)
    return str(caught.value)


async def test_the_undamaged_copy_is_whole(copy: Path) -> None:
    assert await kept_in(copy) == lines(1, 6000)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.999])
async def test_a_log_that_was_cut(copy: Path, share: float) -> None:
    size = (copy / WAL_FILE).stat().st_size
    os.truncate(copy / WAL_FILE, int(size * share))
    assert (
        "entry 6000 (epoch 1) was acknowledged; journal.sqlite-wal is damaged or cut"
        in await found_damage(copy)
    )


async def test_a_log_that_is_gone(copy: Path) -> None:
    (copy / WAL_FILE).unlink()
    for _ in range(2):
        assert "journal.sqlite-wal is missing or empty" in await found_damage(copy)


async def test_a_flipped_byte_in_the_log(copy: Path) -> None:
    with edited(copy / WAL_FILE) as data:
        data[len(data) // 2] ^= 0x01
    assert "journal.sqlite-wal is damaged or cut" in await found_damage(copy)
    # SQLite removes a log when it is closed; ours is to be there for whoever repairs it.
    assert (copy / (DATABASE_FILE + ASIDE)).read_bytes() == data
    assert "entry 6000 (epoch 1) was acknowledged" in await found_damage(copy)
    with edited(copy / (DATABASE_FILE + ASIDE)) as data:
        data[len(data) // 2] ^= 0x01
    (copy / (DATABASE_FILE + ASIDE)).rename(copy / WAL_FILE)
    assert await kept_in(copy) == lines(1, 6000)


async def test_giving_the_rest_up_takes_the_mark_away(copy: Path) -> None:
    (copy / WAL_FILE).unlink()
    assert f"remove {MARK_FILE}" in await found_damage(copy)
    (copy / MARK_FILE).unlink()
    kept = await kept_in(copy)
    assert kept == lines(1, len(kept))
    assert 3000 <= len(kept) < 6000


async def test_an_older_copy_put_in_place(tmp_path: Path) -> None:
    await begun(tmp_path / "state", lines(1, 10))
    older = (tmp_path / "state" / DATABASE_FILE).read_bytes()
    await begun(tmp_path / "state", lines(11, 20))
    (tmp_path / "state" / DATABASE_FILE).write_bytes(older)
    assert "ends at entry 10, but entry 20 (epoch 2) was acknowledged" in await found_damage(
        tmp_path / "state"
    )


@pytest.mark.parametrize("serial", [1, 777, 2000])
async def test_a_flipped_byte_in_an_entry_names_it(tmp_path: Path, serial: int) -> None:
    await begun(tmp_path, lines(1, 2000))
    with edited(tmp_path / DATABASE_FILE) as data:
        at = data.index(f'{{"job":{serial},"text"'.encode())
        data[at + 20] ^= 0x10
    assert f"entry {serial} was changed" in await found_damage(tmp_path)


async def test_a_zero_block_names_the_first_entry_that_is_lost(tmp_path: Path) -> None:
    await begun(tmp_path, lines(1, 2000))
    with edited(tmp_path / DATABASE_FILE) as data:
        block = data.index(b'{"job":1000,"text"') // 4096 * 4096
        data[block : block + 4096] = bytes(4096)
    journal = await SqliteJournal.open(tmp_path, new=False)
    read: list[Entry] = []
    with pytest.raises(StateDamaged, match=r"entry \d+ cannot be read: .*malformed") as caught:
        await _read_into(read, journal)
    assert read == lines(1, len(read))
    assert 950 < len(read) < 1000
    assert f"entry {len(read) + 1} cannot" in str(caught.value)
    assert await all_of(journal, 1100) == lines(1101, 2000)
    await journal.close()


async def _read_into(read: list[Entry], journal: SqliteJournal) -> None:
    async for one in journal.read(0):
        read.append(one)


@pytest.mark.parametrize(
    ("size", "said"), [(0, "is empty"), (50, "journal.sqlite"), (4096, "malformed"), (200_000, "malformed")]
)
async def test_a_torn_tail_of_the_database(tmp_path: Path, size: int, said: str) -> None:
    await begun(tmp_path, lines(1, 2000))
    os.truncate(tmp_path / DATABASE_FILE, size)
    assert said in await found_damage(tmp_path)


async def test_a_holder_whose_epoch_is_no_number(tmp_path: Path) -> None:
    await begun(tmp_path, lines(1, 10))
    with contextlib.closing(sqlite3.connect(tmp_path / DATABASE_FILE)) as database:
        # As a byte of the file that was hit would leave it: the table's own rules allow no such line.
        database.executescript(
            "DROP TABLE holder; CREATE TABLE holder (one, epoch, name);"
            "INSERT INTO holder VALUES (1, NULL, '')"
        )
    assert "its holder row is damaged (epoch None)" in await found_damage(tmp_path)


async def test_another_file_in_its_place(copy: Path) -> None:
    for other in (b"#!/bin/sh\n" * 1000, bytes(40_000)):
        (copy / DATABASE_FILE).write_bytes(other)
        assert DATABASE_FILE in await found_damage(copy)
    (copy / DATABASE_FILE).unlink()
    with contextlib.closing(sqlite3.connect(copy / DATABASE_FILE)) as connection:
        connection.execute("CREATE TABLE entries (serial)")
    assert "is not a journal of molokini" in await found_damage(copy)


@pytest.mark.skipif(os.geteuid() != 0, reason="giving files away needs root")
@pytest.mark.parametrize("name", [DATABASE_FILE, WAL_FILE])
async def test_a_file_of_another_owner(copy: Path, name: str) -> None:
    os.chown(copy / name, 65534, 65534)
    assert f"{name} belongs to user nobody, but this process runs as user root" in await found_damage(copy)


async def test_after_a_damaged_snapshot_the_last(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    journal = await SqliteJournal.open(tmp_path, new=True)
    await journal.append(lines(1, 20))
    for serial in (5, 10, 15):
        await journal.keep_snapshot(Snapshot(serial, f"<state {serial}>".encode() * 5))
    await journal.close()
    for serial, next_best in ((15, 10), (10, None)):
        with edited(tmp_path / DATABASE_FILE) as data:
            data[data.index(f"<state {serial}>".encode() * 5) + 1] ^= 0x20
        journal = await SqliteJournal.open(tmp_path, new=False)
        snapshot = await journal.load_snapshot()
        assert (snapshot.serial if snapshot else None) == next_best
        assert f"the snapshot of entry {serial} is damaged" in caplog.text
        assert await all_of(journal) == lines(1, 20)
        await journal.close()


async def test_random_damage_is_never_silent(left: Path, tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    dice, harmless = random.Random(seed), 0
    whole = Path(shutil.copytree(left, tmp_path / "whole"))
    assert await kept_in(whole) == lines(1, 6000)
    for number in range(RANDOM_DAMAGES):
        folder = Path(shutil.copytree(left, tmp_path / str(number)))
        name = dice.choice([DATABASE_FILE, WAL_FILE, MARK_FILE])
        with edited(folder / name) as data:
            what = _damage(data, dice)
        try:
            kept = await kept_in(folder)
        except StateDamaged:
            continue
        finally:
            shutil.rmtree(folder)
        assert kept == lines(1, 6000), f"seed {seed}, damage {number}: {name}, {what}"
        harmless += 1
    print(f"seed {seed}: {RANDOM_DAMAGES} damages, {harmless} harmless, the others named, silent losses 0")
    # A damage may be harmless (in pages that are free, behind what counts of the log); most are not.
    assert harmless < RANDOM_DAMAGES / 2


def _damage(data: bytearray, dice: random.Random) -> str:
    start = dice.randrange(len(data))
    length = min(len(data) - start, dice.choice([1, 1, 8, 512, 4096]))
    match dice.randrange(4):
        case 0:
            data[start : start + length] = bytes(length)
        case 1:
            data[start : start + length] = dice.randbytes(length)
        case 2:
            del data[start:]
        case _:
            data[start] ^= 1 << dice.randrange(8)
    return f"{length} bytes at {start}"


async def test_copies_taken_while_it_is_written_hold_all_that_was_acknowledged(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    dice, sizes = random.Random(seed), []
    with Writer(str(tmp_path / "state"), seed=seed % 1000) as writer:
        writer.listen(lambda one: one.acknowledged > 0)
        for number in range(COPIES):
            goal = writer.acknowledged + dice.randint(1, 1500)
            writer.listen(lambda one, goal=goal: one.acknowledged >= goal)  # type: ignore[misc]
            # All files of one instant, as a power cut leaves them: nothing moves while they are copied.
            os.kill(writer.process.pid, signal.SIGSTOP)
            os.waitid(os.P_PID, writer.process.pid, os.WSTOPPED | os.WNOWAIT)
            shutil.copytree(tmp_path / "state", tmp_path / f"copy-{number}")
            writer.drain()
            sizes.append(len(await _checked_copy(tmp_path / f"copy-{number}", writer.acknowledged)))
            os.kill(writer.process.pid, signal.SIGCONT)
    print(f"seed {seed}: {COPIES} copies, of {min(sizes)} to {max(sizes)} entries, lost 0")


async def _checked_copy(folder: Path, acknowledged: int) -> list[Entry]:
    journal = await SqliteJournal.open(folder, new=False)
    kept = await check(journal, acknowledged)
    await journal.close()
    with contextlib.closing(sqlite3.connect(folder / DATABASE_FILE)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    return kept
