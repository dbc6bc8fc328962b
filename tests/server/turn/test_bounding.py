"""The bound of a pass: who returns in time is let alone, who does not is interrupted, or given up."""

import threading
import time

import pytest

from molokini.server.turn.bounding import PassBound, PassTooLong
from tests.kit.waiting import DEADLINE_S


def never(origin: str) -> None:
    raise AssertionError(origin)


def spin(until: threading.Event) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not until.is_set() and time.monotonic() < deadline:
        pass


def nothing_left_to_strike(before: set[threading.Thread]) -> None:
    """Wait until every timer that was started since *before* has struck or was called off."""
    deadline = time.monotonic() + DEADLINE_S
    while left := set(threading.enumerate()) - before:
        assert time.monotonic() < deadline, left
        time.sleep(0.001)


def test_who_does_not_return_is_interrupted() -> None:
    over, before = threading.Event(), set(threading.enumerate())
    struck_late: list[bool] = []

    def give_up(origin: str) -> None:
        # On a busy machine the interruption may be heeded late, which is no error; after the end it is one.
        struck_late.append(over.is_set())

    for _ in range(5):
        over.clear()
        with pytest.raises(PassTooLong), PassBound(0.01, give_up).over("mine"):
            spin(threading.Event())
        over.set()
        nothing_left_to_strike(before)
    assert True not in struck_late


def test_who_has_come_back_is_not_given_up_by_a_timer_that_is_late() -> None:
    given_up: list[str] = []
    bound = PassBound(DEADLINE_S, given_up.append)
    watched = bound.over("mine")
    with watched:
        pass
    # The timer has gone off before it was called off, and its thread gets to run only now.
    watched._interrupt()
    watched._give_up()
    assert given_up == []


def test_who_returns_in_time_is_let_alone_afterwards() -> None:
    bound, before = PassBound(2 * DEADLINE_S, never), set(threading.enumerate())
    for _ in range(20):
        with bound.over("mine"):
            pass
    # Each timer is called off, so nothing is left that could strike.
    nothing_left_to_strike(before)


def test_an_error_of_the_pass_is_its_own() -> None:
    with pytest.raises(ZeroDivisionError), PassBound(10.0, never).over("mine"):
        raise ZeroDivisionError


def test_who_does_not_heed_the_interruption_is_given_up() -> None:
    given_up: list[str] = []
    told = threading.Event()

    def give_up(origin: str) -> None:
        given_up.append(origin)
        told.set()

    with PassBound(0.01, give_up).over("mine"):
        try:
            spin(threading.Event())
        except PassTooLong:
            spin(told)
    assert given_up == ["mine"]
