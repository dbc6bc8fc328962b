"""Nodes that are alike, counted once: whether a wish can find room is checked by class, not by node.

In a long queue many jobs wish for what no node has left, each for another amount. Nodes of the same state,
cluster, features and free room take the same tasks, and most nodes of a machine are of few such classes.
"""

from molokini.availability.hosts import place_outside
from molokini.availability.node_capacity import tasks_that_fit
from molokini.availability.node_rules import PARTITIONS, begin_placing, may_use
from molokini.availability.partition_capacity import counting_bounds, partition_with_room
from molokini.compiled.compilation import kernel, seldom
from molokini.tables.requests import tasks_of
from molokini.tables.sizes import MOST_CLASSES
from molokini.tables.tables import View

_SCANS = 3
"""So many wishes are tried node by node first: most passes have no more."""


@kernel
def place_by_class(view: View, row: int) -> int:
    """As ``hosts.place_outside``, without a look at the nodes where their classes have no room."""
    seldom()
    if counting_bounds(view, row):
        if partition_with_room(view, row) < 0:
            return -1
    elif _no_room(view, row):
        return -1
    count = place_outside(view, row)
    if count < 0:
        view.classes.scans += 1
    return count


@kernel
def _no_room(view: View, row: int) -> bool:
    """Whether the nodes as they are now surely have no room for *row*; False also where it is not known."""
    seldom()
    if view.classes.room_epoch != view.cycle.room_epoch or view.classes.start_epoch != view.cycle.start_epoch:
        view.classes.room_epoch, view.classes.start_epoch = view.cycle.room_epoch, view.cycle.start_epoch
        view.classes.scans = view.classes.count = 0
    # Classes take no account of rules that tell nodes apart for some jobs only, other than partitions.
    # Reservations on nodes only leave less room.
    if view.classes.scans < _SCANS or view.placing.rules & ~PARTITIONS:
        return False
    if view.classes.count == 0:
        _classify(view)
    if view.classes.count < 0:
        return False
    if view.placing.rules == 0:
        return not _all_fit(view, row)
    begin_placing(view, row)
    found = False
    for k in range(view.partitions.count):
        if not found and may_use(view, row, view.partitions.order[k]):
            view.placing.partition = view.partitions.order[k] + 1
            found = _all_fit(view, row)
    view.placing.partition = 0
    return not found


@kernel
def _all_fit(view: View, row: int) -> bool:
    """Whether each component by itself finds room."""
    component = view.jobs.components[row]
    for _ in range(view.jobs.component_count[row]):
        if not _fits(view, tasks_of(view, row, component), component):
            return False
        component = view.components.next[component]
    return True


@kernel
def _fits(view: View, tasks: int, component: int) -> bool:
    """Whether all nodes together take so many tasks."""
    left = tasks
    for k in range(view.classes.count):
        left -= view.classes.size[k] * min(
            tasks, tasks_that_fit(view, view.nodes.free, view.classes.node[k], component)
        )
        if left <= 0:
            return True
    return False


@kernel
def _classify(view: View) -> None:
    """Find the classes; ``classes.count`` is -1 where there are so many that they save nothing."""
    seldom()
    count, last = 0, 0
    for node in range(view.nodes.count):
        # Neighbours are often alike.
        k = last if count > 0 and _alike(view, node, view.classes.node[last]) else 0
        while k < count and not _alike(view, node, view.classes.node[k]):
            k += 1
        if k == MOST_CLASSES:
            view.classes.count = -1
            return
        if k == count:
            view.classes.node[k], view.classes.size[k] = node, 0
            count += 1
        view.classes.size[k] += 1
        last = k
    view.classes.count = count


@kernel
def _alike(view: View, node: int, other: int) -> bool:
    """Whether two nodes take the same tasks."""
    if view.nodes.state[node] != view.nodes.state[other] or view.nodes.group[node] != view.nodes.group[other]:
        return False
    if view.nodes.features[node] != view.nodes.features[other]:
        return False
    if view.placing.rules & PARTITIONS and view.nodes.partition[node] != view.nodes.partition[other]:
        return False
    for resource in range(view.nodes.free.shape[1]):
        if view.nodes.free[node, resource] != view.nodes.free[other, resource]:
            return False
    return True
