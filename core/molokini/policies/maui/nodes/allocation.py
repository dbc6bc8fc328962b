"""Which nodes a job gets, where nodes are not interchangeable: NODEALLOCATIONPOLICY.

Reference, section 11. Each way but CONTIGUOUS is an order in which nodes are tried; some orders hold as long
as the settings do, some change with every start, and some depend on the job.
"""

from molokini.availability.node_capacity import tasks_that_fit
from molokini.availability.node_order import as_numbered, resort_nodes, sort_nodes
from molokini.availability.placement import CONTIGUOUS, FIRST_FIT, RANKED, place
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.resources import Resource
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.slots import NodeColumn
from molokini.policies.maui.configuration.words import Allocation, NodeTerm
from molokini.policies.maui.knowledge.memory import mine
from molokini.policies.maui.nodes.node_rows import node_setting
from molokini.tables.requests import tasks_of
from molokini.tables.tables import NEVER, View

_ADISK, _AMEM, _APROCS, _ASWAP = (
    NodeColumn.TERMS + int(NodeTerm.ADISK),
    NodeColumn.TERMS + int(NodeTerm.AMEM),
    NodeColumn.TERMS + int(NodeTerm.APROCS),
    NodeColumn.TERMS + int(NodeTerm.ASWAP),
)
_CDISK, _CMEM, _CPROCS, _CSWAP = (
    NodeColumn.TERMS + int(NodeTerm.CDISK),
    NodeColumn.TERMS + int(NodeTerm.CMEM),
    NodeColumn.TERMS + int(NodeTerm.CPROCS),
    NodeColumn.TERMS + int(NodeTerm.CSWAP),
)
_JOBCOUNT = NodeColumn.TERMS + int(NodeTerm.JOBCOUNT)
_LOAD = NodeColumn.TERMS + int(NodeTerm.LOAD)
_TERM_PRIORITY = NodeColumn.TERMS + int(NodeTerm.PRIORITY)
_TERM_SPEED = NodeColumn.TERMS + int(NodeTerm.SPEED)
_KB_A_MB = 1024.0


@inner
def choose_nodes(view: View, now: float) -> None:
    """An iteration begins: say how its jobs are placed."""
    if view.nodes.count > 0 and parameters(view).node_allocation != Allocation.LOCAL:
        _choose_nodes(view, now)


@kernel
def _choose_nodes(view: View, now: float) -> None:
    seldom()
    allocation = parameters(view).node_allocation
    if allocation == Allocation.CONTIGUOUS:
        view.placing.choice = 1 + CONTIGUOUS
        return
    if allocation == Allocation.FIRSTAVAILABLE:
        view.placing.choice = 1 + FIRST_FIT
        return
    view.placing.choice = 1 + RANKED
    if mine(view).nodes_new:
        as_numbered(view)
        if allocation == Allocation.MINRESOURCE:
            _by_resources(view)
        elif allocation == Allocation.FASTEST:
            for node in range(view.nodes.count):
                view.nodes.key[node] = node_setting(view, node, NodeColumn.SPEED)
            sort_nodes(view)
    if (
        allocation == Allocation.LASTAVAILABLE
        or allocation == Allocation.MAXBALANCE
        or allocation == Allocation.CPULOAD
        or allocation == Allocation.PRIORITY
    ):
        # The order that the last iteration left does not count: decisions follow from the view alone.
        as_numbered(view)
    mine(view).nodes_sorted = -1
    if allocation == Allocation.LASTAVAILABLE:
        _find_reserved(view, now)


@kernel
def _by_resources(view: View) -> None:
    """The fewest resources first: by memory, where equal by processors, then by swap, then by disk."""
    seldom()
    for step in range(4):
        resource = (
            Resource.DISK_KB
            if step == 0
            else Resource.SWAP_KB
            if step == 1
            else Resource.PROCESSORS
            if step == 2
            else Resource.MEMORY_KB
        )
        for node in range(view.nodes.count):
            view.nodes.key[node] = -view.nodes.total[node, resource]
        _sort_keeping(view)
    for node in range(view.nodes.count):
        view.nodes.key[node] = 0.0


@kernel
def _sort_keeping(view: View) -> None:
    """Sort by the keys, equal ones as they stand."""
    for place_in_order in range(1, view.nodes.count):
        moving = view.nodes.order[place_in_order]
        low, high = 0, place_in_order
        while low < high:
            middle = (low + high) >> 1
            if view.nodes.key[view.nodes.order[middle]] >= view.nodes.key[moving]:
                low = middle + 1
            else:
                high = middle
        for k in range(place_in_order, low, -1):
            view.nodes.order[k] = view.nodes.order[k - 1]
        view.nodes.order[low] = moving


@kernel
def _find_reserved(view: View, now: float) -> None:
    """Which nodes administrative reservations need, and when."""
    seldom()
    mine(view).nodes_needed = 0
    for node in range(view.nodes.count):
        view.nodes.next_s[node] = NEVER
    for h in range(view.hosts.count):
        reservation = view.hosts.reservation[h]
        if view.reservations.until_s[reservation] > now:
            _need(view, view.hosts.node[h], view.reservations.from_s[reservation])


@inner
def _need(view: View, node: int, at_s: float) -> None:
    view.nodes.next_s[node] = min(view.nodes.next_s[node], at_s)
    mine(view).nodes_needed = 1


@inner
def note_head(view: View, head: int, shadow_s: float) -> None:
    """*head* gets a reservation at *shadow_s*, when nodes will stand as ``nodes.scratch`` says."""
    if (
        view.placing.choice == 1 + RANKED
        and parameters(view).node_allocation == Allocation.LASTAVAILABLE
        and shadow_s < NEVER
    ):
        _note_head(view, head, shadow_s)


@kernel
def _note_head(view: View, head: int, shadow_s: float) -> None:
    seldom()
    for k in range(place(view, view.nodes.scratch, head)):
        _need(view, view.placing.node[k], shadow_s)


@inner
def note_held(view: View, slot: int, at_s: float) -> None:
    """A reservation begins at *at_s*, and *slot* holds its nodes."""
    if view.placing.choice == 1 + RANKED and parameters(view).node_allocation == Allocation.LASTAVAILABLE:
        _note_held(view, slot, at_s)


@kernel
def _note_held(view: View, slot: int, at_s: float) -> None:
    seldom()
    width = view.nodes.free.shape[1]
    for node in range(view.nodes.count):
        for k in range(width):
            if view.nodes.hold[node, slot * width + k] > 0.0:
                _need(view, node, at_s)


@inner
def order_nodes(view: View, row: int, end_s: float) -> None:
    """Put nodes in the order in which *row*, which would end at *end_s*, is to try them."""
    if view.placing.choice == 1 + RANKED:
        _order_nodes(view, row, end_s)


@kernel
def _order_nodes(view: View, row: int, end_s: float) -> None:
    seldom()
    allocation = parameters(view).node_allocation
    if allocation == Allocation.LASTAVAILABLE:
        if mine(view).nodes_needed:
            _by_gap(view, end_s)
    elif allocation == Allocation.MAXBALANCE:
        _by_balance(view, row)
    elif (allocation == Allocation.CPULOAD or allocation == Allocation.PRIORITY) and (
        mine(view).nodes_sorted != view.cycle.start_epoch
    ):
        for node in range(view.nodes.count):
            idle = view.nodes.free[node, Resource.PROCESSORS]
            view.nodes.key[node] = idle if allocation == Allocation.CPULOAD else node_priority(view, node)
        if mine(view).nodes_sorted < 0:
            sort_nodes(view)
        else:
            resort_nodes(view)
        mine(view).nodes_sorted = view.cycle.start_epoch


@inner
def counts_jobs(view: View) -> bool:
    """Whether the order of nodes depends on the jobs that each of them runs."""
    return bool(view.placing.choice == 1 + RANKED and parameters(view).node_allocation == Allocation.PRIORITY)


@kernel
def _by_gap(view: View, end_s: float) -> None:
    """The smallest gap to the next reservation first; last, nodes that would be needed before the end."""
    seldom()
    for node in range(view.nodes.count):
        gap_s = view.nodes.next_s[node] - end_s
        if gap_s == NEVER:
            view.nodes.key[node] = -1e300
        else:
            view.nodes.key[node] = -gap_s if gap_s >= 0.0 else -NEVER
    sort_nodes(view)


@kernel
def _by_balance(view: View, row: int) -> None:
    """First the nodes that take the whole job and differ the least in speed; the slowest of such sets."""
    seldom()
    for node in range(view.nodes.count):
        view.nodes.key[node] = -node_setting(view, node, NodeColumn.SPEED)
    sort_nodes(view)
    component = view.jobs.components[row]
    tasks = tasks_of(view, row, component)
    best, best_first, best_last = NEVER, 0, -1
    first, inside = 0, 0
    for last in range(view.nodes.count):
        inside += min(tasks, tasks_that_fit(view, view.nodes.free, view.nodes.order[last], component))
        while inside >= tasks:
            spread = view.nodes.key[view.nodes.order[first]] - view.nodes.key[view.nodes.order[last]]
            if spread < best:
                best, best_first, best_last = spread, first, last
            inside -= min(tasks, tasks_that_fit(view, view.nodes.free, view.nodes.order[first], component))
            first += 1
    for k in range(view.nodes.count):
        view.nodes.seen[view.nodes.order[k]] = 1 if best_first <= k <= best_last else 0
    for node in range(view.nodes.count):
        view.nodes.key[node] = float(view.nodes.seen[node])
    sort_nodes(view)


@kernel
def node_priority(view: View, node: int) -> float:
    """The node's PRIORITY, or what PRIORITYF makes of the node as it is now."""
    if node_setting(view, node, NodeColumn.HAS_FUNCTION) == 0.0:
        return node_setting(view, node, NodeColumn.PRIORITY)
    free, of = view.nodes.free, view.nodes.total
    total = node_setting(view, node, _APROCS) * free[node, Resource.PROCESSORS]
    total += node_setting(view, node, _AMEM) * free[node, Resource.MEMORY_KB] / _KB_A_MB
    total += node_setting(view, node, _ASWAP) * free[node, Resource.SWAP_KB] / _KB_A_MB
    total += node_setting(view, node, _ADISK) * free[node, Resource.DISK_KB] / _KB_A_MB
    total += node_setting(view, node, _CPROCS) * of[node, Resource.PROCESSORS]
    total += node_setting(view, node, _CMEM) * of[node, Resource.MEMORY_KB] / _KB_A_MB
    total += node_setting(view, node, _CSWAP) * of[node, Resource.SWAP_KB] / _KB_A_MB
    total += node_setting(view, node, _CDISK) * of[node, Resource.DISK_KB] / _KB_A_MB
    total += node_setting(view, node, _LOAD) * (
        of[node, Resource.PROCESSORS] - free[node, Resource.PROCESSORS]
    )
    total += node_setting(view, node, _JOBCOUNT) * view.nodes.jobs[node]
    total += node_setting(view, node, _TERM_PRIORITY) * node_setting(view, node, NodeColumn.PRIORITY)
    total += node_setting(view, node, _TERM_SPEED) * node_setting(view, node, NodeColumn.SPEED)
    return float(total)
