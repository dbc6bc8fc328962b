"""The logs that a study replays: those of a folder, under names and digests that a run can be known by."""

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from molokini.model.errors import BadFile, BadInput
from molokini.studies.study import seed_for
from molokini.workloads.filters import first_jobs
from molokini.workloads.readers import read_workload
from molokini.workloads.scaling import offered_load, scale_load
from molokini.workloads.scaling import shaken as shake
from molokini.workloads.workload import Workload

ENDINGS = (".swf", ".swf.gz")
SHAKE_S = 300.0
"""Under every seed but the first, each job comes up to so much sooner or later."""
FEWEST = 200
MOST_UNDER_LOAD = 20_000
"""Jobs of a log that are replayed under a load of its own: above 1 the queue grows with each of them."""


@dataclass(frozen=True)
class Log:
    """A log of a folder: its file's name, and the digest of its bytes."""

    name: str
    digest: str

    @property
    def title(self) -> str:
        """The machine, which is the first part of the names in the Parallel Workloads Archive."""
        return re.sub(r"(-\d{4}-\d+)?\..*$", "", self.name)


def logs_of(folder: Path) -> list[Log]:
    """The logs in *folder* that say what a backfilling replay needs, by name.

    Left out are those without estimates of users (where the limit is the run time itself, or none) and those
    that do not name their machine's processors. Raises BadFile where there is no such folder, BadInput where
    nothing in it can be used.
    """
    if not folder.is_dir():
        raise BadFile(str(folder), "is no folder; --logs wants one with logs in the Standard Workload Format")
    files = sorted(path for path in folder.iterdir() if path.name.endswith(ENDINGS))
    found = [_log(path) for path in files if _of_use(read_workload(path))]
    if not found:
        raise BadInput(f"--logs {folder}: no log in it has users' estimates and a number of processors")
    return found


def _log(path: Path) -> Log:
    return Log(path.name, hashlib.sha256(path.read_bytes()).hexdigest()[:16])


def _of_use(log: Workload) -> bool:
    if log.machine_processors is None or len(log) < FEWEST:
        return False
    return bool(np.mean(log.estimate_s > log.run_s) > 0.5)


def workload_of(folder: Path, log: Log, seed: int, length: float, load: float | None) -> Workload:
    """The first share *length* of a log's jobs; *load* is the one offered, that of the log where None.

    Seed 1 is the log as it was recorded; under others each submit is shaken.
    """
    whole = _read(folder / log.name)
    count = len(whole) if load is None else min(len(whole), MOST_UNDER_LOAD)
    part = first_jobs(whole, max(FEWEST, int(length * count)))
    shaken = part if seed == 1 else shake(part, SHAKE_S, seed_for("shaken", log.name, seed))
    if load is None:
        return shaken
    assert shaken.machine_processors is not None
    offered = offered_load(shaken, shaken.machine_processors)
    if not offered:
        raise BadInput(f"{log.name}: its first {len(shaken)} jobs are no load that could be scaled")
    return scale_load(shaken, load / offered)


@lru_cache(maxsize=2)
def _read(path: Path) -> Workload:
    return read_workload(path)
