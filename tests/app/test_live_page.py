"""What the pages of the live cluster show is true: their sessions run, those of a page in one folder."""

import getpass
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.waiting import DEADLINE_S

ROOT = Path(__file__).parents[2]
PAGES = ("live", "divisible", "coallocation", "gateway")


def sessions_of(name: str) -> list[str]:
    """The sessions that docs/*name*.md shows."""
    return re.findall(r"```console\n(.*?)```", (ROOT / "docs" / f"{name}.md").read_text(), re.DOTALL)


SESSIONS = sessions_of("live")
ROOTS = os.pathsep.join(
    str(ROOT / one)
    for one in ("core", "maui", "parallel", "experiments", "proto", "server", "agents", "clients", "app")
)


class Page:
    """A folder with the command on its path, and the server that was started there last."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.server: subprocess.Popen[str] | None = None
        command = folder / "bin" / "molokini"
        command.parent.mkdir()
        command.write_text(
            f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m molokini.clients.command "$@"\n'
        )
        command.chmod(0o755)
        path = f"{command.parent}{os.pathsep}{os.environ['PATH']}"
        ours = {name: value for name, value in os.environ.items() if not name.startswith("MOLOKINI_SERVER")}
        self.around = {**ours, "PYTHONPATH": ROOTS, "PATH": path, "EXAMPLES": str(ROOT / "examples")}

    def run(self, line: str) -> str:
        """What *line* prints; ``molokini up`` goes on in the background, and ends the one before."""
        if line.startswith("molokini up"):
            self.stop()
            self.server = subprocess.Popen(
                ["env", "--default-signal=INT", *shlex.split(line)],
                cwd=self.folder,
                env=self.around,
                stdout=subprocess.PIPE,
                text=True,
            )
            assert self.server.stdout is not None
            return self.server.stdout.readline()
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.folder,
            env=self.around,
            capture_output=True,
            text=True,
            timeout=DEADLINE_S,
        )
        return done.stdout + done.stderr

    def stop(self) -> None:
        """Ctrl-C, as the page says."""
        if self.server is None:
            return
        begun_s = time.monotonic()
        self.server.send_signal(signal.SIGINT)
        assert self.server.wait(120) == 0
        assert time.monotonic() - begun_s < 100
        assert self.server.stdout is not None
        assert self.server.stdout.read() == ""
        self.server.stdout.close()
        self.server = None


@pytest.fixture
def page(tmp_path: Path) -> Iterator[Page]:
    made = Page(tmp_path)
    yield made
    if made.server is not None:
        made.server.kill()
        made.server.communicate()


def plain(shown: str) -> str:
    """Without what differs from run to run: who runs it, the port, how long it took, the width of columns."""
    shown = re.sub(rf"\b{re.escape(getpass.getuser())}\b", "ann", shown)
    shown = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:0", shown)
    shown = re.sub(r"facts, [0-9.]+ s", "facts, 0 s", shown)
    return re.sub(" +", " ", shown)


@pytest.mark.deep
@pytest.mark.parametrize("name", PAGES)
def test_the_sessions_print_what_is_shown(page: Page, name: str) -> None:
    if shutil.which("curl") is None and any("curl " in session for session in sessions_of(name)):
        pytest.skip("curl is not installed")
    for session in sessions_of(name):
        for part in re.split(r"^\$ ", session, flags=re.MULTILINE)[1:]:
            line, _, shown = part.partition("\n")
            assert plain(page.run(line)) == plain(shown), line
    page.stop()


@pytest.mark.deep
def test_the_program_of_the_page_on_the_gateway(page: Page) -> None:
    [program] = re.findall(r"```python\n(.*?)```", (ROOT / "docs/gateway.md").read_text(), re.DOTALL)
    (page.folder / "look.py").write_text(program)
    assert page.run("molokini up --nodes 1 --listen 127.0.0.1:0").startswith("molokini is ready: ")
    assert page.run("molokini submit --hold --emulate run=10") == "1\n"
    assert page.run(f"{shlex.quote(sys.executable)} -I look.py") == "HELD\n"


def test_the_first_commands_of_the_readme(page: Page) -> None:
    blocks = re.findall(r"```\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    [block] = [block for block in blocks if block.startswith("molokini up")]
    up, submit, advance, jobs, shims = block.splitlines()
    assert page.run(up).startswith("molokini is ready: ")
    assert page.run(submit) == "1\n"
    assert "60" in page.run(advance)
    assert " completed " in page.run(jobs)
    page.run(shims)
    assert (page.folder / "bin/sbatch").is_file()


def test_there_is_something_to_run() -> None:
    assert len(SESSIONS) >= 6
    assert sum(session.count("$ ") for session in SESSIONS) >= 25
    assert all(sessions_of(name) for name in PAGES)


def test_commands_that_end_are_shown_with_what_they_print() -> None:
    text = (ROOT / "docs/live.md").read_text()
    for kind, block in re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        for line in block.splitlines() if not kind else ():
            assert line.startswith(("molokini serve ", "molokini agent ")), f"nobody tries: {line}"


def test_links_of_the_documents_lead_somewhere() -> None:
    for document in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", document.read_text()):
            if "://" not in link:
                assert (document.parent / link).exists(), f"{document.name}: {link}"
