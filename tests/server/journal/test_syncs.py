"""What a power cut leaves: by a writer's system calls, each name and each byte is on disk before its word.

A file or a folder that has a new name outlasts a power cut once its folder was synced after that; a file that
gets its name when it is whole was synced before that; what was written was synced before it is acknowledged.
"""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from molokini.server.journal.mark import MARK_FILE
from molokini.server.journal.sqlite_file import DATABASE_FILE, wal_of
from tests.kit.waiting import DEADLINE_S
from tests.server.journal.children import _PATH, ROOT

WAL_FILE = wal_of(Path(DATABASE_FILE)).name
_CALLS = "openat,mkdir,mkdirat,rename,renameat,renameat2,fsync,fdatasync,pwrite64,write"
_SCRIPT = """
import asyncio, os, sys
from pathlib import Path
from molokini.server.journal.port import Snapshot
from molokini.server.journal.sqlite import SqliteJournal
from tests.server.journal.lines import lines

async def main():
    journal = await SqliteJournal.open(Path(sys.argv[1]), new=True)
    os.write(1, b"opened")
    for last in (3, 6):
        await journal.append(lines(last - 2, last))
        os.write(1, b"acknowledged")
    await journal.keep_snapshot(Snapshot(6, b"6" * 300_000))
    os.write(1, b"acknowledged")

asyncio.run(main())
os._exit(0)
"""


@dataclass
class Disk:
    """What of a disk would outlast a power cut now."""

    names: set[str] = field(default_factory=set)
    """New names whose folder was not synced since."""
    dirty: set[str] = field(default_factory=set)
    """Files that were written and not synced since."""
    renamed_dirty: list[str] = field(default_factory=list)
    """Files that got their name before they were on disk."""
    hasty: list[str] = field(default_factory=list)
    """Files that got a name by which they are found, and something was written before that was on disk."""
    found_by: set[str] = field(default_factory=set)
    """Names that were given by renaming."""

    def see(self, line: str) -> None:
        """Take in one line of strace."""
        found = re.match(r"\d+ +(\w+)\((.*)\) += (-?\d+)", line)
        if found is None or found[3].startswith("-"):
            return
        call, given = found[1], found[2]
        handle = re.match(r"\d+<([^>]*)>", given)
        quoted = re.findall(r'"([^"]*)"', given)
        if call in ("fsync", "fdatasync") and handle:
            self.dirty.discard(handle[1])
            self.names = {name for name in self.names if os.path.dirname(name) != handle[1]}
        elif call == "pwrite64" and handle:
            self.hasty += self.names & self.found_by
            self.dirty.add(handle[1])
        elif call == "write" and handle:
            self.dirty.add(handle[1])
        elif call.startswith("mkdir") or (call == "openat" and "O_CREAT" in given):
            self.names.add(os.path.abspath(quoted[0]))
        elif call.startswith("rename"):
            self._rename(quoted[0], quoted[1])

    def _rename(self, old: str, new: str) -> None:
        if old in self.dirty:
            self.renamed_dirty.append(old)
        self.names.discard(old)
        self.names.add(new)
        self.found_by.add(new)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Disk]]:
    """What a new journal, two appends and a snapshot have made of the disk, at each word that it said."""
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed (Debian: apt-get install strace)")
    place = tmp_path_factory.mktemp("place")
    log = place / "calls"
    command = ["strace", "-f", "-y", "-s", "4096", "-e", f"trace={_CALLS}", "-o", str(log)]
    done = subprocess.run(
        [*command, sys.executable, "-c", _SCRIPT, str(place / "deep" / "state")],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": _PATH},
        cwd=ROOT,
        timeout=4 * DEADLINE_S,
        check=False,
    )
    if "ptrace" in done.stderr:
        pytest.skip("strace may not attach to a process here")
    assert done.returncode == 0, done.stderr
    disk, words = Disk(), []
    for line in log.read_text(errors="replace").splitlines():
        if (word := re.search(r"write\(1<[^>]*>, \"(opened|acknowledged)\"", line)) is not None:
            words.append((word[1], _copy(disk, str(place))))
        else:
            disk.see(line)
    assert [word for word, _ in words] == ["opened", *["acknowledged"] * 3]
    return words


def _copy(disk: Disk, place: str) -> Disk:
    """*disk* as it is now, below *place* alone."""
    return Disk(
        {name for name in disk.names if name.startswith(place)},
        {name for name in disk.dirty if name.startswith(place)},
        [name for name in disk.renamed_dirty if name.startswith(place)],
        [name for name in disk.hasty if name.startswith(place)],
    )


def test_a_new_journal_has_its_names_on_disk_before_it_is_used(seen: list[tuple[str, Disk]]) -> None:
    left = {Path(name).name for name in seen[0][1].names}
    # The lock and the shared memory are made anew after a power cut; the log is synced with its first commit.
    assert left & {"deep", "state", DATABASE_FILE, MARK_FILE} == set()
    acknowledged = {Path(name).name for name in seen[1][1].names}
    assert acknowledged & {"deep", "state", DATABASE_FILE, MARK_FILE, WAL_FILE} == set()


def test_what_gets_its_name_when_it_is_whole_was_synced_before(seen: list[tuple[str, Disk]]) -> None:
    assert seen[-1][1].renamed_dirty == []
    assert seen[-1][1].hasty == []


def test_what_is_acknowledged_is_synced(seen: list[tuple[str, Disk]]) -> None:
    for word, disk in seen[1:]:
        dirty = {Path(name).name for name in disk.dirty}
        # The mark may be behind after a power cut; the shared memory is made anew.
        assert dirty & {DATABASE_FILE, WAL_FILE} == set(), word
