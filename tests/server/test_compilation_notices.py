"""A policy that is compiled while the server runs: the log and the callers know why an answer takes long."""

import asyncio
import logging
import threading
from pathlib import Path

import pytest
from numba.core import event

from molokini.clients.command import run
from molokini.clients.live import waiting_told
from molokini.server.compilation_notices import Compiling
from molokini.server.queries import forecasting
from molokini.server.security.roles import Role
from molokini.server.turn.running_policy import RunningPolicy
from tests.kit.serving import served
from tests.kit.waiting import DEADLINE_S, eventually

COMPILE = "numba:compile"


class SlowCompiler:
    """Says what numba says, and ends when it is told to."""

    def __init__(self) -> None:
        self.done = threading.Event()

    def compile(self, *_: object) -> None:
        for _step in ("begin", "schedule"):
            event.start_event(COMPILE, data={"dispatcher": None})
            assert self.done.wait(DEADLINE_S)
            event.end_event(COMPILE, data={"dispatcher": None})


@pytest.mark.parametrize("asked", [("policy", "easy"), ("forecast", "1")])
async def test_the_log_and_the_caller_are_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
    asked: tuple[str, str],
) -> None:
    what = "policy easy" if asked[0] == "policy" else "the forecasts of policy fcfs"
    monkeypatch.setattr(waiting_told, "AFTER_S", 0.05)
    compiler = SlowCompiler()
    async with served(tmp_path) as one, one.client("root", Role.ADMINISTRATOR) as root:
        for _ in range(2):
            await root.submit(processors=16, estimate_s=10)
        monkeypatch.setattr(RunningPolicy, "compile", compiler.compile)
        reckoning = forecasting._reckoning

        def compiled_before(*given: object) -> object:
            work = reckoning(*given)  # type: ignore[arg-type]

            def worked(given_up: object) -> object:
                compiler.compile()
                return work(given_up)  # type: ignore[arg-type]

            return worked

        monkeypatch.setattr(forecasting, "_reckoning", compiled_before)
        monkeypatch.setenv("MOLOKINI_SERVER", f"127.0.0.1:{one.server.port}")
        monkeypatch.setenv("MOLOKINI_TOKEN", one.token("root", Role.ADMINISTRATOR))
        with caplog.at_level(logging.INFO, "molokini.server.policy"):
            words = [asked[0], "2" if asked[0] == "forecast" else asked[1]]
            ran = asyncio.create_task(asyncio.to_thread(run, words))
            said = ""

            def told() -> bool:
                nonlocal said
                said += capsys.readouterr().err
                return said.endswith("\n")

            await eventually(told)
            assert said.startswith(
                f"molokini: the server compiles {what}, this once, since 0 s: 10 to 30 s of"
            )
            found = await root.policy()
            assert found.compiling == what
            assert 0 < found.compiling_for_s < DEADLINE_S
            compiler.done.set()
            assert await ran == 0
        assert "compil" not in capsys.readouterr().err, "one line, however long it takes"
        assert [
            record.getMessage().partition(" in ")[0] for record in caplog.records if "compil" in record.msg
        ] == [
            f"compiling {what} (once); other calls are answered meanwhile",
            f"compiled {what}",
        ]
        assert (await root.policy()).compiling == ""


def test_what_comes_from_the_cache_is_not_told(caplog: pytest.LogCaptureFixture) -> None:
    compiling = Compiling()
    with caplog.at_level(logging.INFO, "molokini.server.policy"), compiling.told("policy easy"):
        assert (compiling.what, compiling.for_s) == ("", 0.0)
    assert caplog.messages == []


def test_a_compilation_that_fails_is_over() -> None:
    compiling = Compiling()

    def failing() -> None:
        with compiling.told("policy easy"):
            event.start_event(COMPILE, data={"dispatcher": None})
            event.end_event(COMPILE, data={"dispatcher": None})
            assert compiling.what == "policy easy"
            raise RuntimeError

    with pytest.raises(RuntimeError):
        failing()
    assert (compiling.what, compiling.for_s) == ("", 0.0)
