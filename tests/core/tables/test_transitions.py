"""Transitions one by one: what a row holds after each."""

from collections.abc import Callable

import pytest

from molokini.model.banks import Booking
from molokini.model.machine import Machine, Node
from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.tables import transitions
from molokini.tables.bank_changes import book, open_account, place_lien
from molokini.tables.making import make_tables
from molokini.tables.running import sort_running
from molokini.tables.tables import NEVER, Tables
from molokini.tables.waiting import close_queue

FILLED_IN = {"serial", "number", "submit_s", "estimate_s", "width", "credential", "application"}
"""What is said of each job when it is submitted; and what says something of running jobs alone:"""
OF_RUNNING = {"updated_s", "place"}


def submitted(t: Tables, estimate_s: float, submit_s: float = 0.0) -> int:
    """The row of a job of two processors that waits."""
    row = transitions.new_row(t)
    t.jobs.submit_s[row] = submit_s
    t.jobs.width[row], t.jobs.estimate_s[row] = 2, estimate_s
    transitions.submit(t, row)
    return row


def start(t: Tables, row: int, now: float) -> None:
    transitions.start(t, row, now, 1.0, True)
    close_queue(t)


@pytest.mark.parametrize(("rate", "end_s"), [(0.5, 160.0), (1.0, 100.0), (2.0, 70.0), (0.0, NEVER)])
def test_another_rate_is_another_expected_end(rate: float, end_s: float) -> None:
    """40 of 100 seconds are done at 40."""
    t = make_tables(Machine.counted(8), rows=4)
    row, other = submitted(t, 100.0), submitted(t, 90.0)
    start(t, row, 0.0)
    start(t, other, 0.0)
    transitions.set_share(t, row, 40.0, rate)
    assert (t.jobs.work_s[row], t.jobs.rate[row], t.jobs.expected_end_s[row]) == (40.0, rate, end_s)
    sort_running(t)
    assert t.queue.running[: t.queue.running_count].tolist() == (
        [row, other] if end_s < 90.0 else [other, row]
    )


def suspend_and_resume(t: Tables, row: int) -> None:
    transitions.suspend(t, row, 20.0)
    transitions.resume(t, row, 30.0, 1.0, True)


def start_again(t: Tables, row: int, keep: bool) -> None:
    transitions.requeue(t, row, 20.0, keep)
    start(t, row, 30.0)


WHILE_IT_WAITS: dict[str, Callable[[Tables, int], None]] = {
    "nothing": lambda t, row: None,
    "passed by": lambda t, row: transitions.bypass(t, row, 2),
    "not counted": lambda t, row: transitions.accrue(t, row, 30.0),
    "deferred": lambda t, row: transitions.defer(t, row, 1, 50.0),
    "promised": lambda t, row: transitions.reserve(t, row, 70.0),
    "divisible": lambda t, row: transitions.give_load(t, row, 12.0, 500.0, 1),
}
WHILE_IT_RUNS: dict[str, Callable[[Tables, int], None]] = {
    "nothing": lambda t, row: None,
    "slower": lambda t, row: transitions.set_share(t, row, 20.0, 0.5),
    "gives back": lambda t, row: transitions.give_back(t, row, 1),
    "suspended": suspend_and_resume,
    "requeued": lambda t, row: start_again(t, row, False),
    "checkpointed": lambda t, row: start_again(t, row, True),
}


def assert_as_new(t: Tables, row: int) -> None:
    """*row*, which is free again, holds what it held when nobody had been there yet."""
    new = make_tables(Machine.counted(8), rows=1)
    for leaf in Tables.leaves():
        if leaf.struct in (("jobs",), ("liens",)) and leaf.name not in FILLED_IN | OF_RUNNING | {"free_row"}:
            assert leaf.of(t)[row] == leaf.of(new)[0], f"a freed row keeps its {leaf.path}"
    assert (t.machine.free, t.jobs.free_rows, t.queue.running_count, t.queue.tail - t.queue.head) == (
        8,
        1,
        0,
        0,
    )


@pytest.mark.parametrize("happens", WHILE_IT_WAITS)
def test_who_comes_into_a_row_finds_nothing_of_what_happened_to_a_job_that_waited(happens: str) -> None:
    for goes in ("ends", "withdrawn", "cancelled when held"):
        t = make_tables(Machine.counted(8), rows=1)
        row = submitted(t, 100.0)
        WHILE_IT_WAITS[happens](t, row)
        if goes == "withdrawn":
            transitions.withdraw(t, row)
        elif goes == "ends":
            start(t, row, 10.0)
            transitions.end(t, row, 110.0)
        else:
            transitions.hold(t, row)
            transitions.cancel(t, row, 50.0)
        assert_as_new(t, row)


@pytest.mark.parametrize("happens", WHILE_IT_RUNS)
def test_who_comes_into_a_row_finds_nothing_of_what_happened_to_a_job_that_ran(happens: str) -> None:
    for goes in ("ends", "cancelled"):
        t = make_tables(Machine.counted(8), rows=1)
        row = submitted(t, 100.0)
        start(t, row, 0.0)
        WHILE_IT_RUNS[happens](t, row)
        if goes == "ends":
            transitions.end(t, row, 150.0)
        else:
            transitions.cancel(t, row, 50.0)
        assert_as_new(t, row)
        again = submitted(t, 10.0)
        start(t, again, 200.0)
        assert (again, t.jobs.rate[again], t.jobs.expected_end_s[again]) == (row, 1.0, 210.0)


def cancel_held(t: Tables, row: int) -> None:
    transitions.hold(t, row)
    transitions.cancel(t, row, 50.0)


def cancel_again(t: Tables, row: int) -> None:
    start(t, row, 50.0)
    transitions.cancel(t, row, 60.0)


def end_again(t: Tables, row: int) -> None:
    start(t, row, 50.0)
    transitions.end(t, row, 110.0)


@pytest.mark.parametrize(
    ("goes", "paid"),
    [
        (transitions.withdraw, 80),
        (lambda t, row: transitions.cancel(t, row, 50.0), 80),
        (cancel_held, 80),
        (cancel_again, 100),
        (end_again, 200),
    ],
)
def test_who_has_paid_for_kept_work_leaves_no_debts(goes: Callable[[Tables, int], None], paid: int) -> None:
    """Two processors for 40 of 100 seconds are paid; of the rest only what was worked."""
    t = make_tables(Machine.counted(8), rows=1)
    account = open_account(t, 21)
    book(t, account, Booking.OPENING, 1000)
    row = submitted(t, 100.0)
    place_lien(t, row, account, 2.0, 200)
    start(t, row, 0.0)
    transitions.requeue(t, row, 40.0, True)
    assert (t.liens.count, t.bank.balance[account], t.bank.lien[account]) == (1, 920, 0)
    goes(t, row)
    assert (t.liens.count, t.bank.balance[account], t.bank.lien[account]) == (0, 1000 - paid, 0)
    assert_as_new(t, row)


@pytest.mark.parametrize("goes", [transitions.withdraw, transitions.hold])
def test_a_job_of_kept_work_leaves_the_room_planned_for_it(goes: Callable[[Tables, int], None]) -> None:
    """40 of its 100 seconds are done, so 60 were planned."""
    t = make_tables(Machine.counted(8), rows=4)
    t.cycle.planning = 1
    row = submitted(t, 100.0)
    start(t, row, 0.0)
    transitions.requeue(t, row, 40.0, True)
    t.holes.count = 0
    transitions.reserve(t, row, 50.0)
    goes(t, row)
    assert t.holes.count == 1
    assert (t.holes.from_s[0], t.holes.until_s[0], t.holes.width[0]) == (50.0, 110.0, 2)


def test_a_running_job_that_is_put_back_waits_as_if_it_had_just_come() -> None:
    """At its place by its submission; policies plan anew, and remember nothing of it."""
    for keep in (False, True):
        t = make_tables(Machine.counted(8), rows=4)
        row, other = submitted(t, 100.0, 1.0), submitted(t, 100.0, 5.0)
        transitions.reserve(t, row, 10.0)
        start(t, row, 10.0)
        t.memory_f[row], t.memory_i[row], t.memory_i[other] = 7.0, 8, 9
        t.cycle.replan = 0
        transitions.requeue(t, row, 40.0, keep)
        assert t.cycle.replan == 1
        assert (t.jobs.work_s[row], t.jobs.attempt[row]) == (30.0 if keep else 0.0, 2)
        assert (t.jobs.start_s[row], t.jobs.reserved_s[row], t.jobs.expected_end_s[row]) == (NEVER,) * 3
        assert (t.jobs.held[row], t.machine.free, t.queue.running_count) == (0, 8, 0)
        assert t.queue.waiting[t.queue.head : t.queue.tail].tolist() == [row, other]
        assert not t.memory_f[row].any()
        assert not t.memory_i[row].any()
        assert t.memory_i[other].any()


@pytest.mark.parametrize("width", [0, 2])
def test_where_there_is_no_place_for_one_more_hole_policies_plan_anew(width: int) -> None:
    t = make_tables(Machine.counted(8), rows=4)
    row = submitted(t, 100.0)
    start(t, row, 0.0)
    t.jobs.held[row] = width
    t.holes.count, t.cycle.replan = t.holes.width.size, 0
    transitions.end(t, row, 40.0)
    assert (t.holes.count, t.cycle.replan) == (t.holes.width.size, int(width > 0))


@pytest.mark.parametrize(
    ("planning", "now", "found"), [(1, 40.0, 1), (1, 100.0, 0), (1, 130.0, 0), (0, 40.0, 0)]
)
def test_a_job_that_ends_before_its_estimate_leaves_a_hole(planning: int, now: float, found: int) -> None:
    t = make_tables(Machine.counted(8), rows=4)
    t.cycle.planning = planning
    row = submitted(t, 100.0)
    start(t, row, 0.0)
    transitions.give_back(t, row, 1)
    transitions.end(t, row, now)
    assert t.holes.count == found
    if found:
        assert (t.holes.from_s[0], t.holes.until_s[0], t.holes.width[0]) == (now, 100.0, 1)


def test_what_runs_beyond_its_estimate_is_expected_to_end_at_once() -> None:
    """Never in the past: also when it goes on, and when it goes on at another rate."""
    t = make_tables(Machine.counted(8), rows=4)
    row = submitted(t, 100.0)
    start(t, row, 0.0)
    transitions.set_share(t, row, 120.0, 0.5)
    assert (t.jobs.work_s[row], t.jobs.expected_end_s[row]) == (120.0, 120.0)
    transitions.suspend(t, row, 130.0)
    assert (t.jobs.work_s[row], t.jobs.expected_end_s[row], t.jobs.rate[row]) == (125.0, NEVER, 0.0)
    transitions.resume(t, row, 150.0, 1.0, True)
    assert (t.jobs.work_s[row], t.jobs.expected_end_s[row], t.jobs.rate[row]) == (125.0, 150.0, 1.0)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_suspended_job_that_is_cancelled_leaves_the_others_suspended(which: int) -> None:
    t = make_tables(Machine.counted(8), rows=3)
    rows = [submitted(t, 100.0) for _ in range(3)]
    for row in rows:
        start(t, row, 0.0)
        transitions.suspend(t, row, 10.0)
    gone = rows.pop(which)
    transitions.cancel(t, gone, 20.0)
    assert t.queue.suspended[: t.queue.suspended_count].tolist() == rows
    assert (t.jobs.free_rows, t.jobs.work_s[gone], t.jobs.rate[gone], t.machine.free) == (1, 0.0, 1.0, 8)
    for row in rows:
        transitions.resume(t, row, 30.0, 1.0, True)
    assert (t.queue.suspended_count, t.machine.free) == (0, 4)


def test_processors_and_nodes_that_go_and_come_back_have_policies_plan_anew() -> None:
    t = make_tables(Machine.counted(8), rows=4)
    start(t, submitted(t, 100.0), 0.0)
    for amount, left in ((-3, (5, 3)), (2, (7, 5))):
        t.cycle.replan = 0
        transitions.change_processors(t, amount)
        assert (t.machine.processors, t.machine.free, t.cycle.replan) == (*left, 1)
        assert t.machine.processors_in_all == 8
    capacity = {Resource.PROCESSORS: 4.0, Resource.MEMORY_KB: 64.0}
    t = make_tables(Machine.of_nodes([Node(capacity)] * 2), rows=4)
    before = t.nodes.free.copy()
    t.cycle.replan = 0
    transitions.lose_node(t, 1)
    assert (t.machine.processors, t.machine.free, t.cycle.replan) == (4, 4, 1)
    assert (t.nodes.state.tolist(), t.nodes.free[1].any()) == ([NodeState.UP, NodeState.DOWN], False)
    assert (t.nodes.free[0] == before[0]).all()
    t.cycle.replan = 0
    transitions.return_node(t, 1)
    assert (t.machine.processors, t.machine.free, t.cycle.replan) == (8, 8, 1)
    assert (t.nodes.state[1], t.nodes.free.tolist()) == (NodeState.UP, before.tolist())


def test_deferrals_are_counted_until_a_release_forgives_them() -> None:
    t = make_tables(Machine.counted(8), rows=4)
    row, other = submitted(t, 100.0), submitted(t, 100.0)
    for one, rule, until_s in ((row, 3, 50.0), (row, 4, 70.0), (other, 5, 60.0)):
        transitions.defer(t, one, rule, until_s)
    columns = (t.jobs.deferrals, t.jobs.deferral, t.jobs.deferred_s)
    assert [column[row] for column in columns] == [2, 4, 70.0]
    transitions.forget_deferrals(t, row)
    assert [column[row] for column in columns] == [0, 0, 0.0]
    assert [column[other] for column in columns] == [1, 5, 60.0]
    transitions.bypass(t, row, 2)
    transitions.bypass(t, row, 3)
    assert (t.jobs.bypassed[row], t.jobs.bypassed[other]) == (5, 0)


def test_a_job_that_is_held_and_released_is_back_at_its_place_without_a_promise() -> None:
    t = make_tables(Machine.counted(8), rows=4)
    rows = [submitted(t, 100.0, submit_s) for submit_s in (1.0, 2.0, 3.0)]
    transitions.reserve(t, rows[1], 50.0)
    t.memory_i[rows[1]] = 8
    transitions.hold(t, rows[1])
    assert t.queue.waiting[t.queue.head : t.queue.tail].tolist() == [rows[0], rows[2]]
    assert (t.jobs.reserved_s[rows[1]], t.memory_i[rows[1]].any(), t.queue.leaving) == (NEVER, False, 0)
    transitions.release(t, rows[1])
    assert t.queue.waiting[t.queue.head : t.queue.tail].tolist() == rows
