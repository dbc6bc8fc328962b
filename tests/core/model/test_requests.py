"""Requests: what a job may ask for, and when counting processors is enough."""

import pytest

from molokini.model.errors import BadFile, BadValue, MissingExtra, MolokiniError, UnknownName
from molokini.model.requests import Component, Request, Shape, plain
from molokini.model.resources import Resource
from molokini.model.states import LEGAL_MOVES, JobState

P, MEM = Resource.PROCESSORS, Resource.MEMORY_KB


def test_processors_of_a_request() -> None:
    assert plain(5).processors == 5
    assert Request((Component(2, {P: 4.0}), Component(3))).processors == 11


@pytest.mark.parametrize(
    ("component", "counted"),
    [
        (Component(4), True),
        (Component(4, {P: 1.0, MEM: 0.0}), True),
        (Component(4, {P: 2.0}), False),
        (Component(4, {P: 1.0, MEM: 1.0}), False),
        (Component(4, where=0), False),
        (Component(4, tasks_per_node=2), False),
        (Component(4, features=1), False),
    ],
)
def test_only_plain_processors_can_be_counted(component: Component, counted: bool) -> None:
    assert Request((component,)).counted is counted
    assert Request((Component(1), component)).counted is counted


def test_what_no_request_may_say() -> None:
    with pytest.raises(BadValue, match="tasks: 0"):
        Component(0)
    with pytest.raises(BadValue, match="need"):
        Component(1, {MEM: -1.0})
    with pytest.raises(BadValue, match="need"):
        Component(1, {MEM: float("nan")})
    with pytest.raises(BadValue, match="processors"):
        Component(1, {P: 1.5})
    with pytest.raises(BadValue, match="components"):
        Request(())
    with pytest.raises(BadValue, match="moldable"):
        Request((Component(1),), Shape.MOLDABLE)


def test_errors_are_one_line_that_says_where() -> None:
    assert str(BadFile("log.swf", "not a number", 7)) == "log.swf:7: not a number"
    assert str(BadFile("log.swf", "is empty")) == "log.swf: is empty"
    assert "did you mean 'easy'" in str(UnknownName("policy", "esay", ["easy", "fcfs"]))
    assert "known: a" in str(UnknownName("policy", "zzz", ["a"]))
    assert "pip install 'molokini[parquet]'" in str(MissingExtra("pyarrow", "parquet", "Parquet"))
    assert (MolokiniError.exit_code, BadValue.exit_code) == (1, 2)


def test_every_state_but_free_can_be_left_for_good() -> None:
    assert set(LEGAL_MOVES) == set(JobState)
    assert all(JobState.FREE in LEGAL_MOVES[state] for state in JobState if state is not JobState.FREE)
