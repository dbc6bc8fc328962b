"""What a configuration that is read again may change, and what it is refused for."""

import logging
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from molokini.app.reloading import GONE, Reloader
from molokini.model.codec import decode
from molokini.model.facts import QueueSet
from molokini.server.config import load_config
from molokini.server.state.node_names import NodeStatus
from molokini.server.turn.operating import DrainNodes
from molokini.server.turn.running_policy import RunningPolicy
from tests.kit.live import nodes
from tests.kit.serving import Served, served

NODES = """
[[nodes]]
names = "n[1-4]"
processors = {}
[[nodes]]
names = "m1"
processors = 2
[limits]
page_size = 5
"""


async def reloaded(one: Served, folder: Path, text: str) -> None:
    path = folder / "cluster.toml"
    path.write_text(text)
    await Reloader(one.server, lambda: load_config(path, {"server.journal": str(folder / "state")})).reload()


async def test_a_node_keeps_its_size(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async with served(tmp_path, offers=[nodes("n[1-4]", 4)]) as one:
        with caplog.at_level(logging.ERROR):
            await reloaded(one, tmp_path, NODES.format(8))
        assert "nothing has changed: nodes.processors: 8 is not allowed; it must be 4 for n1" in caplog.text
        assert "add a node of another name" in caplog.text
        assert [node.name for node in one.core.state.machine.nodes] == ["n1", "n2", "n3", "n4"]
        assert one.core.settings.page_size == 10_000
        await reloaded(one, tmp_path, NODES.format(4))
        assert [node.name for node in one.core.state.machine.nodes][-1] == "m1"
        assert one.core.settings.page_size == 5


async def test_another_maui_file_is_a_change(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "maui.cfg"
    file.write_text("BACKFILLDEPTH 3\n")
    given = {"policy.name": "maui", "policy.maui_config": str(file)}
    async with served(tmp_path, "maui", policy__maui_config=str(file)) as one:

        async def again() -> str:
            journal = {"server.journal": str(tmp_path / "state")}
            caplog.clear()
            with caplog.at_level(logging.INFO):
                await Reloader(one.server, lambda: load_config(None, given | journal)).reload()
            return caplog.text

        await again()
        assert "what policy.maui_config says" not in await again()
        file.write_text("BACKFILLDEPTH 4\n")
        assert "changed: what policy.maui_config says" in await again()
        file.write_text("BACKFILLDEPTH many\n")
        assert "nothing has changed" in await again()


def machine_of(one: Served) -> dict[str, NodeStatus]:
    return {node.name: node.status for node in one.core.state.machine.nodes}


async def test_what_is_named_again_returns_and_what_an_administrator_drained_does_not(tmp_path: Path) -> None:
    up, draining = NodeStatus.UP, NodeStatus.DRAINING

    def text(names: str) -> str:
        return f'[[nodes]]\nnames = "{names}"\nprocessors = 4\n'

    async with served(tmp_path, offers=[nodes("n[1-3]", 4)]) as one:
        await reloaded(one, tmp_path, text("n[1-3]"))
        await one.core.reactor.post(DrainNodes(["n1"], "root", "a fan"))
        await reloaded(one, tmp_path, text("n[1-2]"))
        assert machine_of(one) == {"n1": draining, "n2": up, "n3": draining}
        await reloaded(one, tmp_path, text("n[1-3]"))
        assert machine_of(one) == {"n1": draining, "n2": up, "n3": up}


@pytest.mark.parametrize("name", ["root", "configuration"])
async def test_what_an_administrator_drained_stays_drained(tmp_path: Path, name: str) -> None:
    text = '[[nodes]]\nnames = "{}"\nprocessors = 4\n'
    async with served(tmp_path, offers=[nodes("n[1-3]", 4)]) as one:
        await reloaded(one, tmp_path, text.format("n[1-3]"))
        await one.core.reactor.post(DrainNodes(["n1"], name, GONE))
        await reloaded(one, tmp_path, text.format("n[1-2]"))
        await reloaded(one, tmp_path, text.format("n[1-3]"))
        up, draining = NodeStatus.UP, NodeStatus.DRAINING
        assert machine_of(one) == {"n1": draining, "n2": up, "n3": up}


async def test_the_same_file_changes_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    queues = '[[queues]]\nname = "default"\n[[queues]]\nname = "long"\nmax_processors = {}\n'
    async with served(tmp_path) as one:
        await reloaded(one, tmp_path, queues.format(8))
        before = one.core.state.serial
        with caplog.at_level(logging.INFO):
            await reloaded(one, tmp_path, queues.format(8))
        assert "configuration reloaded; changed: nothing" in caplog.text
        assert one.core.state.serial == before
        # Of several queues only the one that differs is set anew.
        await reloaded(one, tmp_path, queues.format(4))
        assert [fact.queue["name"] async for fact in queues_set(one, before)] == ["long"]
        assert one.core.state.queues["long"].max_processors == 4


async def queues_set(one: Served, after: int) -> AsyncIterator[QueueSet]:
    async for entry in one.core.journal.read(after):
        if isinstance(fact := decode(entry), QueueSet):
            yield fact


async def test_policy_and_protection_follow_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with served(tmp_path) as one:
        assert one.core.reactor.running_policy.policy.name == "fcfs"
        # Beside the loop, before the first pass needs it: agents are answered meanwhile.
        compiled: list[tuple[str, str]] = []

        def compile(self: RunningPolicy) -> None:
            compiled.append((self.policy.name, threading.current_thread().name))

        monkeypatch.setattr(RunningPolicy, "compile", compile)
        await reloaded(
            one, tmp_path, '[policy]\nname = "easy"\n[security]\ntoken_lifetime_s = 60.0\nprivacy = true\n'
        )
        assert one.core.state.policy == ("easy", {})
        assert one.core.reactor.running_policy.policy.name == "easy"
        assert compiled == [("easy", "compiler")]
        assert one.core.settings.privacy
        tokens = one.server.security.tokens
        assert tokens is not None
        assert tokens.lifetime_s == 60.0
        assert one.server.config.security.token_lifetime_s == 60.0
