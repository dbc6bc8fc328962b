"""What is run: the paper's six nodes, and every log with each way to backfill and with none."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.sim.replay import Replay
from molokini.sim.schedule import Schedule
from molokini.studies.jackson2001_maui.maui_logs import workload_of
from molokini.studies.jackson2001_maui.maui_measures import measured
from molokini.studies.log_files import Log
from molokini.studies.study import Point, Row
from molokini.workloads.rules import from_records
from molokini.workloads.swf import make_header
from molokini.workloads.workload import SWF_FIELDS, Workload

NONE = "none"
ALGORITHMS = ("firstfit", "bestfit", "greedy")
FULL = 1.2
"""Offered load of a machine that always has a queue."""
HOUR_S = 3600.0


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
    assert jobs.machine_processors is not None
    policy = load_policy("maui")
    values = {**policy.declaration.values({}), "backfill": backfill}
    machine = Machine.counted(jobs.machine_processors)
    replay = Replay(jobs, machine, policy, values)
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
