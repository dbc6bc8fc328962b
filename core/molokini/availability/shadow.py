"""The head's shadow time: when the first job of the queue can start if every job runs to its estimate."""

from molokini.availability.hosts import place_outside
from molokini.availability.node_classes import place_by_class
from molokini.availability.partition_capacity import counting_does, spares_by_count
from molokini.availability.placement import place, take_placed
from molokini.availability.reserved import begins, taken_off, takes_off
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.states import JobState
from molokini.tables.running import remaining_s, sort_running
from molokini.tables.tables import NEVER, View


@kernel
def shadow_of(view: View, head: int, now: float) -> tuple[float, int]:
    """(shadow time, extra processors) of *head*, which does not fit now.

    The shadow time is the earliest instant at which the head can be placed if every running job, those
    that this pass has started or resumed included, ends at its estimate; NEVER where no such instant comes
    (processors are lost). A job that this pass has taken off gives nothing back any more. Extra are the
    processors free at that instant, releases at that very instant included, less the head's. Where nodes
    decide, ``nodes.scratch`` is left as the nodes will stand then, and ``order`` is overwritten.
    """
    sort_running(view)
    started = _started_by_end(view, now)
    if view.queue.wishing > 0 or view.placing.rules > 0:
        return _shadow_on_nodes(view, head, started)
    free, width, gone = view.machine.idle, view.jobs.width[head], takes_off(view)
    shadow_s = NEVER
    k, j = 0, 0
    while k < view.queue.running_count or j < started:
        if j == started or (
            k < view.queue.running_count
            and view.jobs.expected_end_s[view.queue.running[k]] <= view.cycle.order_key[view.cycle.order[j]]
        ):
            row = view.queue.running[k]
            end_s = view.jobs.expected_end_s[row]
            held = 0 if gone and taken_off(view, row) else view.jobs.held[row]
            k += 1
        else:
            row = view.cycle.order[j]
            end_s = view.cycle.order_key[row]
            held = view.jobs.width[row]
            j += 1
        if end_s > shadow_s:
            break
        free += held
        if shadow_s == NEVER and free >= width:
            shadow_s = float(end_s)
    return shadow_s, int(free - width)


@kernel
def nodes_take_now(view: View, head: int) -> bool:
    """Whether *head* has room on nodes now, so that what is reserved for others alone keeps it out.

    If so ``nodes.scratch`` is left as the nodes stand now, which ``spares_head`` asks.
    """
    seldom()
    if view.jobs.width[head] > view.machine.idle:
        return False
    view.cycle.start_epoch += 1
    for node in range(view.nodes.count):
        for resource in range(view.nodes.free.shape[1]):
            view.nodes.scratch[node, resource] = view.nodes.free[node, resource]
    return bool(place(view, view.nodes.scratch, head) >= 0)


@kernel
def _shadow_on_nodes(view: View, head: int, started: int) -> tuple[float, int]:
    """The same where nodes decide. A search for a place visits every node, so there are few of them.

    More room never makes a single component harder to place, so the first end that suffices is found by
    doubling steps and halving what is left: some 2 log2(n) searches where n jobs hold processors.
    Several components, or tasks that spread over clusters, may take each other's room: there is one search
    for each instant, when all that ends at it is released.
    """
    seldom()
    view.cycle.start_epoch += 1
    for node in range(view.nodes.count):
        for resource in range(view.nodes.free.shape[1]):
            view.nodes.scratch[node, resource] = view.nodes.free[node, resource]
    total = _merge_by_end(view, started)
    width = view.jobs.width[head]
    free, released = view.machine.idle, 0
    while released < total and (free < width or released == 0):
        free += _release_next(view, released)
        released += 1
    single = view.jobs.component_count[head] == 1 and view.components.spread[view.jobs.components[head]] == 0
    while not single and _one_more_ends_then(view, released, total):
        free += _release_next(view, released)
        released += 1
    step, failed = 1, released - 1
    found = released > 0 and free >= width and place(view, view.nodes.scratch, head) >= 0
    while not found and released < total:
        failed = released
        for _ in range(min(step, total - released)):
            free += _release_next(view, released)
            released += 1
        while not single and _one_more_ends_then(view, released, total):
            free += _release_next(view, released)
            released += 1
        found = place(view, view.nodes.scratch, head) >= 0
        step = 2 * step if single else 1
    if not found:
        return NEVER, int(free - width)
    enough = released
    if not single:
        failed = enough - 1
    while enough - failed > 1:
        middle = (enough + failed) // 2
        while released > middle:
            released -= 1
            free -= _take_again(view, released)
        while released < middle:
            free += _release_next(view, released)
            released += 1
        if place(view, view.nodes.scratch, head) >= 0:
            enough = middle
        else:
            failed = middle
    shadow_s = float(view.cycle.order_key[view.cycle.order[enough - 1]])
    while released < total and view.cycle.order_key[view.cycle.order[released]] <= shadow_s:
        free += _release_next(view, released)
        released += 1
    return shadow_s, int(free - width)


@kernel
def _merge_by_end(view: View, started: int) -> int:
    """Put all jobs that hold processors into ``order`` by expected end (``cycle.order_key``); how many."""
    total, gone = started, takes_off(view)
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        view.cycle.order_key[row] = view.jobs.expected_end_s[row]
        total += 0 if gone and taken_off(view, row) else 1
    k, j, place_in_order = view.queue.running_count - 1, started - 1, total - 1
    # From the back: the jobs that this pass has started stand in front, and are moved before that is
    # overwritten.
    while k >= 0:
        row = view.queue.running[k]
        if gone and taken_off(view, row):
            k -= 1
            continue
        if j >= 0 and view.cycle.order_key[view.cycle.order[j]] >= view.cycle.order_key[row]:
            view.cycle.order[place_in_order] = view.cycle.order[j]
            j -= 1
        else:
            view.cycle.order[place_in_order] = row
            k -= 1
        place_in_order -= 1
    return total


@inner
def _one_more_ends_then(view: View, released: int, total: int) -> bool:
    """Whether the next of ``order`` ends at the same instant as the last of those that are *released*."""
    if released == 0 or released == total:
        return False
    return bool(
        view.cycle.order_key[view.cycle.order[released]]
        == view.cycle.order_key[view.cycle.order[released - 1]]
    )


@kernel
def _release_next(view: View, k: int) -> int:
    """The processors of the job at place *k* of ``order``, which are given back."""
    row = view.cycle.order[k]
    release(view, row, 1.0)
    return _processors(view, row)


@kernel
def _take_again(view: View, k: int) -> int:
    """The processors of the job at place *k* of ``order``, which are taken again."""
    row = view.cycle.order[k]
    release(view, row, -1.0)
    return _processors(view, row)


@kernel
def _processors(view: View, row: int) -> int:
    return int(view.jobs.held[row] if view.jobs.state[row] == JobState.RUNNING else view.jobs.width[row])


@kernel
def _started_by_end(view: View, now: float) -> int:
    """The jobs that this pass has started or resumed, in ``order`` by expected end; how many."""
    count = 0
    for k in range(view.cycle.decided):
        if not begins(view, k):
            continue
        row = view.cycle.decisions[k, 1]
        end_s = now + remaining_s(view, row)
        view.cycle.order_key[row] = end_s
        place_in_order = count
        while place_in_order > 0 and view.cycle.order_key[view.cycle.order[place_in_order - 1]] > end_s:
            view.cycle.order[place_in_order] = view.cycle.order[place_in_order - 1]
            place_in_order -= 1
        view.cycle.order[place_in_order] = row
        count += 1
    return count


@kernel
def release(view: View, row: int, sign: float) -> None:
    """Give back (+1) what *row* holds in ``nodes.scratch``, or take it again (-1)."""
    seldom()
    entry = view.jobs.entries[row]
    while entry >= 0:
        node, component = view.entries.node[entry], view.entries.component[entry]
        for resource in range(view.nodes.scratch.shape[1]):
            need = view.components.need[component, resource]
            view.nodes.scratch[node, resource] += sign * view.entries.tasks[entry] * need
        entry = view.entries.next[entry]


@kernel
def spares_head(view: View, row: int, head: int) -> bool:
    """Where nodes decide: whether *row*, started now and still there at the shadow time, leaves the
    head placeable then. If so its room is taken from ``nodes.scratch``.
    """
    seldom()
    if view.shapes.spoil_head != head:
        view.shapes.spoil_head = head
        view.cycle.start_epoch += 1
    if counting_does(view, row) and counting_does(view, head) and not spares_by_count(view, row, head):
        return False
    shape = 0 if view.placing.rules > 0 else view.jobs.shape[row]
    if shape > 0 and (
        view.shapes.spoils[shape] == view.cycle.start_epoch
        or view.shapes.without_room[shape] == view.cycle.room_epoch
    ):
        # Nothing has started since a job of this shape failed: this one would be placed the same way.
        return False
    count = place_by_class(view, row)
    if count < 0:
        if shape > 0 and view.hosts.count == 0:
            view.shapes.without_room[shape] = view.cycle.room_epoch
        return False
    take_placed(view, view.nodes.scratch, count, -1.0)
    if place(view, view.nodes.scratch, head) >= 0:
        view.partitions.counted = -1
        return True
    if shape > 0 and view.hosts.count == 0:
        view.shapes.spoils[shape] = view.cycle.start_epoch
    # The search for the head's place has overwritten the job's place; placement is a function of the room.
    count = place_outside(view, row)
    take_placed(view, view.nodes.scratch, count, 1.0)
    return False
