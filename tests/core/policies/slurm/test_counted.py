"""Backfill on counted processors: what a plan leaves to others, on the grid of plans and beside it."""

from collections.abc import Sequence

import numpy as np
import pytest

from molokini.model.decisions import StartedBy
from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.sim.replay import Options, Replay
from molokini.sim.schedule import Schedule
from tests.kit.workloads import Job, workload_of

PROCESSORS = 10
RUNS = Job(0, 90, 6)
"""Six of ten processors up to second 90, between two minutes of the grid."""
WIDE = Job(1, 600, 9)
"""It waits for them, and has a plan from then on."""


def replayed(jobs: Sequence[Job], machine: Machine) -> Schedule:
    policy = load_policy("slurm")
    values = {**policy.declaration.values({}), "bf_interval_s": 10.0, "completing_s": 0.0}
    replay = Replay(workload_of(jobs), machine, policy, values, Options(interpreted=True))
    replay.run()
    return replay.schedule()


@pytest.mark.parametrize("machine", [Machine.counted(PROCESSORS), Machine.uniform(PROCESSORS, 1)])
def test_a_plan_does_not_count_processors_twice_that_run_up_to_its_start(machine: Machine) -> None:
    """Before its start the wide job's plan is on the processors of the one that runs: one stays free."""
    found = replayed([RUNS, WIDE, Job(2, 500, 1)], machine)
    assert found.start_s.tolist() == [0, 90, 10]
    assert found.told is not None
    assert found.told.started_by.tolist() == [StartedBy.MAIN, StartedBy.MAIN, StartedBy.BACKFILL]
    assert found.told.priority.tolist() == [1, 1, 1]


@pytest.mark.parametrize("machine", [Machine.counted(PROCESSORS), Machine.uniform(PROCESSORS, 1)])
def test_a_job_that_a_plan_has_no_room_for_waits(machine: Machine) -> None:
    found = replayed([RUNS, WIDE, Job(2, 500, 2)], machine)
    assert found.start_s[1] == 90
    assert found.start_s[2] > 600


def test_a_job_that_ends_before_the_grid_may_use_what_is_planned() -> None:
    found = replayed([RUNS, WIDE, Job(2, 45, 4), Job(2, 70, 4)], Machine.counted(PROCESSORS))
    assert found.start_s[2] == 10
    assert found.start_s[3] > 600


def test_jobs_that_have_not_started_have_no_pass() -> None:
    found = replayed([RUNS, Job(1, 5, PROCESSORS + 1)], Machine.counted(PROCESSORS))
    assert found.told is not None
    assert found.told.started_by.tolist() == [StartedBy.MAIN, StartedBy.UNKNOWN]
    assert np.isnan(found.told.priority[1])
