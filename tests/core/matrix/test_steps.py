"""The steps of a pass, one at a time, on a matrix that no policy's queue has filled."""

from collections.abc import Callable, Sequence

import pytest

from molokini.cycle.cycle import begin_pass, close_pass, end_pass
from molokini.cycle.verbs import apply_decision
from molokini.matrix import profiles
from molokini.matrix.migration import fill_migrating, migrate, renew_allowance
from molokini.matrix.row_pass import put, put_in_emptiest, settle, take_up
from molokini.matrix.steps import clean, compact, fill, may_move
from molokini.model.machine import Machine
from molokini.tables import transitions
from molokini.tables.making import make_tables
from molokini.tables.rows import open_matrix
from molokini.tables.tables import Tables

COLUMNS = 8


class Matrix:
    """A matrix in which a test puts jobs where it wants them, (width, row) in order."""

    def __init__(self, places: Sequence[tuple[int, int]], rows: int = 2, columns: int = COLUMNS) -> None:
        self.t = t = make_tables(Machine.counted(columns), rows=32)
        open_matrix(t, rows, 100.0, 0.0, False)
        self.jobs: list[int] = []
        self.more(*(width for width, _ in places))
        begin_pass(t, 0.0)
        take_up(t)
        for row, (_, home) in zip(self.jobs, places, strict=True):
            put(t, row, home)
        self.decide()

    def more(self, *widths: int) -> list[int]:
        """Jobs that wait, by their rows in the table of jobs."""
        t, found = self.t, []
        for width in widths:
            row = transitions.new_row(t)
            t.jobs.number[row] = t.jobs.serial[row] = len(self.jobs) + 1
            t.jobs.width[row], t.jobs.estimate_s[row] = width, 100.0
            transitions.submit(t, row)
            self.jobs.append(row)
            found.append(row)
        return found

    def decide(self) -> None:
        """Make what the steps have done true."""
        t = self.t
        settle(t)
        end_pass(t)
        assert t.cycle.complaint == 0
        for k in range(t.cycle.decided):
            kind, row, argument, more = t.cycle.decisions[k].tolist()
            apply_decision(t, kind, row, argument, more, t.cycle.decision_time_s[k], 0.0)
        close_pass(t)

    def again(self) -> Tables:
        """The next pass."""
        begin_pass(self.t, 0.0)
        take_up(self.t)
        return self.t

    def end(self, number: int) -> None:
        """The job of this number ends."""
        transitions.end(self.t, self.jobs[number - 1], 0.0)

    @property
    def drawn(self) -> list[str]:
        """The matrix of the pass that is under way."""
        t = self.t
        lines = [["."] * int(t.machine.processors) for _ in range(t.matrix.count)]
        for row in t.matrix.ranked[: t.matrix.standing].tolist():
            for r in range(t.matrix.count):
                if int(t.matrix.to_rows[row]) >> r & 1:
                    for column in range(int(t.machine.processors)):
                        if int(t.matrix.to_bits[row, column // 62]) >> column % 62 & 1:
                            assert lines[r][column] == "."
                            lines[r][column] = str(t.jobs.number[row])
        return ["".join(line) for line in lines]


def test_fill_copies_by_order_of_starts_and_clean_takes_copies_back() -> None:
    m = Matrix([(8, 0), (4, 1), (2, 1)], rows=4)
    t = m.again()
    before = m.drawn
    fill(t)
    assert m.drawn == ["11111111", "222233..", "11111111", "222233.."]
    m.decide()
    clean(m.again())
    assert m.drawn == before == ["11111111", "222233..", "........", "........"]


def test_compact_moves_jobs_of_emptier_rows_to_fuller_ones_in_their_own_columns() -> None:
    m = Matrix([(4, 0), (2, 0), (6, 1), (2, 1)], rows=2)
    assert m.drawn == ["111122..", "33333344"]
    m.end(3)
    t = m.again()
    compact(t, 0.0, False)
    assert m.drawn == ["11112244", "........"]
    assert t.matrix.moved == 1


@pytest.mark.parametrize(("since_s", "moves"), [(0.0, True), (5.0, False)])
def test_a_job_moves_to_the_present_row_only_if_it_had_its_slice(since_s: float, moves: bool) -> None:
    """At 15, in the slice of row 1: that of row 0 began at 0, and a job that came just then had it."""
    matrix = Matrix([(2, 0), (3, 1)])
    t = matrix.again()
    t.matrix.exact, t.matrix.quantum_s = 1, 10.0
    t.matrix.since_s[matrix.jobs[0]] = since_s
    assert may_move(t, matrix.jobs[0], 1, 15.0) == moves


@pytest.mark.parametrize(
    ("home", "target", "now", "since_s", "moves"),
    [
        # The slice of its new row is yet to come, or begins at this very instant.
        (0, 2, 15.0, 14.0, True),
        (2, 1, 10.0, 9.0, True),
        (2, 1, 10.5, 9.0, False),
        # That of the row that it has is under way, or yet to come.
        (1, 0, 15.0, 0.0, False),
        (2, 0, 15.0, 0.0, False),
        (1, 1, 15.0, 14.0, True),
        # It is over, and the job was there from its first instant on, in this cycle.
        (1, 0, 25.0, 10.0, True),
        (1, 0, 25.0, 10.5, False),
        (0, 1, 45.0, 30.0, True),
        (0, 1, 45.0, 30.5, False),
        (0, 1, 45.0, 0.0, True),
    ],
)
def test_on_the_grid_a_job_that_moves_has_a_whole_slice_in_each_cycle(
    home: int, target: int, now: float, since_s: float, moves: bool
) -> None:
    """Three rows of ten seconds each."""
    matrix = Matrix([(2, home)], rows=3)
    t, row = matrix.again(), matrix.jobs[0]
    t.matrix.exact, t.matrix.quantum_s, t.matrix.since_s[row] = 1, 10.0, since_s
    assert may_move(t, row, target, now) == moves
    t.matrix.exact = 0
    assert may_move(t, row, target, now)


def test_on_the_grid_a_row_that_a_job_has_got_in_this_pass_has_given_it_no_slice() -> None:
    matrix = Matrix([(2, 0)], rows=3)
    t = matrix.again()
    t.matrix.exact, t.matrix.quantum_s = 1, 10.0
    (waiting,) = matrix.more(3)
    put(t, waiting, 0)
    assert not may_move(t, waiting, 1, 25.0)
    t.matrix.to_home[matrix.jobs[0]] = 1
    assert not may_move(t, matrix.jobs[0], 0, 25.0)
    t.matrix.count = 1
    assert may_move(t, waiting, 1, 25.0)


def test_compact_leaves_a_job_whose_columns_are_taken() -> None:
    m = Matrix([(2, 0), (2, 0), (2, 1), (2, 1)], columns=4)
    m.end(2)
    m.end(4)
    compact(m.again(), 0.0, False)
    assert m.drawn == ["11..", "33.."]


def test_a_new_job_may_get_columns_that_few_other_rows_use() -> None:
    m = Matrix([(3, 0), (2, 1), (4, 2)], rows=3, columns=70)
    t = m.again()
    (waiting,) = m.more(3)
    put_in_emptiest(t, waiting, 1)
    # Columns 0 and 1 are its neighbour's; 2 is used in two other rows, 3 in one, those behind in none.
    assert m.drawn[1] == "22..444" + "." * 63
    (wide,) = m.more(66)
    put_in_emptiest(t, wide, 0)
    assert m.drawn[0] == "111555." + "5" * 63


# The one that moves has three tasks; those on its columns have so many; C = 10 s.
@pytest.mark.parametrize(
    ("others", "tasks", "lost", "seconds"),
    [((4,), 3, (10.0, 5.0), 50.0), ((1,), 1, (5.0, 10.0), 25.0), ((1, 1), 2, (5.0, 10.0, 10.0), 35.0)],
)
def test_the_cheaper_of_two_ways_to_migrate(
    others: tuple[int, ...], tasks: int, lost: tuple[float, ...], seconds: float
) -> None:
    # The other row is the fuller one; what makes it so stands behind a gap, in the way of nobody.
    gap = 3 - len(others)
    more = [(gap, 1), (3, 1)] if sum(others) < 3 else []
    m = Matrix([(3, 0), *((width, 1) for width in others), *more], rows=2)
    if more:
        m.end(len(others) + 2)
    t = m.again()
    renew_allowance(t, 0.0, 64, False)
    migrate(t, 0.0, 10.0, False, False)
    losses = [float(t.matrix.to_stall_s[row]) for row in m.jobs]
    assert tuple(losses[: len(lost)]) == lost
    assert not any(losses[len(lost) :])
    assert 64 - t.matrix.allowance == tasks
    widths = [int(t.jobs.width[row]) for row in m.jobs]
    assert sum(width * loss for width, loss in zip(widths, losses, strict=True)) == seconds


def planned_beside_a_newcomer() -> tuple[Matrix, Tables, int]:
    """One of 3 in row 0 until 300; one of 4 has got a place in row 1 in this pass, planned until 200."""
    m = Matrix([(3, 0)])
    t = m.again()
    (newcomer,) = m.more(4)
    put(t, newcomer, 1)
    for r, row, until_s in ((0, m.jobs[0], 300.0), (1, newcomer, 200.0)):
        profiles.clear(t, r, 0.0)
        profiles.plan(t, r, 0.0, until_s, int(t.jobs.width[row]))
        t.plans.row[row], t.plans.until_s[row] = r, until_s
    renew_allowance(t, 0.0, 64, False)
    return m, t, newcomer


def planned_free(t: Tables, r: int, *instants: float) -> list[int]:
    """How many columns of a row are planned to be free at these instants."""
    return [int(t.plans.step_free[r, profiles.step_at(t, r, at_s)]) for at_s in instants]


def test_a_job_that_has_not_started_loses_nothing_and_is_planned_for_no_longer() -> None:
    m, t, newcomer = planned_beside_a_newcomer()
    migrate(t, 0.0, 10.0, True, False)
    assert m.drawn == ["........", "2222111."]
    assert t.matrix.to_stall_s[[m.jobs[0], newcomer]].tolist() == [10.0, 0.0]
    assert (t.plans.row[m.jobs[0]], t.plans.until_s[m.jobs[0]]) == (1, 300.0)
    assert (t.plans.row[newcomer], t.plans.until_s[newcomer]) == (1, 200.0)
    assert planned_free(t, 1, 0.0, 199.0, 200.0, 300.0) == [1, 1, 5, 8]
    # What it leaves is free, and is to be offered.
    assert planned_free(t, 0, 0.0, 299.0) == [8, 8]
    assert (t.plans.left_from_s[0], t.plans.left_until_s[0]) == (0.0, 300.0)


@pytest.mark.parametrize(("from_s", "moves"), [(290.0, False), (300.0, True)])
def test_a_migration_leaves_room_for_all_that_is_planned(from_s: float, moves: bool) -> None:
    m, t, _ = planned_beside_a_newcomer()
    profiles.plan(t, 1, from_s, 400.0, 6)
    migrate(t, 0.0, 10.0, True, False)
    assert (m.drawn == ["........", "2222111."]) == moves
    if not moves:
        assert m.drawn == ["111.....", "2222...."]
        assert not t.matrix.to_stall_s[m.jobs].any()
        assert t.matrix.allowance == 64
        assert planned_free(t, 0, 0.0, 299.0, 300.0) == [5, 5, 8]


@pytest.mark.parametrize(("from_s", "moves"), [(219.0, False), (220.0, True)])
def test_no_job_migrates_where_who_gives_way_has_no_room(from_s: float, moves: bool) -> None:
    """Each has 100 s of work in two rows: one of 1 gives way, loses 10 s and needs 220 s, the other 210 s."""
    m = Matrix([(3, 0), (1, 1), (2, 1), (3, 1)])
    m.end(3)
    t = m.again()
    first, second, _, fourth = m.jobs
    for r in range(2):
        profiles.clear(t, r, 0.0)
    for r, row, until_s in ((0, first, 200.0), (1, second, 200.0), (1, fourth, 300.0)):
        profiles.plan(t, r, 0.0, until_s, int(t.jobs.width[row]))
        t.plans.row[row], t.plans.until_s[row] = r, until_s
    profiles.plan(t, 1, from_s, 400.0, 5)
    renew_allowance(t, 0.0, 64, False)
    migrate(t, 0.0, 10.0, True, False)
    assert m.drawn == (["........", "1114442."] if moves else ["111.....", "2..444.."])
    assert t.plans.until_s[[first, second]].tolist() == ([210.0, 220.0] if moves else [200.0, 200.0])
    assert t.matrix.to_stall_s[[first, second]].tolist() == ([5.0, 10.0] if moves else [0.0, 0.0])
    # Of what was tried and is not to be, nothing stays in the plan.
    assert planned_free(t, 1, 0.0, 199.0, 205.0, 215.0) == ([1, 1, 1, 4] if moves else [4, 4, 5, 5])
    assert planned_free(t, 0, 0.0, 199.0) == ([8, 8] if moves else [5, 5])


@pytest.mark.parametrize(
    "step",
    [lambda t: compact(t, 0.0, True), lambda t: migrate(t, 0.0, 10.0, True, False)],
    ids=["compact", "migrate"],
)
@pytest.mark.parametrize(("from_s", "moves"), [(199.0, False), (200.0, True)])
def test_in_its_own_columns_too_a_job_moves_only_where_it_is_planned_to_have_room(
    step: Callable[[Tables], None], from_s: float, moves: bool
) -> None:
    m = Matrix([(2, 0), (2, 1), (3, 1)])
    m.end(2)
    t = m.again()
    first, _, third = m.jobs
    for r, row in ((0, first), (1, third)):
        profiles.clear(t, r, 0.0)
        profiles.plan(t, r, 0.0, 200.0, int(t.jobs.width[row]))
        t.plans.row[row], t.plans.until_s[row] = r, 200.0
    profiles.plan(t, 1, from_s, 400.0, 8 if moves else 5)
    renew_allowance(t, 0.0, 64, False)
    step(t)
    assert m.drawn == (["........", "11333..."] if moves else ["11......", "..333..."])
    assert planned_free(t, 1, 0.0, 150.0) == ([3, 3] if moves else [5, 5])
    assert planned_free(t, 0, 0.0, 150.0) == ([8, 8] if moves else [6, 6])
    assert t.plans.row[first] == int(moves)


def test_no_more_tasks_migrate_in_a_slice_than_may() -> None:
    m = Matrix([(3, 0), (4, 1)], rows=2)
    t = m.again()
    renew_allowance(t, 0.0, 2, False)
    migrate(t, 0.0, 10.0, False, False)
    assert m.drawn == ["111.....", "2222...."]
    t.matrix.allowance = 1
    renew_allowance(t, 50.0, 7, False)
    assert t.matrix.allowance == 1, "it is the same slice"
    renew_allowance(t, 100.0, 7, False)
    assert t.matrix.allowance == 7


def test_filling_moves_only_jobs_that_stand_in_one_row() -> None:
    m = Matrix([(2, 0), (2, 0), (1, 1), (1, 1), (1, 1), (1, 1)], columns=4)
    m.end(4)
    m.end(6)
    t = m.again()
    renew_allowance(t, 0.0, 64, False)
    fill(t)
    assert m.drawn == ["1122", "3.5."]
    fill_migrating(t, 0.0, 0.0, False, False)
    assert m.drawn == ["1122", "1153"]
