"""Reserved nodes: the tasks of a job without access are kept off them.

While a job is placed, ``barred.processors`` says how many processors of each node it may not have: those
that it would take, now or before it has ended, from a reservation on this node; ``rounds.of_node`` says which
nodes it tries first, by how much it wants what it may use (reference, section 11). Called only where
reservations are on particular nodes.
"""

from molokini.availability.node_rules import may_use
from molokini.availability.placement import LAST_ROUND, place
from molokini.availability.reservation_cache.lists import list_of
from molokini.availability.reserved import end_of_started
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import FloatTable
from molokini.model.reservations import Affinity
from molokini.model.states import NodeState
from molokini.tables.access import affinity_of, has_access
from molokini.tables.tables import View


@kernel
def place_outside(view: View, row: int) -> int:
    """As ``placement.place`` for *row* now, on what is not reserved for other jobs."""
    return place_outside_on(view, view.nodes.free, row)


@kernel
def place_outside_on(view: View, room: FloatTable, row: int) -> int:
    """The same on a *room* that is no more than what is free."""
    if view.hosts.count == 0:
        return place(view, room, row)
    mask_nodes(view, row)
    for k in range(view.barred.count):
        # What is barred is a part of what is free; the room may leave some of that out already.
        node = view.barred.nodes[k]
        left_out = int(view.nodes.free[node, 0] - room[node, 0])
        view.barred.processors[node] = max(0, view.barred.processors[node] - left_out)
    count = place(view, room, row)
    unmask(view)
    return count


@kernel
def may_be_outside(view: View, row: int) -> bool:
    """False where *row*, which counting bounds, surely has no room now beside what is reserved for others."""
    seldom()
    mask_nodes(view, row)
    found = False
    for k in range(view.partitions.count):
        partition = view.partitions.order[k]
        if not found and may_use(view, row, partition):
            found = _has_room(view, partition, view.jobs.width[row])
    unmask(view)
    return found


@kernel
def _has_room(view: View, partition: int, width: int) -> bool:
    left = width
    for node in range(view.nodes.count):
        if view.nodes.partition[node] == partition and view.nodes.state[node] == NodeState.UP:
            left -= max(0, int(view.nodes.free[node, 0]) - view.barred.processors[node])
            if left <= 0:
                return True
    return False


@kernel
def mask_nodes(view: View, row: int) -> None:
    """Note for each node how much of it is kept from *row*, which would start now."""
    seldom()
    now = view.cycle.pass_s
    until_s = end_of_started(view, row)
    for r in range(view.reservations.count):
        from_s = max(now, view.reservations.from_s[r])
        if not view.reservations.hosted[r] or view.reservations.until_s[r] <= now:
            continue
        if from_s >= until_s and from_s > now:
            continue
        if has_access(view, row, r):
            _prefer(view, r, affinity_of(view, row, r))
        else:
            # As for counted processors, room only grows until the next beginning.
            _bar_at(view, row, from_s)


@kernel
def _prefer(view: View, r: int, affinity: int) -> None:
    """Try nodes of *r* before those of no reservation, or after; where several say otherwise, before."""
    order = LAST_ROUND if affinity == Affinity.NEGATIVE else Affinity.NEUTRAL - affinity - 1
    view.rounds.on = 1
    h = view.reservations.host[r]
    while h >= 0:
        node = view.hosts.node[h]
        if view.rounds.of_node[node] == 0:
            view.rounds.nodes[view.rounds.count] = node
            view.rounds.count += 1
            view.rounds.of_node[node] = order
        elif order < view.rounds.of_node[node]:
            view.rounds.of_node[node] = order
        h = view.hosts.next[h]


@kernel
def _bar_at(view: View, row: int, at_s: float) -> None:
    found = list_of(view, row, at_s)
    if found < 0:
        return
    for k in range(view.lists.first[found], view.lists.last[found]):
        node = view.lists.node[k]
        becomes_free = view.lists.free[k] - int(view.nodes.free[node, 0])
        mask_processors(view, node, view.lists.kept[k] - becomes_free)


@inner
def mask_processors(view: View, node: int, processors: int) -> None:
    """Keep at least so many *processors* of *node* from the job in question."""
    if processors > view.barred.processors[node]:
        if view.barred.processors[node] == 0:
            view.barred.nodes[view.barred.count] = node
            view.barred.count += 1
        view.barred.processors[node] = processors


@kernel
def unmask(view: View) -> None:
    """The job in question is placed, or has no room: forget what was noted for it."""
    for k in range(view.barred.count):
        view.barred.processors[view.barred.nodes[k]] = 0
    for k in range(view.rounds.count):
        view.rounds.of_node[view.rounds.nodes[k]] = 0
    view.barred.count = view.rounds.count = view.rounds.on = 0
