"""A server with the services of the wire, as it comes, and a channel to it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from molokini.server.security.issued import IssuedTokens
from tests.server.security.kit import Channel, Clock, Running, running


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[Running]:
    async with running(tmp_path) as made:
        yield made


@pytest.fixture
async def channel(server: Running) -> AsyncIterator[Channel]:
    async with server.channel() as made:
        yield made


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def issued(tmp_path: Path, clock: Clock) -> IssuedTokens:
    """The list of tokens of a new state."""
    return IssuedTokens(tmp_path / "tokens.json", clock)
