"""The head's shadow time: when the first of the queue can start if everybody runs to the estimate."""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.decisions import Decision
from molokini.model.states import JobState
from molokini.room.hosts import place_outside
from molokini.room.node_classes import place_by_class
from molokini.room.partition_room import counting_does, spares_by_count
from molokini.room.placement import place, take_placed
from molokini.room.reserved import taken_off
from molokini.tables.running import remaining_s, sort_running
from molokini.tables.tables import NEVER, View

_START = int(Decision.START)
_RESUME = int(Decision.RESUME)
_SUSPEND = int(Decision.SUSPEND)
_REQUEUE = int(Decision.REQUEUE)
_CANCEL = int(Decision.CANCEL)
_RUNNING = int(JobState.RUNNING)


@kernel
def shadow_of(view: View, head: int, now: float) -> tuple[float, int]:
    """(shadow time, extra processors) of *head*, which does not fit now.

    The shadow time is the earliest instant at which the head can be placed if every running job, those
    that this pass has started or resumed included, ends at its estimate; NEVER where no such instant comes
    (processors are lost). Who was taken off in this pass gives nothing back any more. Extra are the
    processors free at that instant, releases at that very instant included, less the head's. Where nodes
    decide, ``node_scratch`` is left as the nodes will stand then, and ``order`` is overwritten.
    """
    sort_running(view)
    started = _started_by_end(view, now)
    if view.wishing > 0 or view.node_rules > 0:
        return _shadow_on_nodes(view, head, started)
    free, width, gone = view.idle, view.job_width[head], _any_taken_off(view)
    shadow_s = NEVER
    k, j = 0, 0
    while k < view.running_count or j < started:
        if j == started or (
            k < view.running_count
            and view.job_expected_end_s[view.running[k]] <= view.order_key[view.order[j]]
        ):
            row = view.running[k]
            end_s = view.job_expected_end_s[row]
            held = 0 if gone and taken_off(view, row) else view.job_held[row]
            k += 1
        else:
            row = view.order[j]
            end_s = view.order_key[row]
            held = view.job_width[row]
            j += 1
        if end_s > shadow_s:
            break
        free += held
        if shadow_s == NEVER and free >= width:
            shadow_s = float(end_s)
    return shadow_s, int(free - width)


@kernel
def _shadow_on_nodes(view: View, head: int, started: int) -> tuple[float, int]:
    """The same where nodes decide. Asking for a place looks at every node, so it is asked seldom.

    More room never makes a single component harder to place, so the first end that suffices is found by
    doubling steps and halving what is left: some 2 log2(n) questions where n jobs hold processors.
    Several components, or tasks that spread over clusters, may take each other's room: there the question
    is asked once for each instant, when all that ends at it is released.
    """
    seldom()
    view.start_epoch += 1
    for node in range(view.nodes):
        for resource in range(view.node_free.shape[1]):
            view.node_scratch[node, resource] = view.node_free[node, resource]
    total = _merge_by_end(view, started)
    width = view.job_width[head]
    free, released = view.idle, 0
    while released < total and (free < width or released == 0):
        free += _release_next(view, released)
        released += 1
    single = view.job_component_count[head] == 1 and view.component_spread[view.job_components[head]] == 0
    while not single and _one_more_ends_then(view, released, total):
        free += _release_next(view, released)
        released += 1
    step, failed = 1, released - 1
    found = released > 0 and free >= width and place(view, view.node_scratch, head) >= 0
    while not found and released < total:
        failed = released
        for _ in range(min(step, total - released)):
            free += _release_next(view, released)
            released += 1
        while not single and _one_more_ends_then(view, released, total):
            free += _release_next(view, released)
            released += 1
        found = place(view, view.node_scratch, head) >= 0
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
        if place(view, view.node_scratch, head) >= 0:
            enough = middle
        else:
            failed = middle
    shadow_s = float(view.order_key[view.order[enough - 1]])
    while released < total and view.order_key[view.order[released]] <= shadow_s:
        free += _release_next(view, released)
        released += 1
    return shadow_s, int(free - width)


@kernel
def _merge_by_end(view: View, started: int) -> int:
    """All that holds processors, in ``order`` by expected end (in ``order_key``); how many."""
    total, gone = started, _any_taken_off(view)
    for k in range(view.running_count):
        row = view.running[k]
        view.order_key[row] = view.job_expected_end_s[row]
        total += 0 if gone and taken_off(view, row) else 1
    k, j, place_in_order = view.running_count - 1, started - 1, total - 1
    # From the back: what this pass has started stands in front, and is moved before it is overwritten.
    while k >= 0:
        row = view.running[k]
        if gone and taken_off(view, row):
            k -= 1
            continue
        if j >= 0 and view.order_key[view.order[j]] >= view.order_key[row]:
            view.order[place_in_order] = view.order[j]
            j -= 1
        else:
            view.order[place_in_order] = row
            k -= 1
        place_in_order -= 1
    return total


@inner
def _one_more_ends_then(view: View, released: int, total: int) -> bool:
    """Whether the next of ``order`` ends at the same instant as the last of those that are *released*."""
    if released == 0 or released == total:
        return False
    return bool(view.order_key[view.order[released]] == view.order_key[view.order[released - 1]])


@kernel
def _release_next(view: View, k: int) -> int:
    """The processors of the job at place *k* of ``order``, which are given back."""
    row = view.order[k]
    release(view, row, 1.0)
    return _processors(view, row)


@kernel
def _take_again(view: View, k: int) -> int:
    """The processors of the job at place *k* of ``order``, which are taken again."""
    row = view.order[k]
    release(view, row, -1.0)
    return _processors(view, row)


@kernel
def _processors(view: View, row: int) -> int:
    return int(view.job_held[row] if view.job_state[row] == _RUNNING else view.job_width[row])


@kernel
def _any_taken_off(view: View) -> bool:
    """Whether this pass has taken anybody off: few do, and then nobody need be asked about."""
    for k in range(view.decided):
        kind = view.decisions[k, 0]
        if kind == _SUSPEND or kind == _REQUEUE or kind == _CANCEL:
            return True
    return False


@kernel
def _started_by_end(view: View, now: float) -> int:
    """The jobs that this pass has started or resumed, in ``order`` by expected end; how many."""
    count = 0
    for k in range(view.decided):
        if view.decisions[k, 0] != _START and view.decisions[k, 0] != _RESUME:
            continue
        row = view.decisions[k, 1]
        end_s = now + remaining_s(view, row)
        view.order_key[row] = end_s
        place_in_order = count
        while place_in_order > 0 and view.order_key[view.order[place_in_order - 1]] > end_s:
            view.order[place_in_order] = view.order[place_in_order - 1]
            place_in_order -= 1
        view.order[place_in_order] = row
        count += 1
    return count


@kernel
def release(view: View, row: int, sign: float) -> None:
    """Give back (+1) what *row* holds in ``node_scratch``, or take it again (-1)."""
    seldom()
    entry = view.job_entries[row]
    while entry >= 0:
        node, component = view.entry_node[entry], view.entry_component[entry]
        for resource in range(view.node_scratch.shape[1]):
            need = view.component_need[component, resource]
            view.node_scratch[node, resource] += sign * view.entry_tasks[entry] * need
        entry = view.entry_next[entry]


@kernel
def spares_head(view: View, row: int, head: int) -> bool:
    """Where nodes decide: whether *row*, started now and still there at the shadow time, leaves the
    head placeable then. If so its room is taken from ``node_scratch``.
    """
    seldom()
    if view.spoil_head != head:
        view.spoil_head = head
        view.start_epoch += 1
    if counting_does(view, row) and counting_does(view, head) and not spares_by_count(view, row, head):
        return False
    shape = 0 if view.node_rules > 0 else view.job_shape[row]
    if shape > 0 and (
        view.shape_spoils[shape] == view.start_epoch or view.shape_without_room[shape] == view.room_epoch
    ):
        # Nothing has started since another of this shape was looked at: it would be placed the same way.
        return False
    count = place_by_class(view, row)
    if count < 0:
        if shape > 0 and view.hosted == 0:
            view.shape_without_room[shape] = view.room_epoch
        return False
    take_placed(view, view.node_scratch, count, -1.0)
    if place(view, view.node_scratch, head) >= 0:
        view.partitions_counted = -1
        return True
    if shape > 0 and view.hosted == 0:
        view.shape_spoils[shape] = view.start_epoch
    # Looking for the head has overwritten where the job would go; placement is a function of the room.
    count = place_outside(view, row)
    take_placed(view, view.node_scratch, count, 1.0)
    return False
