"""What stands where in the matrix, and what that means for jobs: bits against sets, at every border."""

from itertools import product

import pytest

from molokini.model.machine import Machine
from molokini.model.states import NodeState
from molokini.tables import transitions
from molokini.tables.allocations import write_entries
from molokini.tables.making import make_tables
from molokini.tables.rows import (
    alters_work,
    columns_between,
    has_row_for_its_columns,
    is_at_home,
    open_hole_in_row,
    open_matrix,
    put_as_text,
    rows_of,
    stands_between,
    stands_on_lost,
    turns_of,
    work_by,
)
from molokini.tables.sizes import COLUMNS_A_WORD
from molokini.tables.tables import NEVER, Tables
from molokini.tables.waiting import close_queue

EDGES = (0, 1, COLUMNS_A_WORD - 1, COLUMNS_A_WORD, COLUMNS_A_WORD + 1, 2 * COLUMNS_A_WORD, 150)


def matrix(machine: Machine, rows: int = 2, exact: bool = False, varying: bool = False) -> Tables:
    t = make_tables(machine, rows=8)
    open_matrix(t, rows, 10.0, 0.0, exact, varying)
    return t


def put(t: Tables, home: int, rows: int, columns: set[int], width: int = 0, turns: int = 0) -> int:
    """A job that this pass has put there; it waits."""
    row = transitions.new_row(t)
    t.jobs.width[row], t.jobs.estimate_s[row] = width or len(columns), 100.0
    transitions.submit(t, row)
    put_as_text(t, row, (home, rows, f"{sum(1 << column for column in columns):x}"), 0.0, turns)
    return row


def standing(t: Tables, home: int, rows: int, columns: set[int], now: float = 0.0) -> int:
    """A job that runs there from *now* on."""
    row = put(t, home, rows, columns)
    transitions.start_in_rows(t, row, now)
    close_queue(t)
    return row


def test_columns_between_two_are_the_bits_of_their_words() -> None:
    for first, last in product(EDGES, EDGES):
        for word in range(3):
            wanted = {column for column in range(first, last) if column // COLUMNS_A_WORD == word}
            bits = columns_between(word, first, last)
            found = {word * COLUMNS_A_WORD + k for k in range(COLUMNS_A_WORD) if bits >> k & 1}
            assert found == wanted, (word, first, last)


@pytest.mark.parametrize("column", [0, 61, 62, 123, 124, 129])
def test_a_job_stands_between_two_columns_where_it_has_one_of_them(column: int) -> None:
    t = matrix(Machine.counted(130))
    row = standing(t, 0, 1, {column})
    for first, last in product(range(0, 131, 13), range(0, 131, 13)):
        assert stands_between(t, row, first, last) == (first <= column < last)
    assert stands_between(t, row, column, column + 1)
    transitions.suspend(t, row, 5.0)
    assert not stands_between(t, row, 0, 130), "it stands nowhere any more"


@pytest.mark.parametrize("lost", [0, 1, 2, 5])
def test_of_counted_processors_the_last_columns_are_lost(lost: int) -> None:
    t = matrix(Machine.counted(8))
    rows = [standing(t, 0, 1, {column}) for column in range(8)]
    transitions.change_processors(t, -lost)
    assert [stands_on_lost(t, row) for row in rows] == [column >= 8 - lost for column in range(8)]


@pytest.mark.parametrize("down", [(), (0,), (1,), (2,), (0, 2)])
def test_of_nodes_the_columns_of_those_that_are_down_are_lost(down: tuple[int, ...]) -> None:
    t = matrix(Machine.uniform(3, 2))
    rows = [standing(t, 0, 1, {column}) for column in range(6)]
    for node in down:
        transitions.lose_node(t, node)
    assert [stands_on_lost(t, row) for row in rows] == [column // 2 in down for column in range(6)]
    for node in range(3):
        if node not in down:
            t.nodes.state[node] = NodeState.DRAINING
    assert [stands_on_lost(t, row) for row in rows] == [column // 2 in down for column in range(6)]


def test_a_job_is_at_home_in_a_row_that_it_has_and_no_row_is_beyond_the_turns() -> None:
    t = matrix(Machine.counted(4), rows=3)
    row = put(t, 0, 1, {0})
    for home, rows in product(range(4), range(1, 16)):
        put_as_text(t, row, (home, rows, "1"))
        assert is_at_home(t, row) == (rows < 8 and bool(rows >> home & 1)), (home, rows)


@pytest.mark.parametrize("turns", [1, 62, 63, 64, 70, 71])
def test_rows_beyond_a_number_are_at_home_alike(turns: int) -> None:
    """Of 70 rows so many take turns."""
    t = matrix(Machine.counted(4), rows=70, varying=True)
    row = put(t, 0, 1, {0})
    for home in (0, 61, 62, 63, 69):
        for more in (0, 61, 62, 69):
            put_as_text(t, row, (home, 1 << home | 1 << more, "1"), turns=turns)
            assert is_at_home(t, row) == (max(home, more) < turns <= 70), (home, more)
            put_as_text(t, row, (home, 1 << more, "1"), turns=turns)
            assert is_at_home(t, row) == (home == more < turns <= 70), (home, more)


def put_outside(t: Tables) -> int:
    """A job that stood in the columns 2 and 3, and goes on with processors of its own."""
    row = standing(t, 1, 0b10, {2, 3})
    transitions.suspend(t, row, 7.0)
    transitions.resume(t, row, 7.0, 1.0, True)
    return row


def test_a_suspended_job_needs_its_columns_free_in_one_row() -> None:
    t = matrix(Machine.counted(8))
    row = standing(t, 0, 0b01, {2, 3})
    transitions.suspend(t, row, 5.0)
    assert has_row_for_its_columns(t, row)
    standing(t, 0, 0b01, {3, 4})
    standing(t, 1, 0b10, {5, 6})
    assert has_row_for_its_columns(t, row), "in the other row"
    copied = standing(t, 0, 0b11, {0, 2})
    assert has_row_for_its_columns(t, row), "copies do not count, only homes"
    transitions.suspend(t, copied, 6.0)
    last = standing(t, 1, 0b10, {2})
    assert not has_row_for_its_columns(t, row)
    transitions.end(t, last, 7.0)
    assert has_row_for_its_columns(t, row)
    outside = put_outside(t)
    assert not stands_between(t, outside, 0, 8)
    assert has_row_for_its_columns(t, row), "who runs outside of the matrix has no columns"
    open_nowhere = make_tables(Machine.counted(8), rows=2)
    assert has_row_for_its_columns(open_nowhere, 0), "where there is no matrix"


@pytest.mark.parametrize(
    ("exact", "before", "after", "stall_s", "alters"),
    [
        (False, 0b001, 0b001, 0.0, False),
        (False, 0b001, 0b010, 0.0, False),
        (False, 0b001, 0b011, 0.0, True),
        (False, 0b011, 0b001, 0.0, True),
        (False, 0b001, 0b001, 2.0, True),
        (True, 0b001, 0b001, 0.0, False),
        (True, 0b001, 0b010, 0.0, True),
    ],
)
def test_another_row_alters_the_work_of_a_job_where_it_gets_other_slices(
    exact: bool, before: int, after: int, stall_s: float, alters: bool
) -> None:
    t = matrix(Machine.counted(4), rows=3, exact=exact)
    row = standing(t, 0, before, {0, 1})
    put_as_text(t, row, (after.bit_length() - 1, after, "3"), stall_s)
    assert alters_work(t, row) == alters
    running = t.queue.running[: t.queue.running_count].tolist()
    transitions.set_rows(t, row, 30.0, stall_s)
    assert (rows_of(t, row), turns_of(t, row), t.matrix.stall_s[row]) == (after, 3, stall_s)
    assert t.queue.running[: t.queue.running_count].tolist() == running
    assert t.jobs.updated_s[row] == (30.0 if alters else 0.0)
    assert work_by(t, row, 30.0) == pytest.approx(30.0 * before.bit_count() / 3)
    if not exact:
        left_s = 100.0 + stall_s - 10.0 * before.bit_count()
        assert t.jobs.expected_end_s[row] == pytest.approx(30.0 + left_s * 3 / after.bit_count())


def test_what_a_migration_costs_is_paid_before_more_is_worked_and_forgotten_at_the_end() -> None:
    t = matrix(Machine.counted(4))
    row = standing(t, 0, 0b01, {0, 1})
    put_as_text(t, row, (0, 0b01, "3"), 5.0)
    transitions.set_rows(t, row, 20.0, 5.0)
    for now, work_s in ((20.0, 10.0), (26.0, 10.0), (30.0, 10.0), (34.0, 12.0)):
        assert work_by(t, row, now) == work_s
    transitions.account(t, row, 26.0)
    assert (t.jobs.work_s[row], t.matrix.stall_s[row]) == (10.0, 2.0)
    transitions.set_rows(t, row, 26.0, 3.0)
    assert t.matrix.stall_s[row] == 5.0, "costs add up"
    transitions.account(t, row, 46.0)
    assert (t.jobs.work_s[row], t.matrix.stall_s[row]) == (15.0, 0.0)
    transitions.suspend(t, row, 46.0)
    assert (t.matrix.held, rows_of(t, row)) == (0, 0)


def test_a_job_that_held_processors_gives_them_back_as_it_enters_the_matrix() -> None:
    t = matrix(Machine.uniform(2, 2))
    row = put(t, 1, 0b10, {0, 1})
    t.placing.node[0], t.placing.tasks[0], t.placing.component[0] = 0, 2, 0
    assert write_entries(t, row, 1)
    transitions.start(t, row, 0.0, 1.0, True)
    close_queue(t)
    assert (t.machine.free, t.nodes.free[:, 0].tolist()) == (2, [0.0, 2.0])
    transitions.set_rows(t, row, 40.0, 0.0)
    assert (t.machine.free, t.jobs.held[row], t.nodes.free[:, 0].tolist()) == (4, 0, [2.0, 2.0])
    assert (t.matrix.held, t.jobs.work_s[row], t.jobs.rate[row]) == (1, 40.0, 0.5)
    assert (t.jobs.expected_end_s[row], t.matrix.since_s[row]) == (160.0, 40.0)


@pytest.mark.parametrize(
    ("now", "from_s", "until_s", "hole"),
    [
        (5.0, 0.0, 20.0, (5.0, 20.0)),
        (5.0, 10.0, 20.0, (10.0, 20.0)),
        (20.0, 0.0, 20.0, None),
        (30.0, 0.0, 20.0, None),
        (5.0, NEVER, NEVER, None),
        (5.0, 0.0, 0.0, None),
    ],
)
def test_what_was_planned_for_a_job_is_free_from_now_on(
    now: float, from_s: float, until_s: float, hole: tuple[float, float] | None
) -> None:
    t = matrix(Machine.counted(4))
    row = put(t, 1, 0b10, {0, 1, 2})
    t.plans.from_s[row], t.plans.until_s[row], t.plans.row[row] = from_s, until_s, 1
    t.cycle.replan = 0
    open_hole_in_row(t, row, now)
    assert t.plans.until_s[row] == 0.0
    found = [
        (t.holes.from_s[k], t.holes.until_s[k], t.holes.width[k], t.holes.row[k])
        for k in range(t.holes.count)
    ]
    assert found == ([] if hole is None else [(*hole, 3, 1)])
    t.plans.from_s[row], t.plans.until_s[row] = from_s, until_s
    t.holes.count = t.holes.width.size
    open_hole_in_row(t, row, now)
    assert (t.holes.count, t.cycle.replan) == (t.holes.width.size, int(hole is not None))


def test_a_job_that_leaves_the_matrix_stands_in_no_row_and_owes_nothing() -> None:
    """Its plan, where it is yet to be made as after a recovery, is its home row until its expected end."""
    t = matrix(Machine.counted(4), rows=70, varying=True)
    row = put(t, 65, 1 << 65 | 1, {0, 3}, turns=66)
    put_as_text(t, row, (65, 1 << 65 | 1, "9"), 0.0, 66)
    transitions.start_in_rows(t, row, 0.0)
    close_queue(t)
    assert (rows_of(t, row), turns_of(t, row), t.matrix.held) == (1 << 65 | 1, 66, 1)
    put_as_text(t, row, (65, 1 << 65 | 1, "9"), 5.0, 66)
    transitions.set_rows(t, row, 10.0, 5.0)
    end_s = t.jobs.expected_end_s[row]
    t.holes.count = 0
    transitions.suspend(t, row, 20.0)
    assert (rows_of(t, row), t.matrix.turns[row], t.matrix.stall_s[row], t.matrix.held) == (0, 0, 0.0, 0)
    found = zip(t.holes.row, t.holes.from_s, t.holes.until_s, t.holes.width, strict=True)
    assert (65, 20.0, end_s, 2) in list(found)[: t.holes.count]


def test_a_job_stands_in_its_home_row_since_it_came_there() -> None:
    t = matrix(Machine.counted(4), rows=3)
    row = standing(t, 0, 0b011, {0, 1}, 5.0)
    for home, now, since_s in ((0, 10.0, 5.0), (1, 20.0, 20.0), (1, 30.0, 20.0), (0, 40.0, 40.0)):
        put_as_text(t, row, (home, 0b011, "3"))
        transitions.set_rows(t, row, now, 0.0)
        assert (t.matrix.home[row], t.matrix.since_s[row]) == (home, since_s)


def test_where_rows_vary_other_turns_alter_the_work() -> None:
    t = matrix(Machine.counted(4), rows=70, varying=True)
    row = put(t, 0, 1, {0, 3}, turns=2)
    transitions.start_in_rows(t, row, 0.0)
    for rows, turns, alters in (
        (1, 2, False),
        (2, 2, False),
        (1, 3, True),
        (3, 2, True),
        (1 << 65, 2, False),
    ):
        put_as_text(t, row, (0, rows, "9"), 0.0, turns)
        assert alters_work(t, row) == alters, (rows, turns)
