"""What is planned in rows: just the jobs that are planned, each for as long as it may need."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.matrix.plans import length_of, until_of
from molokini.sim.agenda import next_instant
from molokini.tables.rows import slice_time, work_by
from molokini.tables.tables import NEVER, Tables
from tests.kit.replays import prepared
from tests.kit.workloads import Job, job_lists

pytestmark = pytest.mark.xdist_group("gang")

PROCESSORS = 8


@pytest.mark.parametrize("policy", ["bgs", "mbgs"])
@given(
    jobs=job_lists(PROCESSORS, shortest=1),
    rows=st.integers(2, 3),
    switch=st.sampled_from([0.0, 0.25]),
    cost_s=st.sampled_from([0.0, 1.0, 3.0]),
)
@settings(max_examples=80, deadline=None)
def test_a_plan_is_the_sum_of_its_jobs_and_long_enough_for_each(
    policy: str, jobs: list[Job], rows: int, switch: float, cost_s: float
) -> None:
    values: dict[str, Any] = {"mpl": rows, "context_switch": switch}
    if policy == "mbgs":
        values |= {"migration_cost": cost_s, "migrated_tasks": 64}
    replay = prepared(jobs, policy, PROCESSORS, values)
    while not replay.run(next_instant(replay.agenda, replay.tables)):
        now = float(replay.agenda.now)
        assert_planned_long_enough(replay.tables, now)
        assert_sum(replay.tables, now)


def assert_planned_long_enough(t: Tables, now: float) -> None:
    """No running job may need its row for longer than it is planned there."""
    for row in t.queue.running[: t.queue.running_count].tolist():
        stall_s = float(t.matrix.stall_s[row])
        if stall_s > 0.0:
            stall_s = max(0.0, stall_s - slice_time(t, row, now))
        left_s = float(t.jobs.estimate_s[row]) - work_by(t, row, now) + stall_s
        assert now + length_of(t, left_s) <= t.plans.until_s[row] + 1e-6


def assert_sum(t: Tables, now: float) -> None:
    """The free columns of every step of every row are those that no planned job takes."""
    running = t.queue.running[: t.queue.running_count].tolist()
    waiting = t.queue.waiting[t.queue.head : t.queue.tail].tolist()
    planned = [(row, now) for row in running]
    planned += [(row, float(t.plans.from_s[row])) for row in waiting if t.plans.until_s[row] > 0.0]
    for r in range(t.matrix.count):
        for k in range(int(t.plans.first[r]), int(t.plans.last[r])):
            at_s = max(float(t.plans.step_s[r, k]), now)
            if at_s >= NEVER or (k + 1 < t.plans.last[r] and t.plans.step_s[r, k + 1] <= at_s):
                continue
            taken = sum(
                int(t.jobs.width[row])
                for row, from_s in planned
                if t.plans.row[row] == r and from_s <= at_s < t.plans.until_s[row]
            )
            assert t.plans.step_free[r, k] == PROCESSORS - taken


@pytest.mark.parametrize("more_s", [0.0, 2.5])
def test_what_a_migration_has_cost_and_costs_now_is_planned_besides(more_s: float) -> None:
    """Of 4 s to lose a job has lost one, as half of the time is its own; this pass adds another."""
    replay = prepared(
        [Job(0, 10, 4), Job(0, 10, 8)], "mbgs", PROCESSORS, {"mpl": 2, "context_switch": 0.0, "mode": "rate"}
    )
    replay.run(0.0)
    t = replay.tables
    row = int(t.queue.running[0])
    t.matrix.stall_s[row], t.matrix.to_stall_s[row] = 4.0, 1.0
    gone_s = slice_time(t, row, 2.0)
    assert gone_s == 1.0
    left_s = 10.0 - work_by(t, row, 2.0) + (4.0 - gone_s) + 1.0 + more_s
    t.plans.until_s[row] = 0.0
    assert until_of(t, row, 2.0, more_s) == 2.0 + length_of(t, left_s)
    # Never earlier than it was planned before.
    t.plans.until_s[row] = 1000.0
    assert until_of(t, row, 2.0, more_s) == 1000.0
