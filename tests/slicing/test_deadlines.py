"""Jobs that share cores by deadline: the schedule of each core."""

import time
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.slicing.deadlines import Turn, Turns

MS = 1_000_000


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Now, which a test sets."""
    now = [0]
    monkeypatch.setattr(time, "monotonic_ns", lambda: now[0])
    return now


def pieces(turns: Turns, name: str, until: int, base: int = 0) -> list[tuple[int, int]]:
    found, at = [], 0
    while at < until:
        begins, ends = turns.window(name, base + at)
        at = ends - base
        found.append((begins - base, at))
    return found


def test_the_one_whose_period_ends_first_goes_first(clock: list[int]) -> None:
    turns = Turns()
    turns.put("long", 100, 50, 0, [0], 0)
    turns.put("short", 40, 16, 0, [0], 0)
    assert pieces(turns, "short", 120)[:3] == [(0, 16), (40, 56), (82, 98)]
    assert pieces(turns, "long", 100)[:2] == [(16, 40), (56, 82)]


def test_other_cores_are_others_turns(clock: list[int]) -> None:
    turns = Turns()
    turns.put("a", 100, 50, 0, [0], 0)
    turns.put("b", 100, 50, 0, [1], 0)
    assert turns.is_alone("a")
    assert turns.window("a", 0) == turns.window("b", 0) == (0, 50)
    turns.put("both", 100, 30, 0, [0, 1], 0)
    assert not turns.is_alone("a")
    assert turns.window("both", 0) == (50, 80)


def test_another_pair_is_in_force_at_once(clock: list[int]) -> None:
    turns = Turns()
    made = Turn(turns, "a", 100 * MS, 50 * MS, 0, [0])
    assert made.window(0) == (0, 50 * MS)
    clock[0] = 210 * MS
    again = Turn(turns, "a", 80 * MS, 20 * MS, 205 * MS, [0])
    assert again.window(210 * MS) == (210 * MS, 230 * MS)
    assert again.window(240 * MS) == (285 * MS, 305 * MS)
    assert again.cycle(290 * MS) == 1


def test_a_grid_that_moves_hands_out_no_second_slice(clock: list[int]) -> None:
    """The offset of the server's clock is known better now and then; the slice of the period stays one."""
    turns = Turns()
    made = Turn(turns, "a", 100 * MS, 50 * MS, 0, [0])
    assert made.window(0) == (0, 50 * MS)
    clock[0] = 30 * MS
    made.origin = MS
    assert made.window(30 * MS) == (0, 50 * MS)
    assert made.window(60 * MS) == (101 * MS, 151 * MS)
    # Where the shift begins the next period, its slice is due.
    clock[0] = 199 * MS
    made.origin = -2 * MS
    assert made.window(199 * MS) == (199 * MS, 249 * MS)


def test_who_goes_leaves_its_time_to_nobody_or_the_next(clock: list[int]) -> None:
    turns = Turns()
    turns.put("a", 100, 60, 0, [0], 0)
    turns.put("b", 100, 40, 0, [0], 0)
    assert turns.window("b", 0) == (60, 100)
    clock[0] = 110
    turns.remove("a", 110)
    assert turns.window("b", 110) == (110, 150)


@settings(max_examples=200)
@given(st.lists(st.tuples(st.integers(10, 200), st.integers(1, 100)), min_size=1, max_size=4))
def test_every_slice_is_had_in_its_period_where_shares_are_one_at_most(pairs: list[tuple[int, int]]) -> None:
    turns = Turns()
    # Shares that are one together: each gets its part of the period.
    whole = sum(part for _, part in pairs)
    tasks = [(1000 * period, max(1, 1000 * period * part // whole - 1)) for period, part in pairs]
    # What is over is forgotten: these lie an hour ahead.
    base = time.monotonic_ns() + 3600 * 10**9
    for k, (period, slice_) in enumerate(tasks):
        turns.put(str(k), period, slice_, base, [0], base)
    until = 10 * max(period for period, _ in tasks)
    every = {k: pieces(turns, str(k), until, base) for k in range(len(tasks))}
    for k, (period, slice_) in enumerate(tasks):
        for start in range(0, until - period, period):
            had = sum(max(0, min(b, start + period) - max(a, start)) for a, b in every[k])
            assert had == slice_
    busy = sorted(piece for found in every.values() for piece in found)
    assert all(first[1] <= second[0] for first, second in pairwise(busy))
