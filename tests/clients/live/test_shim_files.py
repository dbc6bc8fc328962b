"""Files of batch commands: what runs them, wherever Python is."""

import subprocess
import sys
from pathlib import Path

import pytest

from molokini.clients.live.shim_files import write_shims
from molokini.model.errors import Conflict


def of_a_python_in(folder: Path) -> str:
    """The path of a link to this Python in *folder*."""
    folder.mkdir()
    python = folder / "python3"
    python.symlink_to(sys.executable)
    return str(python)


@pytest.mark.parametrize("name", ["plain", "with a blank", "l" * 250])
def test_a_command_runs_whatever_the_path_of_python(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", of_a_python_in(tmp_path / name))
    [shim] = write_shims(tmp_path / "bin", {"slurm": {"squeue": ""}}, "")
    done = subprocess.run([shim, "--help"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert "squeue" in done.stdout


def test_a_path_that_no_shell_takes_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "a $b" / "python3"))
    with pytest.raises(Conflict, match="characters that no shell takes"):
        write_shims(tmp_path / "bin", {"slurm": {"squeue": ""}}, "")
