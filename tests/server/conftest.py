"""Fixtures of tests of the server: a live one without sockets, and one with sockets and its clients."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from molokini.client.client import Client
from molokini.compiled.compilation import interpreting
from molokini.server.security.roles import Role
from tests.kit.live import Story, live
from tests.kit.serving import Served, served
from tests.kit.voices import Voice


@pytest.fixture
def interpreted() -> Iterator[None]:
    """Policies run as plain Python: one that a test has written would be compiled for that test alone."""
    with interpreting():
        yield


@pytest.fixture
async def story(request: pytest.FixtureRequest) -> AsyncIterator[Story]:
    """A story with an emulated agent; with a ``voice`` beside it that is its only agent."""
    async with live(offers=[] if "voice" in request.fixturenames else None) as made:
        yield made


@pytest.fixture
async def voice(story: Story) -> Voice:
    """An agent whose every word is the test's, welcomed."""
    made = Voice(story)
    await made.joined()
    await story.settled()
    return made


@pytest.fixture
async def one(tmp_path: Path) -> AsyncIterator[Served]:
    """A server with its sockets."""
    async with served(tmp_path) as made:
        yield made


@pytest.fixture
async def ann(one: Served) -> AsyncIterator[Client]:
    """A user of it."""
    async with one.client("ann") as made:
        yield made


@pytest.fixture
async def bob(one: Served) -> AsyncIterator[Client]:
    """Another user."""
    async with one.client("bob") as made:
        yield made


@pytest.fixture
async def olga(one: Served) -> AsyncIterator[Client]:
    """An operator."""
    async with one.client("olga", Role.OPERATOR) as made:
        yield made


@pytest.fixture
async def root(one: Served) -> AsyncIterator[Client]:
    """An administrator."""
    async with one.client("root", Role.ADMINISTRATOR) as made:
        yield made
