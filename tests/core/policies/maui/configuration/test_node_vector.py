"""Lines of nodes as rows of numbers: DEFAULT's first, each line with what it does not say from DEFAULT's."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from molokini.availability.node_rules import COUNTS, PARTITIONS, RULES, SETS, NodeRule, SetPolicy
from molokini.model.site import NO_NODE, NOT_YET
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSets, NodeSettings
from molokini.policies.maui.configuration.node_vector import awaited, node_rows, set_numbers, unknown_nodes
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.settings import Credential, MauiSettings, Qos
from molokini.policies.maui.configuration.slots import NODE_ROW, NodeColumn
from molokini.policies.maui.configuration.vector import vector_of
from molokini.policies.maui.configuration.words import NodeTerm, QosFlag, SetAttribute
from tests.kit.maui import number_of, value

NUMBERS = {"n1": 0, "n2": 1, "n9": NOT_YET, "gone": NO_NODE}
LINES = {
    "n2": NodeLine(priority=0.0, features=("b",), partition="p"),
    "n1": NodeLine(speed=2.0, function={NodeTerm.SPEED: -3.0}, access=NodeRule.UNIQUE_USER),
    "n9": NodeLine(partition="p"),
    "gone": NodeLine(),
    "DEFAULT": NodeLine(priority=7.0, most_jobs=4, processor_speed=900.0, features=("a",)),
}
COLUMNS = (
    NodeColumn.NUMBER,
    NodeColumn.PRIORITY,
    NodeColumn.SPEED,
    NodeColumn.PROCESSOR_SPEED,
    NodeColumn.ACCESS,
)
MORE = (NodeColumn.MOST_JOBS, NodeColumn.FEATURES, NodeColumn.PARTITION, NodeColumn.HAS_FUNCTION)


def test_a_row_has_what_its_line_says_else_what_default_says() -> None:
    rows = node_rows(NodeSettings(lines=LINES), NUMBERS.__getitem__, ("DEFAULT", "p"))
    assert [len(row) for row in rows] == [NODE_ROW] * 3
    assert [[row[column] for column in COLUMNS] for row in rows] == [
        [-1, 7, 1, 900, -1],
        [0, 7, 2, 900, NodeRule.UNIQUE_USER],
        [1, 0, 1, 900, -1],
    ]
    # Features are numbered as the lines name them: b, then a.
    assert [[row[column] for column in MORE] for row in rows] == [[4, 2, 0, 0], [4, 2, 0, 1], [4, 1, 1, 0]]
    assert rows[1][NodeColumn.TERMS + NodeTerm.SPEED] == -3


def test_processor_speeds_count_where_no_line_has_a_speed() -> None:
    lines = {"n1": NodeLine(processor_speed=800.0), "DEFAULT": NodeLine()}
    assert [row[NodeColumn.SPEED] for row in node_rows(NodeSettings(lines=lines), NUMBERS.__getitem__)] == [
        0,
        800,
    ]


def test_only_default_counts_where_nodes_have_no_names_and_partitions_of_nodes_to_come_are_awaited() -> None:
    nodes, partitions = NodeSettings(lines=LINES), ("DEFAULT", "p")
    assert [row[NodeColumn.NUMBER] for row in node_rows(nodes, unknown_nodes)] == [-1]
    assert awaited(nodes, NUMBERS.__getitem__, partitions) == 0b10
    assert awaited(nodes, unknown_nodes, partitions) == 0
    assert awaited(nodes, NUMBERS.__getitem__, ()) == 0


@pytest.mark.parametrize(
    ("sets", "numbers"),
    [
        (NodeSets(), []),
        (NodeSets(SetPolicy.ONE_OF, SetAttribute.MEMORY, ("512", "1e3")), [512, 1000]),
        (NodeSets(SetPolicy.ONE_OF, SetAttribute.FEATURE, ("b", "c")), [0, 1]),
        (NodeSets(SetPolicy.ONE_OF, SetAttribute.FEATURE), [0, 1]),
    ],
)
def test_a_set_is_the_place_of_its_feature_or_its_value(sets: NodeSets, numbers: list[float]) -> None:
    assert set_numbers(NodeSettings(sets=sets, lines=LINES)) == numbers


BY_FEATURE = NodeSets(SetPolicy.ONE_OF, SetAttribute.FEATURE)


@pytest.mark.parametrize(
    ("given", "rules"),
    [
        ({}, 0),
        ({"nodes": NodeSettings(lines={"n1": NodeLine(speed=2.0)})}, 0),
        ({"nodes": NodeSettings(lines={"n1": NodeLine(most_jobs=1)})}, RULES),
        ({"nodes": NodeSettings(lines={"n1": NodeLine(most_jobs_per_user=1)})}, RULES | COUNTS),
        ({"nodes": NodeSettings(lines={"n1": NodeLine(access=NodeRule.UNIQUE_USER)})}, RULES | COUNTS),
        ({"nodes": NodeSettings(sets=BY_FEATURE)}, RULES | SETS),
        ({"nodes": NodeSettings(queue_features={"long": ("a",)})}, RULES),
        ({"nodes": NodeSettings(lines={"n1": NodeLine(partition="p")})}, PARTITIONS),
        ({"users": {"ann": Credential(max_processors_per_node=2)}}, RULES),
        ({"qos": {"high": Qos(flags=frozenset({QosFlag.DEDICATED}))}}, RULES),
        ({"system": Credential(job_flags=frozenset({QosFlag.DEDICATED}))}, RULES),
    ],
)
def test_rules_of_nodes_are_looked_at_where_a_line_asks_for_them(given: dict[str, Any], rules: int) -> None:
    made = MauiSettings(**given)
    vector = SimpleNamespace(parameters=np.array(vector_of(made, number_of, NUMBERS.__getitem__)))
    assert parameters(vector).node_rules == rules
    assert value(made, "node_access") == NodeRule.SHARED
