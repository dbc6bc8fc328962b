"""The logs that the study replays, whole or under a load of their own."""

from pathlib import Path

import numpy as np

from molokini.model.errors import BadInput
from molokini.studies.log_files import Log, jobs_of, logs_in
from molokini.studies.study import seed_for
from molokini.workloads.filters import first_jobs
from molokini.workloads.scaling import offered_load, scale_load
from molokini.workloads.scaling import shaken as shake
from molokini.workloads.workload import Workload

SHAKE_S = 300.0
"""Under every seed but the first, each job comes up to so much sooner or later."""
FEWEST = 200
MOST_UNDER_LOAD = 20_000
"""Jobs of a log that are replayed under a load of its own: above 1 the queue grows with each of them."""


def logs_of(folder: Path) -> list[Log]:
    """The logs in *folder* that say what a backfilling replay needs, by name.

    Left out are those without estimates of users (where the limit is the run time itself, or none) and those
    that do not name their machine's processors. Raises BadFile where there is no such folder, BadInput where
    nothing in it can be used.
    """
    return logs_in(folder, _of_use, "users' estimates and a number of processors")


def _of_use(log: Workload) -> bool:
    if log.machine_processors is None or len(log) < FEWEST:
        return False
    return bool(np.mean(log.estimate_s > log.run_s) > 0.5)


def workload_of(folder: Path, log: Log, seed: int, length: float, load: float | None) -> Workload:
    """The first share *length* of a log's jobs; *load* is the one offered, that of the log where None.

    Seed 1 is the log as it was recorded; under others each submit is shaken.
    """
    whole = jobs_of(folder / log.name)
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
