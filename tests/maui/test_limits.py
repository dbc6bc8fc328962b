"""Limits of two strengths, and targets with their signs."""

import pytest

from molokini.maui.limits import Limit, Target, read_limit, read_target, write_limit
from molokini.policies.maui.configuration.words import TargetKind


@pytest.mark.parametrize(
    ("text", "limit"), [("4", Limit(4, 4)), ("3,4", Limit(3, 4)), ("3, 0", Limit(3, 0)), ("0", Limit(0, 0))]
)
def test_a_limit_is_hard_or_soft_and_hard(text: str, limit: Limit) -> None:
    found = read_limit(text, float)
    assert found == limit
    assert bool(found) == (text != "0")
    assert write_limit(limit, lambda one: f"{one:g}") == text.replace(" ", "")


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("1,2,3", "more than two"),
        ("5,4", "5 is above hard limit 4"),
        ("0,4", r"none \(0\)"),
        ("-1", "or more"),
    ],
)
def test_what_is_no_limit_is_refused(text: str, cause: str) -> None:
    with pytest.raises(ValueError, match=cause):
        read_limit(text, float)


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("50", Target(50)),
        ("10.0-", Target(10, TargetKind.CEILING)),
        (".5+", Target(0.5, TargetKind.FLOOR)),
        ("15%", Target(15, TargetKind.CAP)),
        ("15~", Target(15, TargetKind.CAP)),
        ("7200^", Target(7200, TargetKind.ABSOLUTE_CAP)),
    ],
)
def test_the_sign_behind_a_target_says_what_it_does(text: str, target: Target) -> None:
    assert read_target(text) == target


@pytest.mark.parametrize(
    ("text", "cause"),
    [("150", "more than 100"), ("50!", "not a target"), ("", "not a"), ("-5", "not a"), ("\u0661", "not a")],
)
def test_what_is_no_target_is_refused(text: str, cause: str) -> None:
    with pytest.raises(ValueError, match=cause):
        read_target(text)
