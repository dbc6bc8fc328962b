"""Lines of an agent's log look like those of the server's log, whatever the time zone of the machine."""

import io
import logging
import socket
import time

import pytest

from molokini.agents import grpc_link
from molokini.agents.agent import EmulatedAgent
from molokini.app.agent_log import AgentFormatter
from molokini.server.config.sections import Log
from molokini.server.logs import logging_to
from tests.kit.live import nodes


def test_the_lines_of_agent_and_server_are_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        record = logging.makeLogRecord(
            {"name": "molokini.agents.session", "levelname": "WARNING", "levelno": 30, "msg": "gone"}
        )
        stream = io.StringIO()
        with logging_to(Log(), stream) as root:
            root.handle(record)
        assert AgentFormatter().format(record) + "\n" == stream.getvalue()
    finally:
        monkeypatch.undo()
        time.tzset()


async def test_a_server_that_is_away_is_told_in_a_few_words() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        agent = EmulatedAgent("a", [nodes()], follows_clock=False, monotonic=time.monotonic)
        async with grpc_link._channel(f"127.0.0.1:{free.getsockname()[1]}", None) as channel:
            said = await grpc_link._connect_once(channel, agent, None)
    assert said.startswith("UNAVAILABLE: ")
    assert "refused" in said.lower()
    assert "failed to connect to all addresses" not in said
    assert len(said) < 80
