"""Expressions of features as requests: bits of nodes, and a component for each number of nodes."""

import pytest

from molokini.model.constrained import MOST_PARTS, constrained
from molokini.model.errors import BadValue
from molokini.model.requests import Component, Shape
from molokini.model.resources import Resource

BITS = {name: 1 << place for place, name in enumerate("abcdefghij")}
A, B, C = 1, 2, 4
NODES = Component(4, {Resource.PROCESSORS: 2.0}, tasks_per_node=1)


@pytest.mark.parametrize(
    ("text", "features", "any_of", "one_of"),
    [
        ("a&b", A | B, (), 0),
        ("a|b", 0, (A | B,), 0),
        ("(a|b)&c", C, (A | B,), 0),
        ("c&[a|b]", C, (), A | B),
    ],
)
def test_what_a_node_must_have(text: str, features: int, any_of: tuple[int, ...], one_of: int) -> None:
    [one] = constrained(text, Component(3), BITS.__getitem__).components
    assert (one.tasks, one.features, one.any_of, one.one_of) == (3, features, any_of, one_of)


def test_counted_nodes_are_a_component_each_and_the_rest_one_more() -> None:
    found = constrained("a*2&b*1", NODES, BITS.__getitem__)
    assert [(one.tasks, one.features, one.apart) for one in found.components] == [
        (2, A, True),
        (1, B, True),
        (1, 0, True),
    ]
    assert found.shape is Shape.COMPONENTS


@pytest.mark.parametrize(
    ("text", "whole", "why"),
    [
        ("a*2", Component(4), "only where nodes are asked for"),
        ("a*3&b*2", NODES, "no more than the job's 4 nodes"),
        ("(a|b)&(b|c)&(c|d)&(d|e)&(e|f)", NODES, "at most 4 alternatives"),
        ("&".join(["a*1"] * (MOST_PARTS + 1)), Component(MOST_PARTS + 1, tasks_per_node=1), "at most 15"),
    ],
)
def test_what_cannot_be_expressed_is_refused_by_name(text: str, whole: Component, why: str) -> None:
    with pytest.raises(BadValue, match=why.replace("'", ".")):
        constrained(text, whole, BITS.__getitem__)


def test_a_name_without_a_bit_is_told_by_who_has_the_bits() -> None:
    with pytest.raises(KeyError):
        constrained("a&z", Component(1), BITS.__getitem__)
