"""The availability profile against a list of one number a second."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.availability import profile
from molokini.model.machine import Machine
from molokini.tables.making import make_tables
from molokini.tables.tables import NEVER, Tables

P, HORIZON = 8, 60
plans = st.lists(st.tuples(st.integers(0, 25), st.integers(0, 15), st.integers(1, P)), max_size=12)


def drawn(intervals: list[tuple[int, int, int]]) -> tuple[Tables, list[int]]:
    """A profile with those of the intervals planned that fit, and the same second by second."""
    tables = make_tables(Machine.counted(P), rows=16)
    profile.clear_profile(tables, 0.0, P)
    seconds = [P] * HORIZON
    for start, length, width in intervals:
        if all(free >= width for free in seconds[start : start + length]):
            profile.plan(tables, float(start), float(start + length), width)
            seconds[start : start + length] = [free - width for free in seconds[start : start + length]]
    return tables, seconds


def read(tables: Tables, at: float) -> int:
    return int(tables.profile.free[profile.segment_at(tables, at)])


def first_fit(seconds: list[int], width: int, length: int, now: int) -> float:
    for at in range(now, HORIZON - length):
        if min(seconds[at : at + max(length, 1)]) >= width:
            return float(at)
    return NEVER


@given(intervals=plans)
@settings(max_examples=200, deadline=None)
def test_the_profile_is_what_was_planned(intervals: list[tuple[int, int, int]]) -> None:
    tables, seconds = drawn(intervals)
    assert [read(tables, at) for at in range(HORIZON)] == seconds
    first, last = tables.profile.first, tables.profile.last
    assert (np.diff(tables.profile.time_s[first:last]) > 0).all()
    assert (np.diff(tables.profile.free[first:last]) != 0).all(), "neighbours differ"


@given(intervals=plans, most=st.integers(-2, P), begin=st.integers(0, 30), length=st.integers(0, 12))
@settings(max_examples=200, deadline=None)
def test_no_more_than_so_many_stay_free(
    intervals: list[tuple[int, int, int]], most: int, begin: int, length: int
) -> None:
    tables, seconds = drawn(intervals)
    profile.keep_at_most(tables, begin, begin + length, most)
    kept = [min(free, most) if begin <= at < begin + length else free for at, free in enumerate(seconds)]
    assert [read(tables, at) for at in range(HORIZON)] == kept
    first, last = tables.profile.first, tables.profile.last
    assert (np.diff(tables.profile.free[first:last]) != 0).all(), "neighbours differ"


@given(intervals=plans, width=st.integers(1, P), length=st.integers(0, 12), now=st.integers(0, 30))
@settings(max_examples=300, deadline=None)
def test_what_a_profile_says(
    intervals: list[tuple[int, int, int]], width: int, length: int, now: int
) -> None:
    tables, seconds = drawn(intervals)
    assert profile.earliest(tables, width, length, now) == first_fit(seconds, width, length, now)
    fitting = min(seconds[now : now + max(length, 1)]) >= width
    assert profile.fits(tables, width, length, now) == fitting
    assert profile.most_free(tables, now, now + length + 1) == max(seconds[now : now + length + 1])
    profile.forget_past(tables, now)
    assert [read(tables, at) for at in range(now, HORIZON)] == seconds[now:]


@given(intervals=plans, width=st.integers(1, P), length=st.integers(1, 12), limit=st.integers(1, 60))
@settings(max_examples=300, deadline=None)
def test_an_earlier_start_as_if_taken_out_and_put_back(
    intervals: list[tuple[int, int, int]], width: int, length: int, limit: int
) -> None:
    tables, seconds = drawn(intervals)
    best = first_fit(seconds, width, length, 0)
    start = next(
        (at for at in range(HORIZON - length - 1, -1, -1) if min(seconds[at : at + length]) >= width), None
    )
    if start is None:
        return
    profile.plan(tables, float(start), float(start + length), width)
    found = profile.earlier(tables, width, length, 0.0, float(start), float(limit))
    assert found == (best if best < limit else start)


@given(intervals=plans)
@settings(max_examples=100, deadline=None)
def test_giving_back_undoes_planning(intervals: list[tuple[int, int, int]]) -> None:
    tables, seconds = drawn(intervals)
    for start, length, width in intervals:
        profile.plan(tables, float(start), float(start + length), -width)
        profile.plan(tables, float(start), float(start + length), width)
    assert [read(tables, at) for at in range(HORIZON)] == seconds
