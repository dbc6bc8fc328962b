"""How many tasks a node takes, and that what a search takes comes back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.availability.node_capacity import plain_tasks, restore, restore_from, take_tasks, tasks_that_fit
from molokini.model.machine import Machine, Node
from molokini.model.requests import ANYWHERE
from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.tables.making import make_tables
from molokini.tables.tables import Tables
from tests.kit.plain_nodes import Part, Placing, PlainNode


def asking(part: Part, total: tuple[float, float] = (8.0, 64.0), group: int = 0, features: int = 0) -> Tables:
    """One node, and a component that asks for this part."""
    capacity = {Resource.PROCESSORS: total[0], Resource.MEMORY_KB: total[1]}
    t = make_tables(Machine.of_nodes([Node(capacity, group, features)]), rows=2)
    t.components.tasks[1], t.components.per_node[1] = part.tasks, part.most
    t.components.where[1], t.components.features[1] = part.group, part.features
    for resource, need in zip((Resource.PROCESSORS, Resource.MEMORY_KB), part.need, strict=True):
        t.components.need[1, resource] = need
    return t


parts = st.builds(
    Part,
    tasks=st.just(1),
    need=st.tuples(st.integers(1, 3), st.integers(0, 20)).map(lambda one: (float(one[0]), float(one[1]))),
    group=st.sampled_from([ANYWHERE, ANYWHERE, 0, 1]),
    most=st.integers(0, 3),
    features=st.integers(0, 3),
)


@given(
    part=parts,
    free=st.tuples(st.integers(0, 8), st.integers(0, 64)),
    group=st.integers(0, 1),
    features=st.integers(0, 3),
    down=st.booleans(),
    barred=st.integers(0, 8),
)
@settings(max_examples=300, deadline=None)
def test_as_many_as_its_room_its_marks_and_reservations_let(
    part: Part, free: tuple[int, int], group: int, features: int, down: bool, barred: int
) -> None:
    t = asking(part, group=group, features=features)
    t.nodes.free[0, Resource.PROCESSORS], t.nodes.free[0, Resource.MEMORY_KB] = free
    if down:
        t.nodes.state[0] = NodeState.DOWN
    t.hosts.count, t.barred.processors[0] = 1, barred
    node = PlainNode((8.0, 64.0), group, features)
    plain = Placing([node], {0} if down else set(), "first-fit", [barred], [0])
    room = [[float(one) for one in free]]
    assert tasks_that_fit(t, t.nodes.free, 0, 1) == plain.fits(room, 0, part)
    alone = Part(1, (1.0, 0.0))
    assert plain_tasks(t, t.nodes.free, 0) == plain.fits(room, 0, alone)


def test_a_node_that_is_down_counts_where_the_whole_machine_is_asked_about() -> None:
    t = asking(Part(1, (2.0, 0.0)))
    t.nodes.state[0] = NodeState.DOWN
    assert tasks_that_fit(t, t.nodes.free, 0, 1) == plain_tasks(t, t.nodes.free, 0) == 0
    t.placing.all_up = 1
    assert (tasks_that_fit(t, t.nodes.free, 0, 1), plain_tasks(t, t.nodes.free, 0)) == (4, 8)


@pytest.mark.parametrize("first", [0, 1])
def test_what_was_taken_comes_back_all_or_from_some_place_on(first: int) -> None:
    t = asking(Part(1, (2.0, 10.0)))
    count = take_tasks(t, t.nodes.free, 0, 1, 1, 0)
    after_one = t.nodes.free.copy()
    count = take_tasks(t, t.nodes.free, 0, 1, 2, count)
    assert count == 2
    assert t.nodes.free[0, : Resource.MEMORY_KB + 1].sum() == 8 + 64 - 3 * 12
    if first:
        restore_from(t, t.nodes.free, 1, count)
        assert (t.nodes.free == after_one).all()
    else:
        restore(t, t.nodes.free, count)
        assert (t.nodes.free == t.nodes.total).all()
