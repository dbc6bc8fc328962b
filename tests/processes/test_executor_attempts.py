"""Attempts that wait for the one before to end here, that cannot be noted, and that have no limit."""

import errno
import os
from pathlib import Path

import pytest

from molokini.proto.v1.agent_service_pb2 import Order, Report
from molokini.supervisor.trees import alive
from tests.kit.real_jobs import RealNode, at_work, gone, launch, rules, until


async def second_waits(node: RealNode, folder: Path) -> int:
    """The first attempt of job 1 is being ended and takes its time; the second waits. Pid of the first."""
    node.launch(launch(1, "sh", "-c", "trap '' TERM; touch first; sleep 1000 & wait", folder=folder))
    pid = await node.pid(1)
    await until((folder / "first").exists)
    node.order(1, Order.KILL)
    node.launch(launch(1, "touch", "second", folder=folder, attempt=2))
    return pid


async def test_an_attempt_begins_when_the_one_before_has_ended_here(node: RealNode, tmp_path: Path) -> None:
    await gone([await second_waits(node, tmp_path)])
    await until((tmp_path / "second").exists)
    await until(lambda: len(node.reports) == 2)
    told = [(one.attempt.attempt, one.kind, one.exit_code) for one in node.reports]
    assert [told[0][:2], told[1]] == [(1, Report.KILLED), (2, Report.ENDED, 0)]


async def test_an_end_that_is_not_acknowledged_is_told_once_and_its_attempt_runs_once(tmp_path: Path) -> None:
    """Whatever the server says meanwhile it says without having heard of the end."""
    wanted = launch(1, "sh", "-c", "echo ran >> runs; exit 4", folder=tmp_path)
    async with at_work(tmp_path / "spool") as node:
        node.launch(wanted)
        report = await node.report(1)
        node.launch(wanted)
        node.order(1, Order.KILL)
        node.order(1, Order.SUSPEND)
        # Also where the connection is another one, and the outbox alone knows of the report.
        node.welcome(wanted)
        node.launch(wanted)
        node.launch(launch(2, "true", folder=tmp_path))
        await node.report(2)
        assert [one.attempt.job_id for one in node.reports] == [1, 2]
        assert node.spool.path("1-1").exists(), "what it has noted stays until it is durable at the server"
        node.executor.acknowledged([report])
        await until(lambda: node.spool.labels() == {"2-1"})
        node.welcome()
        await until(lambda: not node.spool.labels())
        node.order(1, Order.KILL)
        assert [(one.attempt.job_id, one.kind) for one in node.reports[2:]] == [(1, Report.KILLED)]
    assert (tmp_path / "runs").read_text() == "ran\n"


async def test_elements_of_an_array_do_not_wait_for_each_other(node: RealNode, tmp_path: Path) -> None:
    for index in (0, 1):
        one = launch(1, "sh", "-c", f"touch began{index}; sleep 1000", folder=tmp_path)
        one.attempt.array_index = index
        node.launch(one)
    await until(lambda: (tmp_path / "began0").exists() and (tmp_path / "began1").exists())
    assert node.executor.running == 2
    node.welcome()
    await until(lambda: node.executor.running == 0)


async def test_no_limit_is_none_whoever_says_so(node: RealNode, tmp_path: Path) -> None:
    """At the launch, at a welcome, and where a limit is taken away."""
    wanted = launch(1, "sh", "-c", "while [ ! -e end ]; do sleep 0.01; done; exit 5", folder=tmp_path)
    node.launch(wanted)
    await node.pid(1)
    node.order(1, Order.SET_LIMIT, limit_s=900.0)
    node.order(1, Order.SET_LIMIT, limit_s=0.0)
    node.welcome(wanted)
    await until(lambda: node.unread("1-1") == 0)
    (tmp_path / "end").touch()
    report = await node.report(1)
    assert (report.timed_out, report.exit_code) == (False, 5)


async def test_a_waiting_attempt_that_the_server_forgot_never_begins(node: RealNode, tmp_path: Path) -> None:
    """The job was cancelled while the agent was away: the first attempt still ends, the second never runs."""
    pid = await second_waits(node, tmp_path)
    node.welcome()
    await gone([pid])
    await until(lambda: node.executor.running == 0)
    assert (await node.run(2, "true", folder=tmp_path)).exit_code == 0
    assert not (tmp_path / "second").exists()


async def test_a_job_that_is_not_noted_binds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next one is bound to the first of them."""
    own = sorted(os.sched_getaffinity(0))
    if len(own) < 2:
        pytest.skip("the machine has one processor")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    async with at_work(tmp_path / "spool", rules(binds=True)) as node:
        wide = launch(1, "true", folder=tmp_path, nodes=(("here", len(own)),))
        with monkeypatch.context() as patch:
            patch.setattr(node.spool, "add", full)
            node.launch(wide)
            assert (await node.report(1)).kind == Report.NOT_STARTED
        assert (
            await node.run(2, "sh", "-c", "taskset -pc $$ | sed 's/.*: //' > set", folder=tmp_path)
        ).exit_code == 0
        assert (tmp_path / "set").read_text().strip() == str(own[0])


async def test_a_later_attempt_waits_until_the_one_before_has_ended(node: RealNode, tmp_path: Path) -> None:
    text = "echo began $MOLOKINI_ATTEMPT >> notes; trap '' TERM; while [ ! -e end ]; do sleep 0.01; done"
    node.launch(launch(1, "sh", "-c", text, folder=tmp_path))
    first = await node.pid(1)
    await until((tmp_path / "notes").exists)
    node.order(1, Order.KILL)
    assert (await node.run(1, "sh", "-c", text, folder=tmp_path, attempt=2)).attempt.attempt == 1
    await until(lambda: node.spool.record("1-2").started is not None)
    assert not alive(first)
    (tmp_path / "end").touch()
    await until(lambda: [one.attempt.attempt for one in node.reports] == [1, 2])


async def test_an_attempt_that_waits_can_be_taken_back(node: RealNode, tmp_path: Path) -> None:
    node.launch(launch(1, "sh", "-c", "trap '' TERM; sleep 1000", folder=tmp_path))
    await node.pid(1)
    node.launch(launch(1, "touch", "ran", folder=tmp_path, attempt=2))
    node.order(1, Order.KILL, attempt=2)
    node.order(1, Order.KILL)
    await until(lambda: [one.attempt.attempt for one in node.reports] == [2, 1])
    assert not (tmp_path / "ran").exists()
