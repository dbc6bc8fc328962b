"""Fields as text: each way to write a number, an instant, a duration or a size, and its edges."""

from collections.abc import Callable
from datetime import UTC
from typing import Any

import pytest

from molokini.accounting.fields import BadField, duration_s, moment, real, shown, size_kb, whole

LARGEST = 2**53


@pytest.mark.parametrize(
    ("text", "message"), [("x" * 40, repr("x" * 40)), ("x" * 41, repr("x" * 40 + "..."))]
)
def test_a_message_repeats_forty_characters_and_no_more(text: str, message: str) -> None:
    assert shown(text) == message


@pytest.mark.parametrize(
    ("read", "text", "value"),
    [
        (whole, "-7", -7),
        (whole, str(LARGEST), LARGEST),
        (whole, str(-LARGEST), -LARGEST),
        (real, "-1.5", -1.5),
        (real, "3.", 3.0),
        (duration_s, "02:03", 123.0),
        (duration_s, "01:02:03", 3723.0),
        (duration_s, "2-01:02:03", 2 * 86400 + 3723.0),
        (duration_s, "00:01.25", 1.25),
        (duration_s, "100:00:00", 360000.0),
        (duration_s, "2-03", 51 * 3600.0),
        (duration_s, "2-03:04", 51 * 3600.0 + 240.0),
        (duration_s, "90", 90.0),
        (duration_s, "90.5", 90.5),
        (size_kb, "2gb", 2 << 20),
        (size_kb, "3MiB", 3 << 10),
        (size_kb, "1024K", 1024),
        (size_kb, "1t", 1 << 30),
        (size_kb, "1p", 1 << 40),
        (size_kb, "2048", 2),
        (size_kb, "128w", 1),
        (size_kb, "3kw", 24),
        # To the nearest, and a half up.
        (size_kb, "511b", 0),
        (size_kb, "512b", 1),
        (size_kb, "1.5k", 2),
    ],
)
def test_a_field_says_what_it_says(read: Callable[[str, str], float], text: str, value: float) -> None:
    assert read("field", text) == value


@pytest.mark.parametrize(
    ("text", "size"), [("4", 4 << 10), ("2048b", 2), ("256w", 2), ("4k", 4), ("1g", 1 << 20)]
)
def test_the_unit_of_a_column_is_for_sizes_without_one(text: str, size: int) -> None:
    assert size_kb("field", text, "m") == size


@pytest.mark.parametrize(
    ("read", "text", "reason"),
    [
        (whole, str(LARGEST + 1), "out_of_range"),
        (whole, str(-LARGEST - 1), "out_of_range"),
        (whole, "1.0", "not_a_number"),
        (whole, "1_000", "not_a_number"),
        (whole, "٣", "not_a_number"),
        (whole, "", "not_a_number"),
        (real, "nan", "not_a_number"),
        (real, "1e3", "not_a_number"),
        (real, "9007199254740994", "out_of_range"),
        (duration_s, "-5", "not_a_number"),
        (duration_s, "1:2", "not_a_number"),
        (duration_s, "2-", "not_a_number"),
        (duration_s, "an hour", "not_a_number"),
        (size_kb, "4 kb", "not_a_number"),
        (size_kb, "-4kb", "not_a_number"),
        (size_kb, "4x", "not_a_number"),
        (size_kb, "9999999999p", "out_of_range"),
    ],
)
def test_what_is_none_is_refused(read: Callable[[str, str], Any], text: str, reason: str) -> None:
    with pytest.raises(BadField, match=r"^field: ") as refused:
        read("field", text)
    assert refused.value.reason == reason


@pytest.mark.parametrize(("at_s", "year"), [(-1e15, 1), (0.0, 1970), (1e15, 9999)])
def test_instants_beyond_the_calendar_stay_on_it(at_s: float, year: int) -> None:
    assert moment(at_s, UTC).year == year
