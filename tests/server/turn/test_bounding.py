"""The bound of a pass: who returns in time is let alone, who does not is interrupted, or given up."""

import threading
import time

import pytest

from molokini.server.turn.bounding import PassBound, PassTooLong

DEADLINE_S = 30.0


def never(origin: str) -> None:
    raise AssertionError(origin)


def spin(until: threading.Event) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not until.is_set() and time.monotonic() < deadline:
        pass


def test_who_does_not_return_is_interrupted() -> None:
    with pytest.raises(PassTooLong), PassBound(0.01, never).over("mine"):
        spin(threading.Event())


def test_who_returns_in_time_is_let_alone_afterwards() -> None:
    bound, before = PassBound(2 * DEADLINE_S, never), set(threading.enumerate())
    for _ in range(20):
        with bound.over("mine"):
            pass
    deadline = time.monotonic() + DEADLINE_S
    # Each timer is called off, so nothing is left that could strike.
    while left := set(threading.enumerate()) - before:
        assert time.monotonic() < deadline, left
        time.sleep(0.001)


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
