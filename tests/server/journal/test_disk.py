"""A disk that is full, that fails, that cannot be written (F23, F25, F26)."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from molokini.server.journal.mark import MARK_FILE
from molokini.server.journal.port import Snapshot, StateBroken, StateFull
from molokini.server.journal.sqlite import SqliteJournal
from tests.kit.waiting import DEADLINE_S
from tests.server.journal.children import Writer, check
from tests.server.journal.lines import all_of, kept_in, lines

SIZE_BYTES = 4 << 20


def mounted(folder: Path, *options: str) -> None:
    done = subprocess.run(["mount", *options, str(folder)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted(folder, "-t", "tmpfs", "-o", f"size={SIZE_BYTES}", "molokini-test")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path) -> Path:
    """A file that takes all the room."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        _write_for_ever(file)
    return filler


def _write_for_ever(file: IO[bytes]) -> None:
    while True:
        file.write(bytes(4096))


async def fill_up(journal: SqliteJournal) -> str:
    """Append until there is no room, and return what the journal says."""
    with pytest.raises(StateFull) as caught:
        await _append_for_long(journal)
    return str(caught.value)


async def _append_for_long(journal: SqliteJournal) -> None:
    while journal.last_serial < 100_000:
        await journal.append(lines(journal.last_serial + 1, journal.last_serial + 7))


async def test_a_full_disk_refuses_by_name_and_recovers_by_itself(disk: Path) -> None:
    journal = await SqliteJournal.open(disk / "state", new=True)
    await journal.append(lines(1, 500))
    filler = fill(disk)
    text = await fill_up(journal)
    assert text.startswith(f"the file system {disk} is full (0 KiB free): {disk}/state/journal.sqlite")
    last = journal.last_serial
    assert await all_of(journal) == lines(1, last)
    for _ in range(3):
        with pytest.raises(StateFull):
            await journal.append(lines(last + 1, last + 200))
    filler.unlink()
    await journal.append(lines(last + 1, last + 7))
    await journal.close()
    assert await kept_in(disk / "state") == lines(1, last + 7)


async def test_a_disk_filled_by_the_journal_itself_keeps_all_that_was_acknowledged(disk: Path) -> None:
    journal = await SqliteJournal.open(disk / "state", new=True)
    await fill_up(journal)
    last = journal.last_serial
    assert last > 3000
    with pytest.raises(StateFull):
        await journal.keep_snapshot(Snapshot(last, bytes(SIZE_BYTES)))
    shutil.copytree(disk / "state", disk.parent / "roomier")
    await journal.close()
    assert await kept_in(disk.parent / "roomier") == lines(1, last)


async def test_a_full_disk_at_the_start_is_named(disk: Path) -> None:
    filler = fill(disk)
    with pytest.raises(StateFull, match=f"the file system {disk} is full"):
        await SqliteJournal.open(disk / "state", new=True)
    filler.unlink()
    journal = await SqliteJournal.open(disk / "state", new=True)
    await journal.append(lines(1, 5))
    await journal.close()
    filler = fill(disk)
    with pytest.raises(StateFull, match=f"the file system {disk} is full"):
        await SqliteJournal.open(disk / "state", new=False)
    filler.unlink()
    assert await kept_in(disk / "state") == lines(1, 5)


async def test_a_disk_that_cannot_be_written_is_named(disk: Path) -> None:
    journal = await SqliteJournal.open(disk / "state", new=True)
    await journal.append(lines(1, 5))
    await journal.close()
    mounted(disk, "-o", "remount,ro")
    with pytest.raises(StateBroken, match=f"the file system {disk} is read-only"):
        await SqliteJournal.open(disk / "state", new=False)
    mounted(disk, "-o", "remount,rw")
    assert await kept_in(disk / "state") == lines(1, 5)


def injected(writer: Writer, fault: str, log: Path) -> "subprocess.Popen[bytes]":
    """Every system call of *fault* of the writer fails from now on; strace says so in *log*."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed (Debian: apt-get install strace)")
    calls = fault.partition(":")[0]
    command = ["strace", "-f", "-e", f"trace={calls}", "-e", f"inject={fault}", "-o", str(log)]
    tracer = subprocess.Popen([*command, "-p", str(writer.process.pid)], stderr=subprocess.DEVNULL)
    status = Path(f"/proc/{writer.process.pid}/status")
    deadline = time.monotonic() + DEADLINE_S
    while f"TracerPid:\t{tracer.pid}\n" not in status.read_text():
        if tracer.poll() is not None:
            pytest.skip("strace may not attach to a process here")
        assert time.monotonic() < deadline, "strace did not attach in time"
        time.sleep(0.01)
    return tracer


@pytest.mark.parametrize(
    ("fault", "answer"),
    [
        ("fsync,fdatasync:error=EIO", "StateBroken: .*disk I/O error \\(SQLITE_IOERR_FSYNC\\)"),
        ("pwrite64:error=EIO", "StateBroken: .*SQLITE_IOERR_WRITE"),
        ("pwrite64:error=EROFS", "StateBroken: .*SQLITE_IOERR_WRITE"),
    ],
)
async def test_a_failed_write_or_sync_is_the_last(tmp_path: Path, fault: str, answer: str) -> None:
    with Writer(str(tmp_path / "state"), step=100) as writer:
        writer.go()
        writer.listen(lambda one: one.acknowledged == 100)
        tracer = injected(writer, fault, tmp_path / "calls")
        writer.go()
        assert writer.ended() == 3
        tracer.wait(DEADLINE_S)
    first, second = writer.failures
    assert first == second
    with pytest.raises(StateBroken, match=answer):
        raise StateBroken(first)
    assert writer.acknowledged == 100
    # One call failed, and the journal did not try again.
    assert (tmp_path / "calls").read_text().count("(INJECTED)") == 1
    journal = await SqliteJournal.open(tmp_path / "state", new=False)
    await check(journal, 100)
    await journal.close()


async def test_a_mark_that_cannot_be_written_ends_the_writing(tmp_path: Path) -> None:
    journal = await SqliteJournal.open(tmp_path, new=True)
    await journal.append(lines(1, 2))
    mark = journal._store._mark
    assert mark is not None
    # A handle for reading alone: the next write of the mark fails as on a broken disk.
    unwritable = os.open(tmp_path / MARK_FILE, os.O_RDONLY)
    os.dup2(unwritable, mark._handle)
    os.close(unwritable)
    for _ in range(2):
        with pytest.raises(StateBroken, match=MARK_FILE):
            await journal.append(lines(3, 4))
    await journal.close()
    assert await kept_in(tmp_path) == lines(1, 4)
