"""What is charged, window by window, whenever anybody looks."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.machine import Machine
from molokini.tables import transitions
from molokini.tables.additions import add_credential
from molokini.tables.making import make_tables
from molokini.tables.tables import Tables
from molokini.tables.usage import (
    DEDICATED_PROCESSORS,
    UTILIZED_PROCESSORS,
    charge_as,
    past_usage,
    present_usage,
    settle,
)
from molokini.tables.waiting import close_queue

INTERVAL_S = 10.0


def tables(charging: int = DEDICATED_PROCESSORS) -> Tables:
    t = make_tables(Machine.counted(8))
    charge_as(t, charging, INTERVAL_S, 0.0)
    return t


def running(t: Tables, width: int, at_s: float, rate: float = 1.0) -> int:
    row = transitions.new_row(t)
    t.jobs.width[row], t.jobs.estimate_s[row] = width, 1e6
    transitions.submit(t, row)
    transitions.start(t, row, at_s, rate, True)
    close_queue(t)
    return row


def used(t: Tables, now: float, depth: int = 32, decay: float = 1.0) -> float:
    return present_usage(t, 0, now) + past_usage(t, 0, math.floor(now / INTERVAL_S), depth, decay)


def test_a_job_is_charged_from_its_start_to_its_end() -> None:
    t = tables()
    row = running(t, 3, 2.0)
    assert used(t, 2.0) == 0.0
    assert used(t, 7.0) == 15.0
    assert used(t, 27.0) == 75.0
    transitions.end(t, row, 27.0)
    assert t.usage.windows[0, :4].tolist() == [21.0, 30.0, 24.0, 0.0]
    assert t.usage.rate[0] == 0.0
    assert used(t, 1000.0, depth=7) == 0.0


def test_suspended_time_is_not_charged() -> None:
    t = tables()
    row = running(t, 2, 0.0)
    transitions.suspend(t, row, 4.0)
    assert used(t, 9.0) == 8.0
    transitions.resume(t, row, 12.0, 1.0, True)
    assert used(t, 13.0) == 10.0
    transitions.requeue(t, row, 15.0, False)
    assert used(t, 40.0) == 14.0


def test_what_is_shared_is_charged_by_what_is_used() -> None:
    t = tables(UTILIZED_PROCESSORS)
    row = running(t, 4, 0.0)
    transitions.set_share(t, row, 5.0, 0.25)
    assert used(t, 9.0) == 4 * 5 + 1 * 4


def test_effective_usage_of_eight_windows() -> None:
    """u_i * 0.75^i for i = 0..7, with one unit a window more than in the one after it."""
    t = tables()
    for window in range(8):
        # In window k a job of width 8 - k runs for one second.
        row = running(t, 8 - window, window * INTERVAL_S + 1)
        transitions.end(t, row, window * INTERVAL_S + 2)
    by_hand = 1 + 1.5 + 1.6875 + 1.6875 + 1.58203125 + 1.423828125 + 1.24584960937500 + 1.06787109375
    assert used(t, 79.0, depth=8, decay=0.75) == pytest.approx(by_hand, abs=1e-12)
    assert used(t, 79.0, depth=1, decay=0.75) == 1.0
    assert used(t, 80.0, depth=8, decay=0.75) == pytest.approx((by_hand - 1.06787109375) * 0.75, abs=1e-12)


@given(
    spans=st.lists(st.tuples(st.integers(1, 8), st.integers(0, 60), st.integers(0, 60)), max_size=6),
    looks=st.lists(st.integers(0, 120), max_size=8),
    depth=st.integers(1, 14),
    decay=st.sampled_from([1.0, 0.5, 0.75, 0.0]),
)
def test_the_charge_does_not_depend_on_who_looks_and_when(
    spans: list[tuple[int, int, int]], looks: list[int], depth: int, decay: float
) -> None:
    t = tables()
    events = [(at, 1, -1, 0) for at in looks]
    for number, (width, begin, length) in enumerate(spans):
        events += [(begin, 0, number, width), (begin + length, 2, number, width)]
    rows: dict[int, int] = {}
    for at, kind, number, width in sorted(events, key=lambda event: event[:2]):
        if kind == 0:
            rows[number] = running(t, width, at)
        elif kind == 2:
            transitions.end(t, rows[number], at)
        else:
            settle(t, 0, at)
    now, window = 125, 12
    by_hand = 0.0
    for k in range(depth):
        first, last = 10 * (window - k), 10 * (window - k + 1)
        for width, begin, length in spans:
            overlap = max(0, min(last, begin + length, now) - max(first, begin))
            by_hand += width * overlap * decay**k
    assert used(t, now, depth, decay) == pytest.approx(by_hand, abs=1e-9)


def test_another_charge_counts_from_then_on() -> None:
    t = tables(0)
    assert t.usage.charging == 0
    row = running(t, 2, 0.0)
    charge_as(t, DEDICATED_PROCESSORS, INTERVAL_S, 5.0)
    assert used(t, 9.0) == 8.0
    charge_as(t, 0, INTERVAL_S, 9.0)
    transitions.end(t, row, 20.0)
    assert t.usage.windows[0].sum() == 8.0


@pytest.mark.parametrize("windows", [1, 31, 32, 33, 34, 35, 100])
def test_after_a_long_time_without_a_look_each_window_holds_what_it_should(windows: int) -> None:
    """Three processors from 4 on: six seconds of the first window, and all of each later one."""
    t = tables()
    running(t, 3, 4.0)
    settle(t, 0, windows * INTERVAL_S + 7.0)
    by_hand = [21.0, *[30.0] * (windows - 1), 18.0, *[0.0] * 32][:32]
    assert t.usage.windows[0].tolist() == by_hand
    assert t.usage.settled_s[0] == windows * INTERVAL_S + 7.0


def test_windows_of_another_length_begin_empty_and_what_runs_is_charged_on() -> None:
    t = tables()
    row = running(t, 2, 0.0)
    transitions.end(t, running(t, 1, 0.0), 15.0)
    assert used(t, 15.0) == 45.0
    charge_as(t, DEDICATED_PROCESSORS, 7.0, 15.0)
    assert not t.usage.windows.any()
    assert present_usage(t, 0, 20.0) == 10.0
    transitions.end(t, row, 22.0)
    assert t.usage.windows[0, :3].tolist() == [2.0, 12.0, 0.0]
    assert t.usage.rate[0] == 0.0


def test_another_rule_in_windows_of_the_same_length_goes_on_from_what_was_charged() -> None:
    t = tables()
    row = running(t, 4, 0.0, 0.5)
    charge_as(t, UTILIZED_PROCESSORS, INTERVAL_S, 5.0)
    assert used(t, 9.0) == 4 * 5 + 2 * 4
    charge_as(t, UTILIZED_PROCESSORS, INTERVAL_S, 9.0)
    transitions.end(t, row, 12.0)
    assert t.usage.windows[0, :2].tolist() == [4.0, 30.0]


def test_of_credentials_only_that_of_the_job_is_charged_and_only_its_rate_changes() -> None:
    t = tables()
    other = add_credential(t, 7, -1, -1)
    first, second = running(t, 2, 0.0), running(t, 3, 1.0)
    transitions.end(t, first, 4.0)
    row = transitions.new_row(t)
    t.jobs.width[row], t.jobs.estimate_s[row], t.jobs.credential[row] = 1, 50.0, other
    transitions.submit(t, row)
    transitions.start(t, row, 5.0, 1.0, True)
    close_queue(t)
    assert t.usage.rate[[0, other]].tolist() == [3.0, 1.0]
    assert [present_usage(t, one, 9.0) for one in (0, other)] == [2 * 4 + 3 * 8, 4.0]
    transitions.cancel(t, second, 9.0)
    assert t.usage.rate[[0, other]].tolist() == [0.0, 1.0]
    assert present_usage(t, 0, 19.0) == 0.0
