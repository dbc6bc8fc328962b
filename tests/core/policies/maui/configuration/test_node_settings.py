"""What can be set about nodes: features are found wherever they are named, and sets are bounded."""

from typing import Any

import pytest

from molokini.availability.node_rules import MOST_SETS, SetPolicy
from molokini.model.errors import BadValue
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSets, NodeSettings
from molokini.policies.maui.configuration.words import SetAttribute

MANY = tuple(f"f{k}" for k in range(MOST_SETS + 1))


@pytest.mark.parametrize(
    ("make", "given", "cause"),
    [
        (NodeSets, {"values": MANY}, f"NODESETLIST: {len(MANY)} .* at most {MOST_SETS} sets"),
        (
            NodeSets,
            {"attribute": SetAttribute.MEMORY, "values": ("512", "big")},
            "NODESETLIST: 'big' .* numbers",
        ),
        (NodeSettings, {"lines": {"n1": NodeLine(features=MANY)}}, f"at most {MOST_SETS} of them"),
    ],
)
def test_what_cannot_be_told_apart_is_refused(make: Any, given: dict[str, Any], cause: str) -> None:
    with pytest.raises(BadValue, match=cause):
        make(**given)


def test_features_are_those_of_sets_lines_qoses_and_queues_each_once() -> None:
    sets = NodeSets(SetPolicy.ONE_OF, SetAttribute.FEATURE, ("a", "b"))
    made = NodeSettings(
        sets=sets,
        lines={"n1": NodeLine(features=("b", "c"))},
        qos_features={"high": ("d", "a")},
        queue_features={"long": ("e",)},
    )
    assert made.features == ("a", "b", "c", "d", "e")
    by_memory = NodeSettings(sets=NodeSets(SetPolicy.ONE_OF, SetAttribute.MEMORY, ("512",)))
    assert (by_memory.features, by_memory.sets.by_number, sets.by_number) == ((), True, False)
