"""A live cluster of real processes: a server, node agents, and a relay before each of its two doors."""

import asyncio
import contextlib
import json
import random
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from molokini.client.calls import Patience
from molokini.client.client import Client
from molokini.client.errors import ServerError
from molokini.server.security.issued import IssuedTokens
from molokini.server.security.roles import Role
from molokini.server.security.serving import ISSUED, KEYS
from molokini.server.security.tokens import KeyRing, Tokens
from tests.torture.real_processes import Process
from tests.torture.relay import Relay

PATIENT = Patience(timeout_s=30.0, attempt_s=4.0, connect_s=30.0, longest_pause_s=0.5)
HASTY = Patience(timeout_s=1.0, attempt_s=0.7, connect_s=1.0, longest_pause_s=0.2)
HEARTBEAT_S, LEASE_S, MARGIN_S = 0.5, 3.0, 1.0
RECOVERY_S = 60.0
FINISHED_JOBS = 100
"""So few that nearly all jobs of a run are asked for in the history."""
SNAPSHOT_EVERY = 200
"""Facts and jobs: nearly every start in a run goes on from a snapshot."""


def settings(journal: str, **more: Any) -> dict[str, Any]:
    """What the configuration file of a torture run says, by dotted key."""
    return {
        "server.listen": "127.0.0.1:0",
        "server.journal": journal,
        "server.new": True,
        "policy.name": "easy",
        "agents.heartbeat_s": HEARTBEAT_S,
        "agents.lease_s": LEASE_S,
        "agents.margin_s": MARGIN_S,
        "stop.bound_s": 5.0,
        "server.snapshot_every": SNAPSHOT_EVERY,
        "history.finished_jobs": FINISHED_JOBS,
        **more,
    }


def toml(given: Mapping[str, Any], rest: str = "") -> str:
    """*given*, by dotted keys, as TOML; *rest* goes behind it."""
    # Numbers, truth values and plain texts are written in JSON as they are in TOML.
    lines = [f"{name} = {json.dumps(value)}\n" for name, value in given.items()]
    return "".join(lines) + rest


class Cluster:
    """Started with ``async with``; whatever still runs is killed at its end, its folder stays."""

    def __init__(self, folder: Path, rng: random.Random, journal: str | None = None, **more: Any) -> None:
        self.folder, self.rng = folder, rng
        folder.mkdir(parents=True, exist_ok=True)
        self.state = Path(journal) if journal and "://" not in journal else folder / "state"
        """Tokens and, for SQLite, the journal."""
        self.settings = settings(journal or str(self.state), **more)
        if journal and "://" in journal:
            self.state = folder / "molokini-state"
        self.queues = ""
        self.config = folder / "server.toml"
        self.server: Process | None = None
        self.agents: dict[str, Process] = {}
        self._offers: dict[str, tuple[int, int]] = {}
        self.users, self.nodes = Relay(rng), Relay(rng)
        """The relays of clients and of agents."""
        self.kills = self.starts = 0
        self.recoveries_s: list[float] = []

    async def __aenter__(self) -> "Cluster":
        await self.users.__aenter__()
        await self.nodes.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in [self.server, *self.agents.values()]:
            if process is not None and process.alive:
                process.resume()
                await process.kill()
        await self.users.__aexit__(kind, error, trace)
        await self.nodes.__aexit__(kind, error, trace)

    # The server.

    def write_config(self, **more: Any) -> None:
        self.config.write_text(toml({**self.settings, **more}, self.queues))

    async def begin_server(self, environment: Mapping[str, str] | None = None) -> Process:
        """Start a server and wait for nothing."""
        self.write_config()
        self.starts += 1
        self.server = await Process.begin(
            ("serve", "--config", self.config), self.folder / "server.log", environment
        )
        return self.server

    async def start_server(self, environment: Mapping[str, str] | None = None) -> float:
        """Start a server that recovers the state; seconds until its first answer."""
        began_s = time.monotonic()
        server = await self.begin_server(environment)
        await server.until_ready()
        self.listens()
        async with self.client(PATIENT) as client:
            await client.cluster()
        self.recoveries_s.append(time.monotonic() - began_s)
        return self.recoveries_s[-1]

    def listens(self) -> None:
        """The server that runs says where: let the relays know."""
        assert self.server is not None
        port = int(self.server.ready.split("molokini is ready: ")[1].split(",")[0].rpartition(":")[2])
        self.users.upstream = self.nodes.upstream = port

    async def kill_server(self) -> None:
        assert self.server is not None
        await self.server.kill()
        self.gone()
        self.kills += 1

    def gone(self) -> None:
        """No server listens any more."""
        self.users.upstream = self.nodes.upstream = 0

    async def restart_server(self) -> float:
        await self.kill_server()
        return await self.start_server()

    async def stop_server(self) -> int:
        assert self.server is not None
        status = await self.server.stop()
        self.gone()
        return status

    # Agents.

    async def start_agent(self, name: str, nodes: int = 32, processors: int = 4) -> None:
        self._offers[name] = (nodes, processors)
        given = (
            "--server",
            self.nodes.target,
            "--name",
            name,
            "--nodes",
            nodes,
            "--procs-per-node",
            processors,
        )
        token = ("--token-file", self.state / "agent-token")
        self.agents[name] = await Process.begin(("agent", *given, *token), self.folder / f"{name}.log")

    async def agent_ready(self, name: str) -> None:
        await self.agents[name].until_ready()

    async def kill_agent(self, name: str) -> None:
        await self.agents[name].kill()
        self.kills += 1

    async def restart_agent(self, name: str) -> None:
        await self.start_agent(name, *self._offers[name])

    # Clients.

    def client(self, patience: Patience = PATIENT, user: str | None = None) -> Client:
        """A client through the relay, as the owner or as *user*."""
        return Client.connect(self.users.target, self.token(user), None, patience)

    def token(self, user: str | None) -> str:
        if user is None:
            return (self.state / "token").read_text().strip()
        issued = IssuedTokens(self.state / ISSUED, time.time)
        tokens = Tokens("molokini", KeyRing(self.state / KEYS), issued, 900.0, 60.0, time.time)
        # The running server knows of no token that it has not issued, but of the keys.
        return tokens.local(user, Role.USER)

    async def answers(self, within_s: float = RECOVERY_S) -> float:
        """Seconds until the server answers."""
        began_s = time.monotonic()
        async with self.client(HASTY) as client:
            while True:
                with contextlib.suppress(ServerError):
                    await client.cluster()
                    return time.monotonic() - began_s
                assert time.monotonic() < began_s + within_s, "the server does not answer any more"
                await asyncio.sleep(0.02)

    def copy_state(self, name: str) -> Path:
        """The state as it is on disk at one instant, beside it; the server is stopped while it is copied."""
        target = self.folder / name
        if self.server is not None:
            self.server.pause()
        try:
            # A socket is no part of it, and cannot be copied.
            shutil.copytree(self.state, target, ignore=shutil.ignore_patterns("socket"))
        finally:
            if self.server is not None:
                self.server.resume()
        return target
