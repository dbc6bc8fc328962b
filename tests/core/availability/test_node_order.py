"""Nodes in order of their keys, whether they are counted by key or compared."""

from random import Random

import pytest

from molokini.availability.node_order import sort_nodes
from molokini.model.machine import Machine
from molokini.tables.making import make_tables
from molokini.tables.sizes import FEW_KEYS
from molokini.tables.tables import NEVER


@pytest.mark.parametrize("keys", [1, 2, FEW_KEYS, FEW_KEYS + 1, 40])
def test_the_highest_key_comes_first_and_equal_ones_as_numbered(keys: int) -> None:
    random = Random(keys)
    t = make_tables(Machine.uniform(50, 1))
    known = [-NEVER, *(random.uniform(-9.0, 9.0) for _ in range(keys - 1))]
    t.nodes.key[:] = [random.choice(known) for _ in range(t.nodes.count)]
    t.nodes.order[:] = random.sample(range(t.nodes.count), t.nodes.count)
    sort_nodes(t)
    assert t.nodes.order.tolist() == sorted(range(t.nodes.count), key=lambda node: (-t.nodes.key[node], node))
