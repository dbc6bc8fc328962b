"""Where nodes decide: each reservation of a job is on particular nodes, and nobody else is put there.

Maui reserves nodes, not numbers (reference, section 4). A reservation has a *slot*: what it holds of each
node (``node_hold``), and what its start leaves to others (``node_spare``: the room of each node at that
instant, if everybody needs the estimate, less all that is held then). A job that would still be there at the
start of a reservation is placed on what is left beside it. Nodes that jobs do not share are held whole. Under
HIGHEST slots live from pass to pass, so that a reservation keeps its nodes; who takes over (after a recovery)
chooses them anew.

Where at most one job has a reservation, and nothing else is reserved, the shadow of that job says more
(``room.shadow``): it may go to any nodes in the end.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import FloatTable
from molokini.model.decisions import Decision
from molokini.model.resources import WIDTH
from molokini.policies.maui.memory import COUNTED_BESIDE, HOLDING, RESERVED_S, SLOT, SPARES_OF, TRIALS
from molokini.room.beside_reserved import earliest_beside
from molokini.room.hosts import keep_off, lift
from molokini.room.kept_lists import list_of
from molokini.room.node_rules import NodeRule
from molokini.room.partition_room import counting_bounds, may_have_room
from molokini.room.placement import FIRST_FIT, RANKED, place
from molokini.room.reserved import next_boundary, taken_off
from molokini.room.shadow import release
from molokini.tables.running import remaining_s
from molokini.tables.tables import MOST_HELD, NEVER, View

_START = int(Decision.START)
_RESUME = int(Decision.RESUME)
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
def room_changed(view: View) -> None:
    """What was counted of the room beside reservations holds no longer."""
    view.global_i[COUNTED_BESIDE] = 0
    view.global_i[SPARES_OF] = 0
    view.global_i[TRIALS] += 1


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
def starts_s(view: View, slot: int) -> float:
    """When the reservation of *slot* begins; NEVER: it is not in force."""
    row = view.global_i[SLOT + slot] - 1
    return float(view.memory_f[row, RESERVED_S]) if row >= 0 else NEVER


@kernel
def _ends_s(view: View, slot: int) -> float:
    return float(starts_s(view, slot) + remaining_s(view, view.global_i[SLOT + slot] - 1))


@kernel
def _lasts(view: View, slot: int, at_s: float) -> bool:
    from_s = starts_s(view, slot)
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
def find_other_nodes(view: View, row: int, now: float, at_s: float) -> bool:
    """Whether *row* finds room at *at_s* on any nodes; its slot, which it may not have yet, holds them."""
    seldom()
    count = _place_at(view, row, now, at_s, -1)
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
        if starts_s(view, slot) < NEVER and at_s < _ends_s(view, slot) < next_s:
            next_s = _ends_s(view, slot)
    return float(next_s)


@kernel
def _place_at(view: View, row: int, now: float, at_s: float, only: int) -> int:
    """As ``placement.place`` for *row* from *at_s* on, in what slot *only* holds (-1: on any nodes)."""
    until_s = at_s + remaining_s(view, row)
    room_changed(view)
    _room_at(view, now, at_s)
    for slot in range(MOST_HELD):
        if _lasts(view, slot, at_s):
            _take(view, slot, 1.0)
    for slot in range(MOST_HELD):
        if at_s < starts_s(view, slot) < until_s:
            for node in range(view.nodes):
                for k in range(WIDTH):
                    spare = view.node_spare[node, slot * WIDTH + k]
                    view.node_scratch[node, k] = min(view.node_scratch[node, k], spare)
    for node in range(view.nodes):
        for k in range(WIDTH):
            room = max(0.0, view.node_scratch[node, k])
            # What else is free of a node may be another's who has yet to find his own again.
            view.node_scratch[node, k] = (
                room if only < 0 else min(room, view.node_hold[node, only * WIDTH + k])
            )
    if counting_bounds(view, row) and not may_have_room(view, view.node_scratch, row):
        return -1
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
def _room_at(view: View, now: float, at_s: float) -> None:
    """``node_scratch`` is the room of each node at *at_s* if everybody needs the estimate."""
    if view.later_epoch == view.start_epoch and view.later_s == at_s:
        # A reservation that has been found asks once more where it begins.
        for node in range(view.nodes):
            for k in range(WIDTH):
                view.node_scratch[node, k] = view.node_later[node, k]
        return
    for node in range(view.nodes):
        for k in range(WIDTH):
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
    view.later_epoch, view.later_s = view.start_epoch, at_s
    for node in range(view.nodes):
        for k in range(WIDTH):
            view.node_later[node, k] = view.node_scratch[node, k]


@kernel
def _take(view: View, slot: int, times: float) -> None:
    for node in range(view.nodes):
        for k in range(WIDTH):
            view.node_scratch[node, k] -= times * view.node_hold[node, slot * WIDTH + k]


@kernel
def _bar(view: View, row: int, at_s: float, until_s: float) -> None:
    """Keep *row* off what administrators have reserved for others on particular nodes meanwhile."""
    _bar_at(view, row, view.node_scratch, at_s)
    bar_at_starts(view, row, view.node_scratch, at_s, until_s)
    for r in range(view.reservations):
        if view.reservation_hosted[r] and at_s < view.reservation_from_s[r] < until_s:
            _bar_at(view, row, view.node_scratch, view.reservation_from_s[r])


@kernel
def bar_at_starts(view: View, row: int, room: FloatTable, after_s: float, until_s: float) -> None:
    """The same at each beginning of a reservation that holds nodes."""
    for slot in range(MOST_HELD):
        if after_s < starts_s(view, slot) < until_s:
            _bar_at(view, row, room, starts_s(view, slot))


@kernel
def _bar_at(view: View, row: int, room: FloatTable, at_s: float) -> None:
    found = list_of(view, row, at_s)
    if found < 0:
        return
    for k in range(view.list_first[found], view.list_last[found]):
        node = view.listed_node[k]
        left = float(view.listed_free[k] - view.listed_kept[k])
        for slot in range(MOST_HELD):
            if _lasts(view, slot, at_s):
                left -= view.node_hold[node, slot * WIDTH]
        keep_off(view, node, int(room[node, 0] - left))


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
    for node in range(view.nodes):
        for k in range(WIDTH):
            view.node_hold[node, slot * WIDTH + k] = 0.0
    for j in range(count):
        node = view.placed_node[j]
        whole = _is_whole(view, node, row)
        for k in range(WIDTH):
            need = view.placed_tasks[j] * view.component_need[view.placed_component[j], k]
            if whole:
                view.node_hold[node, slot * WIDTH + k] = view.node_total[node, k]
            else:
                view.node_hold[node, slot * WIDTH + k] += need
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
    from_s = starts_s(view, slot)
    _change_spares(view, slot, -1.0)
    _room_at(view, now, from_s)
    for other in range(MOST_HELD):
        if _lasts(view, other, from_s):
            _take(view, other, 1.0)
    for node in range(view.nodes):
        for k in range(WIDTH):
            view.node_spare[node, slot * WIDTH + k] = view.node_scratch[node, k]


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
    for other in range(MOST_HELD):
        if other != slot and starts_s(view, other) < NEVER and _lasts(view, slot, starts_s(view, other)):
            for node in range(view.nodes):
                for k in range(WIDTH):
                    held = view.node_hold[node, slot * WIDTH + k]
                    view.node_spare[node, other * WIDTH + k] += sign * held
