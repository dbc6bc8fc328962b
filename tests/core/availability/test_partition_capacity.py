"""Room in partitions by counting: the same as placing on plain lists, for jobs that only count."""

from hypothesis import given, settings
from hypothesis import strategies as st

from molokini.availability.node_rules import PARTITIONS
from molokini.availability.partition_capacity import (
    counting_does,
    may_have_room,
    most_free,
    partition_with_room,
    spares_by_count,
)
from molokini.model.machine import Machine
from molokini.model.states import NodeState
from molokini.tables.making import make_tables
from molokini.tables.tables import Tables

NODES, EACH, ROW, HEAD = 5, 4, 0, 1
numbers = st.lists(st.integers(0, EACH), min_size=NODES, max_size=NODES)


def asking(
    partitions: list[int], free: list[int], later: list[int], down: int, barred: int, first: int
) -> Tables:
    """So much is free of each node now, and later; one node is down; barred: bits of partitions."""
    t = make_tables(Machine.uniform(NODES, EACH), rows=4)
    t.nodes.free[:, 0], t.nodes.scratch[:, 0], t.nodes.partition[:] = free, later, partitions
    if down < NODES:
        t.nodes.state[down] = NodeState.DOWN
    order = list(dict.fromkeys(partitions))
    t.placing.rules, t.partitions.count, t.partitions.order[: len(order)] = PARTITIONS, len(order), order
    t.credentials.barred[0], t.credentials.first[0] = barred, first
    t.partitions.counted, t.cycle.start_epoch = -1, 1
    return t


def in_all(partitions: list[int], free: list[int], down: int) -> dict[int, int]:
    """Free processors of each partition, in the order of their first nodes."""
    found = dict.fromkeys(partitions, 0)
    for node, partition in enumerate(partitions):
        found[partition] += free[node] if node != down else 0
    return found


@given(
    partitions=st.lists(st.integers(0, 2), min_size=NODES, max_size=NODES),
    free=numbers,
    later=numbers,
    down=st.integers(0, NODES + 2),
    barred=st.integers(0, 7),
    first=st.integers(-1, 2),
    widths=st.tuples(st.integers(1, 12), st.integers(1, 12)),
)
@settings(max_examples=400, deadline=None)
def test_the_first_partition_with_room_and_whether_it_spares_the_head(
    partitions: list[int],
    free: list[int],
    later: list[int],
    down: int,
    barred: int,
    first: int,
    widths: tuple[int, int],
) -> None:
    t = asking(partitions, free, later, down, barred, first)
    t.jobs.width[ROW], t.jobs.width[HEAD] = widths
    now, then = in_all(partitions, free, down), in_all(partitions, later, down)
    allowed = [one for one in now if not barred >> one & 1]
    tried = [*([first] if first in allowed else []), *(one for one in allowed if one != first)]
    found = next((one for one in tried if now[one] >= widths[0]), -1)
    assert counting_does(t, ROW)
    assert partition_with_room(t, ROW) == found
    assert most_free(t, ROW) == max((now[one] for one in allowed), default=0)
    assert may_have_room(t, t.nodes.free, ROW) == any(now[one] >= widths[0] for one in allowed)
    left = {one: then[one] - (widths[0] if one == found else 0) for one in allowed}
    spared = found >= 0 and any(one >= widths[1] for one in left.values())
    assert spares_by_count(t, ROW, HEAD) == spared


def test_counting_is_not_enough_for_wishes_nor_beside_reserved_nodes() -> None:
    t = asking([0] * NODES, [1] * NODES, [1] * NODES, NODES, 0, -1)
    t.jobs.needs_placement[ROW] = 1
    assert not counting_does(t, ROW)
    t.jobs.needs_placement[ROW], t.hosts.count = 0, 1
    assert not counting_does(t, ROW)
