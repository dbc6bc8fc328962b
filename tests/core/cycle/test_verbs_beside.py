"""Jobs that hold processors beside those that they ask for, where a policy says so of their place."""

import pytest

from molokini.cycle import verbs
from molokini.cycle.cycle import begin_pass
from molokini.cycle.entries import apply_change, check_decisions, take_allocation
from molokini.model.decisions import Decision
from molokini.tables import transitions
from molokini.tables.making import make_tables
from molokini.tables.tables import Tables
from molokini.tables.usage import DEDICATED_PROCESSORS, charge_as
from tests.core.cycle.test_verbs_in_place import TWO, decided, free, submitted


@pytest.fixture
def t() -> Tables:
    return make_tables(TWO, rows=16)


def place(t: Tables, *elements: tuple[int, int, int]) -> int:
    """The policy has chosen this: node, tasks and component of each element."""
    for k, (node, tasks, component) in enumerate(elements):
        t.placing.node[k], t.placing.tasks[k], t.placing.component[k] = node, tasks, component
    return len(elements)


def started(t: Tables, row: int, beside: int) -> bool:
    """Start a job of four tasks, three of them on the first node and one on the other, and what is beside."""
    own = int(t.jobs.components[row])
    more = [(1, beside, 0)] if beside else []
    return bool(verbs.start_placed(t, row, place(t, (0, 3, own), (1, 1, own), *more), beside))


def test_it_holds_them_without_memory_until_its_end(t: Tables) -> None:
    row = submitted(t, 4, 10.0)
    assert decided(t, 0.0, lambda: started(t, row, 2)) == [True]
    assert free(t) == [[1.0, 70.0], [1.0, 90.0]]
    assert (t.machine.free, t.jobs.held[row], t.jobs.width[row]) == (2, 6, 4)
    transitions.end(t, row, 50.0)
    assert free(t) == [[4.0, 100.0], [4.0, 100.0]]
    assert (t.machine.free, t.jobs.held[row]) == (8, 0)


def test_the_pass_counts_them(t: Tables) -> None:
    row = submitted(t, 4, 10.0)
    begin_pass(t, 0.0)
    assert started(t, row, 2)
    assert t.machine.idle == 2


@pytest.mark.parametrize("told", [0, 1, 3])
def test_they_are_as_many_as_the_policy_says(told: int, t: Tables) -> None:
    row = submitted(t, 4, 10.0)
    own = int(t.jobs.components[row])
    begin_pass(t, 0.0)
    assert not verbs.start_placed(t, row, place(t, (0, 3, own), (1, 1, own), (1, 2, 0)), told)
    assert free(t) == [[4.0, 100.0], [4.0, 100.0]]


def test_there_is_room_for_them_or_none_for_the_job(t: Tables) -> None:
    row = submitted(t, 4, 10.0)
    begin_pass(t, 0.0)
    assert not started(t, row, 4)
    assert free(t) == [[4.0, 100.0], [4.0, 100.0]]


def test_a_suspended_job_gives_them_and_has_them_again(t: Tables) -> None:
    row = submitted(t, 4, 10.0)
    decided(t, 0.0, lambda: started(t, row, 2))
    decided(t, 5.0, lambda: verbs.suspend_in_place(t, row))
    assert (t.machine.free, free(t)) == (8, [[4.0, 70.0], [4.0, 90.0]])
    resumed = decided(t, 9.0, lambda: (verbs.resume_in_place(t, row), int(t.machine.idle)))
    assert resumed == [(True, 2)]
    assert (t.machine.free, t.jobs.held[row]) == (2, 6)


def test_a_requeued_job_asks_for_what_it_asked_for(t: Tables) -> None:
    row = submitted(t, 4, 10.0)
    decided(t, 0.0, lambda: started(t, row, 2))
    decided(t, 5.0, lambda: verbs.requeue(t, row))
    assert (t.machine.free, t.jobs.width[row]) == (8, 4)
    decided(t, 9.0, lambda: started(t, row, 0))
    assert (t.machine.free, t.jobs.held[row]) == (4, 4)


def test_it_is_charged_for_what_it_holds(t: Tables) -> None:
    charge_as(t, DEDICATED_PROCESSORS, 100.0, 0.0)
    row = submitted(t, 4, 10.0)
    decided(t, 0.0, lambda: started(t, row, 2))
    assert t.jobs.charged[row] == 6.0


def test_the_fact_of_the_start_brings_them_back(t: Tables) -> None:
    """As a server does: the place is taken out of the tables, is journalled, and comes back with the fact."""
    row = submitted(t, 4, 10.0)
    begin_pass(t, 0.0)
    assert started(t, row, 2)
    assert check_decisions(t) == 1
    count = take_allocation(t, 0)
    assert (count, t.machine.free, free(t)) == (3, 8, [[4.0, 100.0], [4.0, 100.0]])
    apply_change(t, Decision.START, row, 0.0, 1.0, 1, 0, count)
    assert (t.machine.free, t.jobs.held[row], free(t)) == (2, 6, [[1.0, 70.0], [1.0, 90.0]])
