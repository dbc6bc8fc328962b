"""What the steps of a pass keep, on every matrix that a schedule comes through; and what migration takes."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.cycle.cycle import begin_pass
from molokini.matrix.migration import fill_migrating, migrate, renew_allowance
from molokini.matrix.row_pass import take_up
from molokini.matrix.steps import clean, compact, fill
from molokini.model.machine import Machine
from molokini.model.states import NodeState
from molokini.sim.agenda import next_instant
from molokini.tables.tables import Tables
from tests.kit.matrix_rows import GANG
from tests.kit.replays import finished, outcome, prepared
from tests.kit.workloads import Job, job_lists

pytestmark = pytest.mark.xdist_group("gang")

PROCESSORS = 8
MANY = 1000
Standing = dict[int, tuple[int, int, tuple[int, ...]]]
"""Home row, rows and columns (as bits) of each job in the matrix of a pass."""


def passes(
    jobs: list[Job], policy: str, rows: int, machine: int | Machine = PROCESSORS, drained: Iterable[int] = ()
) -> Iterator[Tables]:
    """A copy of the matrix of each event of a schedule, taken up and cleaned as a pass begins.

    *drained*: nodes of the *machine* that are so from then on.
    """
    replay = prepared(jobs, policy, machine, {"mpl": rows, "quantum_s": 4.0})
    while not replay.run(next_instant(replay.agenda, replay.tables)):
        t = replay.tables.copy()
        for node in drained:
            t.nodes.state[node] = NodeState.DRAINING
        begin_pass(t, replay.agenda.now)
        take_up(t)
        clean(t)
        yield t


def standing(t: Tables) -> Standing:
    """Who stands where in the pass that is under way."""
    m = t.matrix
    return {
        row: (int(m.to_home[row]), int(m.to_rows[row]), tuple(m.to_bits[row].tolist()))
        for row in m.ranked[: m.standing].tolist()
    }


def used_rows(found: Standing) -> int:
    return len({home for home, _, _ in found.values()})


@pytest.mark.parametrize("policy", ["gs", "mgs"])
@given(jobs=job_lists(PROCESSORS), rows=st.integers(2, 4))
@settings(max_examples=30, deadline=None)
def test_compact_empties_rows_and_leaves_jobs_their_columns(policy: str, jobs: list[Job], rows: int) -> None:
    for t in passes(jobs, policy, rows):
        before = standing(t)
        compact(t, 0.0, False)
        after = standing(t)
        assert used_rows(after) <= used_rows(before)
        assert {row: bits for row, (_, _, bits) in after.items()} == {
            row: bits for row, (_, _, bits) in before.items()
        }
        assert all(stands == 1 << home for home, stands, _ in after.values())


@given(jobs=job_lists(PROCESSORS), rows=st.integers(2, 4))
@settings(max_examples=30, deadline=None)
def test_no_row_is_opened_by_a_migration(jobs: list[Job], rows: int) -> None:
    for t in passes(jobs, "gs", rows):
        before = used_rows(standing(t))
        renew_allowance(t, 0.0, MANY, False)
        migrate(t, 0.0, 0.0, False, False)
        assert used_rows(standing(t)) <= before


@pytest.mark.parametrize("policy", ["gs", "mgs"])
@given(jobs=job_lists(PROCESSORS), rows=st.integers(2, 4))
@settings(max_examples=30, deadline=None)
def test_clean_after_fill_gives_the_matrix_before_it(policy: str, jobs: list[Job], rows: int) -> None:
    for t in passes(jobs, policy, rows):
        before, free = standing(t), t.matrix.free[:rows].tolist()
        fill(t)
        assert used_rows(standing(t)) == used_rows(before)
        clean(t)
        assert standing(t) == before
        assert t.matrix.free[:rows].tolist() == free


@given(jobs=job_lists(PROCESSORS), rows=st.integers(2, 4))
@settings(max_examples=30, deadline=None)
def test_filling_with_migration_changes_columns_alone(jobs: list[Job], rows: int) -> None:
    for t in passes(jobs, "mgs", rows):
        before = standing(t)
        fill(t)
        renew_allowance(t, 0.0, MANY, False)
        fill_migrating(t, 0.0, 1.0, False, False)
        clean(t)
        after = standing(t)
        assert {row: one[:2] for row, one in after.items()} == {row: one[:2] for row, one in before.items()}


@st.composite
def costs(draw: st.DrawFn) -> dict[str, Any]:
    """Of migrations: free or not, few or many."""
    return {
        "mpl": draw(st.integers(2, 4)),
        "quantum_s": 4.0,
        "migration_cost": draw(st.sampled_from([0.0, 0.5, 2.0])),
        "migrated_tasks": draw(st.sampled_from([2, 5, MANY])),
        "mode": draw(st.sampled_from(["rate", "exact"])),
    }


@pytest.mark.parametrize("policy", ["mgs", "mbgs"])
@given(jobs=job_lists(PROCESSORS), values=costs())
@settings(max_examples=60, deadline=None)
def test_a_migration_takes_half_its_cost_or_all_of_it_and_nothing_where_it_is_free(
    policy: str, jobs: list[Job], values: dict[str, Any]
) -> None:
    trace = finished(jobs, policy, PROCESSORS, values).schedule().trace
    cost_s = values["migration_cost"]
    if cost_s == 0.0:
        assert not trace.stall_s.any()
        return
    halves = trace.stall_s / (cost_s / 2)
    assert (halves == np.rint(halves)).all()


@pytest.mark.parametrize("policy", GANG)
@given(jobs=job_lists(PROCESSORS))
@settings(max_examples=30, deadline=None)
def test_on_the_grid_asking_for_reasons_changes_no_decision(policy: str, jobs: list[Job]) -> None:
    values: dict[str, Any] = {"mode": "exact", "mpl": 3, "quantum_s": 4.0}
    values |= {"migration_cost": 2.0} if policy[0] == "m" else {}
    asked = prepared(jobs, policy, PROCESSORS, values)
    asked.tables.cycle.explain = 1
    assert asked.run()
    assert outcome(asked.schedule()) == outcome(finished(jobs, policy, PROCESSORS, values).schedule())
