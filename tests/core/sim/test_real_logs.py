"""The logs of real machines under fcfs, easy and conservative, where they are at hand."""

import gzip
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.sim.replay import Replay
from molokini.sim.schedule import Schedule
from molokini.workloads.filters import first_jobs
from molokini.workloads.readers import read_workload
from molokini.workloads.workload import Workload
from tests.kit.depth import deep
from tests.kit.reference import Easy, Fcfs, Simulator
from tests.kit.reference_plans import Conservative
from tests.kit.replays import assert_as
from tests.kit.workloads import jobs_of

LOGS = Path(__file__).parents[4] / "shared" / "data"
KTH = "KTH-SP2-1996-2.1-cln.swf.gz"
NASA = "NASA-iPSC-1993-3.1-cln.swf.gz"
LUBLIN = "lublin_256.swf.gz"
ALL = sorted(
    {path.name for path in LOGS.glob("*.swf.gz")}
    | {KTH, NASA, LUBLIN, "CEA-Curie-2011-2.1-cln.swf.gz", "LANL-CM5-1994-4.1-cln.swf.gz"}
)


@cache
def log(name: str) -> Workload:
    """The log of this name, or the end of the test."""
    if not (LOGS / name).exists():
        pytest.skip(f"{name} is not in ../shared/data")
    return read_workload(LOGS / name)


def replayed(workload: Workload, policy: str) -> Replay:
    """*workload* on the machine that its header names, to its end."""
    assert workload.machine_processors is not None
    replay = Replay(workload, Machine.counted(workload.machine_processors), load_policy(policy))
    assert replay.run()
    return replay


def mean_wait_s(schedule: Schedule) -> float:
    return float((schedule.start_s - schedule.workload.submit_s).mean())


def mean_bounded_slowdown(schedule: Schedule) -> float:
    response = schedule.end_s - schedule.workload.submit_s
    return float(np.maximum(1.0, response / np.maximum(schedule.run_s, 10.0)).mean())


@pytest.mark.parametrize(
    ("policy", "wait_s", "slowdown"),
    [("fcfs", 353_943.0928, None), ("easy", 6_837.2258, 92.8702), ("conservative", 7_319.8259, 89.2136)],
)
def test_published_means_of_kth(policy: str, wait_s: float, slowdown: float | None) -> None:
    schedule = replayed(log(KTH), policy).schedule()
    assert int(schedule.finished.sum()) == 28_475
    assert round(mean_wait_s(schedule), 4) == wait_s
    assert slowdown is None or round(mean_bounded_slowdown(schedule), 4) == slowdown


@pytest.mark.quick(f"easy-{KTH}")
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("policy", ["fcfs", "easy"])
def test_every_log_is_replayed_to_its_end(name: str, policy: str) -> None:
    workload = log(name)
    schedule = replayed(workload, policy).schedule()
    assert (schedule.finished | schedule.refused_rows).all()
    assert (schedule.start_s[schedule.finished] >= workload.submit_s[schedule.finished]).all()
    order = np.flatnonzero(schedule.finished)
    instants = np.concatenate([schedule.end_s[order], schedule.start_s[order]])
    changes = np.concatenate([-workload.processors[order], workload.processors[order]])
    # At one instant ends come first; a job of no length uses nothing.
    in_use = np.cumsum(changes[np.lexsort((changes, instants))])
    assert in_use.max() <= schedule.processors


SMALL: list[tuple[str, type[Simulator], str, int]] = [
    (KTH, Fcfs, "fcfs", 28_475),
    (KTH, Easy, "easy", 28_475),
    (KTH, Conservative, "conservative", 28_475),
    (NASA, Fcfs, "fcfs", 18_239),
    (NASA, Easy, "easy", 18_239),
    (NASA, Conservative, "conservative", 18_239),
    (LUBLIN, Fcfs, "fcfs", 10_000),
    (LUBLIN, Easy, "easy", 10_000),
    (LUBLIN, Conservative, "conservative", 4_000),
    *((name, Easy, "easy", 20_000) for name in ALL if name not in (KTH, NASA, LUBLIN)),
    *((name, Conservative, "conservative", 10_000) for name in ALL if name not in (KTH, NASA, LUBLIN)),
]


@pytest.mark.quick(
    *(f"{policy}-{name}" for name in (KTH, LUBLIN) for policy in ("fcfs", "easy", "conservative"))
)
@pytest.mark.parametrize(
    ("name", "simulator", "policy", "jobs"), SMALL, ids=[f"{policy}-{name}" for name, _, policy, _ in SMALL]
)
def test_job_by_job_as_the_reference(name: str, simulator: type[Simulator], policy: str, jobs: int) -> None:
    """Their heads in the quick suite: the reference is slow."""
    workload = first_jobs(log(name), jobs if deep() else min(jobs, 3_000))
    replay = replayed(workload, policy)
    assert_as(replay, simulator(jobs_of(workload), replay.machine.processors).simulate())


def test_a_log_in_hand_is_not_skipped() -> None:
    """The folder is found by where the repository stands."""
    if not LOGS.exists():
        pytest.skip("../shared/data is absent")
    with gzip.open(LOGS / KTH) as stream:
        assert stream.read(1) == b";"
