"""Placement by hand: four ways to put tasks on nodes; and a search leaves nothing behind."""

from random import Random

import numpy as np
import pytest

from molokini.availability import placement
from molokini.availability.node_classes import place_by_class
from molokini.availability.node_rules import COUNTS, PARTITIONS, RULES, SETS, NodeRule, SetOrder, SetPolicy
from molokini.availability.placement import could_ever_place, place, place_now
from molokini.model.machine import Machine, Node
from molokini.model.requests import ANYWHERE, Spread
from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.tables.making import make_tables
from molokini.tables.tables import Tables


def placed(
    way: str, free: list[int], tasks: int, each: int = 1, per_node: int = 0
) -> list[tuple[int, int]] | None:
    """(node, tasks) in order of nodes for a job of *tasks* of *each* processors; None: no room."""
    t = nodes_of(free)
    t.placing.way = placement.NAMES.index(way)
    # Component 0 is that of plain jobs; a wish has components of its own.
    t.jobs.components[0], t.components.where[1], t.components.next[1] = 1, -1, -1
    t.components.tasks[1], t.components.need[1, 0], t.components.per_node[1] = tasks, each, per_node
    before = t.nodes.free.copy()
    count = placement.place(t, t.nodes.free, 0)
    assert (t.nodes.free == before).all(), "the room is as before"
    if count < 0:
        return None
    return sorted(zip(t.placing.node[:count].tolist(), t.placing.tasks[:count].tolist(), strict=True))


def nodes_of(free: list[int]) -> Tables:
    t = make_tables(Machine.of_nodes([Node({Resource.PROCESSORS: 8.0})] * len(free)), rows=2)
    t.nodes.free[:, 0] = free
    # Row 0 asks for component 1 alone, one processor a task, anywhere.
    t.jobs.components[0], t.components.where[1], t.components.need[1, 0] = 1, -1, 1.0
    return t


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        ("first-fit", [(0, 2), (1, 1)]),
        ("best-fit", [(0, 2), (2, 1)]),
        ("worst-fit", [(1, 3)]),
        ("contiguous", [(0, 2), (1, 1)]),
    ],
)
def test_three_tasks_on_four_nodes(way: str, expected: list[tuple[int, int]]) -> None:
    # Free: 2, 5, 1, 4. Best fit takes the fullest first: node 2 (one free), then node 0.
    assert placed(way, [2, 5, 1, 4], 3) == expected


def test_the_fullest_node_that_takes_a_whole_task() -> None:
    assert placed("best-fit", [5, 2, 3, 4], 1, each=3) == [(2, 1)]
    assert placed("worst-fit", [5, 2, 3, 6], 1, each=3) == [(3, 1)]
    assert placed("first-fit", [2, 5, 3, 4], 1, each=3) == [(1, 1)]


def test_a_run_of_neighbours_is_not_interrupted() -> None:
    assert placed("contiguous", [3, 0, 2, 2, 3], 6) == [(2, 2), (3, 2), (4, 2)]
    assert placed("contiguous", [3, 0, 3, 0, 3], 6) is None
    assert placed("first-fit", [3, 0, 3, 0, 3], 6) == [(0, 3), (2, 3)]


@pytest.mark.parametrize("way", placement.NAMES)
def test_all_or_nothing(way: str) -> None:
    assert placed(way, [2, 2], 5) is None
    assert placed(way, [2, 2], 2, each=3) is None
    assert placed(way, [8, 8], 3, per_node=1) is None
    assert placed(way, [8, 8], 2, per_node=1) == [(0, 1), (1, 1)]


@pytest.mark.parametrize("way", placement.NAMES)
def test_a_node_that_is_down_takes_nothing(way: str) -> None:
    t = nodes_of([4, 4])
    t.placing.way = placement.NAMES.index(way)
    t.components.tasks[1] = 3
    t.nodes.state[0] = 2
    assert placement.place(t, t.nodes.free, 0) == 1
    assert t.placing.node[0] == 1


NODES, EACH, ROW = 5, 4, 0
WHILE_ONE_IS_PLACED = ("mask", "partition", "earlier", "all_up", "molding")


def asking(random: Random, rules: int) -> Tables:
    """Nodes of two clusters, sets and partitions, some in use or down; a job of up to three components."""
    nodes = [Node({Resource.PROCESSORS: float(EACH)}, random.randrange(2)) for _ in range(NODES)]
    t = make_tables(Machine.of_nodes(nodes), rows=8)
    t.nodes.free[:, 0] = [random.randint(0, EACH) for _ in range(NODES)]
    t.nodes.state[random.randrange(NODES)] = random.choice([NodeState.UP, NodeState.DOWN])
    t.placing.rules, t.placing.way = rules, random.randrange(len(placement.NAMES))
    t.nodes.order[:] = random.sample(range(NODES), NODES)
    t.placing.choice = random.choice([0, 0, placement.RANKED + 1])
    partitions = [random.randrange(2) for _ in range(NODES)]
    order = list(dict.fromkeys(partitions))
    t.nodes.partition[:], t.partitions.count, t.partitions.order[: len(order)] = partitions, len(order), order
    t.credentials.barred[0], t.credentials.first[0] = random.randrange(4), random.choice([-1, 0, 1])
    t.nodes.sets[:] = [random.randrange(8) for _ in range(NODES)]
    t.nodes.speed[:] = [random.choice([1.0, 1.5, 2.0]) for _ in range(NODES)]
    t.nodes.rule[:] = random.choice(list(NodeRule))
    t.placing.set_count, t.placing.set_insisted = 3, random.randrange(2)
    t.placing.set_policy = random.choice([SetPolicy.ONE_OF, SetPolicy.FIRST_OF, SetPolicy.ANY_OF])
    t.placing.set_order = random.choice(list(SetOrder))
    count = random.choice([1, 1, 2, 3])
    spread = random.choice([0, 0, Spread.ONE_CLUSTER])
    t.jobs.components[ROW], t.jobs.component_count[ROW], t.jobs.needs_placement[ROW] = 1, count, 1
    for k in range(1, count + 1):
        t.components.tasks[k], t.components.need[k, 0] = random.randint(1, 4), random.randint(1, 2)
        t.components.where[k] = ANYWHERE if spread else random.choice([ANYWHERE, ANYWHERE, 0, 1])
        t.components.spread[k], t.components.next[k] = spread, k + 1
    needs = t.components.tasks[1 : count + 1] * t.components.need[1 : count + 1, 0]
    t.jobs.width[ROW] = int(needs.sum())
    return t


@pytest.mark.quick(one_in=3)
@pytest.mark.parametrize(
    "rules", [0, PARTITIONS, SETS, SETS | PARTITIONS, RULES | COUNTS, RULES | SETS | PARTITIONS]
)
def test_nothing_is_left_of_a_search_whether_or_not_it_has_found_room(rules: int) -> None:
    random, found = Random(rules), set[bool]()
    for _ in range(60):
        t = asking(random, rules)
        free, total = t.nodes.free.copy(), t.nodes.total.copy()
        answers = []
        for _ in range(2):
            found_now = (place(t, t.nodes.free, ROW), could_ever_place(t, ROW), place_now(t, ROW))
            answers.append((*found_now, place_by_class(t, ROW)))
            assert [getattr(t.placing, name) for name in WHILE_ONE_IS_PLACED] == [0] * 5
            assert (t.rounds.on, t.barred.count) == (0, 0)
            assert np.array_equal(t.nodes.free, free)
            assert np.array_equal(t.nodes.total, total)
            # Many have found no room: classes of nodes are asked first.
            t.classes.scans = 5
        assert answers[0] == answers[1], "the same again"
        now, ever, where, by_class = answers[0]
        assert by_class == now
        if t.jobs.component_count[ROW] == 1:
            assert ever or now < 0, "what has room now has it on the empty machine"
        assert (where is not None) == (now >= 0 and t.jobs.width[ROW] <= t.machine.free)
        found.add(now >= 0)
    assert found == {False, True}


@pytest.mark.parametrize("way", placement.NAMES)
@pytest.mark.parametrize("spread", [Spread.NODES, Spread.ONE_CLUSTER, Spread.CLUSTERS])
@pytest.mark.parametrize("places", [2, 3])
def test_a_job_of_more_places_than_can_be_noted_has_no_room(way: str, spread: Spread, places: int) -> None:
    """Three nodes, a task on each; in all but the last place there is room to note where they are."""
    t = make_tables(Machine.uniform(3, 1), rows=2)
    t.placing.way = placement.NAMES.index(way)
    for name in ("node", "tasks", "component"):
        t.placing.bind(name, np.zeros(places, dtype=np.int64))
    t.jobs.components[ROW], t.jobs.component_count[ROW], t.jobs.width[ROW] = 1, 1, 3
    t.components.tasks[1], t.components.need[1, 0] = 3, 1.0
    t.components.where[1], t.components.spread[1], t.components.next[1] = ANYWHERE, spread, -1
    assert place(t, t.nodes.free, ROW) == (3 if places == 3 else -1)
    assert t.nodes.free[:, 0].tolist() == [1.0] * 3


def featured(bits: list[int], *parts: dict[str, object], per_node: int = 1) -> list[tuple[int, int]] | None:
    """(node, component) of a job of components with these columns, on nodes with these features."""
    t = make_tables(
        Machine.of_nodes([Node({Resource.PROCESSORS: 8.0}, features=one) for one in bits]), rows=8
    )
    t.jobs.components[0], t.jobs.component_count[0] = 1, len(parts)
    for k, part in enumerate(parts, start=1):
        t.components.where[k], t.components.need[k, 0], t.components.per_node[k] = -1, 4.0, per_node
        t.components.next[k] = k + 1 if k < len(parts) else -1
        for name, value in part.items():
            getattr(t.components, name)[k] = value
    count = placement.place(t, t.nodes.free, 0)
    assert (t.nodes.free[:, 0] == 8.0).all(), "the room is as before"
    assert t.placing.shared_feature == 0
    if count < 0:
        return None
    return sorted(zip(t.placing.node[:count].tolist(), t.placing.component[:count].tolist(), strict=True))


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        # A node has one of each set, and all of the features.
        ([{"tasks": 2, "any_of": [0b011, 0, 0, 0]}], [(0, 1), (1, 1)]),
        ([{"tasks": 3, "any_of": [0b011, 0, 0, 0]}], [(0, 1), (1, 1), (3, 1)]),
        ([{"tasks": 1, "any_of": [0b011, 0b100, 0, 0]}], [(3, 1)]),
        ([{"tasks": 1, "any_of": [0b011, 0, 0, 0], "features": 0b100}], [(3, 1)]),
        ([{"tasks": 2, "any_of": [0b011, 0b100, 0, 0]}], None),
        # All nodes share one feature: the first that has room.
        ([{"tasks": 2, "one_of": 0b011}], [(1, 1), (3, 1)]),
        ([{"tasks": 1, "one_of": 0b011}], [(0, 1)]),
        ([{"tasks": 3, "one_of": 0b111}], None),
        # Numbers of nodes by feature: different nodes, though each would take the tasks of both.
        ([{"tasks": 1, "features": 0b010, "apart": 1}, {"tasks": 1, "apart": 1}], [(0, 2), (1, 1)]),
        (
            [{"tasks": 2, "features": 0b010, "apart": 1}, {"tasks": 1, "features": 0b100, "apart": 1}],
            [(1, 1), (2, 2), (3, 1)],
        ),
        ([{"tasks": 2, "features": 0b010, "apart": 1}, {"tasks": 3, "apart": 1}], None),
        ([{"tasks": 1, "features": 0b001}, {"tasks": 1, "features": 0b001}], [(0, 1), (0, 2)]),
    ],
)
def test_features_of_nodes(parts: list[dict[str, object]], expected: list[tuple[int, int]] | None) -> None:
    assert featured([0b001, 0b010, 0b100, 0b110], *parts) == expected
