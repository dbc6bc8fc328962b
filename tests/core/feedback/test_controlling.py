"""The controller: the share is the target always, the period alone is searched."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.feedback.controlling import MS, Control, Rules, rate_of
from molokini.feedback.edf import WHOLE
from molokini.feedback.searching import Search
from molokini.model.errors import BadValue, Conflict

PLAIN = Rules()


def test_a_rate_within_the_threshold_changes_nothing() -> None:
    control = Control.begun(PLAIN, 500_000)
    after = control.reported(475_000)
    assert (after.period, after.orders, after.within) == (200 * MS, 1, True)


def test_a_rate_too_far_off_shortens_the_period_whatever_its_sign() -> None:
    control = Control.begun(PLAIN, 500_000)
    for rate in (400_000, 600_000):
        after = control.reported(rate)
        assert (after.period, after.slice, after.orders) == (198 * MS, 99 * MS, 2)


def test_a_search_goes_back_to_the_first_period_and_is_given_up_after_one_sweep() -> None:
    control = Control.begun(Rules(step=50 * MS, settle=0), 500_000)
    periods = []
    while not control.is_stuck:
        control = control.reported(900_000)
        periods.append(control.period // MS)
    assert periods == [150, 100, 50, 200, 200]
    assert control.reported(910_000) == control
    assert control.reported(800_000).period == 150 * MS
    assert not control.aimed(300_000).is_stuck


def test_another_target_keeps_the_period_where_its_slice_is_long_enough() -> None:
    control = Control.begun(PLAIN, 500_000).reported(0)
    assert control.aimed(300_000).period == 198 * MS
    short = Control.begun(Rules(first_period=200 * MS, step=180 * MS), 500_000).reported(0)
    assert short.period == 20 * MS
    assert short.aimed(40_000).period == 200 * MS


def test_reports_after_an_order_are_not_judged_where_rules_say_so() -> None:
    control = Control.begun(Rules(settle=1), 500_000)
    assert control.reported(0).period == control.period
    assert control.reported(0).reported(0).period == 198 * MS


@pytest.mark.parametrize("search", list(Search))
@settings(max_examples=200)
@given(rates=st.lists(st.integers(0, 2 * WHOLE), max_size=120), target=st.integers(60_000, 900_000))
def test_whatever_is_reported(search: Search, rates: list[int], target: int) -> None:
    """S = U * P, and periods stay between the least and the first."""
    control = Control.begun(Rules(search=search), target)
    for rate in rates:
        control = control.reported(rate)
        assert control.slice == control.period * target // WHOLE
        assert PLAIN.least_period < control.period <= PLAIN.first_period
        assert control.slice > PLAIN.least_slice


@pytest.mark.parametrize(
    "rules",
    [
        Rules(threshold=0),
        Rules(first_period=10 * MS, least_period=10 * MS),
        Rules(step=0),
        Rules(step=191 * MS),
    ],
)
def test_rules_that_control_nothing(rules: Rules) -> None:
    with pytest.raises((BadValue, Conflict)):
        rules.check()


@pytest.mark.parametrize("target", [0, -1, 900_001, 5_000])
def test_targets_that_no_schedule_gives(target: int) -> None:
    PLAIN.check()
    with pytest.raises(BadValue, match="rate"):
        PLAIN.check_target(target, 900_000)


def test_a_rate_is_a_share_of_the_full_rate() -> None:
    assert rate_of(0.25, 0.5) == 500_000
