"""``molokini init`` writes a configuration that the server takes as it is, and with each example in it."""

import os
import re
import stat
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from molokini.server.config import load_config
from tests.clients.command_runs import Ran

Command = Callable[..., Ran]
EXAMPLE = re.compile(r"^#(?=\[\[|[a-z_]+ = )", re.MULTILINE)


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_the_server_takes_what_is_written(molokini: Command, tmp_path: Path) -> None:
    ran = molokini("init")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "molokini.toml: written; molokini serve --config molokini.toml --new starts the server\n"
    )
    path = tmp_path / "molokini.toml"
    assert stat.S_IMODE(path.stat().st_mode) & 0o022 == 0
    config = load_config(path)
    assert (config.server.name, config.policy.name, config.security.mode) == ("molokini", "easy", "token")
    assert [queue.name for queue in config.queues] == ["default"]


def test_every_key_has_a_comment_and_every_example_is_right(molokini: Command, tmp_path: Path) -> None:
    assert molokini("init", "site.toml").code == 0
    path = tmp_path / "site.toml"
    text = path.read_text()
    keys = [(line, key) for line, key in pairwise(text.splitlines()) if key[:1].isalpha()]
    assert [key for line, key in keys if not line.startswith(("#", "[["))] == []
    places = [found.start() for found in EXAMPLE.finditer(text)]
    assert len(places) > 10
    # Each block by itself: the second value of a key cannot stand beside the first.
    for block in re.findall(r"(?:^#(?:\[\[|[a-z_]+ = ).*\n)+", text, re.MULTILINE):
        for lines in [block] if block.startswith("#[[") else block.splitlines(keepends=True):
            key = lines[1:].split(" = ")[0]
            tried = text.replace(lines, EXAMPLE.sub("", lines))
            if not lines.startswith("#[["):
                tried = re.sub(rf"^{key} = .*\n(?=(?:#.*\n)*{key} = )", "", tried, flags=re.MULTILINE)
            path.write_text(tried)
            load_config(path)


def test_a_file_that_is_there_stays(molokini: Command, tmp_path: Path) -> None:
    (tmp_path / "molokini.toml").write_text("mine")
    ran = molokini("init")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "molokini: molokini.toml: there is one already; name another file, or move it away\n"
    assert (tmp_path / "molokini.toml").read_text() == "mine"


def test_a_place_that_cannot_be_is_named(molokini: Command, tmp_path: Path) -> None:
    ran = molokini("init", "no/such.toml")
    assert (ran.code, ran.err) == (2, "molokini: no/such.toml: there is no such folder; make it first\n")
    (tmp_path / "loop").symlink_to(tmp_path / "nowhere")
    assert molokini("init", "loop").code == 2
    assert not os.path.exists(tmp_path / "nowhere")
