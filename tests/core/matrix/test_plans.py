"""What is planned in rows: just the jobs that are planned, each for as long as it may need."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.matrix import profiles
from molokini.matrix.plans import length_of, may_change_row, plan_moved, until_of
from molokini.model.machine import Machine
from molokini.sim.agenda import next_instant
from molokini.tables.making import make_tables
from molokini.tables.rows import open_matrix, slice_time, work_by
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
            assert t.plans.step_free[r, k] == PROCESSORS - taken >= 0


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


@pytest.mark.parametrize(
    ("rows", "exact", "work_s", "planned_s"),
    [
        (1, 0, 6.0, 6.0),
        (1, 1, 6.0, 6.0),
        # In three rows, of whose quanta of 4 s one second is lost each.
        (3, 0, 6.0, 24.0),
        # Two slices, and one more: the first may have begun.
        (3, 1, 6.0, 36.0),
        (3, 1, 6.5, 48.0),
        (3, 1, 3.0, 24.0),
    ],
)
def test_how_long_work_may_take_in_one_row(rows: int, exact: int, work_s: float, planned_s: float) -> None:
    t = make_tables(Machine.counted(PROCESSORS), rows=2)
    open_matrix(t, rows, 4.0, 0.25, bool(exact))
    assert length_of(t, work_s) == planned_s


def test_a_running_job_changes_its_row_where_there_is_room_for_as_long_as_it_is_planned() -> None:
    """What it leaves is offered from now on, and no longer than it was planned there."""
    t = make_tables(Machine.counted(PROCESSORS), rows=2)
    open_matrix(t, 2, 4.0, 0.0, False)
    for r in range(2):
        profiles.clear(t, r, 0.0)
    row = 0
    t.jobs.width[row] = 3
    t.plans.row[row], t.plans.from_s[row], t.plans.until_s[row] = 0, 20.0, 50.0
    profiles.plan(t, 0, 10.0, 50.0, 3)
    profiles.plan(t, 1, 50.0, 90.0, 6)
    assert may_change_row(t, row, 1, 10.0)
    t.plans.until_s[row] = 50.5
    assert not may_change_row(t, row, 1, 10.0)
    t.plans.until_s[row] = 50.0
    plan_moved(t, row, 1, 10.0)
    free = [
        [int(t.plans.step_free[r, profiles.step_at(t, r, at)]) for at in (10.0, 49.0, 50.0)] for r in (0, 1)
    ]
    assert free == [[8, 8, 8], [5, 5, 2]]
    assert (t.plans.row[row], t.plans.from_s[row], t.plans.until_s[row]) == (1, 10.0, 50.0)
    assert (t.plans.left_from_s[0], t.plans.left_until_s[0]) == (10.0, 50.0)
    assert t.plans.left_until_s[1] == 0.0
