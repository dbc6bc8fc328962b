"""Real jobs from launch to report: how they end, what ends them, and what a new start of the agent finds."""

import json
import math
import os
import shutil
import signal
import subprocess
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import pytest

from molokini.model.errors import BadFile
from molokini.processes.launch_records import wish_of
from molokini.processes.spawner import Spawner
from molokini.processes.spool import Spool
from molokini.proto.v1.agent_service_pb2 import Order, Report
from tests.kit.real_jobs import RealNode, gone, launch, real_node, rules, until

BOTH = pytest.mark.parametrize("grouped", [True, False], ids=["control group", "descendants"])


@pytest.mark.parametrize("code", [0, 3, 255])
async def test_exit_codes_and_output(node: RealNode, tmp_path: Path, code: int) -> None:
    node.launch(
        launch(1, "sh", "-c", f"echo $MOLOKINI_JOB_ID of $MOLOKINI_NODE_LIST; exit {code}", folder=tmp_path)
    )
    report = await node.report(1)
    assert (report.kind, report.exit_code, report.signal) == (Report.ENDED, code, 0)
    assert (tmp_path / "molokini-1.out").read_text() == "1 of here\n"
    node.executor.acknowledged(node.reports)
    await until(lambda: not list((tmp_path / "spool" / "jobs").iterdir()))


async def test_scripts_and_variables_are_for_the_agent_alone(node: RealNode, tmp_path: Path) -> None:
    """Other users of the machine can reach the folders, since jobs run from there."""
    node.launch(launch(1, folder=tmp_path, script="#!/bin/sh\nsleep 1000\n", environment={"TOKEN": "x"}))
    await node.pid(1)
    modes = {path.name: path.stat().st_mode & 0o077 for path in node.spool.path("1-1").iterdir()}
    assert {name for name, mode in modes.items() if mode} == {"nodes"}
    assert set(modes) >= {"script", "launch.json", "record", "lock", "control"}
    node.order(1, Order.KILL)
    await node.report(1)


async def test_a_signal_that_ends_it(node: RealNode, tmp_path: Path) -> None:
    report = await node.run(1, "sh", "-c", "kill -SEGV $$", folder=tmp_path)
    assert (report.kind, report.exit_code, report.signal) == (Report.ENDED, 0, signal.SIGSEGV)


async def test_an_order_ends_all_processes_whatever_they_do(each_node: RealNode, tmp_path: Path) -> None:
    """One ignores signals, one has a session of its own, one is a daemon."""
    text = "trap '' TERM; setsid sleep 1000 & (sleep 1001 &) & echo started; sleep 1002"
    each_node.launch(launch(1, "sh", "-c", text, folder=tmp_path))
    pid = await each_node.pid(1)
    await until(lambda: len(_sleeping(tmp_path / "spool")) == 3)
    all_of_them = [pid, *_sleeping(tmp_path / "spool")]
    each_node.order(1, Order.KILL)
    assert (await each_node.report(1)).kind == Report.KILLED
    await gone(all_of_them)


async def test_what_a_job_leaves_behind_ends_with_it(each_node: RealNode, tmp_path: Path) -> None:
    text = "setsid sleep 1000 & echo $! > left; exit 0"
    assert (await each_node.run(1, "sh", "-c", text, folder=tmp_path)).exit_code == 0
    await gone([int((tmp_path / "left").read_text())])


async def test_the_limit_warns_and_then_ends(node: RealNode, tmp_path: Path) -> None:
    text = "trap 'echo warned' TERM; while :; do sleep 0.05; done"
    report = await node.run(1, "sh", "-c", text, folder=tmp_path, limit_s=0.3)
    assert (report.kind, report.timed_out, report.signal) == (Report.ENDED, True, signal.SIGKILL)
    assert "warned" in (tmp_path / "molokini-1.out").read_text()


async def test_a_new_limit_holds(node: RealNode, tmp_path: Path) -> None:
    node.launch(launch(1, "sleep", "1000", folder=tmp_path, limit_s=900.0))
    node.order(1, Order.SET_LIMIT, limit_s=0.2)
    assert (await node.report(1)).timed_out


async def test_a_limit_that_was_changed_holds_from_the_welcome_on(node: RealNode, tmp_path: Path) -> None:
    wanted = launch(1, "sleep", "1000", folder=tmp_path, limit_s=900.0)
    node.launch(wanted)
    await node.pid(1)
    wanted.limit_s = 0.2
    node.welcome(wanted)
    assert (await node.report(1)).timed_out


def test_memory_is_asked_for_by_the_processor(tmp_path: Path) -> None:
    wanted = launch(1, "true", folder=tmp_path, nodes=(("other", 2), ("here", 3)), memory_kb=1000)
    assert wish_of(wanted, rules(groups={}), "lease", "here").memory_kb == 3000


async def test_an_order_for_what_is_not_there_is_answered(node: RealNode) -> None:
    node.order(7, Order.KILL)
    assert (await node.report(7)).kind == Report.KILLED


@BOTH
async def test_jobs_go_on_without_their_agent(tmp_path: Path, grouped: bool) -> None:
    """One ends while no agent is there, one later; both with their own exit codes and pids."""
    said = rules() if grouped else rules(groups={})
    first = launch(1, "sh", "-c", "while [ ! -e end ]; do sleep 0.01; done; exit 5", folder=tmp_path)
    second = launch(2, "sh", "-c", "while [ ! -e later ]; do sleep 0.01; done; exit 6", folder=tmp_path)
    async with real_node(tmp_path / "spool", said) as node:
        node.welcome()
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
    async with real_node(tmp_path / "spool") as node:
        node.welcome()
        node.launch(launch(1, "sleep", "1000", folder=tmp_path))
        pid = await node.pid(1)
    async with real_node(tmp_path / "spool") as node:
        node.welcome()
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


async def test_an_agent_that_dies_between_the_intent_and_the_supervisor(tmp_path: Path) -> None:
    """Fault F10: its next start begins what was intended, once; and not what the server no longer wants."""
    wanted = launch(1, "sh", "-c", "echo ran >> runs", folder=tmp_path)
    async with real_node(tmp_path / "spool") as node:
        for one in (wanted, launch(2, "sh", "-c", "echo no >> runs", folder=tmp_path)):
            node.spool.add(wish_of(one, rules(), str(tmp_path / "spool" / "lease")), "")
    async with real_node(tmp_path / "spool") as node:
        assert {one.job_id for one in node.executor.attempts()} == {1, 2}
        node.welcome(wanted)
        # A supervisor of the first start that comes late finds the lock taken, or the start noted.
        Spawner(lambda *_: None, lambda: None).ask(str(node.spool.path("1-1")))
        assert (await node.report(1)).exit_code == 0
        assert [one.job_id for one in node.executor.attempts()] == []
    assert (tmp_path / "runs").read_text() == "ran\n"


@pytest.mark.parametrize("known", ["nothing", "its start", "its end"])
async def test_a_machine_that_was_started_anew(tmp_path: Path, known: str) -> None:
    """Fault F14: no number of a process of then means anything; a recorded end is still true.

    A power cut may have taken the record of a start, so nothing begins that may have run.
    """
    wanted = launch(1, "sleep", "1000", folder=tmp_path)
    async with real_node(tmp_path / "spool") as node:
        path = node.spool.add(wish_of(wanted, rules(), str(tmp_path / "spool" / "lease")), "")
        node.spool.lease.ends_s = 1.0
        (tmp_path / "spool" / "boot").write_text("another start")
        lines = [{"kind": "started", "pid": os.getpid(), "at": 5.0, "boot": "another start", "cgroup": False}]
        if known == "its end":
            end = {"kind": "ended", "at": 6.0, "how": "exited", "exit_code": 9, "signal": 0, "reason": ""}
            lines.append({**end, "cpu_s": 1.0, "memory_kb": 1, "read_kb": 0, "written_kb": 0})
        if known != "nothing":
            (path / "record").write_text("".join(json.dumps(line) + "\n" for line in lines))
    async with real_node(tmp_path / "spool") as node:
        assert node.spool.lease.ends_s == math.inf
        node.welcome(wanted)
        report = await node.report(1)
        if known == "its end":
            assert (report.kind, report.exit_code) == (Report.ENDED, 9)
        else:
            assert (report.kind, report.reason) == (Report.KILLED, "the node was restarted")


async def test_a_full_disk_under_the_folder_of_attempts(tmp_path: Path) -> None:
    """Fault F24: the job is refused with the reason, or fails with it; the next one runs."""
    spool = tmp_path / "spool"
    spool.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "none", spool], capture_output=True
    ).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        async with real_node(spool) as node:
            node.welcome()
            fill = spool / "fill"
            with suppress(OSError), fill.open("wb") as file:
                while True:
                    file.write(b"x" * 4096)
                    file.flush()
            report = await node.run(1, folder=tmp_path, script="#!/bin/sh\n" + "#" * 9000)
            assert (report.kind, report.reason.endswith("No space left on device")) == (
                Report.NOT_STARTED,
                True,
            )
            fill.unlink()
            # Of this one the end finds no room, until there is some.
            node.launch(
                launch(2, "sh", "-c", "while [ ! -e end ]; do sleep 0.01; done; exit 5", folder=tmp_path)
            )
            pid = await node.pid(2)
            with suppress(OSError), fill.open("wb") as file:
                while True:
                    file.write(b"x")
                    file.flush()
            (tmp_path / "end").touch()
            await gone([pid])
            fill.unlink()
            assert (await node.report(2)).exit_code == 5
    finally:
        subprocess.run(["umount", "-l", spool], check=True)


async def test_a_full_disk_under_the_files_of_a_job(tmp_path: Path) -> None:
    """Fault F24: a file that cannot be made ends the job with that reason; what fails to write, fails."""
    full = tmp_path / "full"
    full.mkdir()
    mounted = ("mount", "-t", "tmpfs", "-o", "size=4k,nr_inodes=2", "none", full)
    if subprocess.run(mounted, capture_output=True).returncode:
        pytest.skip("no file system can be mounted here")
    try:
        async with real_node(tmp_path / "spool") as node:
            node.welcome()
            text = "yes | head -c 100000; exit 9"
            report = await node.run(1, "sh", "-c", f"set -e; {text}", folder=tmp_path, stdout_path="full/one")
            assert (report.kind, report.exit_code) == (Report.ENDED, 1)
            report = await node.run(2, "true", folder=tmp_path, stdout_path="full/two")
            assert (report.kind, report.reason) == (
                Report.NOT_STARTED,
                "standard output full/two: No space left on device",
            )
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
    await until(lambda: len(_sleeping(tmp_path / "spool")) == 2)
    all_of_them = [pid, *_sleeping(tmp_path / "spool")]
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
    async with real_node(tmp_path / "spool") as node:
        node.welcome()
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


async def test_two_agents_do_not_share_a_folder(tmp_path: Path) -> None:
    async with real_node(tmp_path / "spool") as node:
        with pytest.raises(
            BadFile, match=f"uses this folder, as process {os.getpid()}: give this one another"
        ):
            Spool(tmp_path / "spool")
        assert Spool.group_of(node.spool.folder) != Spool.group_of(tmp_path / "other")
    Spool(tmp_path / "spool").close()


async def test_a_new_start_of_the_agent_does_not_lengthen_the_lease(tmp_path: Path) -> None:
    """Before a word of the server: it may let the job run elsewhere when the lease is over."""
    async with real_node(tmp_path / "spool") as node:
        node.welcome()
        node.launch(launch(1, "sleep", "1000", folder=tmp_path))
        pid = await node.pid(1)
        node.spool.lease.ends_s = time.monotonic() + 0.5
        node.order(1, Order.SIGNAL, signal=signal.SIGWINCH)
    async with real_node(tmp_path / "spool") as node:
        await gone([pid])
        assert node.spool.lease.ends_s < time.monotonic()
        # A word of the server makes a new one.
        node.lease.beat(time.monotonic())
        node.lease.grant(60.0)
        # On a busy machine the job may be over before the new agent has begun to write its lease down.
        await until(partial(_is_kept, node))
        assert node.lease.ends_s > time.monotonic()


def _is_kept(node: RealNode) -> bool:
    """Whether the end of the lease that a word of the server makes is kept."""
    node.lease.renew()
    return node.spool.lease.ends_s == node.lease.ends_s


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

    async with real_node(tmp_path / "spool", said) as node:
        node.welcome()
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


async def test_more_memory_than_was_asked_for(node: RealNode, tmp_path: Path) -> None:
    if "memory" not in rules().groups:
        pytest.skip("no control group for memory can be written")
    program = "import os; x = bytearray(200_000_000)"
    report = await node.run(1, "python3", "-c", program, folder=tmp_path, memory_kb=40_000)
    assert (report.kind, report.signal) == (Report.ENDED, signal.SIGKILL)
    assert report.reason == "out of memory: more than 40000 kB"


KNOWN = """
import os, resource, time

touched = bytearray(b"x") * 50_000_000
with open("written", "wb") as file:
    file.write(os.urandom(4_000_000))
    file.flush()
    os.fsync(file.fileno())
while time.process_time() < 0.5:
    pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_oublock)
"""
"""A program of known use: half a second of a processor, 50 MB, and 4 MB written."""


async def test_what_a_program_of_known_use_has_used(each_node: RealNode, tmp_path: Path) -> None:
    report = await each_node.run(1, "python3", "-c", KNOWN, folder=tmp_path)
    assert (report.kind, report.exit_code) == (Report.ENDED, 0)
    # No less than it used. A busy machine adds some; that no other process is counted is what is bounded.
    assert 0.49 <= report.cpu_s < 3.0
    assert 48_000 < report.memory_kb < 200_000
    assert 0 <= report.read_kb < 200_000
    # Not every file system counts what is written: compared with what the program was told itself.
    counted_kb = int((tmp_path / "molokini-1.out").read_text()) // 2
    assert counted_kb <= report.written_kb < counted_kb + 2000


def _sleeping(spool: Path) -> list[int]:
    """The processes of job 1 that sleep, wherever they have gone."""
    mark = f"MOLOKINI_NODE_FILE={spool}/jobs/1-1/nodes".encode()
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            variables = Path(f"/proc/{name}/environ").read_bytes().split(b"\0")
            command = Path(f"/proc/{name}/cmdline").read_bytes()
        except OSError:
            continue
        if mark in variables and command.startswith(b"sleep\x00100"):
            found.append(int(name))
    return found


async def test_a_folder_that_was_removed_under_a_job(node: RealNode, tmp_path: Path) -> None:
    """Nobody knows how it ended: it counts as ended, for it may have run, and the node goes on."""
    wait = "until [ -e go ]; do sleep 0.01; done"
    node.launch(launch(1, "sh", "-c", wait, folder=tmp_path))
    await node.pid(1)
    shutil.rmtree(node.spool.path("1-1"))
    (tmp_path / "go").touch()
    report = await node.report(1)
    assert (report.kind, report.signal) == (Report.ENDED, 9)
    assert (
        report.reason == f"its folder in {tmp_path / 'spool'} was removed, and with it the record of its end"
    )
    assert (await node.run(2, "true", folder=tmp_path)).exit_code == 0
