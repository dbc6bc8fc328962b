"""No job spans partitions, and none is where its credentials may not be."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.partitions import Partitions
from molokini.policies import load_policy
from molokini.scheduling.tables import Machine
from molokini.sim.replay import Options, Replay
from molokini.workloads.workload import Workload
from tests.core.sim.test_reservations import work_of
from tests.kit.invariants import assert_no_overuse, assert_tables_empty
from tests.kit.schedules import random_workload

MACHINE = Machine.uniform(4, 4)
HALVES = (0, 1, 0, 1)
POLICIES = ("fcfs", "easy", "firstfit", "maui")


def replay_of(work: Workload, policy: str, partitions: Partitions) -> Replay:
    options = Options(partitions=partitions, interpreted=True)
    return Replay(work, MACHINE, load_policy(policy), options=options)


def starts(work: Workload, policy: str, partitions: Partitions) -> list[float]:
    replay = replay_of(work, policy, partitions)
    replay.run()
    return [float(at) for at in replay.schedule().start_s]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_job_waits_for_one_partition_though_there_is_room_in_all(policy: str) -> None:
    # 5 in one half and 5 in the other: 6 are free, 3 in each.
    jobs = work_of((0.0, 50.0, 5, 1), (0.0, 80.0, 5, 1), (10.0, 10.0, 6, 1), (60.0, 10.0, 9, 1))
    assert starts(jobs, policy, Partitions(HALVES)) == [0.0, 0.0, 50.0, pytest.approx(np.nan, nan_ok=True)]


def test_who_may_be_nowhere_and_who_is_wider_than_each_is_refused() -> None:
    barred = {(1, 0, 0): 0b01, (2, 0, 0): 0b11}
    work = work_of(
        (0.0, 50.0, 8, 1), (0.0, 50.0, 8, 1), (0.0, 50.0, 1, 2), (0.0, 50.0, 8, 3), (0.0, 1.0, 9, 3)
    )
    none = np.zeros(len(work), np.int64)
    work = replace(work, group=none, queue=none)
    replay = replay_of(work, "maui", Partitions(HALVES, barred))
    replay.run(1.0)
    t = replay.tables
    assert sorted(t.job_serial[t.running[: t.running_count]].tolist()) == [0, 3]
    replay.run()
    schedule = replay.schedule()
    assert schedule.start_s[:2].tolist() == [0.0, 50.0]
    assert schedule.refused_rows.tolist() == [False, False, True, False, True]
    assert_tables_empty(replay)


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 1000),
    parts=st.lists(st.integers(0, 2), min_size=4, max_size=4),
    bars=st.integers(0, 6),
)
def test_no_job_spans_partitions(policy: str, seed: int, parts: list[int], bars: int) -> None:
    work = random_workload(20, 16, seed)
    none = np.zeros(len(work), np.int64)
    work = replace(work, user=np.random.default_rng(seed).integers(0, 2, len(work)), group=none, queue=none)
    partitions = Partitions(tuple(parts), {(1, 0, 0): bars})
    replay = replay_of(work, policy, partitions)
    replay.run()
    assert_no_overuse(replay)
    assert_tables_empty(replay)
    schedule = replay.schedule()
    assert (np.isfinite(schedule.end_s) | schedule.refused_rows).all()
    again = replay_of(work, policy, partitions)
    for at_s in sorted({float(at) for at in schedule.start_s[~schedule.refused_rows]}):
        again.run(at_s)
        t = again.tables
        for row in t.running[: t.running_count]:
            where = set()
            entry = t.job_entries[row]
            while entry >= 0:
                where.add(parts[t.entry_node[entry]])
                entry = t.entry_next[entry]
            assert len(where) == 1
            if work.user[t.job_serial[row]] == 1:
                assert not bars >> where.pop() & 1
