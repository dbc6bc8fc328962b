"""What a specification may say at most: the last value that is taken, and the first that is not."""

from math import inf, nextafter
from typing import Any

import pytest

from molokini.model.errors import BadValue
from molokini.server.turn.asked import RUN_S
from molokini.server.turn.checks import Limits, all_in_order, check_numbers, check_texts, with_array

LIMITS = Limits(
    script_bytes=10,
    environment_bytes=30,
    environment_variables=3,
    array_elements=4,
    text_characters=5,
    most_estimate_s=50.0,
)
LAST_S = nextafter(2.0**43, 0.0)
LAST_INDEX = 2**31 - 1


def check(field: str, value: Any) -> None:
    spec: Any = {"estimate_s": 1.0, field: value}
    check_texts(spec, LIMITS)
    check_numbers(spec, LIMITS)
    with_array(spec, LIMITS)


@pytest.mark.parametrize(
    ("field", "last", "beyond"),
    [
        ("name", "n" * 5, "n" * 6),
        ("comment", "c" * 4096, "c" * 4097),
        ("submission_key", "k" * 128, "k" * 129),
        ("script", "\u00e9" * 5, "\u00e9" * 5 + "x"),
        ("environment", dict.fromkeys("abc", ""), dict.fromkeys("abcd", "")),
        ("environment", {"a": "x" * 27}, {"a": "x" * 28}),
        ("environment", {"a": "\u00e9" * 13 + "x"}, {"a": "\u00e9" * 14}),
        ("annotations", dict.fromkeys(map(str, range(64)), ""), dict.fromkeys(map(str, range(65)), "")),
        ("annotations", {"a" * 5: "\n"}, {"a" * 6: ""}),
        ("annotations", {"a": "x" * (2**16 - 1)}, {"a": "x" * 2**16}),
        ("annotations", {"a": ""}, {"": ""}),
        ("annotations", {"a b": ""}, {"a\n": ""}),
        ("annotations", {"a": "\n"}, {"a": "\0"}),
        ("mail_to", ["m"] * 100, ["m"] * 101),
        ("mail_events", ["m" * 5], ["m" * 6]),
        ("estimate_s", 50.0, nextafter(50.0, inf)),
        ("estimate_s", 5e-324, 0.0),
        ("begin_at_s", 0.0, -5e-324),
        ("begin_at_s", LAST_S, 2.0**43),
        ("deadline_s", 0.0, -5e-324),
        ("deadline_s", LAST_S, 2.0**43),
        ("user_priority", -1024, -1025),
        ("user_priority", 1023, 1024),
        ("outcome", {"run_s": 2.0**43}, {"run_s": nextafter(2.0**43, inf)}),
        ("outcome", {"node_dies_after_s": 2.0**43}, {"node_dies_after_s": nextafter(2.0**43, inf)}),
        ("outcome", {"exit_code": 255}, {"exit_code": 256}),
        ("outcome", {"exit_code": 0}, {"exit_code": -1}),
        ("outcome", {"signal": 64}, {"signal": 65}),
        ("outcome", {"memory_kb": 2**53}, {"memory_kb": 2**53 + 1}),
        ("array", {"first": 1, "last": 4}, {"first": 1, "last": 5}),
        ("array", {"first": 0, "last": 11, "step": 3}, {"first": 0, "last": 12, "step": 3}),
        ("array", {"first": 3, "last": 3}, {"first": 4, "last": 3}),
        ("array", {"first": 0, "last": 0}, {"first": -1, "last": 0}),
        ("array", {"first": 0, "last": 0, "step": 1}, {"first": 0, "last": 0, "step": -1}),
        ("array", {"first": LAST_INDEX, "last": LAST_INDEX}, {"first": LAST_INDEX, "last": LAST_INDEX + 1}),
        ("array", {"running_limit": LAST_INDEX}, {"running_limit": LAST_INDEX + 1}),
        ("array", {"running_limit": 0}, {"running_limit": -1}),
    ],
)
def test_the_last_value_is_taken_and_the_next_is_not(field: str, last: Any, beyond: Any) -> None:
    check(field, last)
    with pytest.raises(BadValue, match=f"^{field}"):
        check(field, beyond)


@pytest.mark.parametrize(
    ("field", "last", "beyond"),
    [
        ("name", "n" * 5, "n" * 6),
        ("comment", "c" * 4096, "c" * 4097),
        ("submission_key", "k" * 128, "k" * 129),
        ("script", "\u00e9" * 5, "\u00e9" * 5 + "x"),
        ("argv", ["x", ""], ["x", "\0"]),
        ("estimate_s", 50.0, nextafter(50.0, inf)),
        ("estimate_s", 5e-324, 0.0),
        (RUN_S, 2.0**43, nextafter(2.0**43, inf)),
        (RUN_S, 0.0, -5e-324),
    ],
)
def test_a_column_is_in_order_as_long_as_each_of_its_values_is(field: str, last: Any, beyond: Any) -> None:
    assert all_in_order(field, [last, last], LIMITS, LIMITS.most_estimate_s)
    assert not all_in_order(field, [last, beyond], LIMITS, LIMITS.most_estimate_s)
