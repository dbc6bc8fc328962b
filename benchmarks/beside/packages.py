"""Debian's Slurm, unpacked in a folder of its own: the machine gets no second ``sbatch``."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_WANTED = ("slurm-wlm", "slurmdbd", "slurm-wlm-mysql-plugin", "mariadb-server", "munge")
_LIBRARIES = "usr/lib/x86_64-linux-gnu"


class NotToBeHad(Exception):
    """Debian's packages cannot be fetched or unpacked, and why."""


class Unpacked:
    """The packages under *root*, and the environment in which their programs find what they need."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def program(self, name: str) -> str:
        """The path of the program *name*. NotToBeHad where no package has it."""
        for place in ("usr/bin", "usr/sbin"):
            path = self.root / place / name
            if path.exists():
                return str(path)
        raise NotToBeHad(f"{name} is in none of the packages under {self.root}")

    @property
    def plugins(self) -> Path:
        """Where Slurm's plug-ins are."""
        return self.root / _LIBRARIES / "slurm-wlm"

    def environment(self, **more: str) -> Mapping[str, str]:
        """This process' own, with their libraries and programs first."""
        libraries = f"{self.root / _LIBRARIES}:{self.plugins}"
        path = f"{self.root / 'usr/bin'}:{self.root / 'usr/sbin'}:{os.environ['PATH']}"
        return {**os.environ, "LD_LIBRARY_PATH": libraries, "PATH": path, **more}


def unpacked(folder: Path) -> Unpacked:
    """The packages, fetched and unpacked under *folder* unless they are there. Raises NotToBeHad."""
    root, done = folder / "root", folder / "complete"
    if not done.exists():
        fetched = folder / "packages"
        fetched.mkdir(parents=True, exist_ok=True)
        planned = _ran(["apt-get", "install", "-s", "--no-install-recommends", *_WANTED], folder)
        names = [line.split()[1] for line in planned.splitlines() if line.startswith("Inst ")]
        _ran(["apt-get", "download", "-q", *names], fetched)
        for package in sorted(fetched.glob("*.deb")):
            _ran(["dpkg", "-x", str(package), str(root)], folder)
        for program in (root / "usr/sbin").glob("*-wlm"):
            # Slurm's daemons know what they are by their names, which Debian's alternatives give them.
            program.with_name(program.name.removesuffix("-wlm")).symlink_to(program.name)
        done.touch()
    return Unpacked(root)


def _ran(line: list[str], folder: Path) -> str:
    try:
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)
    except OSError as error:
        raise NotToBeHad(f"{line[0]}: {error.strerror}; this needs Debian 12 or a system like it") from None
    if done.returncode:
        raise NotToBeHad(f"{' '.join(line[:3])} ...: {(done.stderr.strip().splitlines() or ['failed'])[-1]}")
    return done.stdout
