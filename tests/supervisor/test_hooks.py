"""Prolog and epilog, and processes that cannot be ended: who is to blame, and what becomes of the node."""

import os
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from molokini.processes.launch_records import Rules
from molokini.proto.v1.agent_service_pb2 import Order, Report
from molokini.supervisor.trees import alive
from tests.kit.real_jobs import at_work, gone, launch, rules, until
from tests.kit.waiting import state

NOTES = 'echo "$MOLOKINI_JOB_ID $MOLOKINI_NODE_NAME $MOLOKINI_USER ${HOME-none} ${SECRET-none}"'


def program(folder: Path, name: str, text: str) -> str:
    """A program of the administrator's."""
    path = folder / name
    path.write_text(f"#!/bin/sh\ncd {folder}\n{text}\n")
    path.chmod(0o755)
    return str(path)


def hooked(folder: Path, prolog: str = "", epilog: str = "", **more: Any) -> Rules:
    """The rules of an agent with such programs."""
    given = {
        name: program(folder, name, text) for name, text in (("prolog", prolog), ("epilog", epilog)) if text
    }
    return rules(**given, **more)


async def test_they_run_before_and_after_with_an_environment_made_of_nothing(tmp_path: Path) -> None:
    said = hooked(
        tmp_path,
        f"{NOTES} >> notes",
        f'{NOTES} "$MOLOKINI_EXIT_CODE $MOLOKINI_SIGNAL $MOLOKINI_END" >> notes',
    )
    async with at_work(tmp_path / "spool", said) as node:
        wanted = ("sh", "-c", "echo job >> notes; exit 3")
        report = await node.run(7, *wanted, folder=tmp_path, environment={"SECRET": "x", "LD_PRELOAD": "y"})
        assert (report.kind, report.exit_code, report.drain_reason) == (Report.ENDED, 3, "")
        lines = (tmp_path / "notes").read_text().splitlines()
        assert lines == ["7 here nobody none none", "job", "7 here nobody none none 3 0 exited"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("echo no scratch disk >&2; exit 4", "exit code 4: no scratch disk"),
        ("kill -SEGV $$", "ended by signal 11"),
        ("sleep 1000 & sleep 1000", "did not end within 0.3 s"),
        ("yes | head -c 300000000; echo the end; exit 1", "exit code 1: the end"),
    ],
    ids=["fails", "dies", "hangs", "prints without end"],
)
async def test_a_prolog_that_fails_is_the_nodes_fault(tmp_path: Path, text: str, told: str) -> None:
    limit_s = 0.3 if "sleep" in text else 60.0
    said = hooked(tmp_path, text, "echo epilog >> notes", hook_limit_s=limit_s)
    async with at_work(tmp_path / "spool", said) as node:
        report = await node.run(1, "touch", "ran", folder=tmp_path)
        assert (report.kind, report.node) == (Report.NOT_STARTED, "here")
        assert report.reason == report.drain_reason == f"prolog {tmp_path}/prolog: {told}"
        assert not (tmp_path / "ran").exists()
        assert (tmp_path / "notes").read_text() == "epilog\n", "what a prolog has begun an epilog cleans up"


async def test_a_prolog_that_is_gone_is_the_nodes_fault(tmp_path: Path) -> None:
    said = hooked(tmp_path, "exit 0")
    os.unlink(said.prolog)
    async with at_work(tmp_path / "spool", said) as node:
        assert (await node.run(1, "true", folder=tmp_path)).drain_reason.endswith(
            "exit code 127: No such file or directory"
        )


async def test_a_job_that_cannot_start_is_not_the_nodes_fault(tmp_path: Path) -> None:
    async with at_work(tmp_path / "spool", hooked(tmp_path, "exit 0", "echo epilog >> notes")) as node:
        report = await node.run(1, "./no-such-program", folder=tmp_path)
        assert (report.kind, report.drain_reason) == (Report.NOT_STARTED, "")
        assert (tmp_path / "notes").read_text() == "epilog\n"


BOTH = pytest.mark.parametrize("grouped", [True, False], ids=["control group", "descendants"])


@BOTH
async def test_an_epilog_that_fails_drains_the_node_and_not_the_job(tmp_path: Path, grouped: bool) -> None:
    said = hooked(tmp_path, epilog="setsid sleep 1000 & echo $! > left; exit 5")
    said = said if grouped else replace(said, groups={})
    async with at_work(tmp_path / "spool", said) as node:
        report = await node.run(1, "sh", "-c", "exit 2", folder=tmp_path)
        assert (report.kind, report.exit_code) == (Report.ENDED, 2)
        assert report.drain_reason == f"epilog {tmp_path}/epilog: exit code 5"
        await gone([int((tmp_path / "left").read_text())])


async def test_a_job_can_be_cancelled_during_its_prolog(tmp_path: Path) -> None:
    async with at_work(tmp_path / "spool", hooked(tmp_path, "echo $$ > pid; sleep 1000")) as node:
        node.launch(launch(1, "touch", "ran", folder=tmp_path, limit_s=0.001))
        await until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text() != "")
        report = await node.killed(1)
        assert (report.kind, report.drain_reason) == (Report.KILLED, "")
        await gone([int((tmp_path / "pid").read_text())])
        assert not (tmp_path / "ran").exists()


async def test_a_job_that_is_suspended_during_its_prolog_stands_still_afterwards(tmp_path: Path) -> None:
    said = hooked(tmp_path, "touch begun; while [ ! -e go ]; do sleep 0.01; done", groups={})
    async with at_work(tmp_path / "spool", said) as node:
        node.launch(
            launch(1, "python3", "-c", "open('ran', 'w'); import time; time.sleep(0.5)", folder=tmp_path)
        )
        await until((tmp_path / "begun").exists)
        node.order(1, Order.SUSPEND)
        node.order(1, Order.SIGNAL, signal=int(signal.SIGTERM))
        # The supervisor has read both while there was no process: the prolog is none of the job's.
        await until(lambda: node.unread("1-1") == 0)
        (tmp_path / "go").touch()
        pid = await node.pid(1)
        await until(lambda: state(pid) == "T")
        node.order(1, Order.RESUME)
        assert (await node.report(1)).exit_code == 0
        assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("when", ["prolog", "epilog"])
async def test_a_supervisor_that_is_killed_in_a_hook(tmp_path: Path, when: str) -> None:
    """What the hook has begun is ended; an exit code that was known is told all the same."""
    hook = "setsid sleep 1000 & echo $! > pid; touch begun; sleep 1000"
    async with at_work(tmp_path / "spool", hooked(tmp_path, **{when: hook})) as node:
        node.launch(launch(1, "sh", "-c", "exit 6", folder=tmp_path))
        await until((tmp_path / "begun").exists)
        node.kill_supervisor()
        report = await node.report(1)
        await gone([int((tmp_path / "pid").read_text())])
        if when == "prolog":
            assert report.kind == Report.NOT_STARTED
        else:
            assert (report.kind, report.exit_code) == (Report.ENDED, 6)
            assert report.drain_reason == "epilog: the supervisor was killed before the epilog ended"


async def test_a_job_that_cannot_be_ended(tmp_path: Path) -> None:
    """Fault F37: its end is named, the node is to take no more, and the supervisor waits no longer."""
    freezer = rules().groups.get("freezer")
    if freezer is None:
        pytest.skip("no control group of a freezer can be written")
    stuck = Path(freezer).parent / f"molokini-test-stuck-{os.getpid()}"
    stuck.mkdir(exist_ok=True)
    # What stands still in a frozen group is not ended by any signal.
    text = f"echo $$ > {stuck}/cgroup.procs; echo FROZEN > {stuck}/freezer.state; echo never"
    try:
        async with at_work(tmp_path / "spool", rules(kill_limit_s=0.5)) as node:
            node.launch(launch(1, "sh", "-c", text, folder=tmp_path))
            pid = await node.pid(1)
            await until(lambda: (stuck / "freezer.state").read_text() == "FROZEN\n")
            report = await node.killed(1)
            assert (report.kind, report.signal) == (Report.ENDED, signal.SIGKILL)
            assert report.reason == report.drain_reason
            assert report.reason.startswith(f"kill failed: processes [{pid}")
            assert alive(pid)
            assert (await node.run(2, "true", folder=tmp_path)).exit_code == 0
    finally:
        (stuck / "freezer.state").write_text("THAWED")
        await until(lambda: not (stuck / "cgroup.procs").read_text())
        stuck.rmdir()
