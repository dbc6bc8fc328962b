"""What a supervisor leaves that was killed while its job stood still, or whose job cannot be ended (F12,
F37)."""

import asyncio
import os
import signal
from pathlib import Path

import pytest

from molokini.processes.leftovers import groups_of
from molokini.proto.v1.agent_service_pb2 import Order, Report
from molokini.supervisor.cgroups import ControlGroup
from molokini.supervisor.trees import alive
from tests.kit.real_jobs import RealNode, at_work, gone, launch, real_node, rules, until
from tests.kit.waiting import state

BOTH = pytest.mark.parametrize("grouped", [True, False], ids=["control group", "descendants"])


def _supervisor_killed(node: RealNode) -> None:
    node.kill_supervisor()


def _stands_still(node: RealNode, pid: int) -> bool:
    freezer = node.groups.get("freezer")
    if freezer is not None:
        return Path(freezer, "1-1", "freezer.state").read_text() == "FROZEN\n"
    return state(pid) == "T"


async def test_a_supervisor_killed_while_its_job_is_suspended(each_node: RealNode, tmp_path: Path) -> None:
    """A frozen process does not end by a signal: it is thawed, and its group removed."""
    each_node.launch(launch(1, "sh", "-c", "sleep 1000 & echo $! > second; wait", folder=tmp_path))
    pid = await each_node.pid(1)
    second = tmp_path / "second"
    await until(lambda: second.exists() and second.read_text().endswith("\n"))
    each_node.order(1, Order.SUSPEND)
    await until(lambda: _stands_still(each_node, pid))
    _supervisor_killed(each_node)
    report = await each_node.report(1)
    assert (report.kind, report.signal, report.drain_reason) == (Report.ENDED, signal.SIGKILL, "")
    assert report.reason == "its supervisor was killed, so its processes were ended"
    await gone([pid, int(second.read_text())])
    assert not groups_of(each_node.groups, "1-1")
    assert (await each_node.run(2, "true", folder=tmp_path)).exit_code == 0


async def test_a_killed_supervisor_of_a_stuck_job(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The node is to take no more, as where the supervisor itself finds that."""
    monkeypatch.setattr("molokini.processes.leftovers._KILL_S", 0.5)
    freezer = rules().groups.get("freezer")
    if freezer is None:
        pytest.skip("no control group of a freezer can be written")
    stuck = Path(freezer).parent / f"molokini-test-left-{os.getpid()}"
    stuck.mkdir(exist_ok=True)
    text = f"echo $$ > {stuck}/cgroup.procs; echo FROZEN > {stuck}/freezer.state; echo never"
    try:
        async with at_work(tmp_path / "spool") as node:
            node.launch(launch(1, "sh", "-c", text, folder=tmp_path))
            pid = await node.pid(1)
            await until(lambda: (stuck / "freezer.state").read_text() == "FROZEN\n")
            _supervisor_killed(node)
            report = await node.report(1)
            assert (report.kind, report.signal) == (Report.ENDED, signal.SIGKILL)
            assert report.reason == report.drain_reason
            assert (
                report.reason == f"its supervisor was killed, and kill failed: processes [{pid}] do not end"
            )
            assert alive(pid)
            node.executor.acknowledged(node.reports)
            await until(lambda: not node.spool.labels())
            assert groups_of(node.groups, "1-1")
        # It has been told to end by now, and does so when it can.
        (stuck / "freezer.state").write_text("THAWED")
        await gone([pid])
        async with real_node(tmp_path / "spool") as node:
            assert not groups_of(node.groups, "1-1")
    finally:
        (stuck / "freezer.state").write_text("THAWED")
        await until(lambda: not (stuck / "cgroup.procs").read_text())
        stuck.rmdir()


async def test_a_group_that_was_left_is_cleared_by_the_next_start_of_the_agent(tmp_path: Path) -> None:
    """Of a job that could not be ended then: what is still there is thawed, and ended."""
    async with real_node(tmp_path / "spool") as node:
        if "freezer" not in node.groups:
            pytest.skip("no control group of a freezer can be written")
        left = ControlGroup(-1, node.groups, "7-1")
        left.make(0, 0, "")
        running = await asyncio.create_subprocess_exec("sleep", "1000")
        for path in groups_of(node.groups, "7-1"):
            Path(path, "cgroup.procs").write_text(str(running.pid))
        left.suspend()
        kept = launch(1, "sh", "-c", "while [ ! -e end ]; do sleep 0.01; done; exit 4", folder=tmp_path)
        node.welcome()
        node.launch(kept)
        await node.pid(1)
    async with real_node(tmp_path / "spool") as node:
        node.welcome(kept)
        assert await running.wait() == -signal.SIGKILL
        assert groups_of(node.groups, "1-1"), "that of an attempt that is there is let alone"
        (tmp_path / "end").touch()
        assert (await node.report(1)).exit_code == 4
    async with real_node(tmp_path / "spool") as node:
        assert not groups_of(node.groups, "7-1")


async def test_a_supervisor_that_is_killed_before_it_has_noted_the_start(tmp_path: Path) -> None:
    """Its child is in the group by then, and no program yet that could be told by its variables."""
    prolog = tmp_path / "prolog"
    prolog.write_text(f"#!/bin/sh\ntouch {tmp_path}/begun\nsleep 1000\n")
    prolog.chmod(0o755)
    async with real_node(tmp_path / "spool", rules(prolog=str(prolog))) as node:
        if not node.groups:
            pytest.skip("no control group can be written")
        node.welcome()
        node.launch(launch(1, "true", folder=tmp_path))
        await until((tmp_path / "begun").exists)
        ControlGroup(-1, node.groups, "1-1").make(0, 0, "")
        running = await asyncio.create_subprocess_exec("sleep", "1000")
        for path in groups_of(node.groups, "1-1"):
            Path(path, "cgroup.procs").write_text(str(running.pid))
        _supervisor_killed(node)
        assert (await node.report(1)).kind == Report.NOT_STARTED
        assert await running.wait() == -signal.SIGKILL
        assert not groups_of(node.groups, "1-1")
