"""Placement over clusters: by hand, and against the rules written plainly."""

from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from molokini.availability.clusters import FITS, SPREADS
from molokini.availability.placement import place
from molokini.model.coallocation import RequestKind, request_for
from molokini.model.machine import Machine
from molokini.model.requests import Request
from molokini.tables.declared import Axis
from molokini.tables.making import make_tables
from molokini.tables.tables import Tables
from tests.kit import cluster_worlds as plain
from tests.kit.cluster_worlds import Parts, clusters_of

NODES = 8
idle_processors = st.lists(st.integers(0, NODES), min_size=1, max_size=5)
sizes_of_a_job = st.lists(st.integers(1, NODES + 1), min_size=1, max_size=5)


def with_idle(idle: Sequence[int]) -> Tables:
    """Clusters of which so many nodes, the last ones, are idle."""
    t = make_tables(clusters_of(*[NODES] * len(idle)), rows=8)
    for cluster, amount in enumerate(idle):
        t.nodes.free[cluster * NODES : (cluster + 1) * NODES - amount, 0] = 0.0
    return t


def ask(t: Tables, request: Request) -> None:
    """Row 0 is a job of *request*."""
    t.jobs.components[0], t.jobs.component_count[0] = 1, len(request.components)
    for k, component in enumerate(request.components, 1):
        t.components.tasks[k], t.components.where[k] = component.tasks, component.where
        t.components.spread[k], t.components.need[k, 0] = component.spread, 1.0
        t.components.next[k] = k + 1


def placed(
    kind: RequestKind, sizes: Sequence[int], idle: Sequence[int], fit: str = "worst", spread: str = "balance"
) -> Parts | None:
    t = with_idle(idle)
    ask(t, request_for(kind, sizes))
    t.clusters.fit, t.clusters.filling = FITS.index(fit), SPREADS.index(spread)
    before = t.nodes.free.copy()
    count = place(t, t.nodes.free, 0)
    assert (t.nodes.free == before).all(), "the room is as before"
    if count < 0:
        return None
    found: Parts = {}
    for node, tasks in zip(t.placing.node[:count].tolist(), t.placing.tasks[:count].tolist(), strict=True):
        assert t.nodes.free[node, 0] >= tasks, "no node is over-full"
        found[node // NODES] = found.get(node // NODES, 0) + tasks
    return found


def test_the_published_example() -> None:
    # Bucur and Epema, JSSPP 2001, Fig. 3.
    assert placed(RequestKind.FLEXIBLE, [18], [8] * 4, spread="balance") == {0: 6, 1: 6, 2: 6}
    assert placed(RequestKind.FLEXIBLE, [18], [8] * 4, spread="fill") == {0: 8, 1: 8, 2: 2}


def test_fits_by_hand() -> None:
    idle = [3, 8, 5, 4]
    assert placed(RequestKind.UNORDERED, [2, 4], idle, "worst") == {1: 4, 2: 2}
    assert placed(RequestKind.UNORDERED, [2, 4], idle, "first") == {1: 4, 0: 2}
    assert placed(RequestKind.UNORDERED, [2, 4], idle, "best") == {3: 4, 0: 2}
    assert placed(RequestKind.ORDERED, [2, 4], idle) == {0: 2, 1: 4}
    assert placed(RequestKind.ORDERED, [4, 2], idle) is None
    assert placed(RequestKind.TOTAL, [4, 4], idle) == {1: 8}
    assert placed(RequestKind.TOTAL, [5, 4], idle) is None


@pytest.mark.parametrize("kind", RequestKind)
@given(sizes=sizes_of_a_job, idle=idle_processors, fit=st.sampled_from(FITS), spread=st.sampled_from(SPREADS))
def test_as_plain_rules(kind: RequestKind, sizes: list[int], idle: list[int], fit: str, spread: str) -> None:
    found = placed(kind, sizes, idle, fit, spread)
    assert found == plain.placed(kind, sizes, idle, fit, spread)
    if found is not None:
        assert sum(found.values()) == sum(sizes), "processors are conserved"
        assert all(tasks <= idle[cluster] for cluster, tasks in found.items()), "no cluster is over-full"


@pytest.mark.parametrize("fit", FITS)
@given(sizes=st.lists(st.integers(1, NODES), min_size=1, max_size=4), idle=idle_processors)
def test_largest_first_finds_room_if_any_order_does(fit: str, sizes: list[int], idle: list[int]) -> None:
    possible = any(
        all(size <= room for size, room in zip(sizes, rooms, strict=True))
        for rooms in permutations(idle, len(sizes))
    )
    assert (placed(RequestKind.UNORDERED, sizes, idle, fit) is not None) == possible


@given(tasks=st.integers(1, 40), idle=idle_processors)
def test_both_spreads_take_the_same_clusters(tasks: int, idle: list[int]) -> None:
    balanced = placed(RequestKind.FLEXIBLE, [tasks], idle, spread="balance")
    filled = placed(RequestKind.FLEXIBLE, [tasks], idle, spread="fill")
    assert (balanced is None) == (filled is None) == (tasks > sum(idle))
    if balanced is not None and filled is not None:
        assert balanced.keys() == filled.keys()
        left = [idle[cluster] - taken for cluster, taken in balanced.items()]
        assert max(left) - min(left) <= 1


def test_a_node_that_is_down_is_no_room() -> None:
    t = with_idle([8, 8])
    ask(t, request_for(RequestKind.UNORDERED, [8, 7]))
    t.nodes.state[0] = 2
    count = place(t, t.nodes.free, 0)
    assert count == 15
    assert set(t.placing.node[:8].tolist()) == set(range(8, 16)), "only the second cluster still takes eight"


def test_clusters_join_with_their_nodes() -> None:
    from molokini.tables.additions import add_nodes

    t = make_tables(Machine(0), rows=2)
    assert t.clusters.count == 0
    add_nodes(t, clusters_of(2, 3).nodes)
    assert (t.clusters.count, t.clusters.room.size) == (2, 2)


def test_nodes_that_join_have_a_row_in_every_column_of_nodes() -> None:
    from molokini.tables.additions import add_nodes

    t = make_tables(Machine(0), rows=2)
    add_nodes(t, clusters_of(2, 3).nodes)
    along = [leaf for leaf in Tables.leaves() if leaf.column.axis is Axis.NODE]
    assert len(along) > 20
    assert {(len(leaf.of(t)) - leaf.column.plus) / leaf.column.times for leaf in along} == {5}
