"""The queue, the running rows and the heap of an order, against sorted lists."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.model.machine import Machine
from molokini.model.states import JobState
from molokini.shared import order
from molokini.tables import running, waiting
from molokini.tables.making import grow, make_tables
from molokini.tables.tables import Tables

ROWS = 16
keys = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=ROWS)


def tables_of(jobs: list[tuple[int, int, int]]) -> Tables:
    """Tables in which row r has the submit time, number and index of jobs[r]."""
    tables = make_tables(Machine.counted(8), rows=ROWS)
    for row, (submit, number, index) in enumerate(jobs):
        tables.jobs.submit_s[row], tables.jobs.number[row], tables.jobs.index[row] = submit, number, index
        tables.jobs.state[row] = JobState.WAITING
    return tables


def queue_of(tables: Tables) -> list[int]:
    return [int(row) for row in tables.queue.waiting[tables.queue.head : tables.queue.tail]]


@given(jobs=keys, data=st.data())
@settings(max_examples=150, deadline=None)
def test_the_queue_is_in_order_always(jobs: list[tuple[int, int, int]], data: st.DataObject) -> None:
    jobs = list(dict.fromkeys(jobs))
    tables, here = tables_of(jobs), set[int]()
    for _ in range(4):
        joining = data.draw(st.permutations([row for row in range(len(jobs)) if row not in here]))
        for row in joining[: data.draw(st.integers(0, len(joining)))]:
            tables.jobs.state[row] = JobState.WAITING
            waiting.join_queue(tables, row)
            here.add(row)
        assert queue_of(tables) == sorted(here, key=lambda row: jobs[row])
        leaving = data.draw(st.sets(st.sampled_from(sorted(here)))) if here else set()
        for row in leaving:
            tables.jobs.state[row] = JobState.RUNNING
            tables.queue.leaving += 1
        waiting.close_queue(tables)
        here -= leaving
        assert queue_of(tables) == sorted(here, key=lambda row: jobs[row])
        assert tables.queue.leaving == 0


@given(jobs=keys, data=st.data())
@settings(max_examples=150, deadline=None)
def test_a_heap_gives_rows_by_key_and_turn(jobs: list[tuple[int, int, int]], data: st.DataObject) -> None:
    jobs = list(dict.fromkeys(jobs))
    tables = tables_of(jobs)
    rows = data.draw(st.permutations(range(len(jobs))))
    tables.cycle.order[: len(rows)] = rows
    tables.cycle.order_key[: len(jobs)] = [data.draw(st.integers(0, 2)) for _ in jobs]
    order.build(tables, len(rows))
    taken = [order.take_first(tables, count) for count in range(len(rows), 0, -1)]
    assert taken == sorted(rows, key=lambda row: (tables.cycle.order_key[row], jobs[row]))


@given(halves=st.lists(st.integers(0, 60), min_size=1, max_size=60), now=st.integers(0, 30), data=st.data())
@settings(max_examples=150, deadline=None)
def test_running_rows_by_expected_end(halves: list[int], now: int, data: st.DataObject) -> None:
    """Who is overdue is expected a second from now: behind those who end within it, in the same order."""
    tables, ends = make_tables(Machine.counted(8), rows=64), [half / 2 for half in halves]
    for row, end in enumerate(ends):
        tables.jobs.expected_end_s[row], tables.jobs.estimate_s[row] = end, 100.0
        running.join_running(tables, row)
    here = set(range(len(ends)))
    for row in data.draw(st.sets(st.sampled_from(sorted(here)))):
        running.leave_running(tables, row)
        here.discard(row)
    running.sort_running(tables)
    before = tables.queue.running[: tables.queue.running_count].tolist()
    assert set(before) == here
    overdue = {row for row in here if ends[row] <= now}
    assert running.renew_overdue(tables, float(now)) == bool(overdue)
    after = [now + 1 if row in overdue else ends[row] for row in range(len(ends))]
    assert [tables.jobs.expected_end_s[row] for row in sorted(here)] == [after[row] for row in sorted(here)]
    rows = tables.queue.running[: tables.queue.running_count].tolist()
    assert rows == sorted(before, key=lambda row: after[row])


def test_suspended_rows_keep_their_order() -> None:
    tables = make_tables(Machine.counted(8), rows=8)
    for row in (3, 1, 4):
        running.join_suspended(tables, row)
    running.leave_suspended(tables, 1)
    assert tables.queue.suspended[: tables.queue.suspended_count].tolist() == [3, 4]


def test_tables_grow_with_their_contents() -> None:
    tables = make_tables(Machine.counted(8), [1.0, 2.0], rows=2)
    tables.jobs.number[:], tables.jobs.free_rows = [5, 6], 0
    grow(tables)
    assert tables.jobs.number.tolist() == [5, 6, 0, 0, 0, 0, 0, 0]
    assert tables.parameters.tolist() == [1.0, 2.0]
    assert (tables.jobs.start_s[2:] == np.inf).all()
    assert sorted(tables.jobs.free_row[: tables.jobs.free_rows].tolist()) == [2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("processors", [0, -1, 2**41])
def test_a_machine_has_processors(processors: int) -> None:
    from molokini.model.errors import BadValue

    with pytest.raises(BadValue):
        Machine.counted(processors)
    with pytest.raises(BadValue):
        Machine.of_nodes([])
