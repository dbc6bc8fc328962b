"""Loads spread over nodes that differ: against a timeline, against every order, against equal nodes."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.applications.divisible import Costs, fractions
from molokini.applications.divisible_unlike import Distribution, by_link, distribute
from molokini.model.errors import BadValue

sizes = st.floats(0.1, 1e4)
costs = st.floats(0.01, 100.0)
plain = st.lists(st.builds(Costs, costs, costs), min_size=1, max_size=12)
setups = st.one_of(st.just(0.0), st.floats(1e-9, 50))
costly = st.lists(st.builds(Costs, costs, costs, setups, setups), min_size=1, max_size=8)


def ends(found: Distribution, nodes: list[Costs]) -> list[float]:
    """When each node that has a chunk ends, one transmission after the other."""
    port_s, done = 0.0, []
    for k in found.order:
        port_s += nodes[k].setup_send_s + found.chunks[k] * nodes[k].send_s
        done.append(port_s + nodes[k].setup_compute_s + found.chunks[k] * nodes[k].compute_s)
    return done


@given(sizes, plain)
def test_all_nodes_take_part_and_end_together(size: float, nodes: list[Costs]) -> None:
    found = distribute(size, nodes)
    assert sum(found.chunks) == pytest.approx(size)
    assert min(found.chunks) >= 0
    assert ends(found, nodes) == pytest.approx([found.execution_s] * len(nodes))


@given(sizes, costly)
def test_with_set_up_costs_those_that_take_part_end_together(size: float, nodes: list[Costs]) -> None:
    found = distribute(size, nodes)
    assert sum(found.chunks) == pytest.approx(size)
    assert ends(found, nodes) == pytest.approx([found.execution_s] * len(found.order))
    assert all((chunk > 0) == (k in found.order) for k, chunk in enumerate(found.chunks))


@given(sizes, st.lists(st.builds(Costs, costs, costs), min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_no_order_beats_that_by_link_speed(size: float, nodes: list[Costs]) -> None:
    best = min(distribute(size, nodes, order).execution_s for order in permutations(range(len(nodes))))
    assert distribute(size, nodes).execution_s <= best * (1 + 1e-9)


@given(sizes, st.integers(1, 20), st.builds(Costs, costs, costs))
def test_equal_nodes_are_the_paper_s(size: float, n: int, one: Costs) -> None:
    found = distribute(size, [one] * n)
    assert found.execution_s == pytest.approx(one.execution_s("opr", size, n))
    assert found.chunks == pytest.approx([share * size for share in fractions("opr", size, n, one)])
    assert found.order == tuple(range(n))


def test_a_node_that_is_not_worth_its_set_up_is_left_out() -> None:
    nodes = [Costs(1.0, 10.0), Costs(1.0, 10.0, 1000.0), Costs(1.0, 10.0)]
    found = distribute(10.0, nodes)
    assert found.order == (0, 2)
    assert found.chunks[1] == 0.0


def test_the_fastest_link_comes_first() -> None:
    assert by_link([Costs(3, 1), Costs(1, 9), Costs(2, 2), Costs(1, 5)]) == [3, 1, 2, 0]


@pytest.mark.parametrize("order", [[], [0, 0], [2], [-1]])
def test_an_order_that_is_none_is_refused(order: list[int]) -> None:
    with pytest.raises(BadValue, match="order"):
        distribute(1.0, [Costs(1, 1), Costs(1, 1)], order)


def test_no_nodes_and_no_size_are_refused() -> None:
    with pytest.raises(BadValue, match="nodes"):
        distribute(1.0, [])
    with pytest.raises(BadValue, match="size"):
        distribute(-1.0, [Costs(1, 1)])
