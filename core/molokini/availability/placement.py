"""Placement: on which nodes the tasks of a job go, where nodes are not interchangeable.

Four ways: first fit (nodes in order), best fit (the fullest node that still takes a task first),
worst fit (the emptiest first) and contiguous (the first run of neighbouring nodes that takes a whole
component). A policy may choose another way for a pass, and one more: nodes in the order that it says.
None of this is called on a machine of counted processors.
"""

from molokini.availability.clusters import place_on_clusters
from molokini.availability.node_capacity import plain_tasks, restore, restore_from, take_tasks, tasks_that_fit
from molokini.availability.node_rules import (
    PARTITIONS,
    SETS,
    SetOrder,
    SetPolicy,
    begin_placing,
    partition_at,
)
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import FloatTable
from molokini.model.states import NodeState
from molokini.tables.requests import tasks_of
from molokini.tables.tables import Tables

FIRST_FIT = 0
BEST_FIT = 1
WORST_FIT = 2
CONTIGUOUS = 3
RANKED = 4
"""In the order of ``nodes.order``."""
FIRST_ROUND, LAST_ROUND = -2, 1
"""From the nodes that are tried first, of reservations that a job wants, to those that are tried last."""
NAMES = ("first-fit", "best-fit", "worst-fit", "contiguous")


@kernel
def place(t: Tables, room: FloatTable, row: int) -> int:
    """Find room for every component of *row*; -1 when there is none.

    On success the first so many (that is returned) elements of ``placed_*`` say where; *room* is as
    before. All or nothing, and all in one partition, where there are any.
    """
    seldom()
    if t.placing.rules > 0:
        begin_placing(t, row)
    if t.components.one_of[t.jobs.components[row]]:
        return _place_on_one_feature(t, room, row)
    return _place_on_all(t, room, row)


@kernel
def _place_on_one_feature(t: Tables, room: FloatTable, row: int) -> int:
    """On nodes that share one of the features, the first that has room, in the order of their bits."""
    seldom()
    left, count = t.components.one_of[t.jobs.components[row]], -1
    while left and count < 0:
        t.placing.shared_feature = left & -left
        left &= left - 1
        count = _place_on_all(t, room, row)
    t.placing.shared_feature = 0
    return int(count)


@kernel
def _place_on_all(t: Tables, room: FloatTable, row: int) -> int:
    if t.placing.rules & PARTITIONS:
        return _place_in_partition(t, room, row)
    return _place_by_sets(t, room, row)


@kernel
def _place_in_partition(t: Tables, room: FloatTable, row: int) -> int:
    """In the first partition that *row* may use and that has room; its default comes first."""
    seldom()
    count = -1
    for k in range(t.partitions.count + 1):
        partition = partition_at(t, row, k) if count < 0 else -1
        if partition >= 0:
            t.placing.partition = partition + 1
            count = _place_by_sets(t, room, row)
    t.placing.partition = 0
    return int(count)


@kernel
def _place_by_sets(t: Tables, room: FloatTable, row: int) -> int:
    if t.placing.rules & SETS:
        return _place_in_sets(t, room, row)
    return _place_anywhere(t, room, row)


@kernel
def _place_in_sets(t: Tables, room: FloatTable, row: int) -> int:
    """On nodes of one set, or of any; where none has room, outside of sets, unless a set is required."""
    seldom()
    t.placing.mask = 0
    if t.placing.set_policy == SetPolicy.ANY_OF:
        t.placing.mask = (1 << t.placing.set_count) - 1
    else:
        best, best_score = -1, 0.0
        for k in range(t.placing.set_count):
            t.placing.mask = 1 << k
            count = _place_anywhere(t, room, row)
            if count < 0:
                continue
            score = 0.0 if t.placing.set_policy == SetPolicy.FIRST_OF else _score(t, room, row, count)
            if best < 0 or score > best_score:
                best, best_score = k, score
            if t.placing.set_policy == SetPolicy.FIRST_OF:
                break
        t.placing.mask = 1 << best if best >= 0 else 0
        if best < 0 and t.placing.set_insisted:
            return -1
    count = _place_anywhere(t, room, row)
    if count < 0 and not t.placing.set_insisted:
        t.placing.mask = 0
        count = _place_anywhere(t, room, row)
    t.placing.mask = 0
    return count


@kernel
def _score(t: Tables, room: FloatTable, row: int, count: int) -> float:
    """How good the present set is, in which *row* would be placed as ``placed_*`` says."""
    if t.placing.set_order == SetOrder.MIN_LOSS:
        slowest, speed, tasks = t.nodes.speed[t.placing.node[0]], 0.0, 0
        for k in range(count):
            slowest = min(slowest, t.nodes.speed[t.placing.node[k]])
            speed += t.placing.tasks[k] * t.nodes.speed[t.placing.node[k]]
            tasks += t.placing.tasks[k]
        return float(tasks * slowest - speed)
    size, fastest = 0, 0.0
    for node in range(t.nodes.count):
        if t.nodes.sets[node] & t.placing.mask:
            size += tasks_that_fit(t, room, node, t.jobs.components[row])
            fastest = max(fastest, t.nodes.speed[node])
    if t.placing.set_order == SetOrder.BEST_RESOURCE:
        return fastest
    return float(-size if t.placing.set_order == SetOrder.BEST_FIT else size)


@kernel
def _place_anywhere(t: Tables, room: FloatTable, row: int) -> int:
    """As ``place``, on all nodes of the set and the partition that are tried."""
    count = 0
    component = t.jobs.components[row]
    if t.components.spread[component] > 0:
        return place_on_clusters(t, room, row)
    for _ in range(t.jobs.component_count[row]):
        found = _place_component(t, room, tasks_of(t, row, component), component, count)
        if found < 0:
            restore(t, room, count)
            t.placing.earlier = 0
            return -1
        t.placing.earlier = count = found
        component = t.components.next[component]
    restore(t, room, count)
    t.placing.earlier = 0
    return count


@kernel
def _place_component(t: Tables, room: FloatTable, tasks: int, component: int, count: int) -> int:
    """Take room for one component; the new count, or -1 with nothing of it taken."""
    way = _way(t)
    if way == CONTIGUOUS:
        return _place_run(t, room, tasks, component, count)
    if way == FIRST_FIT or way == RANKED:
        return _place_in_turn(t, room, tasks, component, count, way == RANKED)
    left = tasks
    first = count
    while left > 0:
        node = _best_node(t, room, component, count, first, way)
        if node < 0 or count == t.placing.node.size:
            restore_from(t, room, first, count)
            return -1
        here = min(left, tasks_that_fit(t, room, node, component))
        count = take_tasks(t, room, node, component, here, count)
        left -= here
    return count


@inner
def _way(t: Tables) -> int:
    return int(t.placing.choice - 1 if t.placing.choice > 0 else t.placing.way)


@kernel
def _place_in_turn(t: Tables, room: FloatTable, tasks: int, component: int, count: int, by_rank: bool) -> int:
    """As ``_place_component``, on the first nodes that take any, in their order or by rank."""
    left, first, least = tasks, count, t.components.need[component, 0]
    for turn in range(FIRST_ROUND if t.rounds.on else 0, LAST_ROUND + 1 if t.rounds.on else 1):
        for k in range(t.nodes.count):
            node = t.nodes.order[k] if by_rank else k
            if t.rounds.on and t.rounds.of_node[node] != turn:
                continue
            # Most nodes are full, or of another partition, so that check comes first.
            elsewhere = t.placing.partition > 0 and t.nodes.partition[node] != t.placing.partition - 1
            if elsewhere or room[node, 0] < least:
                continue
            fits = plain_tasks(t, room, node) if component == 0 else tasks_that_fit(t, room, node, component)
            here = min(left, fits)
            if here == 0:
                continue
            if count == t.placing.node.size:
                break
            count = take_tasks(t, room, node, component, here, count)
            left -= here
            if left == 0:
                return count
    restore_from(t, room, first, count)
    return -1


@kernel
def _best_node(t: Tables, room: FloatTable, component: int, count: int, first: int, way: int) -> int:
    """The node that *way* prefers among those not yet used by this component; -1: none."""
    best = -1
    for node in range(t.nodes.count):
        if tasks_that_fit(t, room, node, component) == 0 or _used(t, node, first, count):
            continue
        if best < 0 or _preferred(t, room, node, best, way):
            best = node
    return best


@kernel
def _preferred(t: Tables, room: FloatTable, node: int, best: int, way: int) -> bool:
    if t.rounds.on and t.rounds.of_node[node] != t.rounds.of_node[best]:
        return bool(t.rounds.of_node[node] < t.rounds.of_node[best])
    if way == BEST_FIT:
        return bool(room[node, 0] < room[best, 0])
    return bool(room[node, 0] > room[best, 0])


@kernel
def _used(t: Tables, node: int, first: int, count: int) -> bool:
    for k in range(first, count):
        if t.placing.node[k] == node:
            return True
    return False


@kernel
def _place_run(t: Tables, room: FloatTable, tasks: int, component: int, count: int) -> int:
    """The first run of neighbouring nodes that takes the whole component, each of them some of it."""
    begin, sum_tasks = 0, 0
    for node in range(t.nodes.count):
        fits = tasks_that_fit(t, room, node, component)
        if fits == 0:
            begin, sum_tasks = node + 1, 0
            continue
        sum_tasks += fits
        if sum_tasks >= tasks and count + node + 1 - begin <= t.placing.node.size:
            left = tasks
            for member in range(begin, node + 1):
                here = min(left, tasks_that_fit(t, room, member, component))
                count = take_tasks(t, room, member, component, here, count)
                left -= here
            return count
    return -1


@kernel
def take_placed(t: Tables, room: FloatTable, count: int, sign: float) -> None:
    """Take (-1) or give back (+1) the first *count* placed triples from or to *room*."""
    seldom()
    for k in range(count):
        for resource in range(room.shape[1]):
            need = t.components.need[t.placing.component[k], resource]
            room[t.placing.node[k], resource] += sign * t.placing.tasks[k] * need


@kernel
def all_tasks_placed(t: Tables, row: int, count: int, beside: int) -> bool:
    """Whether the first *count* placed triples are all tasks of *row*, and so many processors *beside* them,
    each on a node that takes work.
    """
    placed, component = -beside, t.jobs.components[row]
    for k in range(count):
        placed += t.placing.tasks[k]
        if t.nodes.state[t.placing.node[k]] != NodeState.UP:
            return False
    for _ in range(t.jobs.component_count[row]):
        placed -= tasks_of(t, row, component)
        component = t.components.next[component]
    return bool(placed == 0)


@kernel
def could_ever_place(t: Tables, row: int) -> bool:
    """Whether the machine, empty and with all nodes up, could hold *row*."""
    seldom()
    for node in range(t.nodes.count):
        for resource in range(t.nodes.total.shape[1]):
            t.nodes.scratch[node, resource] = t.nodes.total[node, resource]
    t.placing.all_up = 1
    possible = place(t, t.nodes.scratch, row) >= 0
    t.placing.all_up = 0
    return possible


def place_now(tables: Tables, row: int) -> tuple[tuple[int, int, int], ...] | None:
    """Where *row* would go at this instant, as (node, tasks, component) triples; None: there is no room."""
    if tables.jobs.width[row] > tables.machine.free:
        return None
    if tables.nodes.count == 0:
        return ()
    count = place(tables, tables.nodes.free, row)
    if count < 0:
        return None
    columns = (tables.placing.node, tables.placing.tasks, tables.placing.component)
    return tuple(zip(*(column[:count].tolist() for column in columns), strict=True))
