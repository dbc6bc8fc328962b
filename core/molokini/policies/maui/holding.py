"""Where nodes decide: each reservation of a job is on particular nodes, and nobody else is put there.

Maui reserves nodes, not numbers (reference, section 4). A reservation has a *slot*: what it holds of each
node (``node_hold``), and what its start leaves to others (``node_spare``: the room of each node at that
instant, if everybody needs the estimate, less all that is held then). A job that would still be there at the
start of a reservation is placed on what is left beside it. Nodes that jobs do not share are held whole. Under
HIGHEST slots live from pass to pass, so that a reservation keeps its nodes; who takes over (after a recovery)
chooses them anew.

Where at most one job has a reservation, and nothing else is reserved, the shadow of that job says more
(``scheduling.shadow``): it may go to any nodes in the end.
"""

from molokini.model.decisions import Decision
from molokini.model.states import NodeState
from molokini.policies.maui.memory import COUNTED_BESIDE, HOLDING, RESERVED_S, SLOT, SPARES_OF, TRIALS
from molokini.scheduling.compilation import inner, kernel, seldom
from molokini.scheduling.hosts import lift
from molokini.scheduling.node_classes import place_by_class
from molokini.scheduling.node_rules import NodeRule, may_use
from molokini.scheduling.partition_room import counting_does
from molokini.scheduling.placement import FIRST_FIT, RANKED, place
from molokini.scheduling.queues import remaining_s
from molokini.scheduling.reserved import (
    count_use,
    earliest_beside,
    has_access,
    kept_on_node,
    lasts,
    next_boundary,
    next_node,
    taken_off,
)
from molokini.scheduling.shadow import release
from molokini.scheduling.structs import FloatTable
from molokini.scheduling.tables import MOST_HELD, NEVER, View
from molokini.scheduling.verbs import begin_within, resume, start

_START = int(Decision.START)
_RESUME = int(Decision.RESUME)
_UP = int(NodeState.UP)
_LEVELS = MOST_HELD + 1
_SHARED = int(NodeRule.SHARED)
_SHARED_ONLY = int(NodeRule.SHARED_ONLY)
_SINGLE_JOB = int(NodeRule.SINGLE_JOB)


@inner
def holding(view: View) -> bool:
    """Whether reservations of this pass hold nodes."""
    return bool(view.global_i[HOLDING] > 0)


@kernel
def begin_holding(view: View, wanted: bool) -> None:
    """A pass begins, in which reservations hold nodes if that is *wanted*."""
    seldom()
    view.global_i[HOLDING] = int(wanted)
    room_changed(view)
    if not wanted:
        forget_slots(view)


@kernel
def forget_slots(view: View) -> None:
    """Nobody has a slot."""
    for slot in range(MOST_HELD):
        view.global_i[SLOT + slot] = 0


@kernel
def slot_of(view: View, row: int) -> int:
    """The slot of the reservation of *row*; -1: it has none."""
    for slot in range(MOST_HELD):
        if view.global_i[SLOT + slot] == row + 1:
            return slot
    return -1


@kernel
def free_slot(view: View, row: int) -> None:
    """*row* has no reservation any more."""
    for slot in range(MOST_HELD):
        if view.global_i[SLOT + slot] == row + 1:
            view.global_i[SLOT + slot] = 0


@kernel
def slots_full(view: View) -> bool:
    """Whether no further reservation can hold nodes."""
    for slot in range(MOST_HELD):
        if view.global_i[SLOT + slot] == 0:
            return False
    return True


@kernel
def _starts_s(view: View, slot: int) -> float:
    """When the reservation of *slot* begins; NEVER: it is not in force."""
    row = view.global_i[SLOT + slot] - 1
    return float(view.memory_f[row, RESERVED_S]) if row >= 0 else NEVER


@kernel
def _ends_s(view: View, slot: int) -> float:
    return float(_starts_s(view, slot) + remaining_s(view, view.global_i[SLOT + slot] - 1))


@kernel
def _lasts(view: View, slot: int, at_s: float) -> bool:
    from_s = _starts_s(view, slot)
    return bool(from_s <= at_s and from_s < NEVER and at_s < _ends_s(view, slot))


# Looking for nodes.


@kernel
def find_nodes(view: View, row: int, now: float, from_s: float, before_s: float) -> float:
    """The first instant from *from_s* on, and before *before_s*, at which *row* finds nodes; NEVER: none.

    Its slot holds them from then on, as soon as ``activate`` says so.
    """
    seldom()
    length_s = remaining_s(view, row)
    at_s = earliest_beside(view, row, length_s, from_s)
    while at_s < before_s:
        count = _place_at(view, row, now, at_s, -1)
        if count >= 0:
            return at_s if note_nodes(view, row, count) else NEVER
        next_s = next_change(view, now, at_s)
        if next_s >= before_s:
            break
        at_s = earliest_beside(view, row, length_s, next_s)
    return NEVER


@kernel
def find_same_nodes(view: View, row: int, now: float, at_s: float) -> bool:
    """Whether *row* still finds room at *at_s* on the nodes that its slot holds."""
    seldom()
    slot = slot_of(view, row)
    if slot < 0:
        return False
    count = _place_at(view, row, now, at_s, slot)
    return bool(count >= 0 and note_nodes(view, row, count))


@kernel
def next_change(view: View, now: float, at_s: float) -> float:
    """The first instant after *at_s* at which somebody gives processors back, or reservations change."""
    seldom()
    next_s = next_boundary(view, at_s) if view.reservations > 0 else NEVER
    for k in range(view.running_count):
        row = view.running[k]
        if at_s < view.job_expected_end_s[row] < next_s and not taken_off(view, row):
            next_s = view.job_expected_end_s[row]
    for k in range(view.decided):
        if view.decisions[k, 0] == _START or view.decisions[k, 0] == _RESUME:
            end_s = now + remaining_s(view, view.decisions[k, 1])
            if at_s < end_s < next_s:
                next_s = end_s
    for slot in range(MOST_HELD):
        if _starts_s(view, slot) < NEVER and at_s < _ends_s(view, slot) < next_s:
            next_s = _ends_s(view, slot)
    return float(next_s)


@kernel
def _place_at(view: View, row: int, now: float, at_s: float, only: int) -> int:
    """As ``placement.place`` for *row* from *at_s* on, on the nodes of slot *only* (-1: on any)."""
    width, until_s = view.node_free.shape[1], at_s + remaining_s(view, row)
    room_changed(view)
    _room_at(view, now, at_s)
    for slot in range(MOST_HELD):
        if _lasts(view, slot, at_s):
            _take(view, slot, 1.0)
    for slot in range(MOST_HELD):
        if at_s < _starts_s(view, slot) < until_s:
            for node in range(view.nodes):
                for k in range(width):
                    spare = view.node_spare[node, slot * width + k]
                    view.node_scratch[node, k] = min(view.node_scratch[node, k], spare)
    for node in range(view.nodes):
        out = only >= 0 and not _is_held(view, node, only)
        for k in range(width):
            view.node_scratch[node, k] = 0.0 if out else max(0.0, view.node_scratch[node, k])
    if view.hosted > 0:
        _bar(view, row, at_s, until_s)
    # Orders by load, or by gaps, are of the present: what is planned takes nodes as they are numbered.
    choice = view.node_choice
    if choice == 1 + RANKED:
        view.node_choice = 1 + FIRST_FIT
    count = place(view, view.node_scratch, row)
    view.node_choice = choice
    if view.hosted > 0:
        lift(view)
    return int(count)


@kernel
def _is_held(view: View, node: int, slot: int) -> bool:
    width = view.node_free.shape[1]
    for k in range(width):
        if view.node_hold[node, slot * width + k] > 0.0:
            return True
    return False


@kernel
def _room_at(view: View, now: float, at_s: float) -> None:
    """``node_scratch`` is the room of each node at *at_s* if everybody needs the estimate."""
    for node in range(view.nodes):
        for k in range(view.node_free.shape[1]):
            view.node_scratch[node, k] = view.node_free[node, k]
    for k in range(view.running_count):
        row = view.running[k]
        if view.job_expected_end_s[row] <= at_s and view.job_held[row] > 0 and not taken_off(view, row):
            release(view, row, 1.0)
    for k in range(view.decided):
        if view.decisions[k, 0] == _START or view.decisions[k, 0] == _RESUME:
            row = view.decisions[k, 1]
            if now + remaining_s(view, row) <= at_s:
                release(view, row, 1.0)


@kernel
def _take(view: View, slot: int, times: float) -> None:
    width = view.node_free.shape[1]
    for node in range(view.nodes):
        for k in range(width):
            view.node_scratch[node, k] -= times * view.node_hold[node, slot * width + k]


@kernel
def _bar(view: View, row: int, at_s: float, until_s: float) -> None:
    """Keep *row* off what administrators have reserved for others on particular nodes meanwhile."""
    _bar_at(view, row, view.node_scratch, at_s)
    _bar_at_starts(view, row, view.node_scratch, at_s, until_s)
    for r in range(view.reservations):
        if view.reservation_hosted[r] and at_s < view.reservation_from_s[r] < until_s:
            _bar_at(view, row, view.node_scratch, view.reservation_from_s[r])


@kernel
def _bar_at_starts(view: View, row: int, room: FloatTable, after_s: float, until_s: float) -> None:
    """The same at each beginning of a reservation that holds nodes."""
    for slot in range(MOST_HELD):
        if after_s < _starts_s(view, slot) < until_s:
            _bar_at(view, row, room, _starts_s(view, slot))


@kernel
def _bar_at(view: View, row: int, room: FloatTable, at_s: float) -> None:
    width, concerned = view.node_free.shape[1], False
    for r in range(view.reservations):
        if view.reservation_hosted[r] and lasts(view, r, at_s) and not has_access(view, row, r):
            concerned = True
    if not concerned:
        return
    count_use(view, at_s)
    h = 0
    while h < view.hosted:
        node = view.host_node[h]
        kept = kept_on_node(view, row, h, at_s)
        if kept > 0:
            left = float(view.host_free[h] - kept)
            for slot in range(MOST_HELD):
                if _lasts(view, slot, at_s):
                    left -= view.node_hold[node, slot * width]
            barred = int(room[node, 0] - left)
            view.node_barred[node] = max(view.node_barred[node], barred)
        h = next_node(view, h)


# Holding them.


@kernel
def note_nodes(view: View, row: int, count: int) -> bool:
    """The slot of *row* holds the first *count* of ``placed_*``; False: there is no slot left."""
    slot = slot_of(view, row)
    if slot < 0:
        slot = slot_of(view, -1)
        if slot < 0:
            return False
        view.global_i[SLOT + slot] = row + 1
    width = view.node_free.shape[1]
    for node in range(view.nodes):
        for k in range(width):
            view.node_hold[node, slot * width + k] = 0.0
    for j in range(count):
        node = view.placed_node[j]
        whole = _is_whole(view, node, row)
        for k in range(width):
            need = view.placed_tasks[j] * view.component_need[view.placed_component[j], k]
            if whole:
                view.node_hold[node, slot * width + k] = view.node_total[node, k]
            else:
                view.node_hold[node, slot * width + k] += need
    return True


@kernel
def _is_whole(view: View, node: int, row: int) -> bool:
    """Whether nobody else may be counted on at *node* while *row* is there."""
    if view.node_rules == 0:
        return False
    rule = view.node_rule[node]
    return bool(
        (rule != _SHARED and rule != _SHARED_ONLY)
        or view.node_most[node] > 0
        or view.node_most_of_one[node] > 0
        or view.credential_rule[view.job_credential[row]] == _SINGLE_JOB
    )


@kernel
def activate(view: View, row: int, now: float) -> None:
    """The reservation of *row*, whose start is written down, is in force: its slot's nodes are held."""
    seldom()
    slot = slot_of(view, row)
    if slot < 0:
        return
    room_changed(view)
    width, from_s = view.node_free.shape[1], _starts_s(view, slot)
    _change_spares(view, slot, -1.0)
    _room_at(view, now, from_s)
    for other in range(MOST_HELD):
        if _lasts(view, other, from_s):
            _take(view, other, 1.0)
    for node in range(view.nodes):
        for k in range(width):
            view.node_spare[node, slot * width + k] = view.node_scratch[node, k]


@kernel
def deactivate(view: View, row: int) -> None:
    """It is not, until it is activated again; its start has still to be written down."""
    seldom()
    slot = slot_of(view, row)
    if slot >= 0:
        room_changed(view)
        _change_spares(view, slot, 1.0)


@kernel
def _change_spares(view: View, slot: int, sign: float) -> None:
    """Add (+1) or take (-1) what *slot* holds to or from what others leave while it lasts."""
    width = view.node_free.shape[1]
    for other in range(MOST_HELD):
        if other != slot and _starts_s(view, other) < NEVER and _lasts(view, slot, _starts_s(view, other)):
            for node in range(view.nodes):
                for k in range(width):
                    held = view.node_hold[node, slot * width + k]
                    view.node_spare[node, other * width + k] += sign * held


# Starting beside them.


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
        if _starts_s(view, slot) < end_s:
            reached += 1
    return reached


@kernel
def room_changed(view: View) -> None:
    """What was counted of the room beside reservations holds no longer."""
    view.global_i[COUNTED_BESIDE] = 0
    view.global_i[SPARES_OF] = 0
    view.global_i[TRIALS] += 1


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
    if counting_does(view, row):
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
        if view.node_state[node] != _UP:
            continue
        left, after_s, reached = view.node_free[node, 0], -NEVER, 0
        partition = view.node_partition[node]
        view.partition_beside[partition, 0] += int(left)
        while True:
            # The next in time; of equal ones all at once.
            next_s, count = NEVER, 0
            for slot in range(MOST_HELD):
                from_s = _starts_s(view, slot)
                if after_s < from_s < next_s:
                    next_s = from_s
            if next_s == NEVER:
                break
            for slot in range(MOST_HELD):
                if _starts_s(view, slot) == next_s:
                    left = min(left, max(0.0, view.node_spare[node, slot * view.node_free.shape[1]]))
                    count += 1
            for _ in range(count):
                reached += 1
                view.partition_beside[partition, reached] += int(left)
            after_s = next_s


@kernel
def _begin_on_spares(view: View, row: int, end_s: float, reached: int, verb: int) -> bool:
    if view.global_i[SPARES_OF] != reached:
        _leave_spares(view, end_s)
        view.global_i[SPARES_OF] = reached
    if view.hosted > 0:
        # What those with access use now is kept from others again when they have ended.
        _bar_at_starts(view, row, view.node_free, -NEVER, end_s)
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
    width = view.node_free.shape[1]
    for node in range(view.nodes):
        for k in range(width):
            view.node_scratch[node, k] = view.node_free[node, k]
    for slot in range(MOST_HELD):
        if _starts_s(view, slot) < end_s:
            for node in range(view.nodes):
                for k in range(width):
                    spare = max(0.0, view.node_spare[node, slot * width + k])
                    view.node_scratch[node, k] = min(view.node_scratch[node, k], spare)


@kernel
def _lessen_spares(view: View, row: int, end_s: float) -> None:
    """*row* has begun, and is there up to *end_s*."""
    width = view.node_free.shape[1]
    entry = view.job_entries[row]
    while entry >= 0:
        node, component = view.entry_node[entry], view.entry_component[entry]
        for k in range(width):
            need = view.entry_tasks[entry] * view.component_need[component, k]
            for slot in range(MOST_HELD):
                if _starts_s(view, slot) < end_s:
                    view.node_spare[node, slot * width + k] -= need
        entry = view.entry_next[entry]
