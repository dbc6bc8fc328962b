"""Whole servers with a gateway."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from molokini.app.serving import SOCKET
from tests.kit.serving import Served, served
from tests.kit.web import Web


class Gatewayed:
    """A server, and its gateway's client over the socket and over HTTP."""

    def __init__(self, one: Served, folder: Path) -> None:
        self.one, self.server, self.core = one, one.server, one.core
        assert one.server.gateway is not None
        self.gateway = one.server.gateway
        self.web = Web(folder / "state" / SOCKET)
        self.tcp = Web(port=self.gateway.port)

    @property
    def open_calls(self) -> int:
        return len(self.gateway.calls)


@asynccontextmanager
async def gatewayed(folder: Path, **overrides: Any) -> AsyncIterator[Gatewayed]:
    """A server with both roads."""
    async with served(folder, **{"web__listen": "127.0.0.1:0", **overrides}) as one:
        yield Gatewayed(one, folder)


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[Gatewayed]:
    """One that is as it comes; afterwards it still serves, and nothing is left open."""
    async with gatewayed(tmp_path) as one:
        yield one
        assert (await one.web.call("/health", verb="GET")).document == {"status": "serving"}
