"""What is run: pieces of logs under several loads, by each candidate alone and by ``adaptive`` over all."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from molokini.model.errors import BadInput
from molokini.policies import load_policy
from molokini.policies.adaptive import DEFAULT
from molokini.sim.schedule import Schedule
from molokini.studies.log_files import Log, jobs_of, logs_in
from molokini.studies.replays import replay_of
from molokini.studies.study import Point, Row
from molokini.workloads.rules import from_records
from molokini.workloads.scaling import scale_load
from molokini.workloads.swf import make_header
from molokini.workloads.workload import SWF_FIELDS, Floats, Workload

LOADS = (0.8, 0.9, 1.0, 1.1, 1.2)
"""Factors of the load of a piece."""
CANDIDATES = tuple(DEFAULT.split(","))
ADAPTIVE = "adaptive"
EVERY = (*CANDIDATES, ADAPTIVE)
JOBS = 2_500
"""Of a piece, where a run is as long as it can be."""
PIECES = 10
"""A log is cut into so many; a seed is one of them, and the next seeds begin again half a piece later."""
FEWEST = 200
TAU_S = 10.0
_FEW = 30


@dataclass(frozen=True)
class Loaded:
    """Pieces of one log, their gaps divided by *load*; every policy sees the same."""

    log: Log
    load: float
    exact: bool = False
    """Whether every job estimates its run time exactly."""


def logs_of(folder: Path) -> list[Log]:
    """The logs in *folder* of machines of a known size. Raises BadFile or BadInput."""
    return logs_in(folder, _of_use, "a number of processors and some thousand jobs")


def _of_use(log: Workload) -> bool:
    return log.machine_processors is not None and len(log) >= PIECES * FEWEST


def cases_of(logs: Sequence[Log]) -> list[Loaded]:
    """Every case once."""
    return [Loaded(log, load) for log in logs for load in LOADS] + [exact(log) for log in logs]


def exact(log: Log) -> Loaded:
    """The log as it is, with exact estimates."""
    return Loaded(log, 1.0, True)


def piece_of(whole: Workload, seed: int, jobs: int) -> Workload:
    """So many neighbours of a log: those at the beginning of the *seed*-th of its parts."""
    turn, part = divmod(seed - 1, PIECES)
    length = len(whole) // PIECES
    count = max(FEWEST, min(jobs, length))
    first = part * length + (turn % 2) * (length // 2)
    first = min(first, len(whole) - count)
    return whole.take(slice(first, first + count))


def run(folder: Path | None, point: Point) -> Row:
    """Measure one case; *folder* holds the logs."""
    case = point.case
    assert isinstance(case, Loaded)
    assert folder is not None
    jobs = piece_of(jobs_of(folder / case.log.name), point.seed, round(JOBS * point.length))
    if not jobs.submit_s[0] < jobs.submit_s[-1]:
        raise BadInput(f"{case.log.name}: jobs {jobs.number[0]} and on come at one instant")
    if case.exact:
        # Jobs end at their estimates: these are the run times of all cases.
        jobs = jobs.with_estimates(np.minimum(jobs.run_s, jobs.estimate_s))
    return measured(scale_load(jobs, case.load))


def measured(jobs: Workload) -> Row:
    """The row of *jobs*: metrics that end in the place of a candidate, or in ``adaptive``."""
    row: dict[str, float | int | None] = {"jobs": len(jobs)}
    for name in EVERY:
        done = replayed(jobs, name)
        row |= {f"{metric}_{place_of(name)}": value for metric, value in _figures(done).items()}
        if name == ADAPTIVE:
            row |= _choices(done)
    return row


def place_of(name: str) -> str:
    """A policy in the names of metrics."""
    return name if name == ADAPTIVE else f"c{CANDIDATES.index(name)}"


def replayed(jobs: Workload, name: str) -> Schedule:
    """*jobs* on their machine, processors counted, by a candidate or by ``adaptive`` over all of them."""
    base, *settings = name.split(":")
    given = dict(one.split("=", 1) for one in settings)
    replay = replay_of(jobs, base, **load_policy(base).declaration.values(given))
    replay.run()
    return replay.schedule()


def _figures(done: Schedule) -> dict[str, float]:
    jobs = done.workload
    ran = np.isfinite(done.start_s)
    wait_s: Floats = (done.start_s - jobs.submit_s)[ran]
    run_s: Floats = done.run_s[ran]
    bounded = np.maximum(1.0, (wait_s + run_s) / np.maximum(run_s, TAU_S))
    return {
        "slowdown": float(bounded.mean()),
        "wait_s": float(wait_s.mean()),
        "longest_wait_s": float(wait_s.max()),
    }


def _choices(done: Schedule) -> dict[str, float | int]:
    """How often it looked and changed, and the share of its looks that ended with each candidate."""
    looks = [one for one in done.choices if one.costs]
    found: dict[str, float | int] = {
        "looks": len(looks),
        "changes": sum(one.switched and bool(one.before) for one in done.choices),
    }
    for name in CANDIDATES:
        chosen = sum(one.chosen == name for one in looks)
        found[f"share_{place_of(name)}"] = chosen / len(looks) if looks else 0.0
    return found


@cache
def prepare() -> None:
    """Compile every candidate, and the engine that looks ahead."""
    records = np.full((_FEW, len(SWF_FIELDS)), -1.0)
    for name, column in (
        ("number", np.arange(1, _FEW + 1)),
        ("submit_s", np.arange(_FEW)),
        ("run_s", 60.0),
        ("requested_processors", 2),
        ("requested_s", 90.0),
    ):
        records[:, SWF_FIELDS.index(name)] = column
    measured(from_records("few", records, make_header(MaxProcs=4)))
