"""What holds of all schedules in blocks of columns, whatever the jobs."""

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.sim.agenda import next_instant
from molokini.sim.replay import Replay
from molokini.tables.rows import rows_of
from molokini.tables.tables import Tables
from tests.kit.invariants import assert_sound
from tests.kit.matrix_rows import BLOCKS, columns_of, picture
from tests.kit.replays import ends, finished, outcome, prepared, starts
from tests.kit.workloads import Job, job_lists

pytestmark = pytest.mark.xdist_group("gang")
"""Where several processes run tests, one compiles this policy for all of these."""

PROCESSORS = 8
LONGEST_S = 12.0
"""No job of these is longer."""
ALL_MEDIUM = {"alpha_m": 0.0, "alpha_l": 1.0, "longest_s": LONGEST_S}
"""But for jobs of estimate 0, which are short."""


@st.composite
def settings_of(draw: st.DrawFn) -> dict[str, Any]:
    """Classes, limits, and how slots are used."""
    alpha_m, alpha_l = sorted(draw(st.tuples(*[st.sampled_from([0.0, 0.15, 0.5, 0.8, 1.0])] * 2)))
    return {
        "longest_s": LONGEST_S,
        "alpha_m": alpha_m,
        "alpha_l": alpha_l,
        "k_m": draw(st.sampled_from([0, 1, 2, 6])),
        "k_l": draw(st.sampled_from([0, 1, 2])),
        "slots": draw(st.sampled_from([1, 3, 62, 100])),
        "repack": draw(st.sampled_from(["yes", "no"])),
        "several_slots": draw(st.sampled_from(["yes", "no"])),
        "backfill": draw(st.sampled_from(["skip", "none"])),
    }


def wide_as(width: int, jobs: list[Job]) -> list[Job]:
    """*jobs*, all of this width."""
    return [replace(job, width=width) for job in jobs]


def block_of(t: Tables, row: int) -> range:
    """The columns that a job keeps others from."""
    width = int(t.jobs.width[row])
    first = columns_of(t, row)[0]
    assert columns_of(t, row) == list(range(first, first + width))
    size = 1 << (width - 1).bit_length()
    assert first % size == 0, "a block is not aligned"
    return range(first, first + size)


def running(t: Tables) -> list[int]:
    """The rows of the jobs that run."""
    found: list[int] = t.queue.running[: t.queue.running_count].tolist()
    return found


def load_of(t: Tables, rows: list[int]) -> Counter[int]:
    """How many of these jobs have each column."""
    return Counter(column for row in rows for column in block_of(t, row))


def each_event(replay: Replay) -> Any:
    """The tables after each event of a replay that has not begun."""
    while not replay.run(next_instant(replay.agenda, replay.tables)):
        yield replay.tables


@given(jobs=job_lists(PROCESSORS), values=settings_of())
@settings(max_examples=100, deadline=None)
def test_there_are_as_many_slots_as_jobs_on_the_fullest_column(
    jobs: list[Job], values: dict[str, Any]
) -> None:
    for t in each_event(prepared(jobs, BLOCKS, PROCESSORS, {**values, "repack": "yes"})):
        most = max(load_of(t, running(t)).values(), default=0)
        assert {int(t.matrix.turns[row]) for row in running(t)} == ({most} if most else set())
        assert {int(t.matrix.home[row]) for row in running(t)} == set(range(most))


@given(jobs=job_lists(PROCESSORS), values=settings_of())
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


@given(jobs=job_lists(PROCESSORS), values=settings_of())
@settings(max_examples=60, deadline=None)
def test_no_column_has_more_jobs_of_a_class_than_may(jobs: list[Job], values: dict[str, Any]) -> None:
    for t in each_event(prepared(jobs, BLOCKS, PROCESSORS, values)):
        for alpha, most in ((values["alpha_m"], values["k_m"]), (values["alpha_l"], values["k_l"])):
            limited = [row for row in running(t) if t.jobs.estimate_s[row] > alpha * LONGEST_S]
            assert not most or max(load_of(t, limited).values(), default=0) <= most


@given(jobs=job_lists(PROCESSORS), values=settings_of())
@settings(max_examples=60, deadline=None)
def test_work_is_conserved(jobs: list[Job], values: dict[str, Any]) -> None:
    assert_sound(finished(jobs, BLOCKS, PROCESSORS, values), jobs)


@pytest.mark.parametrize("width", [1, 2, 4, 8])
@given(jobs=job_lists(PROCESSORS, shortest=1), long=st.booleans())
@settings(max_examples=40, deadline=None)
def test_blocks_of_one_size_and_one_job_on_each_are_counted_machines(
    width: int, jobs: list[Job], long: bool
) -> None:
    values = {**ALL_MEDIUM, "alpha_l": 0.5 if long else 1.0, "k_m": 1, "k_l": 1}
    one = finished(wide_as(width, jobs), BLOCKS, PROCESSORS, values)
    other = finished(wide_as(width, jobs), "fcfs", PROCESSORS)
    assert (starts(one), ends(one)) == (starts(other), ends(other))


@given(jobs=job_lists(PROCESSORS, refused=False))
@settings(max_examples=60, deadline=None)
def test_short_jobs_wait_for_nothing(jobs: list[Job]) -> None:
    values = {"alpha_m": 1.0, "alpha_l": 1.0, "longest_s": LONGEST_S, "k_m": 1, "k_l": 1}
    replay = finished(jobs, BLOCKS, PROCESSORS, values)
    assert starts(replay) == replay.workload.submit_s.tolist()


@given(jobs=job_lists(PROCESSORS, shortest=1), most=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_where_none_is_short_there_are_no_more_slots_than_jobs_may_share(jobs: list[Job], most: int) -> None:
    for t in each_event(prepared(jobs, BLOCKS, PROCESSORS, {**ALL_MEDIUM, "k_m": most})):
        assert all(t.matrix.turns[row] <= most for row in running(t))


@given(jobs=job_lists(PROCESSORS), values=settings_of())
@settings(max_examples=40, deadline=None)
def test_twice_all_times_is_twice_the_schedule(jobs: list[Job], values: dict[str, Any]) -> None:
    twice = [replace(job, submit=2 * job.submit, run=2 * job.run, estimate=2 * job.estimated) for job in jobs]
    one = finished(jobs, BLOCKS, PROCESSORS, values).schedule()
    other = finished(twice, BLOCKS, PROCESSORS, {**values, "longest_s": 2 * LONGEST_S}).schedule()
    assert (2 * one.start_s).tobytes() == other.start_s.tobytes()
    assert (2 * one.end_s).tobytes() == other.end_s.tobytes()


@given(jobs=job_lists(PROCESSORS, most=12), values=settings_of())
@settings(max_examples=30, deadline=None)
def test_compiled_and_interpreted_it_is_one_schedule(jobs: list[Job], values: dict[str, Any]) -> None:
    one = finished(jobs, BLOCKS, PROCESSORS, values)
    other = finished(jobs, BLOCKS, PROCESSORS, values, interpreted=True)
    assert outcome(one.schedule()) == outcome(other.schedule())
