"""A cluster on machines of its own: server, database, two agents and a user, each with an address.

Server, agents and user have certificates, and the journal is in a file or, where it is said, in the database.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from exchange.work import sequential
from molokini.processes.spool import Spool
from molokini.supervisor.cgroups import bases, remove_bases
from molokini.supervisor.trees import alive
from tests.kit.exchanging import COMMAND, SMALL, one_line
from tests.kit.namespaces import Network, network
from tests.kit.postgres import running
from tests.kit.real_jobs import gone, until
from tests.torture.cluster import settings, toml
from tests.torture.real_processes import ROOTS, Process

pytestmark = pytest.mark.waits

PORT, LEASE_S = 7077, 2.0


class Site:
    """The machines, and what runs on them."""

    def __init__(self, folder: Path, net: Network, journal: str, lease_s: float) -> None:
        self.folder, self.net, self.journal, self.lease_s = folder, net, journal, lease_s
        self.target = f"{net.address('server')}:{PORT}"
        self.processes: list[Process] = []

    async def start(self) -> None:
        """The authority, the server, then the agents."""
        certs = ("certs", self.folder / "certs", "--host", self.net.address("server"))
        made = await self.command("user", *certs, "--user", "root", "--node", "one", "--node", "two")
        assert made[0] == 0, made
        security = {
            "security.mode": "mtls",
            "security.certificate": str(self.folder / "certs" / "server.pem"),
            "security.key": str(self.folder / "certs" / "server.key"),
            "security.ca": str(self.folder / "certs" / "ca.pem"),
        }
        config = self.folder / "server.toml"
        more = {
            "server.listen": self.target,
            "policy.name": "fcfs",
            "agents.lease_s": self.lease_s,
            **security,
        }
        config.write_text(toml(settings(self.journal, **more)))
        await self.serve()
        for name in ("one", "two"):
            await self.agent(name)

    async def serve(self) -> Process:
        """Start the server on its machine."""
        given = ("serve", "--config", self.folder / "server.toml")
        log = self.folder / "server.log"
        self.processes.append(await Process.start(given, log, None, self.net.inside("server")))
        return self.processes[-1]

    async def agent(self, name: str) -> None:
        """An agent of this name on the machine of this name."""
        more = ("--mode", "process", "--processors", 2, "--spool", self.folder / name, "--allow-root")
        given = ("agent", "--server", self.target, "--name", name, *more)
        log = self.folder / f"{name}.log"
        self.processes.append(
            await Process.start(given, log, self.tls(f"node-{name}"), self.net.inside(name))
        )

    def tls(self, name: str) -> dict[str, str]:
        """The variables that name the certificate of a node or a user."""
        certs = self.folder / "certs"
        return {
            "MOLOKINI_SERVER": self.target,
            "MOLOKINI_TLS_CA": str(certs / "ca.pem"),
            "MOLOKINI_TLS_CERT": str(certs / f"{name}.pem"),
            "MOLOKINI_TLS_KEY": str(certs / f"{name}.key"),
        }

    async def command(self, machine: str, *words: object) -> tuple[int, str]:
        """Run a command on a machine: exit code, and all that it printed."""
        tls = self.tls("user-root") if (self.folder / "certs").exists() else {}
        running = await asyncio.create_subprocess_exec(
            *self.net.inside(machine),
            *(sys.executable, "-m", "molokini.clients.command", *map(str, words)),
            cwd=self.folder,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, "PYTHONPATH": ROOTS, **tls},
        )
        said, _ = await running.communicate()
        assert running.returncode is not None
        return running.returncode, said.decode()

    def runs(self) -> list[list[str]]:
        """What jobs have noted: attempt, node and process."""
        noted = self.folder / "runs"
        lines = noted.read_text().splitlines() if noted.exists() else []
        return [line.split() for line in lines]


@asynccontextmanager
async def site(folder: Path, database: bool = False, lease_s: float = LEASE_S) -> AsyncIterator[Site]:
    """With a *database* as the journal, or a file."""
    with network("server", "one", "two", "user", "database") as net, ExitStack() as stack:
        journal = str(folder / "state")
        if database:
            made_there = running(address=net.address("database"), inside=net.inside("database"))
            journal = stack.enter_context(contextmanager(lambda: made_there)()).remote_url()
        made = Site(folder, net, journal, lease_s)
        try:
            await made.start()
            yield made
        finally:
            for process in made.processes:
                if process.alive:
                    await process.kill()
            pids = [int(words[2]) for words in made.runs()]
            for pid in pids:
                if alive(pid):
                    os.kill(pid, 9)
            await gone(pids)
            for name in ("one", "two"):
                await _remove_groups(folder / name)


async def _remove_groups(spool: Path) -> None:
    """Killed agents leave the groups of their jobs to their next start."""
    groups = bases(Spool.group_of(spool))
    await until(lambda: not any(one.is_dir() for path in groups.values() for one in os.scandir(path)))
    remove_bases(groups)


@pytest.mark.deep
async def test_a_session_from_another_machine(tmp_path: Path) -> None:
    async with site(tmp_path) as here:
        program = "echo $MOLOKINI_ATTEMPT $MOLOKINI_NODE_LIST $$ >> runs; echo hello"
        for number in (1, 2, 3):
            assert await here.command("user", "submit", "--", "sh", "-c", program) == (0, f"{number}\n")
        assert (await here.command("user", "wait", 1, 2, 3))[0] == 0
        assert await here.command("user", "logs", 2) == (0, "hello\n")
        _, said = await here.command("user", "nodes", "--json")
        assert {node["name"] for node in json.loads(said)["nodes"]} == {"one", "two"}
        assert len(here.runs()) == 3


@pytest.mark.deep
async def test_a_session_with_a_database(tmp_path: Path) -> None:
    """What cannot be written down is not answered; and the next start of the server goes on from there."""
    async with site(tmp_path, database=True, lease_s=60.0) as here:
        here.net.cut("database")
        submitting = asyncio.ensure_future(here.command("user", "submit", "--", "true"))
        done, _ = await asyncio.wait([submitting], timeout=1.0)
        assert not done
        here.net.heal("database")
        assert await submitting == (0, "1\n")
        assert (await here.command("user", "wait", 1))[0] == 0
        program = (
            "echo $MOLOKINI_ATTEMPT $MOLOKINI_NODE_LIST $$ >> runs; "
            "while [ ! -e end ]; do sleep 0.02; done; exit 3"
        )
        assert await here.command("user", "submit", "--", "sh", "-c", program) == (0, "2\n")
        await until(lambda: len(here.runs()) == 1)
        await here.processes[0].kill()
        assert not (tmp_path / "state").exists()
        await here.serve()
        (tmp_path / "end").touch()
        assert (await here.command("user", "wait", 2))[0] == 1, "it ends with an exit code of its own"
        _, said = await here.command("user", "jobs", "--all", "--json")
        found = {job["id"]: (job["state"], job["exit_code"]) for job in json.loads(said)["jobs"]}
        assert found == {1: ("completed", 0), 2: ("failed", 3)}
        assert [words[0] for words in here.runs()] == ["1"], "it ran on, and not again"


@pytest.mark.deep
async def test_a_parallel_program_over_two_machines(tmp_path: Path) -> None:
    """Its tasks reach each other by the addresses of the machines, and each machine has its part."""
    async with site(tmp_path) as here:
        program = ("--address", here.net.address("one"), "--iterations", 9, *SMALL)
        wide = ("submit", "--nodes", 2, "--processors-per-node", 2)
        assert (await here.command("user", *wide, "--", *COMMAND, *program))[0] == 0
        assert (await here.command("user", "wait", 1))[0] == 0
        code, said = await here.command("user", "logs", 1)
        assert code == 0
        found = one_line(said)
        assert (found["tasks"], found["iterations"]) == (4, 9)
        assert found["checksum"] == sequential(4, "ring", seed=1, rounds=9, units=3, words=5000)
        assert await here.command("user", "logs", 1, "--node", "two") == (0, "")
        code, said = await here.command("user", "logs", 1, "--node", "nine")
        wanted = (2, "molokini: --node: 'nine' is not allowed; it must be a node of job 1: one, two\n")
        assert (code, said) == wanted
        _, said = await here.command("user", "job", 1, "--json")
        assert [part["node"] for part in json.loads(said)["allocation"]] == ["one", "two"]


@pytest.mark.deep
async def test_a_partition(tmp_path: Path) -> None:
    """Fault F16: both sides live. The first attempt is dead before the second begins."""
    async with site(tmp_path) as here:
        program = (
            "echo $MOLOKINI_ATTEMPT $MOLOKINI_NODE_LIST $$ >> runs; "
            "while [ ! -e end ]; do sleep 0.02; done; exit $MOLOKINI_ATTEMPT"
        )
        await here.command("user", "submit", "--", "sh", "-c", program)
        await until(lambda: len(here.runs()) == 1)
        [(_, node, pid)] = here.runs()
        here.net.cut(node)
        await until(lambda: len(here.runs()) == 2)
        assert not alive(int(pid)), "the first attempt is dead before the second begins"
        here.net.heal(node)
        # The agent comes back with the end of an attempt that is over; a job placed there runs.
        assert [words[0] for words in here.runs()] == ["1", "2"]
        assert here.runs()[1][1] != node
        (tmp_path / "end").touch()
        await here.command("user", "wait", 1)
        _, said = await here.command("user", "job", 1, "--json")
        job = json.loads(said)
        assert (job["attempt"], job["exit_code"]) == (2, 2)
        assert len(here.runs()) == 2
