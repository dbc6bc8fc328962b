"""Fault F34: file descriptors or processes are used up; what was begun goes on, and the reason is told."""

import asyncio
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from molokini.client.client import Client
from molokini.proto.v1.agent_service_pb2 import Report
from tests.kit.real_cluster import PATIENCE, cluster
from tests.kit.real_jobs import RealNode, at_work, launch, rules, until

LIMIT, CALLERS = 256, 600


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


def _idle(host: str, port: int) -> socket.socket:
    """A caller that says nothing; where the server takes no more it waits in the kernel."""
    one = socket.socket()
    one.setblocking(False)
    one.connect_ex((host, port))
    return one


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
