"""Faults F33 and F34: memory, file descriptors or processes are used up; what was begun goes on."""

import asyncio
import os
import resource
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from molokini.client.client import Client
from molokini.proto.v1.agent_service_pb2 import Report
from molokini.supervisor.cgroups import bases, remove_bases
from tests.kit.real_cluster import PATIENCE, PROGRAM, Cluster, cluster, counted
from tests.kit.real_jobs import RealNode, at_work, launch, rules, until
from tests.torture.real_processes import Process

LIMIT, CALLERS = 256, 600


def _idle(host: str, port: int) -> socket.socket:
    """A caller that says nothing; where the server takes no more it waits in the kernel."""
    one = socket.socket()
    one.setblocking(False)
    one.connect_ex((host, port))
    return one


@pytest.mark.deep
async def test_a_server_with_more_callers_than_descriptors_serves_those_it_has(tmp_path: Path) -> None:
    """Idle connections take all of them: jobs end, their ends are told, and later others can connect."""
    inside = ("prlimit", f"--nofile={LIMIT}:{LIMIT}")
    async with cluster(tmp_path, inside=inside) as here:
        await here.agent()
        ids = await here.submit(3)
        host, _, port = here.target.rpartition(":")
        idle = [_idle(host, int(port)) for _ in range(CALLERS)]
        try:
            log = tmp_path / "server.log"
            await until(lambda: f"file descriptors: all {LIMIT} are used" in log.read_text())
            here.end(ids)
            waited = await here.client.wait(ids, 60.0)
            assert {job.id: job.exit_code for job in waited.jobs} == {number: number % 200 for number in ids}
            assert here.server.alive
        finally:
            for one in idle:
                one.close()
        token = (tmp_path / "state" / "token").read_text().strip()
        async with Client.connect(here.target, token, None, PATIENCE) as other:
            assert (await other.job(ids[0])).exit_code == ids[0] % 200
        await until(lambda: not [*tmp_path.glob("*/jobs/*")])


@contextmanager
def no_descriptors() -> Iterator[None]:
    """Not one can be had in this process, which is the agent's here, whatever it closes meanwhile.

    New ones must be below the limit: all numbers below the lowest that is free now are in use, and have been
    since long before the test. Of those above, what earlier tests left is closed at any time.
    """
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.open("/dev/null", os.O_RDONLY)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, before[1]))
    try:
        with pytest.raises(OSError, match="Too many open files"):
            os.open("/dev/null", os.O_RDONLY)
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


async def test_an_agent_without_descriptors(node: RealNode, tmp_path: Path) -> None:
    """A job that comes then is refused with the reason; one that had begun is found when there are some."""
    node.launch(launch(1, "sh", "-c", "exit 4", folder=tmp_path))
    with no_descriptors():
        report = await node.run(2, "true", folder=tmp_path)
        assert (report.kind, "Too many open files" in report.reason) == (Report.NOT_STARTED, True)
        # The answer of the spawner comes now, and its process cannot be watched.
        await asyncio.sleep(0.3)
        assert len(node.reports) == 1
    assert (await node.report(1)).exit_code == 4


async def test_a_machine_that_can_make_no_process_more_gets_no_more_jobs(tmp_path: Path) -> None:
    base = rules().groups.get("pids")
    if base is None:
        pytest.skip("no control group that counts processes can be written")
    few = Path(base).parent / f"molokini-test-few-{os.getpid()}"
    few.mkdir(exist_ok=True)
    try:
        async with at_work(tmp_path / "spool") as node:
            (few / "cgroup.procs").write_text(str(node.executor._spawner._pid))
            (few / "pids.max").write_text("1")
            report = await node.run(1, "true", folder=tmp_path)
            told = "no process can be made: Resource temporarily unavailable"
            assert (report.kind, report.node) == (Report.NOT_STARTED, "here")
            assert report.reason == report.drain_reason == told
            (few / "pids.max").write_text("max")
            assert (await node.run(2, "sh", "-c", "exit 3", folder=tmp_path)).exit_code == 3
    finally:
        await until(lambda: not (few / "cgroup.procs").read_text())
        few.rmdir()


# Memory.


_BYTES = 65536

LARGE = f"#!/bin/sh\n{PROGRAM}\n# {'x' * 500_000}\n"
"""A job whose script asks for more memory in every process that reads it."""


@contextmanager
def without_memory(process: Process) -> Iterator[None]:
    """No memory more for *process*, which the kernel ends when it wants some; removed when it has ended."""
    groups = bases(f"molokini-test-memory-{process.running.pid}")
    base = groups.get("memory")
    if base is None:
        remove_bases(groups)
        pytest.skip("no control group for memory can be written")
    try:
        Path(base, "memory.limit_in_bytes").write_text(str(_BYTES))
        Path(base, "cgroup.procs").write_text(str(process.running.pid))
        yield
        oom = Path(base, "memory.oom_control").read_text().split()
        assert int(oom[oom.index("oom_kill") + 1]) >= 1
    finally:
        remove_bases(groups)


async def _check_memory(here: Cluster, ids: list[int], pids: list[int]) -> None:
    """Each ran once, in the process that it had, to its own end; nothing is left."""
    await until(lambda: len(here.pids()) == len(ids))
    assert here.pids()[: len(pids)] == pids
    here.end(ids)
    waited = await here.client.wait(ids, 60.0)
    assert waited.all_ended
    await until(lambda: not [*here.folder.glob("*/jobs/*")])
    found = {job.id: job.exit_code for job in waited.jobs if job.attempt == 1}
    counts = counted(here, {number: number % 200 for number in ids}, found)
    assert not any(counts.values()), counts


def _large(here: Cluster) -> "asyncio.Future[int]":
    return asyncio.ensure_future(
        here.client.submit(script=LARGE, processors=1, estimate_s=600.0, working_directory=str(here.folder))
    )


@pytest.mark.deep
async def test_an_agent_without_memory(tmp_path: Path) -> None:
    async with cluster(tmp_path) as here:
        agent = await here.agent()
        ids = await here.submit(3)
        pids = here.pids()
        with without_memory(agent):
            ids.append(await _large(here))
            assert await agent.ended() == -signal.SIGKILL
        assert all(Path(f"/proc/{pid}").exists() for pid in pids)
        await here.agent()
        await _check_memory(here, ids, pids)


@pytest.mark.deep
async def test_a_server_without_memory(tmp_path: Path) -> None:
    async with cluster(tmp_path) as here:
        await here.agent()
        ids = await here.submit(3)
        pids = here.pids()
        with without_memory(here.server):
            asked = _large(here)
            assert await here.server.ended() == -signal.SIGKILL
        assert all(os.path.exists(f"/proc/{pid}") for pid in pids)
        await here.serve_again()
        # The client repeats what had no answer, with its key.
        ids.append(await asked)
        await _check_memory(here, ids, pids)
