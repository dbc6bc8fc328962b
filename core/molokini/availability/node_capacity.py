"""Room on nodes: how many tasks a node takes; to take what a search tries, and to give it back."""

from molokini.availability.node_rules import admits, at_most, has_own
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import FloatTable
from molokini.model.requests import MOST_CHOICES
from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.tables.tables import Tables

_MANY = 2**40


@kernel
def draining_processors(t: Tables) -> int:
    """Processors of nodes that are being drained: they are in service, and no job can start there."""
    seldom()
    processors = 0.0
    for node in range(t.nodes.count):
        if t.nodes.state[node] == NodeState.DRAINING:
            processors += t.nodes.total[node, Resource.PROCESSORS]
    return int(processors)


@inner
def asks_for_features(t: Tables, component: int) -> bool:
    """Whether it matters to *component* which features a node has."""
    return bool(
        t.components.features[component]
        or t.components.one_of[component]
        or t.components.any_of[component, 0]
    )


def features_asked(t: Tables, component: int) -> tuple[int, ...]:
    """All that *component* asks of nodes' features: components of which it is the same may go to the same."""
    choices = t.components.any_of[component].tolist()
    return int(t.components.features[component]), int(t.components.one_of[component]), *choices


@inner
def has_features(t: Tables, node: int, component: int) -> bool:
    """Whether *node* has the features that *component* asks for: the only place where that is decided."""
    bits = t.nodes.features[node]
    if t.components.features[component] & ~bits:
        return False
    one_of = t.components.one_of[component]
    if one_of and not bits & (t.placing.shared_feature or one_of):
        return False
    for k in range(MOST_CHOICES):
        choice = t.components.any_of[component, k]
        if choice == 0:
            return True
        if not bits & choice:
            return False
    return True


@kernel
def tasks_that_fit(t: Tables, room: FloatTable, node: int, component: int) -> int:
    """How many tasks like those of *component* the *room* of *node* takes now; 0 where they may not go."""
    if t.nodes.state[node] != NodeState.UP and not t.placing.all_up:
        return 0
    if t.components.where[component] >= 0 and t.components.where[component] != t.nodes.group[node]:
        return 0
    if not has_features(t, node, component):
        return 0
    if t.placing.earlier > 0 and t.components.apart[component] and has_own(t, node):
        return 0
    tasks = _MANY
    if t.components.per_node[component] > 0:
        tasks = t.components.per_node[component]
    for resource in range(room.shape[1]):
        need = t.components.need[component, resource]
        if need > 0.0:
            tasks = min(tasks, int(room[node, resource] / need))
    if t.hosts.count > 0 and t.barred.processors[node] > 0 and t.components.need[component, 0] > 0.0:
        free = max(0.0, room[node, 0] - t.barred.processors[node])
        tasks = min(tasks, int(free / t.components.need[component, 0]))
    if t.placing.rules > 0:
        each = t.components.need[component, 0]
        tasks = at_most(t, node, tasks, each) if admits(t, room, node) else 0
    return int(tasks)


@inner
def plain_tasks(t: Tables, room: FloatTable, node: int) -> int:
    """The same for component 0, which all plain jobs have: a task is a processor."""
    if t.nodes.state[node] != NodeState.UP and not t.placing.all_up:
        return 0
    left = room[node, 0]
    if t.hosts.count > 0 and t.barred.processors[node] > 0:
        left = max(0.0, left - t.barred.processors[node])
    if t.placing.rules == 0:
        return int(left)
    return at_most(t, node, int(left), 1.0) if admits(t, room, node) else 0


@kernel
def take_tasks(t: Tables, room: FloatTable, node: int, component: int, tasks: int, count: int) -> int:
    """Put *tasks* tasks on *node*: taken from *room*, noted in ``placed_*``; the new count."""
    for resource in range(room.shape[1]):
        room[node, resource] -= tasks * t.components.need[component, resource]
    t.placing.node[count] = node
    t.placing.tasks[count] = tasks
    t.placing.component[count] = component
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
            need = t.components.need[t.placing.component[k], resource]
            room[t.placing.node[k], resource] += t.placing.tasks[k] * need
