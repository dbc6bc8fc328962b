"""docs/client.md is true: its programs run on a real server, and its commands print what it shows."""

import asyncio
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from molokini.client import errors
from molokini.client.client import Client
from tests.clients.command_runs import ROOT, environment
from tests.kit.fake_server import FakeServer
from tests.kit.live import nodes
from tests.kit.serving import served

TEXT = (ROOT / "docs" / "client.md").read_text()
PROGRAMS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
SESSIONS = re.findall(r"```console\n(.*?)```", TEXT, re.DOTALL)


def variables(target: str, folder: Path) -> dict[str, str]:
    """An environment with the command on its path and the server at *target* as the server."""
    command = folder / "molokini"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m molokini.clients.command "$@"\n')
    command.chmod(0o755)
    inherited = environment(MOLOKINI_SERVER=target)
    roots = os.pathsep.join([inherited["PYTHONPATH"], str(ROOT / "proto")])
    return {**inherited, "PYTHONPATH": roots, "PATH": f"{folder}{os.pathsep}{inherited['PATH']}"}


@pytest.mark.quick(one_in=5)
@pytest.mark.parametrize("program", PROGRAMS, ids=range(len(PROGRAMS)))
async def test_the_programs_run(tmp_path: Path, program: str) -> None:
    async with served(tmp_path, offers=[nodes("n[1-8]", 128)]) as one:
        around = {**variables(f"127.0.0.1:{one.server.port}", tmp_path), "MOLOKINI_TOKEN": one.token("ann")}
        done = await asyncio.to_thread(
            subprocess.run,
            [sys.executable, "-W", "error", "-c", program],
            env=around,
            capture_output=True,
            text=True,
            timeout=300,
        )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.dear("every command of the page, with a cluster")
@pytest.mark.deep
@pytest.mark.parametrize("session", SESSIONS, ids=range(len(SESSIONS)))
def test_the_commands_print_what_is_shown(server: FakeServer, tmp_path: Path, session: str) -> None:
    around = variables(server.target, tmp_path)
    for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
        line, _, shown = part.partition("\n")
        done = subprocess.run(["bash", "-c", line], env=around, capture_output=True, text=True, timeout=300)
        assert done.stdout + done.stderr == shown, line


def test_there_is_something_to_run() -> None:
    assert len(PROGRAMS) >= 5
    assert sum(session.count("$ ") for session in SESSIONS) >= 14


def test_every_call_and_every_error_is_named() -> None:
    public = {name for name in dir(Client) if not name.startswith("_")} - {"connect", "close", "target"}
    assert {name for name in public if f"`{name}`" not in TEXT} == set()
    kinds = {name for name, kind in vars(errors).items() if isinstance(kind, type) and name != "ServerError"}
    ours = {name for name in kinds if issubclass(getattr(errors, name), errors.ServerError)}
    assert {name for name in ours if f"`{name}`" not in TEXT} == set()
    assert len(ours) > 10
