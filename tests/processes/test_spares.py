"""Folders of attempts that are over, given to others: nothing in them is taken for what came of the next."""

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from molokini.processes.launch_records import wish_of
from molokini.processes.spool import Spool
from molokini.proto.v1.agent_service_pb2 import Report
from tests.kit.real_jobs import RealNode, at_work, launch, real_node, rules, until


def numbers(path: Path) -> dict[str, int]:
    """Which files are in a folder, and the folder itself."""
    return {".": path.stat().st_ino, **{one.name: one.lstat().st_ino for one in path.iterdir()}}


def spares(node: RealNode) -> list[Path]:
    return sorted((node.spool.folder / "spare").iterdir())


async def ended(node: RealNode, number: int) -> Report:
    """The report of a job, which the server has then."""
    report = await node.report(number)
    node.executor.acknowledged([report])
    await until(lambda: not node.spool.path(f"{number}-1").exists())
    return report


async def test_the_next_attempt_has_the_files_of_the_one_before_without_contents(tmp_path: Path) -> None:
    async with at_work(tmp_path / "spool") as node:
        out = str(tmp_path / "%j.out")
        wide = (("here", 3), ("there", 2))
        node.launch(
            launch(
                1, "sh", "-c", "cat $MOLOKINI_NODE_FILE; exit 7", folder=tmp_path, nodes=wide, stdout_path=out
            )
        )
        assert (await ended(node, 1)).exit_code == 7
        [spare] = spares(node)
        before = numbers(spare)
        node.launch(
            launch(2, "sh", "-c", "cat $MOLOKINI_NODE_FILE; sleep 1000", folder=tmp_path, stdout_path=out)
        )
        pid = await node.pid(2)
        path = node.spool.path("2-1")
        assert numbers(path) == {name.removesuffix(".new"): number for name, number in before.items()}
        assert node.spool.supervisor("2-1") == int((path / "lock").read_bytes()) != pid
        assert (path / "nodes").read_text() == "here\n"
        assert node.spool.record("2-1").ended is None
        # What it found there is its own.
        await until((tmp_path / "2.out").exists)
        await until(lambda: (tmp_path / "2.out").read_text() == "here\n")
        node.executor.lease_ran_out(0.0)
        assert (await ended(node, 2)).kind == Report.KILLED
    assert (tmp_path / "1.out").read_text() == "here\n" * 3 + "there\n" * 2


async def test_a_script_goes_with_its_attempt(node: RealNode, tmp_path: Path) -> None:
    one = launch(1, folder=tmp_path)
    one.spec.script = "#!/bin/sh\nexit 3\n"
    node.launch(one)
    assert (await ended(node, 1)).exit_code == 3
    assert [path.name for path in spares(node)[0].iterdir() if path.name == "script"] == []
    node.launch(launch(2, "true", folder=tmp_path))
    assert (await ended(node, 2)).exit_code == 0


def holders(folder: Path, text: str) -> list[str]:
    """The files below *folder* in which *text* stands."""
    files = [one for one in folder.rglob("*") if one.is_file()]
    return [str(one.relative_to(folder)) for one in files if text.encode() in one.read_bytes()]


async def test_nothing_secret_of_a_job_stays_behind_its_end(node: RealNode, tmp_path: Path) -> None:
    secret = {"SECRET": "canary"}
    one = launch(1, folder=tmp_path, environment=secret)
    one.spec.script = "#!/bin/sh\n# canary\ntest $SECRET = canary\n"
    node.launch(one)
    node.launch(launch(2, "sh", "-c", "test $SECRET && sleep 1000", folder=tmp_path, environment=secret))
    node.launch(launch(3, "no-such-program", folder=tmp_path, environment=secret))
    report = await node.report(1)
    assert report.exit_code == 0
    await node.report(3)
    await node.pid(2)
    # Its end is not acknowledged: what has happened has to stay, and nothing else.
    assert holders(tmp_path / "spool", "canary") == ["jobs/2-1/launch.json"]
    assert node.spool.record("1-1").ended is not None
    # A supervisor that is killed wipes nothing.
    supervisor = node.spool.supervisor("2-1")
    assert supervisor
    os.kill(supervisor, signal.SIGKILL)
    for number in (1, 2, 3):
        await ended(node, number)
    assert len(spares(node)) == 3
    assert holders(tmp_path / "spool", "canary") == []


async def test_a_start_of_the_agent_finds_the_end_of_what_was_wiped(tmp_path: Path) -> None:
    wanted = launch(1, "sh", "-c", "exit $CODE", folder=tmp_path, environment={"CODE": "7"})
    async with at_work(tmp_path / "spool") as node:
        node.launch(wanted)
        await node.report(1)
    async with real_node(tmp_path / "spool") as node:
        node.welcome(wanted)
        assert (await node.report(1)).exit_code == 7


Change = Callable[[Path], None]


def put_a_link(path: Path) -> None:
    (path / "nodes").unlink()
    (path / "nodes").symlink_to(path.parent.parent / "lease")


def put_a_name(path: Path) -> None:
    os.link(path / "nodes", path.parent.parent / "elsewhere")


def put_a_file(path: Path) -> None:
    (path / "more").touch()


def let_all_write(path: Path) -> None:
    (path / "nodes").chmod(0o666)


@pytest.mark.parametrize("change", [put_a_link, put_a_name, put_a_file, let_all_write])
async def test_a_changed_folder_is_removed(node: RealNode, tmp_path: Path, change: Change) -> None:
    await node.run(1, "true", folder=tmp_path)
    change(node.spool.path("1-1"))
    await ended(node, 1)
    assert spares(node) == []


@pytest.mark.parametrize("label", ["1-1", ""])
async def test_a_folder_of_a_late_supervisor_is_removed(node: RealNode, tmp_path: Path, label: str) -> None:
    node.launch(launch(1, "true", folder=tmp_path))
    node.spool.distrust(label)
    await ended(node, 1)
    assert spares(node) == []


async def test_a_start_of_the_agent_gives_nothing_of_the_one_before(tmp_path: Path) -> None:
    async with at_work(tmp_path / "spool") as node:
        node.launch(launch(1, "sleep", "1000", folder=tmp_path))
        node.launch(launch(2, "true", folder=tmp_path))
        await ended(node, 2)
        await node.pid(1)
    async with real_node(tmp_path / "spool") as node:
        assert spares(node) == []
        node.welcome()
        await until(lambda: node.executor.running == 0)
        await until(lambda: not node.spool.path("1-1").exists())
        # Its first start has asked for a supervisor, too.
        assert spares(node) == []


def test_what_the_disk_still_has_of_the_attempt_before_is_no_end_of_the_next(tmp_path: Path) -> None:
    """Fault F14: a power cut takes what was written last, in any order."""
    wishes = [
        wish_of(launch(number, "true", folder=tmp_path), rules(), str(tmp_path / "lease"))
        for number in (1, 2)
    ]
    spool = Spool(tmp_path / "spool")
    path = spool.add(wishes[0], "")
    (path / "record").write_text(json.dumps({"kind": "ended", "of": "1-1", "exit_code": 0}) + "\n")
    assert spool.record("1-1").ended == {"exit_code": 0}
    # The new name, and nothing else.
    path.rename(spool.path("2-1"))
    assert spool.record("2-1").ended is None
    spool.close()
    spool = Spool(tmp_path / "spool")
    assert list(spool.found()) == []
    assert not spool.path("2-1").exists()
    # The new name and the new launch.
    path = spool.add(wishes[1], "")
    (path / "record").write_text(json.dumps({"kind": "ended", "of": "1-1", "exit_code": 0}) + "\n")
    spool.close()
    spool = Spool(tmp_path / "spool")
    assert [one.label for one in spool.found()] == ["2-1"]
    assert spool.record("2-1").ended is None
    spool.close()
