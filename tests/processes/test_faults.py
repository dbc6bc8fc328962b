"""Agents that are killed, paused and started again while they run real jobs: nothing lost, nothing run twice.

Server and agents are processes of their own. Each job notes in a file when it begins and when it ends, so
that the tests count what really ran, and not what anybody reports.
"""

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from molokini.client.calls import Patience
from molokini.client.client import Client
from molokini.keeper.cgroups import bases, remove_bases
from molokini.keeper.trees import alive
from molokini.processes.spool import Spool
from molokini.proto.v1.jobs_pb2 import JobState
from tests.kit.real_jobs import gone, until
from tests.torture.cluster import settings, toml
from tests.torture.processes import Process

PATIENCE = Patience(timeout_s=60.0, attempt_s=60.0)
PROGRAM = """echo "began $MOLOKINI_JOB_ID $MOLOKINI_ATTEMPT $$" >> runs
while [ ! -e end$MOLOKINI_JOB_ID ]; do sleep 0.02; done
echo "ended $MOLOKINI_JOB_ID $MOLOKINI_ATTEMPT $$" >> runs
exit $((MOLOKINI_JOB_ID % 200))"""


class Cluster:
    """A server, and an agent that comes and goes."""

    def __init__(self, folder: Path, server: Process, target: str, client: Client) -> None:
        self.folder, self.server, self.target, self.client = folder, server, target, client
        self.agents: list[Process] = []

    async def agent(self, name: str = "one", ready: bool = True) -> Process:
        """Start an agent of this name, which has its folder of attempts."""
        token = ("--token-file", self.folder / "state" / "agent-token")
        more = (
            "--mode",
            "process",
            "--processors",
            8,
            "--spool",
            self.folder / name,
            "--allow-root",
            "--grace",
            0.2,
        )
        given = ("agent", "--server", self.target, *token, *more, "--name", name)
        log = self.folder / f"agent-{name}.log"
        made = await (Process.start(given, log) if ready else Process.begin(given, log))
        self.agents.append(made)
        return made

    async def submit(self, count: int, program: str = PROGRAM) -> list[int]:
        """Submit so many jobs, and wait until each has begun."""
        ids = []
        for _ in range(count):
            argv = ["sh", "-c", program]
            ids.append(
                await self.client.submit(
                    argv=argv, processors=1, estimate_s=600.0, working_directory=str(self.folder)
                )
            )
        await until(lambda: {int(words[1]) for words in self.runs("began")} >= set(ids))
        return ids

    def runs(self, what: str) -> list[list[str]]:
        """What jobs have noted, line by line."""
        noted = self.folder / "runs"
        lines = noted.read_text().splitlines() if noted.exists() else []
        return [line.split() for line in lines if line.startswith(what)]

    def pids(self) -> list[int]:
        return [int(words[3]) for words in self.runs("began")]

    def end(self, ids: list[int]) -> None:
        """Let these jobs end."""
        for number in ids:
            (self.folder / f"end{number}").touch()


@asynccontextmanager
async def cluster(folder: Path, lease_s: float = 60.0) -> AsyncIterator[Cluster]:
    config = folder / "server.toml"
    given = {"policy.name": "fcfs", "agents.lease_s": lease_s}
    config.write_text(toml(settings(str(folder / "state"), **given)))
    server = await Process.start(("serve", "--config", config), folder / "server.log")
    made = None
    try:
        target = server.ready.split("molokini is ready: ")[1].split(",")[0]
        token = (folder / "state" / "token").read_text().strip()
        async with Client.connect(target, token, None, PATIENCE) as client:
            made = Cluster(folder, server, target, client)
            yield made
    finally:
        for process in (server, *(made.agents if made else ())):
            if process.alive:
                await process.kill()
        pids = made.pids() if made else []
        for pid in pids:
            if alive(pid):
                os.kill(pid, signal.SIGKILL)
        await gone(pids)
        for name in ("one", "two"):
            # Killed agents leave their groups to their next start.
            groups = bases(Spool.group_of(folder / name))
            await until(lambda: all(not _below(path) for path in groups.values()))  # noqa: B023
            remove_bases(groups)


def _below(path: str) -> list[str]:
    return [one.name for one in os.scandir(path) if one.is_dir()]


async def _check_ends(here: Cluster, ids: list[int]) -> None:
    """Each ended with its own exit code and ran once."""
    waited = await here.client.wait(ids, 60.0)
    assert waited.all_ended
    assert {job.id: job.exit_code for job in waited.jobs} == {number: number % 200 for number in ids}
    for what in ("began", "ended"):
        assert sorted(int(words[1]) for words in here.runs(what)) == sorted(ids)
    assert {words[2] for words in here.runs("began")} == {"1"}


async def test_kills_in_a_tight_loop(tmp_path: Path) -> None:
    """Fault F9: an agent that is killed again and again, as soon as it has come back or before."""
    async with cluster(tmp_path) as here:
        agent = await here.agent()
        ids = await here.submit(5)
        pids = here.pids()
        for round_ in range(12):
            await agent.kill()
            agent = await here.agent(ready=round_ % 2 == 1)
            await asyncio.sleep(0.1)
        assert here.pids() == pids
        assert all(map(alive, pids))
        await agent.kill()
        # F11: these end while no agent is there.
        here.end(ids[:2])
        await until(lambda: len(here.runs("ended")) == 2)
        await here.agent()
        here.end(ids[2:])
        await _check_ends(here, ids)
        await until(lambda: not list((tmp_path / "one" / "jobs").iterdir()))


async def test_an_agent_that_is_paused_past_its_lease(tmp_path: Path) -> None:
    """Fault F15: keepers end the first attempts by their own clocks before the second ones begin."""
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
