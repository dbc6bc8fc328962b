"""A live server with its sockets in this process, and clients of any name and role."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from molokini.app.serving import LiveServer
from molokini.client.client import Client
from molokini.proto.v1.agent_service_pb2 import NodeOffer
from molokini.server.config import load_config
from molokini.server.security.roles import Caller, Role
from tests.kit.live import nodes


class Served:
    """What a test needs of a server: clients, and a look inside."""

    def __init__(self, server: LiveServer) -> None:
        self.server, self.core = server, server.core

    def token(self, name: str, role: Role = Role.USER) -> str:
        tokens = self.server.security.tokens
        assert tokens is not None
        if name == "*":  # of any node agent: the owner's own, which nobody issues
            return tokens.local(name, role)
        return tokens.issue(Caller("root", Role.ADMINISTRATOR), name, role).text

    async def advance(self, seconds: float) -> None:
        """Turn the clock; everything on the way has happened."""
        self.core.clock.advance(seconds)
        await self.core.timekeeper.reached(self.core.clock.limit_s)

    @asynccontextmanager
    async def client(self, name: str = "ann", role: Role = Role.USER) -> AsyncIterator[Client]:
        async with Client.connect(f"127.0.0.1:{self.server.port}", self.token(name, role)) as client:
            yield client


@asynccontextmanager
async def served(
    folder: Path, policy: str = "fcfs", offers: list[NodeOffer] | None = None, **overrides: Any
) -> AsyncIterator[Served]:
    """A server on a stepped clock with emulated nodes; *overrides* by key, dots as two underscores."""
    given = {
        "server.listen": "127.0.0.1:0",
        "server.journal": str(folder / "state"),
        "server.new": True,
        "clock.kind": "stepped",
        "policy.name": policy,
        **{name.replace("__", "."): value for name, value in overrides.items()},
    }
    server = await LiveServer.open(load_config(None, given))
    try:
        await server.start()
        wanted = [nodes()] if offers is None else offers
        if wanted:
            server.emulate(wanted)
            await server.ready(4 if offers is None else 1)
        yield Served(server)
    finally:
        await server.stop()
