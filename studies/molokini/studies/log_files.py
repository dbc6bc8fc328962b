"""The logs that a study is made over: those of a folder, each known by its name and a digest."""

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from molokini.model.errors import BadFile, BadInput
from molokini.workloads.readers import read_workload
from molokini.workloads.workload import Workload

ENDINGS = (".swf", ".swf.gz")


@dataclass(frozen=True)
class Log:
    """A log of a folder: its file's name, and the digest of its bytes."""

    name: str
    digest: str

    @property
    def title(self) -> str:
        """The machine, which is the first part of the names in the Parallel Workloads Archive."""
        return re.sub(r"(-\d{4}-\d+)?\..*$", "", self.name)


def logs_in(folder: Path, of_use: Callable[[Workload], bool], needed: str) -> list[Log]:
    """The logs in *folder* that are *of_use*, by name; *needed* says in words what such a log has.

    Raises BadFile where there is no such folder, BadInput where nothing in it can be used.
    """
    if not folder.is_dir():
        raise BadFile(str(folder), "is no folder; --logs wants one with logs in the Standard Workload Format")
    files = sorted(path for path in folder.iterdir() if path.name.endswith(ENDINGS))
    found = [_log(path) for path in files if of_use(read_workload(path))]
    if not found:
        raise BadInput(f"--logs {folder}: no log in it has {needed}")
    return found


def _log(path: Path) -> Log:
    return Log(path.name, hashlib.sha256(path.read_bytes()).hexdigest()[:16])


@lru_cache(maxsize=2)
def jobs_of(path: Path) -> Workload:
    """The jobs of a log; those of the last two are kept."""
    return read_workload(path)
