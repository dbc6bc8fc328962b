"""The engine comes back for more room, and goes on where it was."""

import pytest

from molokini.model.machine import Machine
from tests.kit.invariants import assert_sound
from tests.kit.replays import finished, starts
from tests.kit.workloads import Job

MANY = 150
"""More than the trace of changes has room for at first."""


@pytest.mark.parametrize("rows", [1, 200])
@pytest.mark.parametrize("machine", [Machine.counted(160), Machine.uniform(8, 20)], ids=["counted", "nodes"])
def test_a_policy_is_asked_once_an_instant_however_much_it_decides(machine: Machine, rows: int) -> None:
    jobs = [Job(0, 10)] * MANY + [Job(5, 10, 11)]
    replay = finished(jobs, "fcfs", machine, rows=rows, interpreted=True)
    assert starts(replay) == [0.0] * MANY + [10.0]
    assert replay.schedule().info == {"instants": 4, "passes": 4}
    assert_sound(replay, jobs)
