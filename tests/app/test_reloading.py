"""What a configuration that is read again may change, and what it is refused for."""

import logging
from pathlib import Path

import pytest

from molokini.app.reloading import Reloader
from molokini.server.config import load_config
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


async def test_a_node_keeps_its_size_and_the_refusal_names_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
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


async def test_a_maui_file_that_says_something_else_has_changed(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
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
