"""Nodes that are alike, counted once: whether a wish can find room is asked of each class, not of each node.

In a long queue many jobs wish for what is nowhere left, each for another amount. Nodes of the same state,
cluster, features and free room take the same tasks, and most of a machine is of few such classes.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.room.hosts import place_outside
from molokini.room.node_rules import PARTITIONS, begin_placing, may_use
from molokini.room.nodes import tasks_that_fit
from molokini.room.partition_room import counting_bounds, partition_with_room
from molokini.tables.requests import tasks_of
from molokini.tables.tables import MOST_CLASSES, View

_SCANS = 3
"""So many wishes are looked for node by node first: most passes have no more."""


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
        view.class_scans += 1
    return count


@kernel
def _no_room(view: View, row: int) -> bool:
    """Whether the nodes as they are now surely have no room for *row*; False also where nobody knows."""
    seldom()
    if view.class_room_epoch != view.room_epoch or view.class_start_epoch != view.start_epoch:
        view.class_room_epoch, view.class_start_epoch = view.room_epoch, view.start_epoch
        view.class_scans = view.class_count = 0
    # What makes nodes differ for one job and not for another is not in their classes, but for partitions.
    # What is reserved on them only leaves less.
    if view.class_scans < _SCANS or view.node_rules & ~PARTITIONS:
        return False
    if view.class_count == 0:
        _classify(view)
    if view.class_count < 0:
        return False
    if view.node_rules == 0:
        return not _all_fit(view, row)
    begin_placing(view, row)
    found = False
    for k in range(view.partitions):
        if not found and may_use(view, row, view.partition_order[k]):
            view.partition_now = view.partition_order[k] + 1
            found = _all_fit(view, row)
    view.partition_now = 0
    return not found


@kernel
def _all_fit(view: View, row: int) -> bool:
    """Whether each component by itself finds room."""
    component = view.job_components[row]
    for _ in range(view.job_component_count[row]):
        if not _fits(view, tasks_of(view, row, component), component):
            return False
        component = view.component_next[component]
    return True


@kernel
def _fits(view: View, tasks: int, component: int) -> bool:
    """Whether all nodes together take so many tasks."""
    left = tasks
    for k in range(view.class_count):
        left -= view.class_size[k] * min(
            tasks, tasks_that_fit(view, view.node_free, view.class_node[k], component)
        )
        if left <= 0:
            return True
    return False


@kernel
def _classify(view: View) -> None:
    """Find the classes; ``class_count`` is -1 where there are too many to be worth it."""
    seldom()
    count, last = 0, 0
    for node in range(view.nodes):
        # Neighbours are often alike.
        k = last if count > 0 and _alike(view, node, view.class_node[last]) else 0
        while k < count and not _alike(view, node, view.class_node[k]):
            k += 1
        if k == MOST_CLASSES:
            view.class_count = -1
            return
        if k == count:
            view.class_node[k], view.class_size[k] = node, 0
            count += 1
        view.class_size[k] += 1
        last = k
    view.class_count = count


@kernel
def _alike(view: View, node: int, other: int) -> bool:
    """Whether two nodes take the same tasks."""
    if view.node_state[node] != view.node_state[other] or view.node_group[node] != view.node_group[other]:
        return False
    if view.node_features[node] != view.node_features[other]:
        return False
    if view.node_rules & PARTITIONS and view.node_partition[node] != view.node_partition[other]:
        return False
    for resource in range(view.node_free.shape[1]):
        if view.node_free[node, resource] != view.node_free[other, resource]:
            return False
    return True
