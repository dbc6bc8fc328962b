"""Starting jobs beside the reservations that hold nodes (``holding``).

Whoever is over before the first of them begins goes anywhere. Whoever is not is placed on what they leave.
Plain jobs are counted first, so that few of a long queue are looked for node by node.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import begin_within, resume, start
from molokini.model.decisions import Decision
from molokini.model.resources import WIDTH
from molokini.model.states import NodeState
from molokini.policies.maui.holding import bar_at_starts, holding, room_changed, starts_s
from molokini.policies.maui.memory import COUNTED_BESIDE, SPARES_OF, TRIALS
from molokini.room.hosts import lift
from molokini.room.node_classes import place_by_class
from molokini.room.node_rules import may_use
from molokini.room.partition_room import counting_bounds
from molokini.tables.tables import MOST_HELD, NEVER, View

_START = int(Decision.START)
_RESUME = int(Decision.RESUME)
_UP = int(NodeState.UP)
_LEVELS = MOST_HELD + 1


@inner
def start_beside(view: View, row: int, end_s: float) -> bool:
    """Start the waiting *row*, which would end at *end_s*, beside all that is held."""
    return bool(_begin_beside(view, row, end_s, _START) if holding(view) else start(view, row))


@inner
def resume_beside(view: View, row: int, end_s: float) -> bool:
    """The same of a suspended one."""
    return bool(_begin_beside(view, row, end_s, _RESUME) if holding(view) else resume(view, row))


@kernel
def _begin_beside(view: View, row: int, end_s: float, verb: int) -> bool:
    seldom()
    reached = _reached(view, end_s)
    if reached == 0:
        done = start(view, row) if verb == _START else resume(view, row)
    else:
        done = _may_fit(view, row, end_s, reached) and _begin_on_spares(view, row, end_s, reached, verb)
    if done:
        room_changed(view)
        _lessen_spares(view, row, end_s)
    return bool(done)


@kernel
def _reached(view: View, end_s: float) -> int:
    """How many reservations have begun before *end_s*: the later it is, the more of the same."""
    reached = 0
    for slot in range(MOST_HELD):
        if starts_s(view, slot) < end_s:
            reached += 1
    return reached


@kernel
def _may_fit(view: View, row: int, end_s: float, reached: int) -> bool:
    """False where *row* surely finds no room: seen without a look at every node."""
    shape = 0 if view.node_rules > 0 else view.job_shape[row]
    if shape > 0:
        if view.shape_without_room[shape] == view.room_epoch:
            return False
        failed = -view.shape_spoils[shape] - 1
        if failed >= 0 and failed // _LEVELS == view.global_i[TRIALS] and failed % _LEVELS <= reached:
            # Another of this shape has found nothing beside no more reservations.
            return False
    if counting_bounds(view, row):
        # Where nodes are reserved besides, placement on what is left sees it.
        return _partition_has_room(view, row, reached)
    return place_by_class(view, row) >= 0


@kernel
def _partition_has_room(view: View, row: int, reached: int) -> bool:
    if view.global_i[COUNTED_BESIDE] == 0:
        _count_beside(view)
    for k in range(view.partitions):
        partition = view.partition_order[k]
        left = view.partition_beside[partition, reached]
        if left >= view.job_width[row] and may_use(view, row, partition):
            return True
    return False


@kernel
def _count_beside(view: View) -> None:
    """Processors of each partition that are left beside the first reservations, for each number of them."""
    seldom()
    view.global_i[COUNTED_BESIDE] = 1
    for k in range(view.partitions):
        for reached in range(MOST_HELD + 1):
            view.partition_beside[view.partition_order[k], reached] = 0
    for node in range(view.nodes):
        view.node_beside[node] = view.node_free[node, 0]
    _add_beside(view, 0)
    after_s, reached = -NEVER, 0
    while True:
        # The next in time; of equal ones all at once.
        next_s, count = NEVER, 0
        for slot in range(MOST_HELD):
            if after_s < starts_s(view, slot) < next_s:
                next_s = starts_s(view, slot)
        if next_s == NEVER:
            break
        for slot in range(MOST_HELD):
            if starts_s(view, slot) == next_s:
                for node in range(view.nodes):
                    spare = max(0.0, view.node_spare[node, slot * WIDTH])
                    view.node_beside[node] = min(view.node_beside[node], spare)
                count += 1
        for _ in range(count):
            reached += 1
            _add_beside(view, reached)
        after_s = next_s


@kernel
def _add_beside(view: View, reached: int) -> None:
    for node in range(view.nodes):
        if view.node_state[node] == _UP:
            view.partition_beside[view.node_partition[node], reached] += int(view.node_beside[node])


@kernel
def _begin_on_spares(view: View, row: int, end_s: float, reached: int, verb: int) -> bool:
    if view.global_i[SPARES_OF] != reached:
        _leave_spares(view, end_s)
        view.global_i[SPARES_OF] = reached
    if view.hosted > 0:
        # What those with access use now is kept from others again when they have ended.
        bar_at_starts(view, row, view.node_free, -NEVER, end_s)
    done = begin_within(view, row, view.node_scratch, verb)
    if view.hosted > 0:
        lift(view)
    if done:
        return True
    shape = 0 if view.node_rules > 0 else view.job_shape[row]
    if shape > 0 and view.hosted == 0:
        view.shape_spoils[shape] = -(view.global_i[TRIALS] * _LEVELS + reached) - 1
    return False


@kernel
def _leave_spares(view: View, end_s: float) -> None:
    """``node_scratch`` is what everybody leaves who starts before *end_s*."""
    for node in range(view.nodes):
        for k in range(WIDTH):
            view.node_scratch[node, k] = view.node_free[node, k]
    for slot in range(MOST_HELD):
        if starts_s(view, slot) < end_s:
            for node in range(view.nodes):
                for k in range(WIDTH):
                    spare = max(0.0, view.node_spare[node, slot * WIDTH + k])
                    view.node_scratch[node, k] = min(view.node_scratch[node, k], spare)


@kernel
def _lessen_spares(view: View, row: int, end_s: float) -> None:
    """*row* has begun, and is there up to *end_s*."""
    for slot in range(MOST_HELD):
        entry = view.job_entries[row] if starts_s(view, slot) < end_s else -1
        while entry >= 0:
            node, component = view.entry_node[entry], view.entry_component[entry]
            for k in range(WIDTH):
                need = view.entry_tasks[entry] * view.component_need[component, k]
                view.node_spare[node, slot * WIDTH + k] -= need
            entry = view.entry_next[entry]
