"""The folder of an agent's attempts: whose it is, who may read it, and what a new start finds in it."""

import fcntl
import json
import math
import os
import pwd
import shutil
import signal
import subprocess
import threading
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
from molokini.supervisor.records import AGENT_LOCK
from tests.kit.real_cluster import cluster
from tests.kit.real_jobs import RealNode, at_work, gone, launch, real_node, rules, until


async def test_scripts_and_variables_are_for_the_agent_alone(node: RealNode, tmp_path: Path) -> None:
    """Other users of the machine can reach the folders, since jobs run from there."""
    node.launch(launch(1, folder=tmp_path, script="#!/bin/sh\nsleep 1000\n", environment={"TOKEN": "x"}))
    await node.pid(1)
    modes = {path.name: path.stat().st_mode & 0o077 for path in node.spool.path("1-1").iterdir()}
    assert {name for name, mode in modes.items() if mode} == {"nodes"}
    assert set(modes) >= {"script", "launch.json", "record", "lock", "control"}
    await node.killed(1)


async def test_two_agents_do_not_share_a_folder(tmp_path: Path) -> None:
    async with real_node(tmp_path / "spool") as node:
        with pytest.raises(
            BadFile, match=f"uses this folder, as process {os.getpid()}: give this one another"
        ):
            Spool(tmp_path / "spool")
        assert Spool.group_of(node.spool.folder) != Spool.group_of(tmp_path / "other")
    Spool(tmp_path / "spool").close()


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
        async with at_work(spool) as node:
            fill = spool / "fill"
            with suppress(OSError), fill.open("wb") as file:
                while True:
                    file.write(b"x" * 4096)
                    file.flush()
            report = await node.run(1, folder=tmp_path, script="#!/bin/sh\n" + "#" * 9000)
            wanted = (Report.NOT_STARTED, True)
            assert (report.kind, report.reason.endswith("No space left on device")) == wanted
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


def _is_kept(node: RealNode) -> bool:
    """Whether the end of the lease that a word of the server makes is kept."""
    node.lease.renew()
    return node.spool.lease.ends_s == node.lease.ends_s


async def test_a_new_start_of_the_agent_does_not_lengthen_the_lease(tmp_path: Path) -> None:
    """Before a word of the server: it may let the job run elsewhere when the lease is over."""
    async with at_work(tmp_path / "spool") as node:
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


def test_a_supervisor_that_looks_whether_the_agent_lives_keeps_none_from_starting(tmp_path: Path) -> None:
    Spool(tmp_path).close()
    file = os.open(tmp_path / AGENT_LOCK, os.O_RDONLY)
    fcntl.flock(file, fcntl.LOCK_SH)
    timer = threading.Timer(0.05, os.close, (file,))
    timer.start()
    Spool(tmp_path).close()
    timer.join()


def _give_away(path: Path) -> None:
    nobody = pwd.getpwnam("nobody")
    os.chown(path, nobody.pw_uid, nobody.pw_gid)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_that_another_user_has_prepared_holds_no_jobs(tmp_path: Path) -> None:
    """It could have jobs in it, which would run as any user, or get some later."""
    spool = tmp_path / "spool"
    spool.mkdir()
    _give_away(spool)
    with pytest.raises(BadFile) as refused:
        Spool(spool)
    assert str(refused.value).endswith(
        f"cannot hold the jobs of root's agent: others can change {spool}; name another --spool"
    )
    os.chown(spool, 0, 0)
    Spool(spool).close()
    spool.chmod(0o1777)
    Spool(spool).close()
    assert spool.stat().st_mode & 0o7777 == 0o711
    _give_away(spool / "jobs")
    with pytest.raises(BadFile, match=f"others can change {spool}/jobs"):
        Spool(spool)


LEASE_S = 10.0
"""Longer than an agent takes to start on a busy machine."""

_TICKS = """echo "began $MOLOKINI_JOB_ID $MOLOKINI_ATTEMPT $$ $MOLOKINI_NODE_NAME" >> runs
while [ ! -e end$MOLOKINI_JOB_ID ]; do
    date "+$MOLOKINI_JOB_ID $MOLOKINI_ATTEMPT %s.%N" >> ticks
    sleep 0.1
done"""


def ticks(folder: Path, job: int, attempt: int) -> list[float]:
    """The instants at which an attempt has written that it runs."""
    written = folder / "ticks"
    lines = written.read_text().splitlines() if written.exists() else []
    return [float(at) for *of, at in map(str.split, lines) if of == [str(job), str(attempt)]]


@pytest.mark.dear("agents are killed and come back while real jobs run")
@pytest.mark.deep
async def test_attempts_of_one_job_never_overlap(tmp_path: Path) -> None:
    ends = {"one": signal.SIGTERM, "two": signal.SIGKILL}
    others = {"one": "three", "two": "four"}
    async with cluster(tmp_path, lease_s=LEASE_S) as here:
        agents, jobs = {}, {}
        for name in ends:
            agents[name] = await here.agent(name)
            jobs[name] = await here.client.submit(
                argv=["sh", "-c", _TICKS], processors=8, estimate_s=600.0, working_directory=str(tmp_path)
            )
            await until(lambda: bool(ticks(tmp_path, jobs[name], 1)))  # noqa: B023
        for name, end in ends.items():
            agents[name].signal(end)
        for name, other in others.items():
            await agents[name].ended()
            left_at = time.time()
            await here.agent(name, ready=False, spool=tmp_path / other)
        for name in ends:
            refused = f"another agent {name} has only just left and may still run its jobs for"
            await until(lambda: refused in here.server.log.read_text())  # noqa: B023
        for job in jobs.values():
            await until(lambda: bool(ticks(tmp_path, job, 2)))  # noqa: B023
            assert left_at < max(ticks(tmp_path, job, 1)) < min(ticks(tmp_path, job, 2))
        here.end(list(jobs.values()))
        waited = await here.client.wait(list(jobs.values()), 60.0)
        assert waited.all_ended
        assert [one.exit_code for one in waited.jobs] == [0, 0]
        began = {(int(words[1]), int(words[2])) for words in here.runs("began")}
        assert began == {(job, attempt) for job in jobs.values() for attempt in (1, 2)}
        assert len(here.runs("began")) == 4
