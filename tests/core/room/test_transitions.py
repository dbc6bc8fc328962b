"""Transitions one by one: what a row holds after each."""

from collections.abc import Callable

import pytest

from molokini.model.banks import Booking
from molokini.model.machine import Machine
from molokini.tables import transitions
from molokini.tables.bank import book, open_account, place_lien
from molokini.tables.making import make_tables
from molokini.tables.running import sort_running
from molokini.tables.tables import NEVER, Tables
from molokini.tables.waiting import close_queue

FILLED_IN = {"serial", "number", "submit_s", "estimate_s", "width", "credential", "application"}
"""What is said of each job when it is submitted; and what says something of running jobs alone:"""
OF_RUNNING = {"updated_s", "place"}


def submitted(t: Tables, estimate_s: float) -> int:
    """The row of a job of two processors that waits."""
    row = transitions.new_row(t)
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
def test_who_has_paid_for_work_that_it_kept_and_goes_leaves_no_debts(
    goes: Callable[[Tables, int], None], paid: int
) -> None:
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
def test_a_job_that_has_kept_work_leaves_as_much_room_as_was_planned_for_it(
    goes: Callable[[Tables, int], None],
) -> None:
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
