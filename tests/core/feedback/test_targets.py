"""Targets as users write them, and whether nodes have room."""

import pytest

from molokini.feedback.admission import cores_for, emptiest, without_room
from molokini.feedback.targets import Target, target_of
from molokini.model.errors import BadValue, Conflict


@pytest.mark.parametrize(
    ("text", "found"),
    [("50%", Target(500_000)), ("12.5%", Target(125_000)), ("0.5/s", Target(a_second=0.5))],
)
def test_targets(text: str, found: Target) -> None:
    assert target_of("rate", text) == found


@pytest.mark.parametrize("text", ["", "50", "0%", "-1%", "101%", "nan%", "inf/s", "x/s", "%"])
def test_no_targets(text: str) -> None:
    with pytest.raises(BadValue, match="rate"):
        target_of("rate", text)


def test_iterations_a_second_need_the_full_rate() -> None:
    assert target_of("rate", "0.5/s").of(2.0) == 250_000
    with pytest.raises(Conflict):
        target_of("rate", "0.5/s").of(0.0)


def test_all_nodes_or_none() -> None:
    taken = {"n1": [300_000, 400_000], "n2": [0, 0]}
    assert without_room(taken, 500_000) == {}
    assert without_room(taken, 500_001) == {"n1": 500_000}
    assert without_room(taken, 950_000) == {"n1": 500_000, "n2": 900_000}


def test_cores_are_kept_while_they_have_room() -> None:
    assert cores_for([300_000, 0], [0], 1, 500_000) == [0]
    assert cores_for([500_000, 0], [0], 1, 500_000) == [1]
    assert cores_for([0, 0], [0], 2, 500_000) == [0, 1]
    assert cores_for([0], [], 4, 500_000) == [0]
    assert cores_for([0], [3], 1, 500_000) == [0]


def test_the_emptiest_cores() -> None:
    assert emptiest([5, 0, 3, 0], 2) == [1, 3]
