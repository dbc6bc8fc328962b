"""Jobs that are suspended where they are: they keep their nodes, and there all but processors."""

from collections.abc import Callable

import numpy as np
import pytest

from molokini.compiled.compilation import FLOAT, INT, compile_entry
from molokini.cycle import verbs
from molokini.cycle.complaints import NOT_IN_STATE
from molokini.cycle.cycle import apply_decided, begin_pass, close_pass, end_pass
from molokini.cycle.entries import apply_change, check_decisions, take_allocation
from molokini.model.decisions import IN_PLACE, Decision
from molokini.model.machine import Machine, Node
from molokini.model.resources import Resource
from molokini.model.states import JobState
from molokini.tables import transitions
from molokini.tables.copying import copied
from molokini.tables.making import make_tables
from molokini.tables.tables import Tables

KB = float(Resource.MEMORY_KB)
TWO = Machine.of_nodes([Node({Resource.PROCESSORS: 4.0, Resource.MEMORY_KB: 100.0}) for _ in range(2)])


def submitted(t: Tables, tasks: int, memory_kb: float = 0.0) -> int:
    """A job of so many processors, each with so much memory, waits."""
    row = transitions.new_row(t)
    t.jobs.number[row] = t.jobs.serial[row] = row + 1
    t.jobs.width[row], t.jobs.estimate_s[row] = tasks, 100.0
    component = int(t.components.free)
    t.components.free = int(t.components.next[component])
    t.components.spare -= 1
    t.components.tasks[component], t.components.where[component] = tasks, -1
    t.components.next[component] = -1
    t.components.need[component] = 0.0
    t.components.need[component, Resource.PROCESSORS] = 1.0
    t.components.need[component, Resource.MEMORY_KB] = memory_kb
    t.jobs.components[row] = component
    transitions.wish(t, row)
    transitions.submit(t, row)
    return row


def decided(t: Tables, now: float, *said: Callable[[], object]) -> list[object]:
    """A pass that says this; its decisions become true."""
    begin_pass(t, now)
    answers = [one() for one in said]
    end_pass(t)
    for k in range(t.cycle.decided):
        apply_decided(t, k, now)
    close_pass(t)
    return answers


def free(t: Tables) -> list[list[float]]:
    """Of each node the free processors, and the free memory in KB."""
    found: list[list[float]] = t.nodes.free[:, [Resource.PROCESSORS, Resource.MEMORY_KB]].tolist()
    return found


@pytest.fixture
def t() -> Tables:
    return make_tables(TWO, rows=16)


def test_it_keeps_its_nodes_and_memory_and_gives_its_processors(t: Tables) -> None:
    row = submitted(t, 6, 10.0)
    decided(t, 0.0, lambda: verbs.start(t, row))
    assert free(t) == [[0.0, 60.0], [2.0, 80.0]]
    decided(t, 30.0, lambda: verbs.suspend_in_place(t, row))
    assert free(t) == [[4.0, 60.0], [4.0, 80.0]]
    assert (t.machine.free, t.jobs.held[row], t.jobs.work_s[row]) == (8, 0, 30.0)
    assert t.jobs.state[row] == JobState.SUSPENDED
    assert decided(t, 50.0, lambda: verbs.resume_in_place(t, row)) == [True]
    assert free(t) == [[0.0, 60.0], [2.0, 80.0]]
    assert (t.machine.free, t.jobs.expected_end_s[row]) == (2, 120.0)
    transitions.end(t, row, 120.0)
    assert free(t) == [[4.0, 100.0], [4.0, 100.0]]
    assert (t.machine.free, t.jobs.entries[row]) == (8, -1)


def test_it_does_not_go_on_while_another_has_its_processors(t: Tables) -> None:
    low, high = submitted(t, 4, 10.0), submitted(t, 2, 10.0)
    decided(t, 0.0, lambda: verbs.start(t, low))
    assert decided(t, 5.0, lambda: verbs.suspend_in_place(t, low), lambda: verbs.start(t, high)) == [
        None,
        True,
    ]
    assert free(t) == [[2.0, 40.0], [4.0, 100.0]]
    assert decided(t, 6.0, lambda: verbs.resume(t, low)) == [False]
    transitions.end(t, high, 9.0)
    # Whoever lets it go on, by whichever verb, has it go on there.
    assert decided(t, 9.0, lambda: verbs.resume(t, low)) == [True]
    assert free(t) == [[0.0, 60.0], [4.0, 100.0]]


def test_memory_that_it_keeps_is_not_there_for_others(t: Tables) -> None:
    low, high = submitted(t, 8, 20.0), submitted(t, 2, 15.0)
    decided(t, 0.0, lambda: verbs.start(t, low))
    begin_pass(t, 5.0)
    verbs.suspend_in_place(t, low)
    # 20 KB are left on each node.
    assert verbs.start(t, high) is True
    assert (free(t), t.machine.idle) == ([[3.0, 5.0], [3.0, 5.0]], 6)
    end_pass(t)
    assert free(t) == [[0.0, 20.0], [0.0, 20.0]]


@pytest.mark.parametrize("how", ["cancel", "requeue", "lose"])
def test_what_it_keeps_is_free_when_it_goes(t: Tables, how: str) -> None:
    row = submitted(t, 6, 10.0)
    decided(t, 0.0, lambda: verbs.start(t, row))
    decided(t, 30.0, lambda: verbs.suspend_in_place(t, row))
    if how == "cancel":
        transitions.cancel(t, row, 40.0)
    else:
        transitions.requeue(t, row, 40.0, False)
        assert (t.jobs.state[row], t.jobs.work_s[row], t.jobs.attempt[row]) == (JobState.WAITING, 0.0, 2)
        assert t.queue.waiting[t.queue.head : t.queue.tail].tolist() == [row]
    assert free(t) == [[4.0, 100.0], [4.0, 100.0]]
    assert (t.queue.suspended_count, t.jobs.entries[row], t.machine.free) == (0, -1, 8)
    if how == "lose":
        transitions.lose_node(t, 0)
        transitions.return_node(t, 0)
        assert free(t) == [[4.0, 100.0], [4.0, 100.0]]


def test_a_pass_that_is_thrown_away_leaves_nothing_behind(t: Tables) -> None:
    low, high = submitted(t, 4, 10.0), submitted(t, 4, 10.0)
    decided(t, 0.0, lambda: verbs.start(t, low), lambda: verbs.start(t, high))
    decided(t, 1.0, lambda: verbs.suspend_in_place(t, low))
    before = copied(t)
    begin_pass(t, 2.0)
    verbs.suspend_in_place(t, high)
    first = t.cycle.decided
    verbs.never_mind(t, 0)
    assert (first, t.cycle.decided, free(t)) == (1, 0, free(before))
    verbs.suspend_in_place(t, high)
    assert verbs.resume_in_place(t, low)
    end_pass(t)
    assert free(t) == free(before)
    for k in range(t.cycle.decided):
        take_allocation(t, k)
    t.cycle.decided = 0
    # Their allocations are theirs, whatever became of the pass.
    assert np.array_equal(t.jobs.entries, before.jobs.entries)


def test_a_live_server_applies_the_same_by_its_facts(t: Tables) -> None:
    row = submitted(t, 6, 10.0)
    decided(t, 0.0, lambda: verbs.start(t, row))
    begin_pass(t, 1.0)
    verbs.suspend_in_place(t, row)
    assert check_decisions(t) == 1
    assert t.cycle.decisions[0, :3].tolist() == [Decision.SUSPEND, row, IN_PLACE]
    assert take_allocation(t, 0) == 0
    apply_change(t, Decision.SUSPEND, row, 1.0, 0.0, IN_PLACE, 0, 0)
    begin_pass(t, 2.0)
    assert verbs.resume_in_place(t, row)
    check_decisions(t)
    assert take_allocation(t, 0) == 2
    assert sorted(zip(t.placing.node[:2].tolist(), t.placing.tasks[:2].tolist(), strict=True)) == [
        (0, 4),
        (1, 2),
    ]
    apply_change(t, Decision.RESUME, row, 2.0, 1.0, IN_PLACE, 0, 0)
    assert (free(t), t.jobs.updated_s[row]) == ([[0.0, 60.0], [2.0, 80.0]], 2.0)


def test_only_what_was_suspended_so_goes_on_so_and_once_a_pass(t: Tables) -> None:
    row, other = submitted(t, 4), submitted(t, 4)
    decided(t, 0.0, lambda: verbs.start(t, row), lambda: verbs.start(t, other))
    decided(t, 1.0, lambda: verbs.suspend_in_place(t, row), lambda: verbs.suspend(t, other))
    begin_pass(t, 2.0)
    assert not verbs.resume_in_place(t, other)
    assert t.cycle.complaint == NOT_IN_STATE
    t.cycle.complaint = 0
    assert verbs.resume_in_place(t, row)
    assert not verbs.resume_in_place(t, row)
    assert t.cycle.complaint == NOT_IN_STATE


def _three(t: Tables, now: float) -> int:
    """Suspends job 0 in place, then lets it go on in the next pass."""
    if t.jobs.state[0] == JobState.RUNNING:
        verbs.suspend_in_place(t, 0)
    else:
        verbs.resume_in_place(t, 0)
    return int(t.cycle.decided)


def test_compiled_verbs_do_the_same(t: Tables) -> None:
    row = submitted(t, 6, 10.0)
    assert row == 0
    decided(t, 0.0, lambda: verbs.start(t, row))
    twin = copied(t)
    compiled = compile_entry(_three, INT(Tables.numba_type, FLOAT))
    for now in (5.0, 9.0):
        for tables, said in ((t, _three), (twin, compiled)):
            begin_pass(tables, now)
            assert said(tables, now) == 1
            end_pass(tables)
            apply_decided(tables, 0, now)
            close_pass(tables)
        assert (free(t), t.machine.free) == (free(twin), twin.machine.free)
