"""A cluster of real jobs for faults: a server, agents that come and go, and what jobs have noted themselves.

Each job notes in a file when it begins and when it ends, so that tests count what really ran, and not what
anybody reports.
"""

import os
import signal
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from molokini.client.calls import Patience
from molokini.client.client import Client
from molokini.processes.spool import Spool
from molokini.supervisor.cgroups import bases, remove_bases
from molokini.supervisor.trees import alive
from tests.kit.real_jobs import gone, until
from tests.torture.cluster import settings, toml
from tests.torture.real_processes import Process

PATIENCE = Patience(timeout_s=60.0, attempt_s=60.0)
PROGRAM = """echo "began $MOLOKINI_JOB_ID $MOLOKINI_ATTEMPT $$ $MOLOKINI_NODE_NAME" >> runs
while [ ! -e end$MOLOKINI_JOB_ID ]; do sleep 0.02; done
echo "ended $MOLOKINI_JOB_ID $MOLOKINI_ATTEMPT $$ $MOLOKINI_NODE_NAME" >> runs
exit $((MOLOKINI_JOB_ID % 200))"""
"""Ends when it is told to, with an exit code of its own."""
AGENTS = ("one", "two", "three", "four")


class Cluster:
    """A server, and an agent that comes and goes."""

    def __init__(self, folder: Path, server: Process, target: str, client: Client) -> None:
        self.folder, self.server, self.target, self.client = folder, server, target, client
        self.agents: list[Process] = []

    async def agent(
        self,
        name: str = "one",
        ready: bool = True,
        more: Sequence[object] = (),
        inside: Sequence[str] = (),
        processors: int = 8,
        spool: Path | None = None,
    ) -> Process:
        """Start an agent of this name, by default with its own spool; *inside* stands before the command."""
        token = ("--token-file", self.folder / "state" / "agent-token")
        usual = (
            "--mode",
            "process",
            "--processors",
            processors,
            "--spool",
            spool or self.folder / name,
            "--allow-root",
            "--grace",
            0.2,
        )
        given = ("agent", "--server", self.target, *token, *usual, *more, "--name", name)
        log = self.folder / f"agent-{name}.log"
        begin = Process.start if ready else Process.begin
        made = await begin(given, log, inside=inside)
        self.agents.append(made)
        return made

    async def serve_again(self) -> None:
        """The next server, where the first one listened."""
        config, port = self.folder / "server.toml", self.target.rpartition(":")[2]
        config.write_text(config.read_text().replace("127.0.0.1:0", f"127.0.0.1:{port}"))
        self.server = await Process.start(("serve", "--config", config), self.folder / "server.log")

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
async def cluster(
    folder: Path, lease_s: float = 60.0, inside: Sequence[str] = (), **more: Any
) -> AsyncIterator[Cluster]:
    """*inside* stands before the server's command, *more* in its configuration."""
    config = folder / "server.toml"
    given = {"policy.name": "fcfs", "agents.lease_s": lease_s, **more}
    config.write_text(toml(settings(str(folder / "state"), **given)))
    server = await Process.start(("serve", "--config", config), folder / "server.log", None, inside)
    made = None
    try:
        target = server.ready.split("molokini is ready: ")[1].split(",")[0]
        token = (folder / "state" / "token").read_text().strip()
        async with Client.connect(target, token, None, PATIENCE) as client:
            made = Cluster(folder, server, target, client)
            yield made
    finally:
        for process in (server, *((made.server, *made.agents) if made else ())):
            if process.alive:
                await process.kill()
        pids = made.pids() if made else []
        for pid in pids:
            if alive(pid):
                os.kill(pid, signal.SIGKILL)
        await gone(pids)
        for name in AGENTS:
            # Killed agents leave their groups to their next start.
            groups = bases(Spool.group_of(folder / name))
            await until(lambda: all(not _below(path) for path in groups.values()))  # noqa: B023
            remove_bases(groups)


def _below(path: str) -> list[str]:
    try:
        return [one.name for one in os.scandir(path) if one.is_dir()]
    except FileNotFoundError:
        # The last agent below it has removed it.
        return []


class Counts(dict[str, int]):
    """What must be 0 after a run, by name."""


def counted(here: Cluster, wanted: dict[int, int], found: dict[int, int], nodes: int = 1) -> Counts:
    """Compare what jobs have noted with the exit codes that they were to have and those that were reported.

    Lost: jobs without an end, or with another exit code. Run twice: jobs that began more often than once on
    each of *nodes*. Orphans: processes that live. Leaks: attempts that are still in an agent's folder.
    """
    began = Counter(int(words[1]) for words in here.runs("began"))
    ended = Counter(int(words[1]) for words in here.runs("ended"))
    left = [path for name in AGENTS for path in (here.folder / name / "jobs").glob("*")]
    return Counts(
        lost=sum(ended[job] < nodes or found.get(job) != code for job, code in wanted.items()),
        run_twice=sum(began[job] > nodes for job in wanted),
        orphans=sum(map(alive, here.pids())),
        leaks=len(left),
    )
