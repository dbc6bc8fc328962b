"""The agenda of a workload: which credential each job has."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.machine import Machine
from molokini.policies import load_policy
from molokini.sim.replay import Replay
from tests.kit.workloads import Job, workload_of

NAMES = st.integers(-1, 2)


@given(owners=st.lists(st.tuples(NAMES, NAMES, NAMES), min_size=1, max_size=12))
def test_each_set_of_user_group_and_queue_is_one_credential(owners: list[tuple[int, int, int]]) -> None:
    """Also where all jobs have the same group or queue: such a column is not sorted."""
    user, group, queue = np.array(owners, dtype=np.int64).T
    workload = replace(workload_of([Job(0.0, 1.0)] * len(owners)), user=user, group=group, queue=queue)
    replay = Replay(workload, Machine.counted(1), load_policy("fcfs"))
    credential, found = replay.agenda.workload.credential.tolist(), replay.tables.credentials
    assert len(set(credential)) == len(set(owners))
    for number, owner in zip(credential, owners, strict=True):
        assert (found.user[number], found.group[number], found.queue[number]) == owner
