"""Placement: on which nodes the tasks of a job go, where nodes are not interchangeable.

Four ways: first fit (nodes in order), best fit (the fullest node that still takes a task first),
worst fit (the emptiest first) and contiguous (the first run of neighbouring nodes that takes a whole
component). A policy may choose another way for a pass, and one more: nodes in the order that it says.
On a machine of counted processors nothing of this is called.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import FloatTable
from molokini.room.clusters import place_on_clusters
from molokini.room.node_rules import PARTITIONS, SETS, SetOrder, SetPolicy, begin_placing, partition_at
from molokini.room.nodes import plain_tasks, restore, restore_from, take_tasks, tasks_that_fit
from molokini.tables.requests import tasks_of
from molokini.tables.tables import Tables

FIRST_FIT = 0
BEST_FIT = 1
WORST_FIT = 2
CONTIGUOUS = 3
RANKED = 4
"""In the order of ``node_order``."""
FIRST_ROUND, LAST_ROUND = -2, 1
"""Nodes of reservations that a job wants, or is neutral to, are tried before the others, then the rest."""
_ANY_OF = int(SetPolicy.ANY_OF)
_FIRST_OF = int(SetPolicy.FIRST_OF)
_BEST_FIT = int(SetOrder.BEST_FIT)
_BEST_RESOURCE = int(SetOrder.BEST_RESOURCE)
_MIN_LOSS = int(SetOrder.MIN_LOSS)
NAMES = ("first-fit", "best-fit", "worst-fit", "contiguous")


@kernel
def place(t: Tables, room: FloatTable, row: int) -> int:
    """Find room for every component of *row*; -1 when there is none.

    On success the first so many (that is returned) elements of ``placed_*`` say where; *room* is as
    before. All or nothing, and all in one partition, where there are any.
    """
    seldom()
    if t.node_rules > 0:
        begin_placing(t, row)
    if t.node_rules & PARTITIONS:
        return _place_in_partition(t, room, row)
    return _place_by_sets(t, room, row)


@kernel
def _place_in_partition(t: Tables, room: FloatTable, row: int) -> int:
    """In the first partition that *row* may use and that has room; its own comes first."""
    seldom()
    count = -1
    for k in range(t.partitions + 1):
        partition = partition_at(t, row, k) if count < 0 else -1
        if partition >= 0:
            t.partition_now = partition + 1
            count = _place_by_sets(t, room, row)
    t.partition_now = 0
    return int(count)


@kernel
def _place_by_sets(t: Tables, room: FloatTable, row: int) -> int:
    if t.node_rules & SETS:
        return _place_in_sets(t, room, row)
    return _place_anywhere(t, room, row)


@kernel
def _place_in_sets(t: Tables, room: FloatTable, row: int) -> int:
    """On nodes of one set, or of any; where none has room, outside, unless a set is insisted on."""
    seldom()
    t.node_mask = 0
    if t.set_policy == _ANY_OF:
        t.node_mask = (1 << t.set_count) - 1
    else:
        best, best_score = -1, 0.0
        for k in range(t.set_count):
            t.node_mask = 1 << k
            count = _place_anywhere(t, room, row)
            if count < 0:
                continue
            score = 0.0 if t.set_policy == _FIRST_OF else _score(t, room, row, count)
            if best < 0 or score > best_score:
                best, best_score = k, score
            if t.set_policy == _FIRST_OF:
                break
        t.node_mask = 1 << best if best >= 0 else 0
        if best < 0 and t.set_insisted:
            return -1
    count = _place_anywhere(t, room, row)
    if count < 0 and not t.set_insisted:
        t.node_mask = 0
        count = _place_anywhere(t, room, row)
    t.node_mask = 0
    return count


@kernel
def _score(t: Tables, room: FloatTable, row: int, count: int) -> float:
    """How good the present set is, in which *row* would be placed as ``placed_*`` says."""
    if t.set_order == _MIN_LOSS:
        slowest, speed, tasks = t.node_speed[t.placed_node[0]], 0.0, 0
        for k in range(count):
            slowest = min(slowest, t.node_speed[t.placed_node[k]])
            speed += t.placed_tasks[k] * t.node_speed[t.placed_node[k]]
            tasks += t.placed_tasks[k]
        return float(tasks * slowest - speed)
    size, fastest = 0, 0.0
    for node in range(t.nodes):
        if t.node_sets[node] & t.node_mask:
            size += tasks_that_fit(t, room, node, t.job_components[row])
            fastest = max(fastest, t.node_speed[node])
    if t.set_order == _BEST_RESOURCE:
        return fastest
    return float(-size if t.set_order == _BEST_FIT else size)


@kernel
def _place_anywhere(t: Tables, room: FloatTable, row: int) -> int:
    """As ``place``, on all nodes that may be looked at."""
    count = 0
    component = t.job_components[row]
    if t.component_spread[component] > 0:
        return place_on_clusters(t, room, row)
    for _ in range(t.job_component_count[row]):
        found = _place_component(t, room, tasks_of(t, row, component), component, count)
        if found < 0:
            restore(t, room, count)
            return -1
        count = found
        component = t.component_next[component]
    restore(t, room, count)
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
        if node < 0 or count == t.placed_node.size:
            restore_from(t, room, first, count)
            return -1
        here = min(left, tasks_that_fit(t, room, node, component))
        count = take_tasks(t, room, node, component, here, count)
        left -= here
    return count


@inner
def _way(t: Tables) -> int:
    return int(t.node_choice - 1 if t.node_choice > 0 else t.placement)


@kernel
def _place_in_turn(t: Tables, room: FloatTable, tasks: int, component: int, count: int, by_rank: bool) -> int:
    """As ``_place_component``, on the first nodes that take any, in their order or by rank."""
    left, first, least = tasks, count, t.component_need[component, 0]
    for turn in range(FIRST_ROUND if t.rounds else 0, LAST_ROUND + 1 if t.rounds else 1):
        for k in range(t.nodes):
            node = t.node_order[k] if by_rank else k
            if t.rounds and t.node_round[node] != turn:
                continue
            # Most nodes are full, or of another partition: the first look is the one that counts.
            elsewhere = t.partition_now > 0 and t.node_partition[node] != t.partition_now - 1
            if elsewhere or room[node, 0] < least:
                continue
            fits = plain_tasks(t, room, node) if component == 0 else tasks_that_fit(t, room, node, component)
            here = min(left, fits)
            if here == 0:
                continue
            if count == t.placed_node.size:
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
    for node in range(t.nodes):
        if tasks_that_fit(t, room, node, component) == 0 or _used(t, node, first, count):
            continue
        if best < 0 or _preferred(t, room, node, best, way):
            best = node
    return best


@kernel
def _preferred(t: Tables, room: FloatTable, node: int, best: int, way: int) -> bool:
    if t.rounds and t.node_round[node] != t.node_round[best]:
        return bool(t.node_round[node] < t.node_round[best])
    if way == BEST_FIT:
        return bool(room[node, 0] < room[best, 0])
    return bool(room[node, 0] > room[best, 0])


@kernel
def _used(t: Tables, node: int, first: int, count: int) -> bool:
    for k in range(first, count):
        if t.placed_node[k] == node:
            return True
    return False


@kernel
def _place_run(t: Tables, room: FloatTable, tasks: int, component: int, count: int) -> int:
    """The first run of neighbouring nodes, each giving something, that takes the whole component."""
    begin, sum_tasks = 0, 0
    for node in range(t.nodes):
        fits = tasks_that_fit(t, room, node, component)
        if fits == 0:
            begin, sum_tasks = node + 1, 0
            continue
        sum_tasks += fits
        if sum_tasks >= tasks and count + node + 1 - begin <= t.placed_node.size:
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
            need = t.component_need[t.placed_component[k], resource]
            room[t.placed_node[k], resource] += sign * t.placed_tasks[k] * need


@kernel
def could_ever_place(t: Tables, row: int) -> bool:
    """Whether the machine, empty and with all nodes up, could hold *row*."""
    seldom()
    for node in range(t.nodes):
        for resource in range(t.node_total.shape[1]):
            t.node_scratch[node, resource] = t.node_total[node, resource]
    t.all_up = 1
    possible = place(t, t.node_scratch, row) >= 0
    t.all_up = 0
    return possible


def place_now(tables: Tables, row: int) -> tuple[tuple[int, int, int], ...] | None:
    """Where *row* would go just now, as (node, tasks, component) triples; None where there is no room."""
    if tables.job_width[row] > tables.free:
        return None
    if tables.nodes == 0:
        return ()
    count = place(tables, tables.node_free, row)
    if count < 0:
        return None
    columns = (tables.placed_node, tables.placed_tasks, tables.placed_component)
    return tuple(zip(*(column[:count].tolist() for column in columns), strict=True))
