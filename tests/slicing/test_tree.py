"""All processes of a job stand still, and those that it makes while they are being stopped."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from molokini.slicing.tree import Tree
from tests.kit.real_jobs import until
from tests.kit.waiting import state


@pytest.fixture
def sleepers() -> Iterator[list[int]]:
    made = [subprocess.Popen(["sleep", "600"]) for _ in range(3)]
    yield [one.pid for one in made]
    for one in made:
        one.kill()
        one.wait()


class Growing(Tree):
    """Its group has one process more at every look."""

    members: list[int]
    looks = 0

    def listed(self) -> list[int]:
        self.looks += 1
        return self.members[: self.looks]


async def test_who_is_made_meanwhile_is_stopped_too(sleepers: list[int], tmp_path: Path) -> None:
    procs = tmp_path / "cgroup.procs"
    procs.write_text("")
    tree = Growing(os.getpid(), str(procs))
    tree.members = sleepers
    try:
        tree.stop()
        await until(lambda: [state(pid) for pid in sleepers] == ["T"] * 3)
        assert sorted(tree.pids) == sorted(sleepers)
        tree.go()
        await until(lambda: "T" not in [state(pid) for pid in sleepers])
    finally:
        tree.close()
        for pid in sleepers:
            os.kill(pid, signal.SIGCONT)


async def test_processes_of_the_group_are_found_and_forgotten(sleepers: list[int], tmp_path: Path) -> None:
    procs = tmp_path / "cgroup.procs"
    procs.write_text(f"{sleepers[0]}\n")
    tree = Tree(os.getpid(), str(procs))
    try:
        assert tree.find() == [sleepers[0]]
        assert tree.find() == []
        procs.write_text("".join(f"{pid}\n" for pid in sleepers))
        tree.stop()
        await until(lambda: [state(pid) for pid in sleepers] == ["T"] * 3)
        tree.go_all()
        await until(lambda: "T" not in [state(pid) for pid in sleepers])
    finally:
        tree.close()
    assert tree.pids == []
