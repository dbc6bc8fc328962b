"""Fault F33: an agent or the server has no memory left while jobs run: they go on, and none runs twice."""

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from molokini.supervisor.cgroups import bases, remove_bases
from tests.kit.real_cluster import PROGRAM, Cluster, cluster, counted
from tests.kit.real_jobs import until
from tests.torture.real_processes import Process

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


async def _check(here: Cluster, ids: list[int], pids: list[int]) -> None:
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
        await _check(here, ids, pids)


async def test_a_server_without_memory(tmp_path: Path) -> None:
    async with cluster(tmp_path) as here:
        await here.agent()
        ids = await here.submit(3)
        pids = here.pids()
        with without_memory(here.server):
            asked = _large(here)
            assert await here.server.ended() == -signal.SIGKILL
        assert all(os.path.exists(f"/proc/{pid}") for pid in pids)
        config = tmp_path / "server.toml"
        port = here.target.rpartition(":")[2]
        config.write_text(config.read_text().replace("127.0.0.1:0", f"127.0.0.1:{port}"))
        here.server = await Process.start(("serve", "--config", config), tmp_path / "server.log")
        try:
            # The client repeats what had no answer, with its key.
            ids.append(await asked)
            await _check(here, ids, pids)
        finally:
            await here.server.kill()
