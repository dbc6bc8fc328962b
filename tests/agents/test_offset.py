"""The offset of an agent's clock from the server's: the best answer is believed, and not by too much."""

from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.agents.offset import QUICK, QUICK_S, ClockOffset

WAYS = st.lists(st.tuples(st.floats(0.0, 0.5), st.floats(0.0, 0.5)), min_size=1, max_size=20)
"""How long heartbeats and their answers are under way."""


@given(st.floats(-1e6, 1e6), WAYS)
def test_the_offset_is_no_more_unsure_than_it_says(ahead_s: float, ways: list[tuple[float, float]]) -> None:
    """The agent's clock is *ahead_s* of the server's; both run alike."""
    offset, now_s, unsure_s = ClockOffset(), 1000.0, inf
    for there_s, back_s in ways:
        offset.asked()
        offset.heard(now_s, now_s + there_s - ahead_s, now_s + there_s + back_s)
        now_s += 1.0
        assert abs(offset.own_s(0.0) - ahead_s) <= offset.unsure_s(now_s) + 1e-6
        # It gets worse by drifting alone.
        assert offset.unsure_s(now_s) <= min(unsure_s, (there_s + back_s) / 2) + 2e-4
        unsure_s = offset.unsure_s(now_s)


def test_bounds_are_taken_together_until_they_are_old() -> None:
    offset, moves = ClockOffset(), list[float]()
    offset.watch(lambda: moves.append(offset.own_s(0.0)))
    offset.heard(10.0, 0.0, 10.2)
    offset.heard(11.0, 1.0, 11.01)
    offset.heard(12.0, 2.0, 12.1)
    # The third says no more than that the clocks cannot have drifted down.
    assert moves == pytest.approx([10.1, 10.005, 10.005], abs=5e-5)
    # After so long the clocks may have drifted apart by more than another answer may be wrong.
    offset.heard(2011.0, 2001.1, 2011.1)
    assert offset.own_s(0.0) == pytest.approx(9.95, abs=5e-5)


def test_a_new_connection_is_measured_anew() -> None:
    offset = ClockOffset()
    offset.begin()
    assert not offset.known
    offset.heard(10.0, 0.0, 10.001)
    assert offset.known
    offset.begin()
    assert (offset.known, offset.own_s(0.0)) == (False, pytest.approx(10.0005))
    offset.heard(20.0, 0.0, 20.4)
    assert (offset.known, offset.own_s(0.0)) == (True, pytest.approx(20.2))


def test_the_first_heartbeats_follow_each_other_quickly() -> None:
    offset = ClockOffset()
    assert offset.every_s == inf
    offset.begin()
    for _ in range(QUICK):
        assert offset.every_s == QUICK_S
        offset.asked()
    assert offset.every_s == inf


def test_ways_that_differ_bound_the_offset_from_either_side() -> None:
    """Each answer alone would be wrong by 50 ms."""
    offset = ClockOffset()
    offset.heard(10.0, 0.1, 10.1)
    offset.heard(11.0, 1.0, 11.1)
    assert offset.own_s(0.0) == pytest.approx(10.0, abs=5e-5)
    assert offset.unsure_s(11.1) < 1e-4


def test_bounds_that_exclude_each_other_leave_the_later_ones() -> None:
    offset = ClockOffset()
    offset.heard(10.0, 0.0, 10.002)
    offset.heard(20.0, 9.0, 20.004)
    assert (offset.own_s(0.0), offset.unsure_s(20.004)) == pytest.approx((11.002, 0.002))


def test_on_the_servers_machine_there_is_no_offset() -> None:
    offset, moves = ClockOffset("boot/1"), list[float]()
    offset.watch(lambda: moves.append(offset.own_s(0.0)))
    offset.heard(10.0, 9.0, 10.5, "boot/2")
    offset.heard(11.0, 11.2, 11.3, "boot/1")
    offset.heard(12.0, 11.0, 12.1, "boot/1")
    assert moves == [pytest.approx(1.25), 0.0]
    assert offset.unsure_s(1e6) == 0.0
    offset.begin()
    offset.heard(20.0, 0.0, 20.4, "")
    assert offset.own_s(0.0) == pytest.approx(20.2)
    unknown = ClockOffset()
    unknown.heard(10.0, 0.0, 10.2, "")
    assert unknown.own_s(0.0) == pytest.approx(10.1)


def test_an_answer_to_what_was_not_yet_asked_is_none() -> None:
    """It would pass for the best one for ever."""
    offset = ClockOffset()
    offset.heard(11.0, 0.0, 10.0)
    assert not offset.known
    offset.heard(20.0, 0.0, 20.0)
    assert (offset.own_s(0.0), offset.unsure_s(20.0)) == (20.0, 0.0)
