"""Buckets of calls."""

import pytest

from molokini.server.security import rates
from molokini.server.security.rates import Rates
from tests.server.security.kit import Clock


def test_a_burst_then_the_rate() -> None:
    clock = Clock(0.0)
    bucket = Rates(10.0, 5.0, clock)
    passed = 0
    for tenth_ms in range(100_000):
        clock.now_s = tenth_ms / 10_000
        passed += bucket.take("a") == 0.0
    assert passed == 5 + 99


def test_ten_thousand_guesses_pass_at_the_rate_alone() -> None:
    clock = Clock(0.0)
    bucket = Rates(5.0, 5.0, clock)
    assert sum(bucket.take("127.0.0.1") == 0.0 for _ in range(10_000)) == 5


def test_the_wait_that_is_named_is_enough_and_not_too_much() -> None:
    clock = Clock(0.0)
    bucket = Rates(4.0, 1.0, clock)
    assert bucket.take("a") == 0.0
    wait_s = bucket.take("a")
    assert wait_s == 0.25
    clock.now_s += wait_s - 0.001
    assert bucket.take("a") > 0
    clock.now_s += 0.001
    assert bucket.take("a") == 0.0


def test_names_do_not_share_and_are_bounded() -> None:
    clock = Clock(0.0)
    bucket = Rates(1.0, 1.0, clock)
    assert bucket.take("a") == 0.0
    assert bucket.take("b") == 0.0
    for number in range(rates.MOST_NAMES + 100):
        bucket.take(f"n{number}")
    assert len(bucket._buckets) <= rates.MOST_NAMES


def test_limits_change() -> None:
    clock = Clock(0.0)
    bucket = Rates(1.0, 100.0, clock)
    bucket.take("a")
    bucket.change(1.0, 2.0)
    assert [bucket.take("a") == 0.0 for _ in range(3)] == [True, True, False]


def test_a_long_rest_saves_up_no_more_than_a_burst() -> None:
    clock = Clock(0.0)
    bucket = Rates(2.0, 3.0, clock)
    bucket.take("a")
    clock.now_s += 3600.0
    assert [bucket.take("a") == 0.0 for _ in range(5)] == [True, True, True, False, False]


def test_the_names_that_were_heard_of_last_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise a guesser who is limited is forgotten by calling on under many names."""
    monkeypatch.setattr(rates, "MOST_NAMES", 3)
    bucket = Rates(1.0, 1.0, Clock(0.0))
    assert bucket.take("a") == 0.0
    for name in ("b", "c", "d", "e", "f"):
        assert bucket.take(name) == 0.0
        assert bucket.take("a") > 0.0
    assert bucket.take("b") == 0.0
