"""Starting jobs beside the reservations that hold nodes (``holding``).

A job that ends before the first of them begins may go anywhere. Any other job is placed on what they leave.
For plain jobs processors are counted first, so that few jobs of a long queue are tried node by node.
"""

from molokini.availability.hosts import unmask
from molokini.availability.node_classes import place_by_class
from molokini.availability.node_rules import may_use
from molokini.availability.partition_capacity import counting_bounds
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import begin_within, resume, start
from molokini.model.decisions import Decision
from molokini.model.resources import WIDTH
from molokini.model.states import NodeState
from molokini.policies.maui.knowledge.memory import mine
from molokini.policies.maui.nodes.holding import bar_at_starts, holding, room_changed, starts_s
from molokini.tables.sizes import MOST_HELD
from molokini.tables.tables import NEVER, View

_LEVELS = MOST_HELD + 1


@inner
def start_beside(view: View, row: int, end_s: float) -> bool:
    """Start the waiting *row*, which would end at *end_s*, beside all that reservations hold."""
    return bool(_begin_beside(view, row, end_s, Decision.START) if holding(view) else start(view, row))


@inner
def resume_beside(view: View, row: int, end_s: float) -> bool:
    """The same for a suspended job."""
    return bool(_begin_beside(view, row, end_s, Decision.RESUME) if holding(view) else resume(view, row))


@kernel
def _begin_beside(view: View, row: int, end_s: float, verb: int) -> bool:
    seldom()
    reached = _reached(view, end_s)
    if reached == 0:
        done = start(view, row) if verb == Decision.START else resume(view, row)
    else:
        done = _may_fit(view, row, end_s, reached) and _begin_on_spares(view, row, end_s, reached, verb)
    if done:
        room_changed(view)
        change_spares_beyond(view, row, end_s, -1.0)
    return bool(done)


@kernel
def _reached(view: View, end_s: float) -> int:
    """How many reservations have begun before *end_s*; those of an earlier instant are among them."""
    reached = 0
    for slot in range(MOST_HELD):
        if starts_s(view, slot) < end_s:
            reached += 1
    return reached


@kernel
def _may_fit(view: View, row: int, end_s: float, reached: int) -> bool:
    """False where *row* surely finds no room; found out without a look at every node."""
    shape = 0 if view.placing.rules > 0 else view.jobs.shape[row]
    if shape > 0:
        if view.shapes.without_room[shape] == view.cycle.room_epoch:
            return False
        failed = -view.shapes.spoils[shape] - 1
        if failed >= 0 and failed // _LEVELS == mine(view).trials and failed % _LEVELS <= reached:
            # Another job of this shape found no room beside as many reservations, or fewer.
            return False
    if counting_bounds(view, row):
        # Placement on what is left takes account of nodes that are reserved besides.
        return _partition_has_room(view, row, reached)
    return place_by_class(view, row) >= 0


@kernel
def _partition_has_room(view: View, row: int, reached: int) -> bool:
    if mine(view).counted_beside == 0:
        _count_beside(view)
    for k in range(view.partitions.count):
        partition = view.partitions.order[k]
        left = view.partitions.beside[partition, reached]
        if left >= view.jobs.width[row] and may_use(view, row, partition):
            return True
    return False


@kernel
def _count_beside(view: View) -> None:
    """Processors of each partition that are left beside the first reservations, for each number of them."""
    seldom()
    mine(view).counted_beside = 1
    for k in range(view.partitions.count):
        for reached in range(MOST_HELD + 1):
            view.partitions.beside[view.partitions.order[k], reached] = 0
    for node in range(view.nodes.count):
        view.nodes.beside[node] = view.nodes.free[node, 0]
    _add_beside(view, 0)
    after_s, reached = -NEVER, 0
    while True:
        # The next start in time; all reservations that begin at it are taken at once.
        next_s, count = NEVER, 0
        for slot in range(MOST_HELD):
            if after_s < starts_s(view, slot) < next_s:
                next_s = starts_s(view, slot)
        if next_s == NEVER:
            break
        for slot in range(MOST_HELD):
            if starts_s(view, slot) == next_s:
                for node in range(view.nodes.count):
                    spare = max(0.0, view.nodes.spare[node, slot * WIDTH])
                    view.nodes.beside[node] = min(view.nodes.beside[node], spare)
                count += 1
        for _ in range(count):
            reached += 1
            _add_beside(view, reached)
        after_s = next_s


@kernel
def _add_beside(view: View, reached: int) -> None:
    for node in range(view.nodes.count):
        if view.nodes.state[node] == NodeState.UP:
            view.partitions.beside[view.nodes.partition[node], reached] += int(view.nodes.beside[node])


@kernel
def _begin_on_spares(view: View, row: int, end_s: float, reached: int, verb: int) -> bool:
    if mine(view).spares_of != reached:
        _leave_spares(view, end_s)
        mine(view).spares_of = reached
    if view.hosts.count > 0:
        # When the jobs that have access end, what they use now is kept from other jobs again.
        bar_at_starts(view, row, view.nodes.free, -NEVER, end_s)
    done = begin_within(view, row, view.nodes.scratch, verb)
    if view.hosts.count > 0:
        unmask(view)
    if done:
        return True
    shape = 0 if view.placing.rules > 0 else view.jobs.shape[row]
    if shape > 0 and view.hosts.count == 0:
        view.shapes.spoils[shape] = -(mine(view).trials * _LEVELS + reached) - 1
    return False


@kernel
def _leave_spares(view: View, end_s: float) -> None:
    """``nodes.scratch`` is what all reservations that begin before *end_s* leave."""
    for node in range(view.nodes.count):
        for k in range(WIDTH):
            view.nodes.scratch[node, k] = view.nodes.free[node, k]
    for slot in range(MOST_HELD):
        if starts_s(view, slot) < end_s:
            for node in range(view.nodes.count):
                for k in range(WIDTH):
                    spare = max(0.0, view.nodes.spare[node, slot * WIDTH + k])
                    view.nodes.scratch[node, k] = min(view.nodes.scratch[node, k], spare)


@kernel
def change_spares_beyond(view: View, row: int, end_s: float, times: float) -> None:
    """Every reservation that begins before *end_s* leaves so many *times* the room of *row* more to others.

    -1: the job has begun, and is there up to *end_s*; 1: it was to be there, and is taken off.
    """
    seldom()
    for slot in range(MOST_HELD):
        entry = view.jobs.entries[row] if starts_s(view, slot) < end_s else -1
        while entry >= 0:
            node, component = view.entries.node[entry], view.entries.component[entry]
            for k in range(WIDTH):
                need = view.entries.tasks[entry] * view.components.need[component, k]
                view.nodes.spare[node, slot * WIDTH + k] += times * need
            entry = view.entries.next[entry]
