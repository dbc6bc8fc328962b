"""Calendars against the standard library's, and those that never match."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.model.calendars import DAY_S, DAYS, WEEK_S, Calendar, Period, Window
from molokini.model.errors import BadValue

INSTANTS = st.integers(0, 4_000_000_000).map(float)
MONDAY_S = 1_700_438_400.0
"""2023-11-20 00:00 UTC, a Monday."""


def test_a_day_of_the_week_at_its_hours() -> None:
    office = Calendar(days=frozenset({"Mon", "Fri"}), start_s=8 * 3600, end_s=17 * 3600)
    found = office.next_windows(MONDAY_S + 9 * 3600, 3)
    assert [one.start_s - MONDAY_S for one in found] == [8 * 3600, 4 * DAY_S + 8 * 3600, WEEK_S + 8 * 3600]
    assert found[0].end_s - found[0].start_s == 9 * 3600
    assert office.next_windows(MONDAY_S + 17 * 3600, 1)[0].start_s == MONDAY_S + 4 * DAY_S + 8 * 3600


def test_a_week_begins_on_monday() -> None:
    nights = Calendar(Period.WEEK, start_s=2 * DAY_S, end_s=2.5 * DAY_S)
    assert nights.next_windows(MONDAY_S, 2) == [
        Window(MONDAY_S + 2 * DAY_S, MONDAY_S + 2.5 * DAY_S),
        Window(MONDAY_S + 9 * DAY_S, MONDAY_S + 9.5 * DAY_S),
    ]


def test_for_ever_is_one_window() -> None:
    assert Calendar(Period.INFINITY).next_windows(5.0, 3) == [Window(0.0, float("inf"))]


def test_midnight_is_where_the_zone_says() -> None:
    east = Calendar(zone_s=3600.0)
    assert east.next_windows(MONDAY_S, 1)[0].start_s == MONDAY_S - 3600
    assert Calendar(days=frozenset({"Sun"}), zone_s=-3600.0).next_windows(MONDAY_S, 1) == [
        Window(MONDAY_S - DAY_S + 3600, MONDAY_S + 3600)
    ]


@given(INSTANTS, st.frozensets(st.sampled_from(DAYS), min_size=1), st.integers(0, 23), st.integers(1, 24))
def test_windows_are_on_their_days(now_s: float, days: frozenset[str], first_h: int, length_h: int) -> None:
    end_h = min(24, first_h + length_h)
    found = Calendar(days=days, start_s=first_h * 3600.0, end_s=end_h * 3600.0).next_windows(now_s, 9)
    assert all(one.end_s > now_s for one in found)
    assert found == sorted(found, key=lambda one: one.start_s)
    for one in found:
        start = datetime.fromtimestamp(one.start_s, UTC)
        assert start.strftime("%a") in days
        assert (start.hour, start.minute) == (first_h, 0)
    # None is left out: nine windows of a set of days span no more weeks than they must.
    assert found[-1].start_s - found[0].start_s <= (9 // len(days) + 1) * WEEK_S


@pytest.mark.parametrize(
    "wrong",
    [
        {"days": frozenset[str]()},
        {"days": frozenset({"Mo"})},
        {"start_s": 5.0, "end_s": 5.0},
        {"start_s": 20 * 3600.0, "end_s": 6 * 3600.0},
        {"end_s": DAY_S + 1},
        {"start_s": -1.0},
        {"period": Period.WEEK, "end_s": WEEK_S + 1},
    ],
)
def test_a_calendar_that_never_matches_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadValue):
        Calendar(**wrong)  # type: ignore[arg-type]
