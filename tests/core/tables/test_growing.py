"""Tables that grow: what was there stays, what is new is free, and nothing is free twice."""

import pytest

from molokini.model.machine import Machine, Node
from molokini.model.resources import Resource
from molokini.tables import transitions
from molokini.tables.additions import add_application, add_credential, add_nodes, add_shape, add_shapes
from molokini.tables.allocations import take_entries, uses_node, write_entries
from molokini.tables.bank_changes import open_account
from molokini.tables.making import ENTRIES_PER_NODE, grow, make_tables, scope_rows
from molokini.tables.sizes import SCOPES
from molokini.tables.tables import Tables


def chain(first: int, following: list[int]) -> list[int]:
    """The elements of a chain; each at most once."""
    found: list[int] = []
    while first >= 0:
        assert first not in found, "a circle"
        found.append(first)
        first = following[first]
    return found


def free_entries(t: Tables) -> list[int]:
    return chain(int(t.entries.free), t.entries.next.tolist())


def free_components(t: Tables) -> list[int]:
    found = chain(int(t.components.free), t.components.next.tolist())
    assert len(found) == t.components.spare
    return found


def node(processors: int, memory_kb: float = 0.0, group: int = 0) -> Node:
    return Node({Resource.PROCESSORS: float(processors), Resource.MEMORY_KB: memory_kb}, group, 1)


def test_nodes_that_join_are_empty_and_have_entries_of_their_own() -> None:
    t = make_tables(Machine.of_nodes([node(2, 10.0), node(3)]), rows=4)
    assert sorted(free_entries(t)) == list(range(5 + 2 * ENTRIES_PER_NODE))
    row = transitions.new_row(t)
    t.placing.node[:2], t.placing.tasks[:2], t.placing.component[:2] = [0, 1], [2, 1], 0
    assert write_entries(t, row, 2)
    take_entries(t, row)
    t.machine.free = t.machine.idle = 2
    t.cycle.replan = 0
    assert add_nodes(t, [node(4, 30.0, group=2), node(1)]) == 2
    assert (t.nodes.count, t.clusters.count, t.cycle.replan) == (4, 3, 1)
    assert (t.machine.processors, t.machine.processors_in_all, t.machine.free, t.machine.idle) == (
        10,
        10,
        7,
        7,
    )
    assert t.machine.memory_in_all_kb == 40.0
    assert t.nodes.free[:, 0].tolist() == [0.0, 2.0, 4.0, 1.0]
    assert t.nodes.total[:, 0].tolist() == [2.0, 3.0, 4.0, 1.0]
    assert (t.nodes.group.tolist(), t.nodes.features.tolist()) == ([0, 0, 2, 0], [1] * 4)
    held = chain(int(t.jobs.entries[row]), t.entries.next.tolist())
    assert sorted(held + free_entries(t)) == list(range(10 + 4 * ENTRIES_PER_NODE))
    assert [uses_node(t, row, k) for k in range(4)] == [True, True, False, False]


def test_an_allocation_that_needs_more_entries_than_there_are_keeps_none() -> None:
    t = make_tables(Machine.of_nodes([node(2)]), rows=2)
    size = t.entries.node.size
    first, second = transitions.new_row(t), transitions.new_row(t)
    t.placing.node[:], t.placing.tasks[:], t.placing.component[:] = 0, 1, 0
    assert write_entries(t, first, size - 2)
    assert not write_entries(t, second, 3)
    assert t.jobs.entries[second] == -1
    assert len(free_entries(t)) == 2
    assert write_entries(t, second, 2)
    assert free_entries(t) == []


@pytest.mark.parametrize("times", [1, 2, 3])
def test_rows_and_components_are_free_once_however_often_tables_grow(times: int) -> None:
    t = make_tables(Machine.counted(8), rows=2)
    taken = []
    for _ in range(times):
        component = int(t.components.free)
        if component >= 0:
            t.components.free = int(t.components.next[component])
            t.components.spare -= 1
            taken.append(component)
        before = t.jobs.free_row[: t.jobs.free_rows].tolist()
        old = t.jobs.state.size
        grow(t)
        rows = t.jobs.free_row[: t.jobs.free_rows].tolist()
        assert t.jobs.state.size == 4 * old
        assert sorted(rows) == sorted([*before, *range(old, 4 * old)])
        assert rows[-len(before) :] == before, "those that were free before are taken first"
        assert sorted(taken + free_components(t)) == list(range(1, t.components.next.size))
        t.jobs.free_rows -= 1
    assert t.components.next[0] == -1


def test_credentials_find_their_accounts_and_room_for_their_scopes() -> None:
    """More of them than there was room for have policies plan anew: what was known by scope is lost."""
    t = make_tables(Machine.counted(8), rows=2)
    account = open_account(t, 21)
    t.cycle.replan, room = 0, t.usage.rate.size
    numbers = [add_credential(t, user, -1, -1, 21 if user % 2 else 22) for user in range(room - 1)]
    assert (numbers, t.cycle.replan) == (list(range(1, room)), 0)
    assert t.credentials.payer[1:].tolist() == [account if user % 2 else 0 for user in range(room - 1)]
    second = open_account(t, 22)
    assert t.credentials.payer[1:].tolist() == [account if user % 2 else second for user in range(room - 1)]
    t.usage.rate[3] = 5.0
    assert add_credential(t, 99, 1, 2, 22, 3) == room
    assert (t.cycle.replan, t.usage.rate.size, t.usage.rate[3]) == (1, 2 * room, 5.0)
    assert [getattr(t.credentials, name)[room] for name in ("user", "group", "queue", "account", "qos")] == [
        99,
        1,
        2,
        22,
        3,
    ]
    assert t.credentials.payer[room] == second
    assert t.scopes.limit.shape[0] == scope_rows(2 * room) > 2 * room * SCOPES


def test_costs_and_shapes_are_numbered_from_one_and_stay() -> None:
    t = make_tables(Machine.counted(8), rows=2)
    assert [add_application(t, k + 1.0, k + 2.0, k + 3.0, k + 4.0) for k in range(3)] == [1, 2, 3]
    costs = t.applications
    columns = (costs.send_s, costs.compute_s, costs.setup_send_s, costs.setup_compute_s)
    assert [column[2] for column in columns] == [2.0, 3.0, 4.0, 5.0]
    assert [add_shape(t), add_shapes(t, 20), add_shape(t)] == [1, 2, 22]
    assert (t.shapes.count, t.shapes.without_room.size > 22, t.shapes.spoils.size > 22) == (22, True, True)
