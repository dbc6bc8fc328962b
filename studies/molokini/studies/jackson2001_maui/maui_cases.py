"""What is run: the paper's six nodes, and every log with each way to backfill and with none."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from molokini.model.errors import BadInput
from molokini.sim.schedule import Schedule
from molokini.studies.jackson2001_maui.maui_measures import measured
from molokini.studies.log_files import Log, jobs_of, logs_in
from molokini.studies.replays import replay_of
from molokini.studies.study import Point, Row, seed_for
from molokini.workloads.filters import first_jobs
from molokini.workloads.rules import from_records
from molokini.workloads.scaling import offered_load, scale_load
from molokini.workloads.scaling import shaken as shake
from molokini.workloads.swf import make_header
from molokini.workloads.workload import SWF_FIELDS, Workload

NONE = "none"
ALGORITHMS = ("firstfit", "bestfit", "greedy")
FULL = 1.2
"""Offered load of a machine that always has a queue."""
HOUR_S = 3600.0
SHAKE_S = 300.0
"""Under every seed but the first, each job comes up to so much sooner or later."""
FEWEST = 200
MOST_UNDER_LOAD = 20_000
"""Jobs of a log that are replayed under a load of its own: above 1 the queue grows with each of them."""


@dataclass(frozen=True)
class SixNodes:
    """Figure 1: A holds four of six nodes for two hours of the three it asked for; B wants five, C two."""

    backfill: str


@dataclass(frozen=True)
class Replayed:
    """One log, without backfill and with each algorithm; *load* None is that of the log."""

    log: Log
    load: float | None = None


AnyCase = SixNodes | Replayed


def cases_of(logs: Sequence[Log]) -> list[AnyCase]:
    """Every case once."""
    replays = [Replayed(log, load) for log in logs for load in (None, FULL)]
    return [SixNodes(NONE), SixNodes(ALGORITHMS[0]), *replays]


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


def run(folder: Path | None, point: Point) -> Row:
    """Measure one case; *folder* holds the logs."""
    case = point.case
    if isinstance(case, SixNodes):
        return _six_nodes(case)
    assert isinstance(case, Replayed)
    assert folder is not None
    jobs = workload_of(folder, case.log, point.seed, point.length, case.load)
    return measured(replayed(jobs, NONE), {one: replayed(jobs, one) for one in ALGORITHMS})


def replayed(jobs: Workload, backfill: str) -> Schedule:
    """The jobs on their machine, processors counted, under Maui's defaults but for BACKFILLPOLICY."""
    replay = replay_of(jobs, "maui", backfill=backfill)
    replay.run()
    return replay.schedule()


def _six_nodes(case: SixNodes) -> Row:
    records = np.full((3, len(SWF_FIELDS)), -1.0)
    columns = {
        "number": (1, 2, 3),
        "submit_s": (0, 0, 0),
        "run_s": (2 * HOUR_S, HOUR_S, 3 * HOUR_S),
        "requested_processors": (4, 5, 2),
        "requested_s": (3 * HOUR_S, HOUR_S, 3 * HOUR_S),
    }
    for name, column in columns.items():
        records[:, SWF_FIELDS.index(name)] = column
    jobs = from_records("six nodes", records, make_header(MaxProcs=6))
    start_s = replayed(jobs, case.backfill).start_s
    return {f"start_of_{name}_h": float(start_s[k]) / HOUR_S for k, name in enumerate("abc")}


@cache
def prepare() -> None:
    """Compile."""
    _six_nodes(SixNodes(ALGORITHMS[0]))
