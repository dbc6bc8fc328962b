"""Nodes that are reserved for some: keeping the tasks of a job without access off them.

While a job is placed, ``node_barred`` says how many processors of each node it may not have: those that it
would take, now or before it has ended, from a reservation on this node; ``node_round`` says which nodes it
tries first, by how much it wants what it may use (reference, section 11). Called only where reservations are
on particular nodes.
"""

from molokini.model.reservations import Affinity
from molokini.scheduling.compilation import kernel, seldom
from molokini.scheduling.placement import LAST_ROUND, place
from molokini.scheduling.reserved import NO_ACCESS, affinity_of, count_use, kept_on_node, next_node
from molokini.scheduling.structs import FloatTable
from molokini.scheduling.tables import View

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
    h = 0
    while h < view.hosted:
        # What is barred is a part of what is free; the room may leave some of that out already.
        node = view.host_node[h]
        left_out = int(view.node_free[node, 0] - room[node, 0])
        view.node_barred[node] = max(0, view.node_barred[node] - left_out)
        h = next_node(view, h)
    count = place(view, room, row)
    lift(view)
    return count


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
        affinity = affinity_of(view, row, r)
        if affinity > NO_ACCESS:
            _prefer(view, r, affinity)
        else:
            # As for counted processors, room only grows until the next beginning.
            count_use(view, from_s)
            _bar_at(view, row, from_s)


@kernel
def _prefer(view: View, r: int, affinity: int) -> None:
    """The nodes of *r* are tried before those of none, or after them; before, where several say otherwise."""
    order = LAST_ROUND if affinity == _NEGATIVE else _NEUTRAL - affinity - 1
    view.rounds = 1
    for h in range(view.hosted):
        node = view.host_node[h]
        if view.host_reservation[h] == r and (view.node_round[node] == 0 or order < view.node_round[node]):
            view.node_round[node] = order


@kernel
def _bar_at(view: View, row: int, at_s: float) -> None:
    h = 0
    while h < view.hosted:
        node = view.host_node[h]
        becomes_free = view.host_free[h] - int(view.node_free[node, 0])
        barred = kept_on_node(view, row, h, at_s) - becomes_free
        view.node_barred[node] = max(view.node_barred[node], barred)
        h = next_node(view, h)


@kernel
def lift(view: View) -> None:
    """The question is answered."""
    for h in range(view.hosted):
        view.node_barred[view.host_node[h]] = 0
        view.node_round[view.host_node[h]] = 0
    view.rounds = 0
