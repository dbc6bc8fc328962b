"""Placement over clusters: which cluster takes which component of a job, where clusters matter.

Bucur and Epema, JSSPP 2001, section 2.5. Components that each want a cluster of their own are placed
largest first (``Request`` keeps them so): if that order finds no room, no order does, whatever the fit.
Tasks that may spread go over the fewest clusters that have room, those with the most idle processors first;
they either fill them one by one or leave them equally idle. Inside a cluster nodes are taken in their order.
"""

from molokini.availability.node_capacity import restore, take_tasks, tasks_that_fit
from molokini.compiled.compilation import kernel, seldom
from molokini.compiled.structs import FloatTable
from molokini.model.requests import Spread
from molokini.tables.tables import Tables

WORST, FIRST, BEST = 0, 1, 2
FITS = ("worst", "first", "best")
"""Which of the clusters with room a component gets: that with the most idle, the first, the fullest."""
BALANCE, FILL = 0, 1
SPREADS = ("balance", "fill")
TAKEN = -1
"""In ``clusters.tasks``: another component of the job lies here."""


@kernel
def place_on_clusters(t: Tables, room: FloatTable, row: int) -> int:
    """Find room for every component of *row*, whose spread is not ``NODES``; -1 when there is none.

    As ``placement.place``: ``placed_*`` says where, *room* is as before, all or nothing.
    """
    seldom()
    count = 0
    component = t.jobs.components[row]
    use_no_cluster(t)
    for _ in range(t.jobs.component_count[row]):
        count_room(t, room, component)
        if not choose_clusters(t, component, t.components.tasks[component]):
            restore(t, room, count)
            return -1
        for cluster in range(t.clusters.count):
            if t.clusters.tasks[cluster] > 0:
                count = _take_nodes(t, room, component, cluster, t.clusters.tasks[cluster], count)
        close_clusters(t, component)
        if count < 0:
            return -1
        component = t.components.next[component]
    restore(t, room, count)
    return count


@kernel
def use_no_cluster(t: Tables) -> None:
    """Before the first component of a job: no cluster has a component of it yet."""
    for cluster in range(t.clusters.count):
        t.clusters.tasks[cluster] = 0


@kernel
def close_clusters(t: Tables, component: int) -> None:
    """After each component: if it wants clusters of its own, no other component of the job may go there."""
    alone = t.components.spread[component] == Spread.ONE_CLUSTER
    for cluster in range(t.clusters.count):
        t.clusters.tasks[cluster] = TAKEN if alone and t.clusters.tasks[cluster] != 0 else 0


@kernel
def count_room(t: Tables, room: FloatTable, component: int) -> None:
    """``clusters.room``: how many tasks of *component* each cluster takes now."""
    for cluster in range(t.clusters.count):
        t.clusters.room[cluster] = 0
    for node in range(t.nodes.count):
        t.clusters.room[t.nodes.group[node]] += tasks_that_fit(t, room, node, component)


@kernel
def choose_clusters(t: Tables, component: int, tasks: int) -> bool:
    """Say in ``clusters.tasks`` how many of *tasks* tasks each cluster takes; False: there is no room.

    ``clusters.room`` says what fits; a cluster that is ``TAKEN`` holds another component of the job.
    """
    if t.components.spread[component] == Spread.ONE_CLUSTER:
        cluster = _one_cluster(t, tasks)
        if cluster >= 0:
            t.clusters.tasks[cluster] = tasks
        return cluster >= 0
    return _fewest_clusters(t, tasks)


@kernel
def _one_cluster(t: Tables, tasks: int) -> int:
    best = -1
    for cluster in range(t.clusters.count):
        if t.clusters.tasks[cluster] != 0 or t.clusters.room[cluster] < tasks:
            continue
        if best < 0 or _preferred(t, cluster, best):
            best = cluster
    return best


@kernel
def _preferred(t: Tables, cluster: int, best: int) -> bool:
    if t.clusters.fit == FIRST:
        return False
    if t.clusters.fit == BEST:
        return bool(t.clusters.room[cluster] < t.clusters.room[best])
    return bool(t.clusters.room[cluster] > t.clusters.room[best])


@kernel
def _fewest_clusters(t: Tables, tasks: int) -> bool:
    """Spread *tasks* over the clusters with the most room, as few as will do."""
    _order_by_room(t)
    used, found = 0, 0
    while used < t.clusters.count and found < tasks:
        found += t.clusters.room[t.clusters.order[used]]
        used += 1
    if found < tasks:
        return False
    left = found - tasks
    # Without the last cluster there was too little room, so less stays free than the last has: each chosen
    # cluster gets something, and all of them can be left equally idle.
    each, odd = left // max(1, used), left % max(1, used)
    for k in range(used):
        cluster = t.clusters.order[k]
        if t.clusters.filling:
            idle = left if k == used - 1 else 0
        else:
            idle = each + (1 if k >= used - odd else 0)
        t.clusters.tasks[cluster] = t.clusters.room[cluster] - idle
    return True


@kernel
def _order_by_room(t: Tables) -> None:
    """Put clusters into ``clusters.order``, most room first; those with equal room by number."""
    for cluster in range(t.clusters.count):
        place = cluster
        while place > 0 and t.clusters.room[t.clusters.order[place - 1]] < t.clusters.room[cluster]:
            t.clusters.order[place] = t.clusters.order[place - 1]
            place -= 1
        t.clusters.order[place] = cluster


@kernel
def place_as_planned(t: Tables, room: FloatTable, row: int) -> int:
    """As ``place_on_clusters``, where ``planned_tasks`` says how much of *row* each cluster takes."""
    seldom()
    count = 0
    component = t.jobs.components[row]
    for cluster in range(t.clusters.count):
        t.clusters.room[cluster] = t.planned_tasks[row, cluster]
    for _ in range(t.jobs.component_count[row]):
        left = t.components.tasks[component] if component > 0 else t.jobs.width[row]
        for cluster in range(t.clusters.count):
            here = min(left, t.clusters.room[cluster])
            if not _planned_here(t, component, cluster, left) or here == 0:
                continue
            before = count
            count = _take_nodes(t, room, component, cluster, here, count)
            if count < 0:
                return -1
            for k in range(before, count):
                left -= t.placing.tasks[k]
            t.clusters.room[cluster] -= here
        if left > 0:
            restore(t, room, count)
            return -1
        component = t.components.next[component]
    restore(t, room, count)
    return count


@kernel
def _planned_here(t: Tables, component: int, cluster: int, left: int) -> bool:
    """Whether what is planned for *cluster* may be the next *left* tasks of *component*."""
    if t.components.spread[component] != Spread.ONE_CLUSTER:
        return True
    where = t.components.where[component]
    return bool(t.clusters.room[cluster] == left and (where < 0 or where == cluster))


@kernel
def _take_nodes(t: Tables, room: FloatTable, component: int, cluster: int, tasks: int, count: int) -> int:
    """Take room for *tasks* tasks on the nodes of *cluster*, in their order; the new count.

    -1, and all that was taken given back, where there are no more entries.
    """
    if count < 0:
        return -1
    for node in range(t.nodes.count):
        if t.nodes.group[node] != cluster:
            continue
        here = min(tasks, tasks_that_fit(t, room, node, component))
        if here > 0:
            if count == t.placing.node.size:
                restore(t, room, count)
                return -1
            count = take_tasks(t, room, node, component, here, count)
            tasks -= here
        if tasks == 0:
            break
    return count
