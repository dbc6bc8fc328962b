"""Nodes that a load frees one by one: how many there are at an instant, and that the last ends the job."""

import numpy as np

from molokini.applications.divisible import Costs
from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.policies.divisible.available import done_nodes
from molokini.shared.dividing import equal_chunk_ends
from molokini.sim.replay import Options, Replay
from tests.kit.divisible_worlds import Task, divisible_workload

NODES = 4


def test_a_job_keeps_its_last_node_however_late_its_end_is_told() -> None:
    """Live, the end of a job is known when its agent has said so, which may be after all chunks are done."""
    workload = divisible_workload([Task(0.0, 20.0, 1000.0)], NODES, Costs(1.0, 10.0))
    policy = load_policy("edf-epr-an")
    replay = Replay(workload, Machine.counted(NODES), policy, options=Options(interpreted=True))
    replay.run(1.0)
    t = replay.tables
    row = int(t.queue.running[0])
    ends_s = [equal_chunk_ends(t, row, NODES, place) for place in range(1, NODES + 1)]
    assert ends_s == sorted(set(ends_s)), "one after the other"
    assert ends_s[-1] == t.jobs.expected_end_s[row]
    just_before = [done_nodes(t, row, float(np.nextafter(at_s, 0.0))) for at_s in ends_s]
    assert just_before == [0, 1, 2, 3]
    assert [done_nodes(t, row, at_s) for at_s in (*ends_s, ends_s[-1] + 100.0)] == [1, 2, 3, 3, 3]
