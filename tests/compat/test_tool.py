"""How commands end: quietly where a reader has gone or a user has had enough, and never with a traceback."""

import os
import signal
import subprocess
import sys
import types
from pathlib import Path

import pytest

from molokini.clients.live.shim_files import write_shims
from molokini.compat import slurm
from molokini.compat.tool import Failed, Invocation, ended
from tests.compat.test_transport import Fake
from tests.kit.waiting import waited


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> types.ModuleType:
    """A command of Slurm's whose ``run`` a test sets."""
    module = types.ModuleType("molokini.compat.slurm.trial")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setitem(slurm.COMMANDS, "trial", "trial")
    return module


def fails(error: BaseException) -> object:
    def run(run: Invocation) -> int:
        raise error

    return run


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (Failed("trial: error: no", 3), 3, "trial: error: no\n"),
        (Failed(code=5), 5, ""),
        (BrokenPipeError(), 141, ""),
        (KeyboardInterrupt(), 130, ""),
        (KeyError("x"), 1, "trial: internal error, please report it: KeyError: 'x'\n"),
    ],
)
def test_how_a_command_ends(
    command: types.ModuleType,
    error: BaseException,
    code: int,
    text: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    command.run = fails(error)  # type: ignore[attr-defined]
    assert ended("slurm", "trial", []) == code
    assert capsys.readouterr() == ("", text)


def test_a_command_that_ends_well(command: types.ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    def run(run: Invocation) -> int:
        run.say(f"{run.name} {' '.join(run.line)}")
        return 0

    command.run = run  # type: ignore[attr-defined]
    assert ended("slurm", "trial", ["a", "b"]) == 0
    assert capsys.readouterr() == ("trial a b\n", "")


def shim(folder: Path) -> Path:
    return write_shims(folder / "bin", {"slurm": {"sbatch": "sbatch"}}, str(folder))[0]


def test_standard_output_that_is_closed(tmp_path: Path) -> None:
    line = ["sh", "-c", 'exec "$@" >&-', "sh", str(shim(tmp_path)), "--help"]
    done = subprocess.run(line, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "sbatch: standard output: Bad file descriptor\n")


def test_errors_that_nobody_can_read(tmp_path: Path) -> None:
    line = ["sh", "-c", 'exec "$@" 2>&-', "sh", str(shim(tmp_path)), "--no-such"]
    done = subprocess.run(line, stdout=subprocess.PIPE, check=False)
    assert (done.returncode, done.stdout) == (255, b"")


def test_a_reader_that_has_gone(tmp_path: Path) -> None:
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run([shim(tmp_path), "--help"], stdout=theirs, stderr=subprocess.PIPE, check=False)
    os.close(theirs)
    assert (done.returncode, done.stderr) == (141, b"")


def test_no_room_for_the_output(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([shim(tmp_path), "--help"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (1, b"sbatch: standard output: No space left on device\n")


def test_a_user_who_has_had_enough(tmp_path: Path) -> None:
    """Ctrl-C while the server is silent."""
    fake = Fake(tmp_path / "socket", silent=True)
    try:
        running = subprocess.Popen(
            [shim(tmp_path), "--wrap", "true"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        waited(lambda: bool(fake.requests))
        running.send_signal(signal.SIGINT)
        out, error = running.communicate(timeout=30)
        assert (running.returncode, out, error) == (130, b"", b"")
    finally:
        fake.close()
