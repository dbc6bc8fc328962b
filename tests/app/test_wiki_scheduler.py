"""``molokini wiki-scheduler``: two servers on the wall clock, and nothing between them but the protocol."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from molokini.app.wiki_scheduler import STATE, _serve, overrides
from molokini.app.wiki_scheduler import run as run_command
from molokini.clients.arguments.servers import WikiSchedulerArguments
from molokini.model.errors import BadInput, MolokiniError
from molokini.proto.v1.jobs_pb2 import JobState
from molokini.server.caller_errors import WrongClock
from molokini.server.config import Config, load_config
from tests.kit.waiting import DEADLINE_S
from tests.kit.wiki import key_file, with_port


@asynccontextmanager
async def scheduling(folder: Path, port: int, capsys: pytest.CaptureFixture[str]) -> AsyncIterator[str]:
    """The command's own function at work; what it has printed when it was ready."""
    arguments = WikiSchedulerArguments(
        manager=f"127.0.0.1:{port}",
        key_file=str(key_file(folder)),
        events="127.0.0.1:0",
        poll=3000.0,
        state=str(folder / "scheduler"),
    )

    def load() -> Config:
        own = {"server.listen": "127.0.0.1:0", "server.journal": arguments.state, "policy.name": "easy"}
        return load_config(None, {**overrides(arguments), **own})

    task = asyncio.create_task(_serve(load(), load))
    try:
        shown = ""
        async with asyncio.timeout(3 * DEADLINE_S):
            while "molokini is ready" not in shown:
                if task.done():
                    task.result()
                shown += capsys.readouterr().out
                await asyncio.sleep(0.02)
        yield shown
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


async def test_jobs_run_as_the_other_decides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given: dict[str, Any] = {"clock__kind": "real", "wiki__events_after_s": 0.0}
    async with with_port(tmp_path, **given) as (manager, talker), manager.client() as ann:
        first = await ann.submit(processors=16, estimate_s=600, outcome={"run_s": 0.1})
        async with scheduling(tmp_path, talker.port, capsys) as shown:
            assert "policy easy, 4 nodes and 1 jobs of 127.0.0.1:" in shown
            # No look is due within the test: the resource manager calls when something has changed.
            second = await ann.submit(processors=16, estimate_s=600, outcome={"run_s": 0.1})
            await ann.wait([first, second], timeout_s=DEADLINE_S)
            assert (await ann.job(second)).state == JobState.COMPLETED
        # Without it nothing starts: our own policy is paused.
        third = await ann.submit(processors=1, estimate_s=600)
        assert (await ann.job(third)).state == JobState.WAITING


async def test_a_manager_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(MolokiniError, match=r"127\.0\.0\.1:1 cannot be reached"):
        async with scheduling(tmp_path, 1, capsys):
            pass


async def test_clocks_that_do_not_go_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with with_port(tmp_path) as (_, talker):
        with pytest.raises(WrongClock, match="ours is real; start with --clock stepped"):
            async with scheduling(tmp_path, talker.port, capsys):
                pass


def test_what_the_command_line_must_say() -> None:
    with pytest.raises(BadInput, match="--manager is missing"):
        run_command(WikiSchedulerArguments())
    assert overrides(WikiSchedulerArguments())["server.journal"] == STATE
    with pytest.raises(BadInput, match="key_file"):
        run_command(WikiSchedulerArguments(manager="host:1"))
