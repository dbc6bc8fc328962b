"""The command, run in this process (quick) or in one of its own (as a shell does)."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from molokini.clients.command import run

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "kth-sp2-month.swf.gz"


@dataclass(frozen=True)
class Ran:
    """What a shell would have seen."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, which must hold JSON and nothing else."""
        return json.loads(self.out)


def environment(**more: str) -> dict[str, str]:
    """Our own, in which ``python -m molokini...`` works without an installation."""
    roots = os.pathsep.join(
        str(ROOT / root) for root in ("core", "maui", "parallel", "experiments", "studies", "clients")
    )
    return {**os.environ, "PYTHONPATH": roots, **more}


def command(*arguments: object) -> list[str]:
    """The command line of a real run."""
    return [sys.executable, "-m", "molokini.clients.command", *map(str, arguments)]


def shell(*arguments: object, **variables: str) -> Ran:
    """Run the command in a process of its own."""
    done = subprocess.run(command(*arguments), capture_output=True, text=True, env=environment(**variables))
    return Ran(done.returncode, done.stdout, done.stderr)


def terminal(columns: int, *arguments: object, streams: Sequence[str] = ("stdout",), **more: str) -> Ran:
    """Run the command with *streams* on a terminal of *columns*; what it shows is ``out``, without colours.

    What it writes elsewhere is ``err``.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    inherited = {name: value for name, value in environment(**more).items() if name != "COLUMNS"}
    with tempfile.TemporaryFile() as elsewhere:
        process = subprocess.Popen(
            command(*arguments),
            stdin=theirs,
            stdout=theirs if "stdout" in streams else elsewhere,
            stderr=theirs if "stderr" in streams else elsewhere,
            env={**inherited, "TERM": "xterm"},
            start_new_session=True,
        )
        os.close(theirs)
        shown = b"".join(iter(lambda: _read(ours), b"")).decode()
        os.close(ours)
        code = process.wait()
        elsewhere.seek(0)
        return Ran(code, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r(?=\n)", "", shown), elsewhere.read().decode())


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # what Linux says where the other end is closed
        return b""


def here(capture: pytest.CaptureFixture[str], *arguments: object) -> Ran:
    """Run the command in this process."""
    capture.readouterr()
    code = run([str(argument) for argument in arguments])
    captured = capture.readouterr()
    return Ran(code, captured.out, captured.err)


def without_run(found: dict[str, Any]) -> dict[str, Any]:
    """Results without the part that may differ from run to run."""
    return {name: value for name, value in found.items() if name != "run"}
