"""The mark: absent it says nothing, and one that is not byte for byte what was written is a damage."""

import errno
import os
import shutil
from pathlib import Path

import pytest

from molokini.model.errors import MolokiniError
from molokini.server.journal.mark import MARK_FILE, Mark, Marked, read_mark
from molokini.server.journal.port import StateDamaged
from molokini.server.journal.sqlite_file import DATABASE_FILE, wal_of
from tests.server.journal.children import Writer
from tests.server.journal.lines import begun, kept_in, lines
from tests.server.journal.test_damage import found_damage


def marked(folder: Path, epoch: int = 7, serial: int = 4321) -> bytes:
    """A mark in *folder*, and its bytes."""
    mark = Mark(folder, Marked())
    mark.set(epoch, serial)
    mark.close()
    return (folder / MARK_FILE).read_bytes()


def test_a_mark_says_what_was_written_last_and_none_says_nothing(tmp_path: Path) -> None:
    assert read_mark(tmp_path) == Marked()
    marked(tmp_path)
    assert read_mark(tmp_path) == Marked(7, 4321)
    again = Mark(tmp_path, Marked(8, 4321))
    assert read_mark(tmp_path) == Marked(8, 4321)
    again.set(8, 4322)
    again.close()
    assert read_mark(tmp_path) == Marked(8, 4322)
    assert [path.name for path in tmp_path.iterdir()] == [MARK_FILE]


def test_each_bit_each_cut_and_each_byte_more_is_noticed(tmp_path: Path) -> None:
    whole = marked(tmp_path)
    flipped = [
        whole[:at] + bytes([whole[at] ^ 1 << bit]) + whole[at + 1 :]
        for at in range(len(whole))
        for bit in range(8)
    ]
    cut = [whole[:size] for size in range(len(whole))]
    longer = [whole + more for more in (b"\n", b" ", b"0", whole, bytes(4096))]
    for damaged in (*flipped, *cut, *longer, b"hello\n", bytes(len(whole)), b"\xff" * len(whole)):
        (tmp_path / MARK_FILE).write_bytes(damaged)
        with pytest.raises(StateDamaged, match=f"{MARK_FILE} cannot be read"):
            read_mark(tmp_path)


def test_a_mark_that_fails_leaves_no_descriptor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("molokini.server.journal.mark.sync", full)
        with pytest.raises(MolokiniError, match=f"{MARK_FILE} could not be written"):
            Mark(tmp_path, Marked(7, 4321))
    left = [path for path in Path("/proc/self/fd").iterdir() if str(tmp_path) in os.path.realpath(path)]
    assert left == []
    Mark(tmp_path, Marked(7, 4321)).close()
    assert read_mark(tmp_path) == Marked(7, 4321)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EIO])
def test_without_room_the_mark_stays_behind_and_other_failures_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """The entries are safe without it. A quota that is used up is no room, too."""

    def fails(*_: object) -> int:
        raise OSError(number, os.strerror(number))

    mark = Mark(tmp_path, Marked(7, 4321))
    with monkeypatch.context() as patch:
        patch.setattr("molokini.server.journal.mark.os.pwrite", fails)
        if number == errno.EIO:
            with pytest.raises(MolokiniError, match=MARK_FILE):
                mark.set(7, 4322)
        else:
            mark.set(7, 4322)
    assert read_mark(tmp_path) == Marked(7, 4321)
    mark.set(7, 4323)
    mark.close()
    assert read_mark(tmp_path) == Marked(7, 4323)


def test_what_is_no_file_is_no_mark(tmp_path: Path) -> None:
    path = tmp_path / MARK_FILE
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StateDamaged, match=f"{MARK_FILE} cannot be read"):
        read_mark(tmp_path)
    path.unlink()
    path.mkdir()
    with pytest.raises(StateDamaged, match=f"{MARK_FILE} cannot be read"):
        read_mark(tmp_path)


@pytest.mark.parametrize("said", [b"hello\n", b"", b"0" * 50])
async def test_with_a_damaged_mark_a_cut_log_is_not_silent(tmp_path: Path, said: bytes) -> None:
    with Writer(str(tmp_path / "state"), step=800) as writer:
        writer.go()
        writer.listen(lambda one: one.acknowledged == 800)
    folder = Path(shutil.copytree(tmp_path / "state", tmp_path / "copy"))
    log = wal_of(folder / DATABASE_FILE)
    os.truncate(log, log.stat().st_size - 50_000)
    (folder / MARK_FILE).write_bytes(said)
    for _ in range(2):
        # The refusal changes nothing: the second start meets the same.
        text = await found_damage(folder)
        assert text.startswith(f"{folder / MARK_FILE} cannot be read")
        assert "restore it from a copy" in text
        assert "remove it" in text
        assert "\n" not in text
    assert (folder / MARK_FILE).read_bytes() == said
    (folder / MARK_FILE).unlink()
    kept = await kept_in(folder)
    assert kept == lines(1, len(kept))
    assert len(kept) < 800


async def test_a_damaged_mark_is_refused_where_the_journal_is_whole_or_gone(tmp_path: Path) -> None:
    await begun(tmp_path, lines(1, 10))
    whole = (tmp_path / MARK_FILE).read_bytes()
    (tmp_path / MARK_FILE).write_bytes(whole[:-1])
    assert "its checksum is wrong" in await found_damage(tmp_path)
    (tmp_path / DATABASE_FILE).rename(tmp_path / "aside")
    assert "its checksum is wrong" in await found_damage(tmp_path)
    with pytest.raises(StateDamaged, match="its checksum is wrong"):
        await begun(tmp_path)
    (tmp_path / "aside").rename(tmp_path / DATABASE_FILE)
    (tmp_path / MARK_FILE).write_bytes(whole)
    assert await kept_in(tmp_path) == lines(1, 10)


async def test_a_start_without_a_mark_warns_of_cuts(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    await begun(tmp_path, lines(1, 10))
    await kept_in(tmp_path)
    assert caplog.messages == []
    (tmp_path / MARK_FILE).unlink()
    for _ in range(2):
        # The first start makes a mark, by which the next one can tell.
        assert await kept_in(tmp_path) == lines(1, 10)
        [said] = caplog.messages
        assert said.startswith(f"{tmp_path / MARK_FILE} is not there, so nothing tells whether entries")
        assert said.endswith("up to entry 10")
