"""A server that is starting says so in its state, and a command waits for it."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from molokini.app.serving import LiveServer
from molokini.app.starting import Starting
from molokini.client import endpoint
from molokini.client.endpoint import STARTING, STATE, starting_files
from molokini.server.config import load_config
from molokini.server.journal.port import StateMissing
from molokini.server.server import Server
from molokini.server.turn import running_policy
from tests.clients.command_runs import here
from tests.kit.fake_server import FakeServer


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a state where commands look for it."""
    for name in ("SERVER", "TOKEN", "TOKEN_FILE", "TLS_CA", "TLS_CERT", "TLS_KEY"):
        monkeypatch.delenv(f"MOLOKINI_{name}", raising=False)
    monkeypatch.chdir(tmp_path)
    STATE.mkdir()
    return tmp_path / STATE


def test_a_command_says_that_the_server_is_starting(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (state / "endpoint").write_text("127.0.0.1:1\n")  # of the server before
    starting = Starting(state)
    starting.tell()
    monkeypatch.setenv("MOLOKINI_TIMEOUT_S", "0.3")
    for words in (["jobs"], ["nodes"], ["submit", "--", "true"]):
        ran = here(capsys, *words)
        text = "the server in molokini-state is starting and was not ready within 0.3 s"
        assert (ran.code, ran.err) == (1, f"molokini: {text}; try again when it says that it is ready\n")
    starting.over()
    # One question at least must have its answer, however busy the machine is.
    monkeypatch.setenv("MOLOKINI_TIMEOUT_S", "5")
    assert "no server can be reached" in here(capsys, "jobs").err


def test_a_command_goes_on_as_soon_as_the_server_is_ready(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    starting = Starting(state)
    starting.tell()
    with FakeServer() as server:

        def ready() -> None:
            (state / "endpoint").write_text(f"{server.target}\n")
            starting.over()

        monkeypatch.setenv("MOLOKINI_TIMEOUT_S", "60")
        monkeypatch.setattr(endpoint, "time", _Clock(ready))
        ran = here(capsys, "jobs")
        assert (ran.code, ran.err) == (0, "")
        # What a server has left that was killed during its start is nothing.
        monkeypatch.setattr(endpoint, "time", _Clock(lambda: pytest.fail("it waits")))
        (state / STARTING).touch()
        assert here(capsys, "jobs").code == 0
        # Nor does a server concern us that is not the one that is asked.
        starting.tell()
        monkeypatch.setenv("MOLOKINI_SERVER", server.target)
        assert here(capsys, "jobs").code == 0
        starting.over()


def test_a_server_without_a_state_tells_it_too(
    state: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    state.rmdir()
    starting = Starting(state)
    starting.tell()
    assert not state.exists()
    monkeypatch.setenv("MOLOKINI_TIMEOUT_S", "0.3")
    assert "is starting and was not ready within 0.3 s" in here(capsys, "jobs").err
    state.mkdir()
    starting.tell()
    assert [endpoint._is_starting(path) for path in starting_files(state)] == [True, False]
    starting.over()
    assert "no server is named" in here(capsys, "jobs").err


def test_a_start_leaves_no_trace_where_there_is_no_state(tmp_path: Path) -> None:
    starting = Starting(tmp_path / "none")
    starting.tell()
    starting.over()
    assert list(tmp_path.iterdir()) == []
    starting = Starting(tmp_path / "no" / "ne")
    starting.tell()
    starting.over()
    assert list(tmp_path.iterdir()) == []


def test_of_two_that_start_on_a_state_the_first_one_has_the_word(state: Path) -> None:
    first, second = Starting(state), Starting(state)
    first.tell()
    second.tell()
    second.over()
    assert (state / STARTING).exists()
    first.over()
    assert not (state / STARTING).exists()


async def test_a_server_tells_it_until_it_can_be_asked(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[bool] = []
    recover = Server.open

    async def recovered(*given: Any) -> Server:
        seen.append(endpoint._is_starting(state / STARTING))
        return await recover(*given)

    monkeypatch.setattr(Server, "open", recovered)
    state.rmdir()
    given = {"server.journal": str(state), "server.new": True, "server.listen": "127.0.0.1:0"}
    live = await LiveServer.open(load_config(None, given))
    try:
        assert seen == [True]
        assert endpoint._is_starting(state / STARTING)
        await live.start()
        assert (state / "endpoint").exists()
        assert not any(path.exists() for path in starting_files(state))
    finally:
        await live.stop()


class _Clock:
    """The clock of a command that waits: at its pause something happens."""

    def __init__(self, at_the_pause: Callable[[], None]) -> None:
        self._at_the_pause = at_the_pause
        self.monotonic = time.monotonic

    def sleep(self, pause_s: float) -> None:
        self._at_the_pause()


async def test_a_state_that_is_not_there_is_told_at_once(
    state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def compiled() -> None:
        raise AssertionError("compiled for nothing")

    monkeypatch.setattr(running_policy, "entries", compiled)
    state.rmdir()
    with pytest.raises(
        StateMissing, match=r"folder .* is missing; a new one begins only with --new \(server"
    ):
        await LiveServer.open(load_config(None, {"server.journal": str(state)}))
    assert not state.exists()
