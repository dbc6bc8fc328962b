"""Real jobs from launch to report: how they end, what ends them, and what a new start of the agent finds."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from molokini.proto.v1.agent_service_pb2 import Order, Report
from tests.kit.real_jobs import RealNode, at_work, gone, launch, real_node, rules, sleeping, until


@pytest.mark.parametrize("by", ["an order", "a welcome"])
async def test_a_new_limit_holds(node: RealNode, tmp_path: Path, by: str) -> None:
    wanted = launch(1, "sleep", "1000", folder=tmp_path, limit_s=900.0)
    node.launch(wanted)
    if by == "an order":
        node.order(1, Order.SET_LIMIT, limit_s=0.2)
    else:
        await node.pid(1)
        wanted.limit_s = 0.2
        node.welcome(wanted)
    assert (await node.report(1)).timed_out


async def test_the_limit_warns_and_then_ends(node: RealNode, tmp_path: Path) -> None:
    text = "trap 'echo warned' TERM; while :; do sleep 0.05; done"
    report = await node.run(1, "sh", "-c", text, folder=tmp_path, limit_s=0.3)
    assert (report.kind, report.timed_out, report.signal) == (Report.ENDED, True, signal.SIGKILL)
    assert "warned" in (tmp_path / "molokini-1.out").read_text()


async def test_an_order_for_what_is_not_there_is_answered(node: RealNode) -> None:
    assert (await node.killed(7)).kind == Report.KILLED


BOTH = pytest.mark.parametrize("grouped", [True, False], ids=["control group", "descendants"])


@BOTH
async def test_jobs_go_on_without_their_agent(tmp_path: Path, grouped: bool) -> None:
    """One ends while no agent is there, one later; both with their own exit codes and pids."""
    said = rules() if grouped else rules(groups={})
    first = launch(1, "sh", "-c", "while [ ! -e end ]; do sleep 0.01; done; exit 5", folder=tmp_path)
    second = launch(2, "sh", "-c", "while [ ! -e later ]; do sleep 0.01; done; exit 6", folder=tmp_path)
    async with at_work(tmp_path / "spool", said) as node:
        node.launch(first)
        node.launch(second)
        pids = [await node.pid(1), await node.pid(2)]
    (tmp_path / "end").touch()
    await gone(pids[:1])
    async with real_node(tmp_path / "spool", said) as node:
        assert {one.job_id for one in node.executor.attempts()} == {1, 2}
        node.welcome(first, second)
        assert (await node.report(1)).exit_code == 5
        assert await node.pid(2) == pids[1]
        (tmp_path / "later").touch()
        assert (await node.report(2)).exit_code == 6


async def test_what_the_server_does_not_know_is_ended_without_a_word(tmp_path: Path) -> None:
    async with at_work(tmp_path / "spool") as node:
        node.launch(launch(1, "sleep", "1000", folder=tmp_path))
        pid = await node.pid(1)
    async with at_work(tmp_path / "spool") as node:
        await gone([pid])
        await until(lambda: node.executor.running == 0)
        assert node.reports == []
        await until(lambda: not list((tmp_path / "spool" / "jobs").iterdir()))


async def test_nothing_begins_again_where_the_folder_is_new(tmp_path: Path) -> None:
    """It may have run here: begun once more, it would run twice."""
    async with real_node(tmp_path / "spool") as node:
        node.welcome(launch(1, "touch", "ran", folder=tmp_path))
        assert (await node.report(1)).kind == Report.KILLED
        # Of a later one this start of the agent knows that it never came.
        node.welcome(launch(2, "touch", "ran", folder=tmp_path))
        assert (await node.report(2)).kind == Report.ENDED


async def test_a_full_disk_under_the_files_of_a_job(tmp_path: Path) -> None:
    """Fault F24: a file that cannot be made ends the job with that reason; what fails to write, fails."""
    full = tmp_path / "full"
    full.mkdir()
    mounted = ("mount", "-t", "tmpfs", "-o", "size=4k,nr_inodes=2", "none", full)
    if subprocess.run(mounted, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        async with at_work(tmp_path / "spool") as node:
            text = "yes | head -c 100000; exit 9"
            report = await node.run(1, "sh", "-c", f"set -e; {text}", folder=tmp_path, stdout_path="full/one")
            assert (report.kind, report.exit_code) == (Report.ENDED, 1)
            report = await node.run(2, "true", folder=tmp_path, stdout_path="full/two")
            wanted = (Report.NOT_STARTED, "standard output full/two: No space left on device")
            assert (report.kind, report.reason) == wanted
            (full / "one").unlink()
            assert (
                await node.run(3, "echo", "three", folder=tmp_path, stdout_path="full/three")
            ).exit_code == 0
            assert (full / "three").read_text() == "three\n"
    finally:
        subprocess.run(["umount", "-l", full], check=True)


async def test_a_supervisor_that_is_killed_takes_its_job_with_it(each_node: RealNode, tmp_path: Path) -> None:
    each_node.launch(launch(1, "sh", "-c", "setsid sleep 1000 & sleep 1001", folder=tmp_path))
    pid = await each_node.pid(1)
    await until(lambda: len(sleeping(tmp_path / "spool")) == 2)
    all_of_them = [pid, *sleeping(tmp_path / "spool")]
    supervisor = each_node.spool.supervisor("1-1")
    assert supervisor
    async with real_node(tmp_path / "other", each_node.said) as other:
        # Another cluster on this machine has a job of the same number.
        other.welcome()
        other.launch(launch(1, "sh", "-c", "while [ ! -e end ]; do sleep 0.01; done", folder=tmp_path))
        await other.pid(1)
        os.kill(supervisor, signal.SIGKILL)
        report = await each_node.report(1)
        assert (report.kind, report.signal) == (Report.ENDED, signal.SIGKILL)
        assert report.reason == "its supervisor was killed, so its processes were ended"
        await gone(all_of_them)
        (tmp_path / "end").touch()
        assert (await other.report(1)).signal == 0


async def test_the_lease_ends_jobs_without_their_agent(tmp_path: Path) -> None:
    wanted = launch(1, "sleep", "1000", folder=tmp_path)
    async with at_work(tmp_path / "spool") as node:
        node.launch(wanted)
        pid = await node.pid(1)
        # As it stands when the agent dies; supervisors look at it by their own clock.
        node.spool.lease.ends_s = 0.0
        node.order(1, Order.SIGNAL, signal=signal.SIGWINCH)
        await gone([pid])
    async with real_node(tmp_path / "spool") as node:
        node.welcome(wanted)
        report = await node.report(1)
        assert (report.kind, report.reason) == (Report.KILLED, "its lease ran out")


async def test_a_control_group_that_cannot_be_made(tmp_path: Path) -> None:
    nowhere = {"pids": "/proc/no-such"}
    async with real_node(tmp_path / "spool") as node:
        node.executor._rules = rules(groups=nowhere)
        node.welcome()
        report = await node.run(1, "true", folder=tmp_path)
        assert report.kind == Report.NOT_STARTED
        assert report.reason.startswith("its control group cannot be made: /proc/no-such")


@BOTH
async def test_each_job_has_processors_of_its_own(tmp_path: Path, grouped: bool) -> None:
    """Also after a new start of the agent; they are free again after the job."""
    said = rules(binds=True) if grouped else rules(binds=True, groups={})
    own = sorted(os.sched_getaffinity(0))
    if len(own) < 2:
        pytest.skip("the machine has one processor")
    program = (
        "taskset -pc $$ | sed 's/.*: //' > set$MOLOKINI_JOB_ID; "
        "while [ ! -e end$MOLOKINI_JOB_ID ]; do sleep 0.01; done"
    )
    jobs = [launch(number, "sh", "-c", program, folder=tmp_path) for number in (1, 2, 3)]

    def bound(number: int) -> str:
        path = tmp_path / f"set{number}"
        return path.read_text().strip() if path.exists() else ""

    async with at_work(tmp_path / "spool", said) as node:
        node.launch(jobs[0])
        await until(lambda: bound(1) != "")
    async with real_node(tmp_path / "spool", said) as node:
        node.welcome(jobs[0])
        node.launch(jobs[1])
        await until(lambda: bound(2) != "")
        assert [bound(1), bound(2)] == [str(own[0]), str(own[1])]
        (tmp_path / "end1").touch()
        await node.report(1)
        node.launch(jobs[2])
        await until(lambda: bound(3) != "")
        assert bound(3) == str(own[0])
        (tmp_path / "end2").touch()
        (tmp_path / "end3").touch()
        await node.report(2)
        await node.report(3)
