"""Placement by hand: four ways to put tasks on nodes."""

import pytest

from molokini.availability import placement
from molokini.model.machine import Machine, Node
from molokini.model.resources import Resource
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
