"""Instants in words."""

import pytest

from molokini.model.instants import instant, is_calendar, seconds_text


@pytest.mark.parametrize(
    ("value_s", "text"),
    [
        (0.0, "0 s"),
        (3700.125, "3700.125 s"),
        (0.12345, "0.123 s"),
        (999_999_999.0, "999999999 s"),
        (1e9, "2001-09-09 01:46:40Z"),
        (1_795_132_800.9, "2026-11-20 00:00:00Z"),
        (9_999_999_999.0, "2286-11-20 17:46:39Z"),
        (1e10, "10000000000 s"),
    ],
)
def test_a_clock_goes_by_the_calendar_between_two_bounds(value_s: float, text: str) -> None:
    assert instant(value_s) == text
    assert is_calendar(value_s) == text.endswith("Z")


def test_a_second_of_a_clock_that_begins_at_0_is_one_however_far_it_has_come() -> None:
    assert seconds_text(1e9) == "1000000000 s"
