"""Environments into which the wheel is installed as a user would install it."""

import os
import subprocess
import sys
import venv
from pathlib import Path

from tests.clients.command_runs import ROOT, Ran

LONGEST_S = 900


def build_wheel(folder: Path) -> Path:
    """The wheel of this tree, in *folder*."""
    words = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=LONGEST_S)
    assert done.returncode == 0, done.stderr
    [wheel] = folder.glob("*.whl")
    return wheel


class Environment:
    """An environment of its own, in *folder*; nothing of this tree is on its path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        venv.EnvBuilder(with_pip=False, symlinks=True).create(folder)

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    def install(self, *requirements: str) -> None:
        """Let pip install *requirements*."""
        words = [sys.executable, "-m", "pip", "--python", str(self.python), "install", "--quiet"]
        done = subprocess.run([*words, *requirements], capture_output=True, text=True, timeout=LONGEST_S)
        assert done.returncode == 0, done.stderr

    def add_path(self, folder: str) -> None:
        """Let it import what stands in *folder*, behind what it has itself."""
        [packages] = self.folder.glob("lib/python3*/site-packages")
        (packages / "other.pth").write_text(folder + "\n")

    def run(self, *words: object, cwd: Path | None = None, **variables: str) -> Ran:
        """Run a program that was installed, as a shell there would."""
        program = str(self.folder / "bin" / str(words[0]))
        dropped = ("MOLOKINI_", "PYTHON", "PYTEST_", "VIRTUAL_ENV")
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
        path = os.pathsep.join((str(self.folder / "bin"), inherited.get("PATH", os.defpath)))
        done = subprocess.run(
            [program, *map(str, words[1:])],
            cwd=cwd or self.folder,
            env={**inherited, "PATH": path, **variables},
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
        )
        return Ran(done.returncode, done.stdout, done.stderr)
