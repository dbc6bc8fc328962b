"""Who stands where as a pass begins: what is kept of the last one, and which columns no job may have."""

import pytest

from molokini.cycle.cycle import begin_pass
from molokini.matrix.row_pass import adopt, find_away, forget_standing, put, take_up
from molokini.matrix.steps import clean, compact, fill
from molokini.model.machine import Machine, Node
from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.tables import transitions
from molokini.tables.making import make_tables
from molokini.tables.rows import open_matrix
from molokini.tables.tables import Tables
from tests.core.matrix.test_steps import Matrix
from tests.kit.matrix_rows import numbers_in
from tests.kit.policies import IN_ROWS
from tests.kit.replays import outcome, prepared
from tests.kit.workloads import Job

JOBS = [Job(k % 3, 9 + 5 * k % 11, 1 + 3 * k % 4) for k in range(14)]


@pytest.mark.parametrize("policy", IN_ROWS)
def test_a_plan_that_is_made_anew_relies_on_no_list_of_who_stands_there(policy: str) -> None:
    """Rows of the tables may have got other jobs: the rows in the list are not looked at."""
    one, other = prepared(JOBS, policy), prepared(JOBS, policy)
    for replay in (one, other):
        replay.run(until_s=3.0)
        replay.tables.cycle.replan = 1
    t = other.tables
    assert t.matrix.standing > 2
    t.matrix.ranked[: t.matrix.standing] = t.matrix.ranked[: t.matrix.standing][::-1].copy()
    assert one.run()
    assert other.run()
    assert outcome(other.schedule()) == outcome(one.schedule())


def opened(machine: Machine, rows: int = 2) -> Tables:
    """The tables of a machine with a matrix without any job."""
    t = make_tables(machine, rows=4)
    open_matrix(t, rows, 100.0, 0.0, False)
    return t


def away_of(t: Tables) -> list[int]:
    """The columns of processors that no job gets, without those behind the last processor."""
    found = numbers_in(t.matrix.away)
    last = int(t.machine.processors_in_all)
    assert [column for column in found if column >= last] == list(range(last, 62 * int(t.matrix.numbers)))
    return [column for column in found if column < last]


@pytest.mark.parametrize(
    ("drained", "lost", "away", "left", "drains"),
    [
        ((), (), [], 70, 0),
        ((0,), (), [0, 1], 68, 1),
        ((), (31,), [62, 63], 68, 0),
        ((30, 34), (0,), [0, 1, 60, 61, 68, 69], 64, 1),
    ],
)
def test_columns_of_drained_and_lost_nodes_are_no_jobs(
    drained: tuple[int, ...], lost: tuple[int, ...], away: list[int], left: int, drains: int
) -> None:
    t = opened(Machine.uniform(35, 2))
    for node in lost:
        transitions.lose_node(t, node)
    for node in drained:
        t.nodes.state[node] = NodeState.DRAINING
    # What is left of the pass before must not count.
    t.matrix.drains, t.matrix.away[:] = 1 - drains, 0b1110
    assert find_away(t) == left
    assert (away_of(t), int(t.matrix.drains)) == (away, drains)
    begin_pass(t, 0.0)
    take_up(t)
    assert t.matrix.free[:2].tolist() == [left] * 2


def test_where_processors_are_counted_the_last_columns_are_those_that_are_lost() -> None:
    t = opened(Machine.counted(70))
    transitions.change_processors(t, -9)
    assert find_away(t) == 61
    assert away_of(t) == list(range(61, 70))


def test_nodes_of_several_sizes_have_their_own_columns() -> None:
    sizes = (3, 1, 4)
    t = opened(Machine.of_nodes([Node({Resource.PROCESSORS: size}) for size in sizes]))
    t.nodes.state[1] = NodeState.DRAINING
    transitions.lose_node(t, 2)
    assert (find_away(t), away_of(t)) == (3, [3, 4, 5, 6, 7])


@pytest.mark.parametrize("column", ["start_s", "submit_s", "number", "index"])
def test_jobs_stand_in_the_order_of_start_submission_number_and_index(column: str) -> None:
    """Of which those before *column* are equal, and those behind it say the opposite."""
    columns = ["start_s", "submit_s", "number", "index"]
    m = Matrix([(1, 0)] * 4)
    place = columns.index(column)
    for k, row in enumerate(m.jobs):
        for name in columns[:place]:
            getattr(m.t.jobs, name)[row] = 7
        getattr(m.t.jobs, column)[row] = (2, 0, 3, 1)[k]
        for name in columns[place + 1 :]:
            getattr(m.t.jobs, name)[row] = (1, 3, 0, 2)[k]
    forget_standing(m.t)
    t = m.again()
    assert t.matrix.ranked[: t.matrix.standing].tolist() == [m.jobs[k] for k in (1, 3, 0, 2)]


def gone_on(m: Matrix, number: int) -> Tables:
    """The pass in which the job of this number, which was suspended, has to get a place again."""
    row = m.jobs[number - 1]
    transitions.suspend(m.t, row, 0.0)
    transitions.resume(m.t, row, 0.0, 1.0, False)
    t = m.again()
    assert t.matrix.standing == t.queue.running_count - 1
    return t


def test_a_job_that_goes_on_gets_its_columns_in_the_fullest_row_that_has_them() -> None:
    m = Matrix([(2, 0), (2, 1), (3, 1), (4, 2)], rows=3)
    m.end(2)
    adopt(gone_on(m, 1))
    assert m.drawn == ["........", "11333...", "4444...."]


def test_columns_of_an_attempt_before_are_not_those_of_this_one() -> None:
    m = Matrix([(2, 0), (3, 0)])
    m.end(1)
    t = gone_on(m, 2)
    t.jobs.start_s[m.jobs[1]] = 5.0
    adopt(t)
    assert m.drawn == ["222.....", "........"]


def test_a_job_that_gets_a_place_has_lost_nothing_yet() -> None:
    """Its row in the tables was another job's before."""
    m = Matrix([(2, 0)])
    t = m.again()
    (waiting,) = m.more(3)
    t.matrix.to_stall_s[waiting], t.matrix.to_turns[waiting], t.matrix.to_rows[waiting] = 4.0, 2, 0b10
    put(t, waiting, 0)
    found = t.matrix.to_stall_s[waiting], t.matrix.to_turns[waiting], t.matrix.to_rows[waiting]
    assert found == (0.0, 0, 0b1)


def test_a_home_row_that_alone_has_changed_is_kept() -> None:
    """It stands in both rows before and after; that of which the other is a copy has changed."""
    m = Matrix([(2, 0), (2, 1), (3, 1)])
    m.end(2)
    fill(m.again())
    m.decide()
    t = m.again()
    row = m.jobs[0]
    clean(t)
    compact(t, 0.0, False)
    fill(t)
    assert m.drawn == ["11333...", "11333..."]
    m.decide()
    assert (t.matrix.rows[row], t.matrix.home[row]) == (0b11, 1)
