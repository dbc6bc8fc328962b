"""Room on nodes: how many tasks a node takes, and taking or giving back what a search tries."""

from molokini.compiled.compilation import inner, kernel
from molokini.compiled.structs import FloatTable
from molokini.model.states import NodeState
from molokini.room.node_rules import admits, at_most
from molokini.tables.tables import Tables

_UP = int(NodeState.UP)
_MANY = 2**40


@kernel
def tasks_that_fit(t: Tables, room: FloatTable, node: int, component: int) -> int:
    """How many tasks like those of *component* the *room* of *node* takes now; 0 where they may not go."""
    if t.node_state[node] != _UP and not t.all_up:
        return 0
    if t.component_where[component] >= 0 and t.component_where[component] != t.node_group[node]:
        return 0
    if t.component_features[component] & ~t.node_features[node]:
        return 0
    tasks = _MANY
    if t.component_per_node[component] > 0:
        tasks = t.component_per_node[component]
    for resource in range(room.shape[1]):
        need = t.component_need[component, resource]
        if need > 0.0:
            tasks = min(tasks, int(room[node, resource] / need))
    if t.hosted > 0 and t.node_barred[node] > 0 and t.component_need[component, 0] > 0.0:
        free = max(0.0, room[node, 0] - t.node_barred[node])
        tasks = min(tasks, int(free / t.component_need[component, 0]))
    if t.node_rules > 0:
        each = t.component_need[component, 0]
        tasks = at_most(t, node, tasks, each) if admits(t, room, node) else 0
    return int(tasks)


@inner
def plain_tasks(t: Tables, room: FloatTable, node: int) -> int:
    """The same of component 0, which is every plain job's: a task is a processor."""
    if t.node_state[node] != _UP and not t.all_up:
        return 0
    left = room[node, 0]
    if t.hosted > 0 and t.node_barred[node] > 0:
        left = max(0.0, left - t.node_barred[node])
    if t.node_rules == 0:
        return int(left)
    return at_most(t, node, int(left), 1.0) if admits(t, room, node) else 0


@kernel
def take_tasks(t: Tables, room: FloatTable, node: int, component: int, tasks: int, count: int) -> int:
    """Put *tasks* tasks on *node*: taken from *room*, noted in ``placed_*``; the new count."""
    for resource in range(room.shape[1]):
        room[node, resource] -= tasks * t.component_need[component, resource]
    t.placed_node[count] = node
    t.placed_tasks[count] = tasks
    t.placed_component[count] = component
    return count + 1


@kernel
def restore(t: Tables, room: FloatTable, count: int) -> None:
    """Give everything placed back to *room*."""
    restore_from(t, room, 0, count)


@kernel
def restore_from(t: Tables, room: FloatTable, first: int, count: int) -> None:
    """Give what was placed from *first* on back to *room*."""
    for k in range(first, count):
        for resource in range(room.shape[1]):
            need = t.component_need[t.placed_component[k], resource]
            room[t.placed_node[k], resource] += t.placed_tasks[k] * need
