"""What holds of all schedules in blocks of columns, whatever the jobs."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.tables.rows import rows_of
from tests.kit.blocks import (
    ALL_MEDIUM,
    LONGEST_S,
    PROCESSORS,
    block_of,
    block_settings,
    each_event,
    load_of,
    running,
)
from tests.kit.invariants import assert_sound
from tests.kit.matrix_rows import BLOCKS, picture
from tests.kit.replays import ends, finished, outcome, prepared, starts
from tests.kit.workloads import Job, job_lists

pytestmark = pytest.mark.xdist_group("gang")
"""Where several processes run tests, one compiles this policy for all of these."""


def wide_as(width: int, jobs: list[Job]) -> list[Job]:
    """*jobs*, all of this width."""
    return [replace(job, width=width) for job in jobs]


@given(jobs=job_lists(PROCESSORS), values=block_settings())
@settings(max_examples=100, deadline=None)
def test_slots_are_as_many_as_jobs_on_the_fullest_column(jobs: list[Job], values: dict[str, Any]) -> None:
    for t in each_event(prepared(jobs, BLOCKS, PROCESSORS, {**values, "repack": "yes"})):
        most = max(load_of(t, running(t)).values(), default=0)
        assert {int(t.matrix.turns[row]) for row in running(t)} == ({most} if most else set())
        assert {int(t.matrix.home[row]) for row in running(t)} == set(range(most))


@given(jobs=job_lists(PROCESSORS), values=block_settings())
@settings(max_examples=100, deadline=None)
def test_the_matrix_is_sound_at_every_event(jobs: list[Job], values: dict[str, Any]) -> None:
    replay, had = prepared(jobs, BLOCKS, PROCESSORS, values), dict[int, range]()
    for t in each_event(replay):
        picture(t)
        slots = max((int(t.matrix.turns[row]) for row in running(t)), default=0)
        assert slots <= values["slots"]
        assert t.matrix.held == len(running(t))
        blocks = {row: block_of(t, row) for row in running(t)}
        for row, block in blocks.items():
            assert had.setdefault(int(t.jobs.number[row]), block) == block, "a job has moved"
            rows = rows_of(t, row)
            assert rows >> int(t.matrix.home[row]) & 1
            assert rows < 1 << slots
            assert t.jobs.rate[row] == rows.bit_count() / slots
        taken = [
            {c for row, block in blocks.items() if rows_of(t, row) >> r & 1 for c in block}
            for r in range(slots)
        ]
        assert all(taken), "a slot is empty"
        for r, columns in enumerate(taken):
            inside = [len(blocks[row]) for row in blocks if rows_of(t, row) >> r & 1]
            assert sum(inside) == len(columns), "two blocks overlap"
            if values["several_slots"] == "yes":
                left_out = [row for row in blocks if not rows_of(t, row) >> r & 1]
                assert all(columns & {*blocks[row]} for row in left_out), "a copy is missing"
    assert replay.tables.matrix.held == 0
    assert not replay.tables.matrix.rows.any()
    assert not replay.tables.matrix.turns.any()


@given(jobs=job_lists(PROCESSORS), values=block_settings())
@settings(max_examples=60, deadline=None)
def test_work_is_conserved(jobs: list[Job], values: dict[str, Any]) -> None:
    assert_sound(finished(jobs, BLOCKS, PROCESSORS, values), jobs)


@pytest.mark.parametrize("width", [1, 2, 4, 8])
@given(jobs=job_lists(PROCESSORS, shortest=1), long=st.booleans())
@settings(max_examples=40, deadline=None)
def test_blocks_of_one_size_are_counted_machines(width: int, jobs: list[Job], long: bool) -> None:
    values = {**ALL_MEDIUM, "alpha_l": 0.5 if long else 1.0, "k_m": 1, "k_l": 1}
    one = finished(wide_as(width, jobs), BLOCKS, PROCESSORS, values)
    other = finished(wide_as(width, jobs), "fcfs", PROCESSORS)
    assert (starts(one), ends(one)) == (starts(other), ends(other))


@given(jobs=job_lists(PROCESSORS), values=block_settings())
@settings(max_examples=40, deadline=None)
def test_twice_all_times_is_twice_the_schedule(jobs: list[Job], values: dict[str, Any]) -> None:
    twice = [replace(job, submit=2 * job.submit, run=2 * job.run, estimate=2 * job.estimated) for job in jobs]
    one = finished(jobs, BLOCKS, PROCESSORS, values).schedule()
    other = finished(twice, BLOCKS, PROCESSORS, {**values, "longest_s": 2 * LONGEST_S}).schedule()
    assert (2 * one.start_s).tobytes() == other.start_s.tobytes()
    assert (2 * one.end_s).tobytes() == other.end_s.tobytes()


@given(jobs=job_lists(PROCESSORS, most=12), values=block_settings())
@settings(max_examples=30, deadline=None)
def test_compiled_and_interpreted_it_is_one_schedule(jobs: list[Job], values: dict[str, Any]) -> None:
    one = finished(jobs, BLOCKS, PROCESSORS, values)
    other = finished(jobs, BLOCKS, PROCESSORS, values, interpreted=True)
    assert outcome(one.schedule()) == outcome(other.schedule())
