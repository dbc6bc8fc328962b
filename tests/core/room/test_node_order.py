"""Nodes in order of their keys, whether they are counted by key or compared."""

from random import Random

import pytest

from molokini.model.machine import Machine
from molokini.room.node_order import sort_nodes
from molokini.tables.making import make_tables
from molokini.tables.tables import FEW_KEYS, NEVER


@pytest.mark.parametrize("keys", [1, 2, FEW_KEYS, FEW_KEYS + 1, 40])
def test_the_highest_key_comes_first_and_equal_ones_as_numbered(keys: int) -> None:
    random = Random(keys)
    t = make_tables(Machine.uniform(50, 1))
    known = [-NEVER, *(random.uniform(-9.0, 9.0) for _ in range(keys - 1))]
    t.node_key[:] = [random.choice(known) for _ in range(t.nodes)]
    t.node_order[:] = random.sample(range(t.nodes), t.nodes)
    sort_nodes(t)
    assert t.node_order.tolist() == sorted(range(t.nodes), key=lambda node: (-t.node_key[node], node))
