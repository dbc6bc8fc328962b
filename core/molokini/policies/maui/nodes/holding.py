"""Where nodes decide: each reservation of a job is on particular nodes, and no other job is put there.

Maui reserves nodes, not numbers (reference, section 4). A reservation has a *slot*: what it holds of each
node (``nodes.hold``), and what its start leaves to other jobs (``nodes.spare``: the room of each node at that
instant, if every job runs as long as its estimate, less all that is held then). A job that would still run
at the start of a reservation is placed on what is left beside it. Nodes that jobs do not share are held
whole. Under HIGHEST slots live from pass to pass, so that a reservation keeps its nodes; a policy that takes
over (after a recovery) chooses them again.

Where at most one job has a reservation, and nothing else is reserved, the shadow of that job allows more
(``room.shadow``): the job may go to any nodes in the end.
"""

from molokini.availability.beside_reserved import earliest_beside
from molokini.availability.hosts import mask_processors, unmask
from molokini.availability.node_rules import NodeRule
from molokini.availability.partition_capacity import counting_bounds, may_have_room
from molokini.availability.placement import FIRST_FIT, RANKED, place
from molokini.availability.reservation_cache.lists import list_of
from molokini.availability.reserved import begins, next_boundary, taken_off
from molokini.availability.shadow import release
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import FloatTable
from molokini.model.resources import WIDTH
from molokini.policies.maui.knowledge.memory import mine
from molokini.tables.running import remaining_s
from molokini.tables.sizes import MOST_HELD
from molokini.tables.tables import NEVER, View


@inner
def holding(view: View) -> bool:
    """Whether reservations of this pass hold nodes."""
    return bool(mine(view).holding > 0)


@kernel
def begin_holding(view: View, wanted: bool) -> None:
    """A pass begins; *wanted*: its reservations hold nodes."""
    seldom()
    mine(view).holding = int(wanted)
    room_changed(view)
    if not wanted:
        forget_slots(view)


@kernel
def room_changed(view: View) -> None:
    """The room changed, so counts of the room beside reservations hold no longer."""
    mine(view).counted_beside = 0
    mine(view).spares_of = 0
    mine(view).trials += 1


@kernel
def forget_slots(view: View) -> None:
    """No job has a slot."""
    for slot in range(MOST_HELD):
        mine(view).slots[slot] = 0


@kernel
def slot_of(view: View, row: int) -> int:
    """The slot of the reservation of *row*; -1: it has none."""
    for slot in range(MOST_HELD):
        if mine(view).slots[slot] == row + 1:
            return slot
    return -1


@kernel
def free_slot(view: View, row: int) -> None:
    """*row* has no reservation any more."""
    for slot in range(MOST_HELD):
        if mine(view).slots[slot] == row + 1:
            mine(view).slots[slot] = 0


@kernel
def slots_full(view: View) -> bool:
    """Whether no further reservation can hold nodes."""
    for slot in range(MOST_HELD):
        if mine(view).slots[slot] == 0:
            return False
    return True


@kernel
def starts_s(view: View, slot: int) -> float:
    """When the reservation of *slot* begins; NEVER: it is not in force."""
    row = mine(view).slots[slot] - 1
    return float(mine(view).reserved_s[row]) if row >= 0 else NEVER


@kernel
def _ends_s(view: View, slot: int) -> float:
    return float(starts_s(view, slot) + remaining_s(view, mine(view).slots[slot] - 1))


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
    """The first instant after *at_s* at which a job gives processors back, or reservations change."""
    seldom()
    next_s = next_boundary(view, at_s) if view.reservations.count > 0 else NEVER
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        if at_s < view.jobs.expected_end_s[row] < next_s and not taken_off(view, row):
            next_s = view.jobs.expected_end_s[row]
    for k in range(view.cycle.decided):
        if begins(view, k):
            end_s = now + remaining_s(view, view.cycle.decisions[k, 1])
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
            for node in range(view.nodes.count):
                for k in range(WIDTH):
                    spare = view.nodes.spare[node, slot * WIDTH + k]
                    view.nodes.scratch[node, k] = min(view.nodes.scratch[node, k], spare)
    for node in range(view.nodes.count):
        for k in range(WIDTH):
            room = max(0.0, view.nodes.scratch[node, k])
            # The rest of a node may belong to another reservation that has yet to find its nodes again.
            view.nodes.scratch[node, k] = (
                room if only < 0 else min(room, view.nodes.hold[node, only * WIDTH + k])
            )
    if counting_bounds(view, row) and not may_have_room(view, view.nodes.scratch, row):
        return -1
    if view.hosts.count > 0:
        _bar(view, row, at_s, until_s)
    # Orders by load, or by gaps, are of the present: a planned job takes nodes as they are numbered.
    choice = view.placing.choice
    if choice == 1 + RANKED:
        view.placing.choice = 1 + FIRST_FIT
    count = place(view, view.nodes.scratch, row)
    view.placing.choice = choice
    if view.hosts.count > 0:
        unmask(view)
    return int(count)


@kernel
def _room_at(view: View, now: float, at_s: float) -> None:
    """``nodes.scratch`` is the room of each node at *at_s* if every job runs as long as its estimate."""
    if view.later.epoch == view.cycle.start_epoch and view.later.at_s == at_s:
        # ``activate`` wants the same room again as the search that has found the start.
        for node in range(view.nodes.count):
            for k in range(WIDTH):
                view.nodes.scratch[node, k] = view.later.room[node, k]
        return
    for node in range(view.nodes.count):
        for k in range(WIDTH):
            view.nodes.scratch[node, k] = view.nodes.free[node, k]
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        if view.jobs.expected_end_s[row] <= at_s and view.jobs.held[row] > 0 and not taken_off(view, row):
            release(view, row, 1.0)
    for k in range(view.cycle.decided):
        if begins(view, k):
            row = view.cycle.decisions[k, 1]
            if now + remaining_s(view, row) <= at_s:
                release(view, row, 1.0)
    view.later.epoch, view.later.at_s = view.cycle.start_epoch, at_s
    for node in range(view.nodes.count):
        for k in range(WIDTH):
            view.later.room[node, k] = view.nodes.scratch[node, k]


@kernel
def _take(view: View, slot: int, times: float) -> None:
    for node in range(view.nodes.count):
        for k in range(WIDTH):
            view.nodes.scratch[node, k] -= times * view.nodes.hold[node, slot * WIDTH + k]


@kernel
def _bar(view: View, row: int, at_s: float, until_s: float) -> None:
    """Keep *row* off what administrators have reserved for other jobs on particular nodes meanwhile."""
    _bar_at(view, row, view.nodes.scratch, at_s)
    bar_at_starts(view, row, view.nodes.scratch, at_s, until_s)


@kernel
def bar_at_starts(view: View, row: int, room: FloatTable, after_s: float, until_s: float) -> None:
    """The same at each beginning of a reservation, be it of a job or of an administrator."""
    for slot in range(MOST_HELD):
        if after_s < starts_s(view, slot) < until_s:
            _bar_at(view, row, room, starts_s(view, slot))
    after_s = max(after_s, view.cycle.pass_s)
    for r in range(view.reservations.count):
        if view.reservations.hosted[r] and after_s < view.reservations.from_s[r] < until_s:
            _bar_at(view, row, room, view.reservations.from_s[r])


@kernel
def _bar_at(view: View, row: int, room: FloatTable, at_s: float) -> None:
    found = list_of(view, row, at_s)
    if found < 0:
        return
    for k in range(view.lists.first[found], view.lists.last[found]):
        node = view.lists.node[k]
        left = float(view.lists.free[k] - view.lists.kept[k])
        for slot in range(MOST_HELD):
            if _lasts(view, slot, at_s):
                left -= view.nodes.hold[node, slot * WIDTH]
        mask_processors(view, node, int(room[node, 0] - left))


# Holding them.


@kernel
def note_nodes(view: View, row: int, count: int) -> bool:
    """The slot of *row* holds the first *count* of ``placed_*``; False: there is no slot left."""
    slot = slot_of(view, row)
    if slot < 0:
        slot = slot_of(view, -1)
        if slot < 0:
            return False
        mine(view).slots[slot] = row + 1
    for node in range(view.nodes.count):
        for k in range(WIDTH):
            view.nodes.hold[node, slot * WIDTH + k] = 0.0
    for j in range(count):
        node = view.placing.node[j]
        whole = _is_whole(view, node, row)
        for k in range(WIDTH):
            need = view.placing.tasks[j] * view.components.need[view.placing.component[j], k]
            if whole:
                view.nodes.hold[node, slot * WIDTH + k] = view.nodes.total[node, k]
            else:
                view.nodes.hold[node, slot * WIDTH + k] += need
    return True


@kernel
def _is_whole(view: View, node: int, row: int) -> bool:
    """Whether *row* holds all of *node*, as no other job may be planned there beside it."""
    if view.placing.rules == 0:
        return False
    rule = view.nodes.rule[node]
    return bool(
        (rule != NodeRule.SHARED and rule != NodeRule.SHARED_ONLY)
        or view.nodes.most[node] > 0
        or view.nodes.most_of_one[node] > 0
        or view.credentials.rule[view.jobs.credential[row]] == NodeRule.SINGLE_JOB
    )


@kernel
def activate(view: View, row: int, now: float) -> None:
    """The reservation of *row*, whose start is noted, comes into force: its slot's nodes are held."""
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
    for node in range(view.nodes.count):
        for k in range(WIDTH):
            view.nodes.spare[node, slot * WIDTH + k] = view.nodes.scratch[node, k]


@kernel
def deactivate(view: View, row: int) -> None:
    """It is out of force until ``activate``; to be called while its start is still noted."""
    seldom()
    slot = slot_of(view, row)
    if slot >= 0:
        room_changed(view)
        _change_spares(view, slot, 1.0)


@kernel
def _change_spares(view: View, slot: int, sign: float) -> None:
    """Add (+1) or take (-1) what *slot* holds to or from the spares of others that begin while it lasts."""
    for other in range(MOST_HELD):
        if other != slot and starts_s(view, other) < NEVER and _lasts(view, slot, starts_s(view, other)):
            for node in range(view.nodes.count):
                for k in range(WIDTH):
                    held = view.nodes.hold[node, slot * WIDTH + k]
                    view.nodes.spare[node, other * WIDTH + k] += sign * held
