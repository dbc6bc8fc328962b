"""Nodes that are reserved for some: keeping the tasks of a job without access off them.

While a job is placed, ``node_barred`` says how many processors of each node it may not have: those that it
would take, now or before it has ended, from a reservation on this node; ``node_round`` says which nodes it
tries first, by how much it wants what it may use (reference, section 11). Called only where reservations are
on particular nodes.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import FloatTable
from molokini.model.reservations import Affinity
from molokini.model.states import NodeState
from molokini.room.kept_lists import list_of
from molokini.room.node_rules import may_use
from molokini.room.placement import LAST_ROUND, place
from molokini.tables.access import affinity_of, has_access
from molokini.tables.tables import View

_UP = int(NodeState.UP)
_NEGATIVE, _NEUTRAL = int(Affinity.NEGATIVE), int(Affinity.NEUTRAL)


@kernel
def place_outside(view: View, row: int) -> int:
    """As ``placement.place`` for *row* now, on what is not reserved for others."""
    return place_outside_on(view, view.node_free, row)


@kernel
def place_outside_on(view: View, room: FloatTable, row: int) -> int:
    """The same on a *room* that is no more than what is free."""
    if view.hosted == 0:
        return place(view, room, row)
    bar(view, row)
    for k in range(view.barred):
        # What is barred is a part of what is free; the room may leave some of that out already.
        node = view.node_barred_list[k]
        left_out = int(view.node_free[node, 0] - room[node, 0])
        view.node_barred[node] = max(0, view.node_barred[node] - left_out)
    count = place(view, room, row)
    lift(view)
    return count


@kernel
def may_be_outside(view: View, row: int) -> bool:
    """False where *row*, which counting bounds, surely has no room now on what is not reserved for others."""
    seldom()
    bar(view, row)
    found = False
    for k in range(view.partitions):
        partition = view.partition_order[k]
        if not found and may_use(view, row, partition):
            found = _has_room(view, partition, view.job_width[row])
    lift(view)
    return found


@kernel
def _has_room(view: View, partition: int, width: int) -> bool:
    left = width
    for node in range(view.nodes):
        if view.node_partition[node] == partition and view.node_state[node] == _UP:
            left -= max(0, int(view.node_free[node, 0]) - view.node_barred[node])
            if left <= 0:
                return True
    return False


@kernel
def bar(view: View, row: int) -> None:
    """Say of each node how much of it is kept from *row*, which would start now."""
    seldom()
    now = view.pass_s
    until_s = now + view.job_estimate_s[row] - view.job_work_s[row]
    for r in range(view.reservations):
        from_s = max(now, view.reservation_from_s[r])
        if not view.reservation_hosted[r] or view.reservation_until_s[r] <= now:
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
    """The nodes of *r* are tried before those of none, or after them; before, where several say otherwise."""
    order = LAST_ROUND if affinity == _NEGATIVE else _NEUTRAL - affinity - 1
    view.rounds = 1
    h = view.reservation_host[r]
    while h >= 0:
        node = view.host_node[h]
        if view.node_round[node] == 0:
            view.node_round_list[view.preferred] = node
            view.preferred += 1
            view.node_round[node] = order
        elif order < view.node_round[node]:
            view.node_round[node] = order
        h = view.host_next[h]


@kernel
def _bar_at(view: View, row: int, at_s: float) -> None:
    found = list_of(view, row, at_s)
    if found < 0:
        return
    for k in range(view.list_first[found], view.list_last[found]):
        node = view.listed_node[k]
        becomes_free = view.listed_free[k] - int(view.node_free[node, 0])
        keep_off(view, node, view.listed_kept[k] - becomes_free)


@inner
def keep_off(view: View, node: int, processors: int) -> None:
    """At least so many *processors* of *node* are not for the job in question."""
    if processors > view.node_barred[node]:
        if view.node_barred[node] == 0:
            view.node_barred_list[view.barred] = node
            view.barred += 1
        view.node_barred[node] = processors


@kernel
def lift(view: View) -> None:
    """The question is answered."""
    for k in range(view.barred):
        view.node_barred[view.node_barred_list[k]] = 0
    for k in range(view.preferred):
        view.node_round[view.node_round_list[k]] = 0
    view.barred = view.preferred = view.rounds = 0
