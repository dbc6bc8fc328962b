"""Agents that are killed, paused and started anew while they run real jobs: none lost, none run twice."""

import os
import signal
from pathlib import Path

from molokini.proto.v1.jobs_pb2 import JobState
from molokini.supervisor.trees import alive
from tests.kit.real_cluster import PROGRAM, Cluster, cluster
from tests.kit.real_jobs import until
from tests.torture.real_kills import good, kills
from tests.torture.real_processes import Process


async def _check_ends(here: Cluster, ids: list[int]) -> None:
    """Each ended with its own exit code and ran once."""
    waited = await here.client.wait(ids, 60.0)
    assert waited.all_ended
    assert {job.id: job.exit_code for job in waited.jobs} == {number: number % 200 for number in ids}
    for what in ("began", "ended"):
        assert sorted(int(words[1]) for words in here.runs(what)) == sorted(ids)
    assert {words[2] for words in here.runs("began")} == {"1"}


async def test_kills_in_a_tight_loop(tmp_path: Path) -> None:
    """Faults F9 and F11, briefly: ``make torture`` kills a hundred times."""
    figures = await kills(tmp_path, 12, 6)
    assert good(figures), figures


async def test_an_agent_that_is_paused_past_its_lease(tmp_path: Path) -> None:
    """Fault F15: supervisors end the first attempts by their own clocks before the second ones begin."""
    async with cluster(tmp_path, lease_s=2.0) as here:
        agent = await here.agent()
        [job] = await here.submit(1)
        [first] = here.pids()
        agent.pause()
        second = await here.agent("two")
        await until(lambda: len(here.pids()) == 2)
        assert not alive(first), "the first attempt is dead before the second begins"
        agent.resume()
        assert [words[2] for words in here.runs("began")] == ["1", "2"]
        here.end([job])
        waited = await here.client.wait([job], 60.0)
        assert (waited.jobs[0].exit_code, waited.jobs[0].attempt) == (job % 200, 2)
        assert [words[2] for words in here.runs("ended")] == ["2"]
        assert second.alive


async def test_a_node_that_is_lost_with_all_that_ran_there(tmp_path: Path) -> None:
    """Fault F13: after the lease, jobs that may run again do so once; the others are failed."""
    async with cluster(tmp_path, lease_s=2.0) as here:
        agent = await here.agent()
        [again] = await here.submit(1)
        once = await here.client.submit(
            argv=["sh", "-c", PROGRAM],
            processors=1,
            estimate_s=600.0,
            requeue=False,
            working_directory=str(tmp_path),
        )
        await until(lambda: len(here.pids()) == 2)
        await agent.kill()
        for pid in here.pids():
            os.kill(pid, signal.SIGKILL)
        await here.agent("two")
        await until(lambda: len(here.pids()) == 3)
        here.end([again])
        waited = await here.client.wait([again, once], 60.0)
        found = {job.id: job for job in waited.jobs}
        assert (found[again].exit_code, found[again].attempt) == (again % 200, 2)
        assert found[once].state != JobState.COMPLETED
        assert sorted(int(words[1]) for words in here.runs("began")) == sorted([again, again, once])


async def test_the_server_is_killed_while_jobs_run(tmp_path: Path) -> None:
    """They neither notice nor run again."""
    async with cluster(tmp_path) as here:
        await here.agent()
        ids = await here.submit(3)
        await here.server.kill()
        here.end(ids[:1])
        await until(lambda: len(here.runs("ended")) == 1)
        config = tmp_path / "server.toml"
        port = here.target.rpartition(":")[2]
        config.write_text(config.read_text().replace("127.0.0.1:0", f"127.0.0.1:{port}"))
        server = await Process.start(("serve", "--config", config), tmp_path / "server.log")
        here.server = server
        try:
            here.end(ids[1:])
            await _check_ends(here, ids)
        finally:
            await server.kill()
