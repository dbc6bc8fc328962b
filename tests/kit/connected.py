"""Fixtures of tests that talk to a fake server: ``from tests.kit.connected import ...`` in a conftest."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from molokini.client.calls import Patience
from molokini.client.client import Client
from tests.clients.command_runs import Ran, here
from tests.kit.fake_server import FakeServer

QUICK = Patience(timeout_s=10.0, attempt_s=0.5, connect_s=0.5, first_pause_s=0.01, longest_pause_s=0.1)
"""Long enough for a slow machine, short where a test waits for it."""


@pytest.fixture(autouse=True)
def nothing_from_outside(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No server of whoever runs the tests is found."""
    monkeypatch.chdir(tmp_path)
    for name in ("SERVER", "TOKEN", "TOKEN_FILE", "TLS_CA", "TLS_CERT", "TLS_KEY", "TIMEOUT_S"):
        monkeypatch.delenv(f"MOLOKINI_{name}", raising=False)


@pytest.fixture
def server() -> Iterator[FakeServer]:
    with FakeServer() as running:
        yield running


@pytest.fixture
async def client(server: FakeServer) -> AsyncIterator[Client]:
    async with Client.connect(server.target, patience=QUICK) as connected:
        yield connected


@pytest.fixture
def molokini(
    server: FakeServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ran]:
    """The command as a function, with the fake server as its server."""
    monkeypatch.setenv("MOLOKINI_SERVER", server.target)
    return lambda *arguments: here(capsys, *arguments)
