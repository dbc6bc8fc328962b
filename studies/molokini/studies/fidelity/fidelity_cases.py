"""What is run: pieces of logs under ``slurm``, other policies, and ``slurm`` with something changed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from molokini.metrics.fidelity import kendall_tau
from molokini.model.decisions import StartedBy
from molokini.model.errors import BadInput
from molokini.model.machine import Machine
from molokini.model.policy import Value
from molokini.policies import load_policy
from molokini.sim.replay import Replay
from molokini.sim.schedule import Schedule
from molokini.studies.log_files import Log, jobs_of, logs_in
from molokini.studies.study import Point, Row
from molokini.workloads.rules import from_records
from molokini.workloads.swf import make_header
from molokini.workloads.workload import SWF_FIELDS, Floats, Workload

EASY, MAUI, CONSERVATIVE, SLURM = "easy", "maui", "conservative", "slurm"
PROMPT, SLOW, FINE, COARSE, FAR, PHASE, NODED = "prompt", "slow", "fine", "coarse", "far", "phase", "noded"
INTERVAL_S = 30.0
"""Between two backfill passes, where a slurm.conf says nothing of it."""
CHANGED: Mapping[str, Mapping[str, Value]] = {
    PROMPT: {"bf_interval_s": 0.0, "batch_sched_delay_s": 0.0, "completing_s": 0.0},
    SLOW: {"bf_interval_s": 300.0},
    FINE: {"bf_resolution_s": 1.0},
    COARSE: {"bf_resolution_s": 600.0},
    FAR: {"bf_window_s": 43_200 * 60.0},
    PHASE: {"backfill_phase_s": INTERVAL_S / 2},
    NODED: {},
}
"""``slurm`` with something changed: passes at every event and nodes that are free at once; a pass each five
minutes; plans to the second, and to ten minutes; the longest horizon; another phase of the timer; every
processor a node of its own, where plans are of nodes by name."""
INTERVALS = {PROMPT: 0.0, SLURM: INTERVAL_S, SLOW: 300.0}
EVERY = (EASY, MAUI, CONSERVATIVE, SLURM, *CHANGED)
BESIDE = (EASY, MAUI, CONSERVATIVE, PHASE)
"""Those whose starts are held beside the starts of plain ``slurm``."""
MOST_NODES = 256
"""On larger machines processors are counted alone: on nodes by name a replay takes ten times as long."""
JOBS = 4_000
"""Of a piece, where a run is as long as it can be."""
PIECES = 10
FEWEST = 200
TAU_S = 10.0
_FEW = 30
_WAITED = SWF_FIELDS.index("wait_s")


@dataclass(frozen=True)
class Pieces:
    """Pieces of one log; every policy sees the same."""

    log: Log


def logs_of(folder: Path) -> list[Log]:
    """The logs in *folder* of machines of a known size. Raises BadFile or BadInput."""
    return logs_in(folder, _of_use, "a number of processors and some thousand jobs")


def _of_use(log: Workload) -> bool:
    return log.machine_processors is not None and len(log) >= PIECES * FEWEST


def cases_of(logs: Sequence[Log]) -> list[Pieces]:
    """Every case once."""
    return [Pieces(log) for log in logs]


def piece_of(whole: Workload, seed: int, jobs: int) -> Workload:
    """So many neighbours of a log: the head of its *seed*-th part; the next seeds begin half a part later."""
    turn, part = divmod(seed - 1, PIECES)
    length = len(whole) // PIECES
    count = max(FEWEST, min(jobs, length))
    first = min(part * length + (turn % 2) * (length // 2), len(whole) - count)
    return whole.take(slice(first, first + count))


def run(folder: Path | None, point: Point) -> Row:
    """Measure one case; *folder* holds the logs."""
    case = point.case
    assert isinstance(case, Pieces)
    assert folder is not None
    jobs = piece_of(jobs_of(folder / case.log.name), point.seed, round(JOBS * point.length))
    if not jobs.submit_s[0] < jobs.submit_s[-1]:
        raise BadInput(f"{case.log.name}: jobs {jobs.number[0]} and on come at one instant")
    return measured(jobs)


def measured(jobs: Workload) -> Row:
    """The row of *jobs*: metrics that end in the name of a policy, and those of the log."""
    plain = replayed(jobs, SLURM)
    row: dict[str, float | int | None] = {"jobs": len(jobs), **_recorded(jobs), **_figures(plain, SLURM)}
    for name in EVERY:
        if name != SLURM and (name != NODED or has_nodes(jobs)):
            done = replayed(jobs, name)
            row |= _figures(done, name)
            row |= _beside(plain, done, name) if name in BESIDE else {}
    return row


def replayed(jobs: Workload, name: str) -> Schedule:
    """*jobs* on their machine, processors counted, by a policy or by ``slurm`` with something changed."""
    assert jobs.machine_processors is not None
    policy = load_policy(SLURM if name in CHANGED else name)
    values = {**policy.declaration.values({}), **CHANGED.get(name, {})}
    count = jobs.machine_processors
    machine = Machine.uniform(count, 1) if name == NODED else Machine.counted(count)
    replay = Replay(jobs, machine, policy, values)
    replay.run()
    return replay.schedule()


def has_nodes(jobs: Workload) -> bool:
    """Whether the machine is small enough to be replayed on nodes by name, too."""
    return jobs.machine_processors is not None and jobs.machine_processors <= MOST_NODES


def _recorded(jobs: Workload) -> dict[str, float | None]:
    """The mean wait that the log has; None where it has none."""
    waited: Floats = jobs.records[:, _WAITED]
    known = waited >= 0
    return {"wait_s_log": float(waited[known].mean()) if known.all() else None}


def _figures(done: Schedule, name: str) -> dict[str, float]:
    jobs = done.workload
    ran = np.isfinite(done.start_s)
    wait_s: Floats = (done.start_s - jobs.submit_s)[ran]
    run_s: Floats = done.run_s[ran]
    bounded = np.maximum(1.0, (wait_s + run_s) / np.maximum(run_s, TAU_S))
    found = {
        "slowdown": bounded.mean(),
        "wait_s": wait_s.mean(),
        "median_wait_s": np.median(wait_s),
        "longest_wait_s": wait_s.max(),
        "at_once": (wait_s <= 0).mean(),
    }
    if done.told is not None:
        found["by_backfill"] = (done.told.started_by[ran] == StartedBy.BACKFILL).mean()
    return {f"{metric}_{name}": float(value) for metric, value in found.items()}


def _beside(plain: Schedule, other: Schedule, name: str) -> dict[str, float | None]:
    """The starts of plain ``slurm`` less those of *other*."""
    both = np.isfinite(plain.start_s) & np.isfinite(other.start_s)
    gap_s = (plain.start_s - other.start_s)[both]
    return {
        f"within_{name}": float((np.abs(gap_s) <= INTERVAL_S).mean()),
        f"later_{name}": float((gap_s > INTERVAL_S).mean()),
        f"sooner_{name}": float((gap_s < -INTERVAL_S).mean()),
        f"tau_{name}": kendall_tau(plain.start_s[both], other.start_s[both]),
    }


@cache
def prepare() -> None:
    """Compile every policy."""
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
