"""``molokini serve``: nothing of its configuration is ignored in silence."""

import ast
import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from molokini.app.reloading import Reloader
from molokini.app.serve import _serve_logged
from molokini.app.serving import LiveServer, tell_starting
from molokini.client.client import Client
from molokini.proto.v1.jobs_pb2 import JobState
from molokini.server.config import Config, load_config
from tests.clients.command_runs import ROOT
from tests.kit.waiting import DEADLINE_S

NODES = """
[[nodes]]
names = "node[001-016]"
processors = 8
memory_kb = 1024
features = ["fast"]
generic = {gpu = 2}
"""


@asynccontextmanager
async def serving(folder: Path, text: str, capsys: pytest.CaptureFixture[str]) -> AsyncIterator[str]:
    """The command's own function at work; what it has printed when it was ready."""
    path = folder / "cluster.toml"
    path.write_text(text)
    given = {"server.listen": "127.0.0.1:0", "server.journal": str(folder / "state"), "server.new": True}

    def load() -> Config:
        return load_config(path, given)

    task = asyncio.create_task(_serve_logged(load(), load))
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


async def test_the_nodes_of_a_configuration_are_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async with serving(tmp_path, NODES, capsys) as shown:
        assert "16 nodes, 128 processors" in shown
        token = (tmp_path / "state" / "token").read_text().strip()
        async with Client.connect((tmp_path / "state" / "endpoint").read_text().strip(), token) as client:
            assert (await client.cluster()).processors_up == 128
            [node] = [one async for one in client.nodes(names=["node007"])]
            assert (node.processors, node.memory_kb, list(node.features)) == (8, 1024, ["fast"])
            assert dict(node.generic) == {"gpu": 2}
            job = await client.submit(processors=128, estimate_s=0.05)
            await client.wait([job], timeout_s=DEADLINE_S)
            assert (await client.job(job)).state == JobState.COMPLETED
    # The nodes are those of the state now, and come back with the same file.
    async with serving(tmp_path, NODES, capsys) as shown:
        assert "16 nodes, 128 processors" in shown


@pytest.mark.parametrize("terminal", [True, False])
def test_a_server_says_on_a_terminal_that_it_starts(
    terminal: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    tell_starting()
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == ("molokini is starting; it says when it is ready\n" if terminal else "")


async def test_agents_bring_nodes_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    async with serving(tmp_path, "", capsys) as shown:
        assert "0 nodes, 0 processors" in shown


async def test_nodes_that_a_reload_adds_to_a_server_without_any_come_up(tmp_path: Path) -> None:
    given = {"server.journal": str(tmp_path / "state"), "clock.kind": "stepped", "server.new": True}
    given["server.listen"] = "127.0.0.1:0"
    server = await LiveServer.open(load_config(None, given))
    try:
        await server.start()
        path = tmp_path / "cluster.toml"
        path.write_text('[[nodes]]\nnames = "n1"\nprocessors = 2\n')
        await Reloader(server, lambda: load_config(path, given)).reload()
        async with asyncio.timeout(DEADLINE_S):
            while server.core.state.tables.machine.processors < 2:
                await asyncio.sleep(0.02)
        assert [node.name for node in server.core.state.machine.nodes] == ["n1"]
    finally:
        await server.stop()


def keys(section: type[BaseModel], above: str = "") -> Iterator[tuple[str, str]]:
    """Every key, dotted, with its own name."""
    for name, field in section.model_fields.items():
        inner: list[Any] = [
            one
            for one in (field.annotation, *get_args(field.annotation))
            if isinstance(one, type) and issubclass(one, BaseModel)
        ]
        yield f"{above}{name}", name
        for one in inner:
            yield from keys(one, f"{above}{name}.")


def read_by_serve() -> set[str]:
    """The names that the server, and the command serve, look up."""
    ours = [ROOT / "app/molokini/app" / name for name in ("serve.py", "serving.py", "reloading.py")]
    server = ROOT / "server/molokini/server"
    found: set[str] = set()
    for path in [*ours, *(one for one in server.rglob("*.py") if one.parent.name != "config")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
                found.add(node.attr)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.add(node.value)
    return found


def test_no_key_of_the_configuration_is_read_by_nobody() -> None:
    # A queue is taken as a whole: the state's own record has the same fields, or refuses them.
    read = read_by_serve()
    asked = [one for one in keys(Config) if not one[0].startswith("queues.")]
    assert [dotted for dotted, name in asked if name not in read] == []
    assert len(asked) > 40
