"""Work in rows of a matrix: closed forms against a walk from quantum to quantum."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.applications.rows import end_in_rows, how_many, rate_of, work_between

QUANTUM_S = 4.0


def lost(rows: int, count: int, switch: float, changed: int, k: int) -> float:
    """The part of slice *k*, one of *rows*, that the context switch takes."""
    return 0.0 if changed and rows >> (k - 1) % count & 1 else switch


def walked_work(rows: int, count: int, switch: float, changed: int, since_s: float, now: float) -> float:
    """Work from *since_s* to *now*, slice by slice."""
    done_s, k = 0.0, math.floor(since_s / QUANTUM_S)
    while k * QUANTUM_S < now:
        if rows >> k % count & 1:
            begin_s = max(since_s, (k + lost(rows, count, switch, changed, k)) * QUANTUM_S)
            done_s += max(0.0, min(now, (k + 1) * QUANTUM_S) - begin_s)
        k += 1
    return done_s


def walked_end(rows: int, count: int, switch: float, changed: int, now: float, left_s: float) -> float:
    """When *left_s* of work is done, slice by slice."""
    if left_s <= 0:
        return now
    k = math.floor(now / QUANTUM_S)
    while True:
        if rows >> k % count & 1:
            begin_s = max(now, (k + lost(rows, count, switch, changed, k)) * QUANTUM_S)
            there_s = max(0.0, (k + 1) * QUANTUM_S - begin_s)
            if left_s <= there_s + 1e-9:
                return begin_s + min(left_s, there_s)
            left_s -= there_s
        k += 1


@st.composite
def places(draw: st.DrawFn) -> tuple[int, int]:
    """Some rows of several, and how many there are."""
    count = draw(st.integers(2, 6))
    return draw(st.integers(1, (1 << count) - 1)), count


switches = st.tuples(st.sampled_from([0.0, 0.25, 0.5]), st.sampled_from([0, 1]))
"""The part of a quantum that is lost, and whether it is lost only where another job ran before."""
instants = st.integers(0, 400).map(lambda eighths: eighths / 8)


@given(place=places(), switch=switches, since=instants, more=instants)
def test_work_on_the_grid_is_that_of_the_slices(
    place: tuple[int, int], switch: tuple[float, int], since: float, more: float
) -> None:
    rows, count = place
    found = work_between(rows, count, QUANTUM_S, *switch, 1, since, since + more)
    assert found == pytest.approx(walked_work(rows, count, *switch, since, since + more), abs=1e-9)


@given(place=places(), switch=switches, now=instants, left=instants)
def test_ends_on_the_grid_are_those_of_the_slices(
    place: tuple[int, int], switch: tuple[float, int], now: float, left: float
) -> None:
    rows, count = place
    found = end_in_rows(rows, count, QUANTUM_S, *switch, 1, now, left)
    assert found == pytest.approx(walked_end(rows, count, *switch, now, left), abs=1e-6)
    assert work_between(rows, count, QUANTUM_S, *switch, 1, now, found) == pytest.approx(left, abs=1e-6)


@given(place=places(), switch=switches, cycles=st.integers(1, 9), first=st.integers(0, 5))
def test_over_whole_cycles_both_ways_to_count_agree(
    place: tuple[int, int], switch: tuple[float, int], cycles: int, first: int
) -> None:
    rows, count = place
    since = first * count * QUANTUM_S
    now = since + cycles * count * QUANTUM_S
    even, exact = (work_between(rows, count, QUANTUM_S, *switch, one, since, now) for one in (0, 1))
    assert even == pytest.approx(exact)


@given(place=places(), now=instants, more=instants)
def test_the_two_ways_differ_by_less_than_a_quantum_a_row(
    place: tuple[int, int], now: float, more: float
) -> None:
    rows, count = place
    even, exact = (work_between(rows, count, QUANTUM_S, 0.0, 0, one, now, now + more) for one in (0, 1))
    assert abs(even - exact) <= QUANTUM_S * how_many(rows) + 1e-9


def test_one_row_never_switches() -> None:
    assert rate_of(1, 1, 0.5, 0) == 1.0
    for exact in (0, 1):
        assert end_in_rows(1, 1, QUANTUM_S, 0.5, 0, exact, 3.0, 7.0) == 10.0


def test_rates() -> None:
    assert rate_of(0b1, 4, 0.0, 0) == 0.25
    assert rate_of(0b1011, 4, 0.0, 0) == 0.75
    assert rate_of(0b11, 2, 0.0, 0) == 1.0
    assert rate_of(0b11, 2, 0.05, 0) == 0.95


def test_rates_where_a_job_that_goes_on_in_the_next_row_loses_nothing() -> None:
    assert rate_of(0b0001, 4, 0.5, 1) == 0.125
    assert rate_of(0b0011, 4, 0.5, 1) == 0.375
    assert rate_of(0b0101, 4, 0.5, 1) == 0.25
    # Row 0 comes after row 3.
    assert rate_of(0b1001, 4, 0.5, 1) == 0.375
    assert rate_of(0b1111, 4, 0.5, 1) == 1.0


def test_a_rounding_error_costs_no_further_cycle() -> None:
    assert end_in_rows(0b01, 2, QUANTUM_S, 0.0, 0, 1, 0.0, 8.0 + 1e-12) == 12.0
