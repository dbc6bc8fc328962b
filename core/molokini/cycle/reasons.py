"""Why a job waits: what policies say of it, and what keeps it from nodes and processors under any policy.

A policy that would start a job says ``blocked`` where it does not start. What stands in the way comes from
here then, in one order for all policies: nodes that take no work, reservations for others, too little that is
free. ``held_back`` is for policies that have a rule of their own (a plan, the head of the queue), which
counts only where nodes and reservations are not in the way. Nothing of it happens in passes that are not
asked for reasons.
"""

from molokini.availability.beside_reserved import first_conflict
from molokini.availability.node_capacity import tasks_that_fit
from molokini.compiled.compilation import kernel, seldom
from molokini.model.decisions import BEGINS, Rule
from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.tables.requests import tasks_of
from molokini.tables.tables import View


@kernel
def write_reason(view: View, row: int, rule: int, limit: float, value: float, front: int) -> None:
    """Note the rule, its limit, the job's value and the row in front (-1: none)."""
    seldom()
    view.reasons.rule[row] = rule
    view.reasons.limit[row] = limit
    view.reasons.value[row] = value
    view.reasons.front[row] = front
    view.reasons.narrower[row] = 0
    view.reasons.reservation[row] = 0


@kernel
def blocked(view: View, row: int, front: int) -> None:
    """Say why *row*, which the policy would start now, does not (*front*: the row before it; -1: none)."""
    if view.cycle.explain:
        blocked_beside(view, row, front, view.machine.idle)


@kernel
def blocked_beside(view: View, row: int, front: int, most: int) -> None:
    """The same where the policy would start the job if it asked for at most *most* processors."""
    if not view.cycle.explain or held_back(view, row, front):
        return
    free, left = usable(view), most
    if view.reservations.count > 0:
        left = min(left, first_conflict(view, row)[1])
    write_reason(view, row, Rule.NOT_ENOUGH_FREE, free, view.jobs.width[row], front)
    if view.jobs.width[row] > free:
        view.reasons.narrower[row] = max(0, min(free, left))


@kernel
def held_back(view: View, row: int, front: int) -> bool:
    """Say that nodes which take no work, or reservations for others, hold *row* back; False: neither."""
    if not view.cycle.explain:
        return False
    if without_nodes(view, row, front):
        return True
    if view.reservations.count == 0 or view.jobs.width[row] > usable(view):
        return False
    conflict, left = first_conflict(view, row)
    if conflict < 0:
        return False
    write_reason(view, row, Rule.RESERVED_FOR_OTHERS, max(0, left), view.jobs.width[row], front)
    view.reasons.reservation[row] = conflict + 1
    view.reasons.narrower[row] = max(0, left)
    return True


@kernel
def without_nodes(view: View, row: int, front: int) -> bool:
    """Say that *row* could not start on the nodes that take work if all were empty; False: it could."""
    if not view.cycle.explain or view.nodes.count == 0 or not _lacks_nodes(view, row):
        return False
    write_reason(view, row, Rule.NODES_UNAVAILABLE, view.reasons.accepting, view.jobs.width[row], front)
    left = usable(view)
    if view.reservations.count > 0:
        left = min(left, first_conflict(view, row)[1])
    view.reasons.narrower[row] = max(0, left)
    return True


@kernel
def starts_now(view: View, row: int) -> bool:
    """Whether this pass has decided that *row* starts: it waits for nothing then."""
    for k in range(view.cycle.decided):
        if view.cycle.decisions[k, 1] == row and BEGINS >> view.cycle.decisions[k, 0] & 1:
            return True
    return False


@kernel
def usable(view: View) -> int:
    """Processors that are free on nodes which take work."""
    _count_nodes(view)
    return int(max(0, view.machine.idle - view.reasons.unusable))


@kernel
def _count_nodes(view: View) -> None:
    """Count once a pass what nodes that take work have, and what is free on those that take none."""
    if view.nodes.count == 0:
        view.reasons.accepting, view.reasons.unusable = view.machine.processors, 0
        return
    if view.reasons.counted_epoch == view.cycle.room_epoch:
        return
    view.reasons.counted_epoch = view.cycle.room_epoch
    takes, unusable = 0.0, 0.0
    for node in range(view.nodes.count):
        if view.nodes.state[node] == NodeState.UP:
            takes += view.nodes.total[node, Resource.PROCESSORS]
        elif view.nodes.state[node] == NodeState.DRAINING:
            unusable += view.nodes.free[node, Resource.PROCESSORS]
    view.reasons.accepting, view.reasons.unusable = int(takes), int(unusable)


@kernel
def _lacks_nodes(view: View, row: int) -> bool:
    """Whether the nodes that take work now could not hold *row* if all of them were empty."""
    _count_nodes(view)
    if view.jobs.width[row] > view.reasons.accepting:
        return True
    if view.reasons.accepting == view.machine.processors_in_all:
        return False
    component = view.jobs.components[row]
    for _ in range(max(1, view.jobs.component_count[row])):
        left = tasks_of(view, row, component)
        for node in range(view.nodes.count):
            if left > 0:
                left -= tasks_that_fit(view, view.nodes.total, node, component)
        if left > 0:
            return True
        component = view.components.next[component]
    return False
