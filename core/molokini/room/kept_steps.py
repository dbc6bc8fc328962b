"""What reservations on particular nodes keep from others, as steps over time, found once and asked often.

A policy that plans asks at many instants, for many jobs, what is kept from each. Between two boundaries of
reservations that depends on the jobs that run, by the bits of the reservations that the asking job may not
use: who lacks access to the same ones is kept from the same. For each such stretch the steps are counted when
somebody first asks: where it begins, and then at each end of a job on its nodes. They hold until the pass
starts a job, or takes one off.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.model.decisions import Decision
from molokini.model.states import NodeState
from molokini.room.reserved import blocked_at, count_use, end_of_started, kept_of_mask, lasts, taken_off
from molokini.tables.access import open_to
from molokini.tables.tables import MOST_STEPS, MOST_STRETCHES, NEVER, View

_START = int(Decision.START)
_RESUME = int(Decision.RESUME)
_UP = int(NodeState.UP)


@kernel
def blocked_for(view: View, row: int, mask: int, at_s: float) -> int:
    """As ``reserved.blocked_at`` for *row*, which may not use the reservations of *mask*."""
    stretch = _stretch_at(view, mask, at_s)
    if stretch < 0:
        return blocked_at(view, row, at_s)
    low, high = view.kept_first[stretch], view.kept_last[stretch]
    while high - low > 1:
        middle = (low + high) >> 1
        if view.kept_from_s[middle] <= at_s:
            low = middle
        else:
            high = middle
    return int(view.kept_processors[low])


@kernel
def _stretch_at(view: View, mask: int, at_s: float) -> int:
    """The stretch that holds *at_s*, counted where it has not been; -1: it cannot be."""
    if mask < 0 or view.hosted == 0 or view.running_sorted < view.running_count:
        return -1
    present, from_s, until_s = 0, view.pass_s, NEVER
    for r in range(view.reservations):
        for edge_s in (view.reservation_from_s[r], view.reservation_until_s[r]):
            if edge_s > at_s:
                until_s = min(until_s, edge_s)
            elif edge_s > from_s:
                from_s = edge_s
        if (mask >> r) & 1 and lasts(view, r, at_s):
            if not view.reservation_hosted[r]:
                return -1
            present |= 1 << r
    if view.kept_epoch != view.start_epoch:
        view.kept_epoch = view.start_epoch
        view.kept_stretches = view.kept_steps = 0
    for k in range(view.kept_stretches):
        if view.kept_begin_s[k] == from_s and view.kept_mask[k] == present:
            return k
    return _count_stretch(view, present, from_s, until_s)


@kernel
def _count_stretch(view: View, mask: int, from_s: float, until_s: float) -> int:
    """Count the steps of a stretch; its number, or -1 where there is no place for so many."""
    seldom()
    most = view.running_count + view.decided + 1
    if most > MOST_STEPS:
        return -1
    if view.kept_stretches == MOST_STRETCHES or view.kept_steps + most > MOST_STEPS:
        view.kept_stretches = view.kept_steps = 0
    stretch = view.kept_stretches
    view.kept_stretches = stretch + 1
    view.kept_begin_s[stretch], view.kept_mask[stretch] = from_s, mask
    view.kept_first[stretch] = view.kept_steps
    count_use(view, from_s)
    kept = _kept_in_all(view, mask)
    at_s, place = from_s, 0
    while True:
        view.kept_from_s[view.kept_steps], view.kept_processors[view.kept_steps] = at_s, kept
        view.kept_steps += 1
        while place < view.running_count and view.job_expected_end_s[view.running[place]] <= at_s:
            place += 1
        at_s = _next_end(view, place, at_s)
        if at_s >= until_s or at_s == NEVER:
            break
        while place < view.running_count and view.job_expected_end_s[view.running[place]] == at_s:
            if not taken_off(view, view.running[place]):
                kept += _end(view, view.running[place], mask)
            place += 1
        for k in range(view.decided):
            if _begins(view, k) and end_of_started(view, view.decisions[k, 1]) == at_s:
                kept += _end(view, view.decisions[k, 1], mask)
    view.kept_last[stretch] = view.kept_steps
    # The counts have been carried on to the end of the stretch.
    view.counted_epoch = -1
    return int(stretch)


@kernel
def _kept_in_all(view: View, mask: int) -> int:
    """What is idle and kept of all nodes."""
    kept = 0
    for r in range(view.reservations):
        h = view.reservation_host[r] if (mask >> r) & 1 else -1
        while h >= 0:
            earlier = first = view.host_first[h]
            while earlier < h and not (mask >> view.host_reservation[earlier]) & 1:
                earlier += 1
            if earlier == h:
                # Of a node with several it is the first that speaks.
                kept += _kept_on(view, first, mask)
            h = view.host_next[h]
    return int(kept)


@kernel
def _begins(view: View, k: int) -> bool:
    """Whether decision *k* lets a job begin or go on."""
    return bool(view.decisions[k, 0] == _START or view.decisions[k, 0] == _RESUME)


@kernel
def _next_end(view: View, place: int, after_s: float) -> float:
    """The first end after *after_s* of running jobs from *place* on, and of those that this pass starts."""
    next_s = view.job_expected_end_s[view.running[place]] if place < view.running_count else NEVER
    for k in range(view.decided):
        if _begins(view, k):
            end_s = end_of_started(view, view.decisions[k, 1])
            if after_s < end_s < next_s:
                next_s = end_s
    return float(next_s)


@kernel
def _end(view: View, row: int, mask: int) -> int:
    """*row* ends in the stretch that was counted at its beginning; by how much what is kept changes."""
    seldom()
    change, entry = 0, view.job_entries[row]
    open_now = view.hosted_now & open_to(view, row)
    while entry >= 0:
        node = view.entry_node[entry]
        first = h = view.node_hosted[node] - 1
        if first >= 0:
            taken = int(view.entry_tasks[entry] * view.component_need[view.entry_component[entry], 0])
            change -= _kept_on(view, first, mask)
            while h < view.hosted and view.host_node[h] == node:
                if (open_now >> view.host_reservation[h]) & 1:
                    view.host_used[h] -= taken
                h += 1
            view.host_free[first] += taken if view.node_state[node] == _UP else 0
            change += _kept_on(view, first, mask)
        entry = view.entry_next[entry]
    return int(change)


@kernel
def _kept_on(view: View, first: int, mask: int) -> int:
    """What is idle and kept of the node of element *first*, its first one."""
    return int(max(0, min(kept_of_mask(view, first, mask), view.host_free[first])))
