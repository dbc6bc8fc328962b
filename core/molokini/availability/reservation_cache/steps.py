"""What reservations on particular nodes keep from jobs, as steps over time, computed once and read often.

A policy that plans needs, for many jobs and at many instants, what is kept from each job. Between two
boundaries of reservations that depends on the jobs that run, and on the reservations that the job may not
use: from jobs that lack access to the same reservations the same is kept. For each such stretch the steps
are counted when they are first needed: one at its beginning, and one at each end of a job on its nodes. They
hold until the pass starts a job, or takes one off.
"""

from molokini.availability.reserved import (
    begins,
    blocked_at,
    count_use,
    end_of_started,
    kept_of_mask,
    lasts,
    taken_off,
)
from molokini.compiled.compilation import kernel, seldom
from molokini.model.states import NodeState
from molokini.tables.access import open_to
from molokini.tables.sizes import MOST_STEPS, MOST_STRETCHES
from molokini.tables.tables import NEVER, View


@kernel
def blocked_for(view: View, row: int, mask: int, at_s: float) -> int:
    """As ``reserved.blocked_at`` for *row*, which may not use the reservations of *mask*."""
    stretch = _stretch_at(view, mask, at_s)
    if stretch < 0:
        return blocked_at(view, row, at_s)
    low, high = view.kept.first[stretch], view.kept.last[stretch]
    while high - low > 1:
        middle = (low + high) >> 1
        if view.kept.from_s[middle] <= at_s:
            low = middle
        else:
            high = middle
    return int(view.kept.processors[low])


@kernel
def _stretch_at(view: View, mask: int, at_s: float) -> int:
    """The stretch that holds *at_s*, counted if it was not yet; -1: it cannot be counted."""
    if mask < 0 or view.hosts.count == 0 or view.queue.running_sorted < view.queue.running_count:
        return -1
    present, from_s, until_s = 0, view.cycle.pass_s, NEVER
    for r in range(view.reservations.count):
        for edge_s in (view.reservations.from_s[r], view.reservations.until_s[r]):
            if edge_s > at_s:
                until_s = min(until_s, edge_s)
            elif edge_s > from_s:
                from_s = edge_s
        if (mask >> r) & 1 and lasts(view, r, at_s):
            if not view.reservations.hosted[r]:
                return -1
            present |= 1 << r
    if view.kept.epoch != view.cycle.start_epoch:
        view.kept.epoch = view.cycle.start_epoch
        view.kept.stretches = view.kept.steps = 0
    for k in range(view.kept.stretches):
        if view.kept.begin_s[k] == from_s and view.kept.mask[k] == present:
            return k
    return _count_stretch(view, present, from_s, until_s)


@kernel
def _count_stretch(view: View, mask: int, from_s: float, until_s: float) -> int:
    """Count the steps of a stretch; its number, or -1 where there is no place for so many."""
    seldom()
    most = view.queue.running_count + view.cycle.decided + 1
    if most > MOST_STEPS:
        return -1
    if view.kept.stretches == MOST_STRETCHES or view.kept.steps + most > MOST_STEPS:
        view.kept.stretches = view.kept.steps = 0
    stretch = view.kept.stretches
    view.kept.stretches = stretch + 1
    view.kept.begin_s[stretch], view.kept.mask[stretch] = from_s, mask
    view.kept.first[stretch] = view.kept.steps
    count_use(view, from_s)
    kept = _kept_in_all(view, mask)
    at_s, place = from_s, 0
    while True:
        view.kept.from_s[view.kept.steps], view.kept.processors[view.kept.steps] = at_s, kept
        view.kept.steps += 1
        while (
            place < view.queue.running_count and view.jobs.expected_end_s[view.queue.running[place]] <= at_s
        ):
            place += 1
        at_s = _next_end(view, place, at_s)
        if at_s >= until_s or at_s == NEVER:
            break
        if view.hosts.several:
            # Other jobs take the place of one that has ended.
            count_use(view, at_s)
            kept = _kept_in_all(view, mask)
            continue
        while (
            place < view.queue.running_count and view.jobs.expected_end_s[view.queue.running[place]] == at_s
        ):
            if not taken_off(view, view.queue.running[place]):
                kept += _end(view, view.queue.running[place], mask)
            place += 1
        for k in range(view.cycle.decided):
            if begins(view, k) and end_of_started(view, view.cycle.decisions[k, 1]) == at_s:
                kept += _end(view, view.cycle.decisions[k, 1], mask)
    view.kept.last[stretch] = view.kept.steps
    # The counts have been carried on to the end of the stretch.
    view.reservations.counted_epoch = -1
    return int(stretch)


@kernel
def _kept_in_all(view: View, mask: int) -> int:
    """How many idle processors of all nodes are kept."""
    kept = 0
    for r in range(view.reservations.count):
        h = view.reservations.host[r] if (mask >> r) & 1 else -1
        while h >= 0:
            earlier = first = view.hosts.first[h]
            while earlier < h and not (mask >> view.hosts.reservation[earlier]) & 1:
                earlier += 1
            if earlier == h:
                # A node with several of these reservations counts at the first.
                kept += _kept_on(view, first, mask)
            h = view.hosts.next[h]
    return int(kept)


@kernel
def _next_end(view: View, place: int, after_s: float) -> float:
    """The first end after *after_s* of running jobs from *place* on, and of those that this pass starts."""
    next_s = (
        view.jobs.expected_end_s[view.queue.running[place]] if place < view.queue.running_count else NEVER
    )
    for k in range(view.cycle.decided):
        if begins(view, k):
            end_s = end_of_started(view, view.cycle.decisions[k, 1])
            if after_s < end_s < next_s:
                next_s = end_s
    return float(next_s)


@kernel
def _end(view: View, row: int, mask: int) -> int:
    """*row* ends in the stretch whose beginning was counted; by how much what is kept changes."""
    seldom()
    change, entry = 0, view.jobs.entries[row]
    open_now = view.hosts.present & open_to(view, row)
    while entry >= 0:
        node = view.entries.node[entry]
        first = h = view.nodes.hosted[node] - 1
        if first >= 0:
            taken = int(view.entries.tasks[entry] * view.components.need[view.entries.component[entry], 0])
            change -= _kept_on(view, first, mask)
            while h < view.hosts.count and view.hosts.node[h] == node:
                if (open_now >> view.hosts.reservation[h]) & 1:
                    view.hosts.used[h] -= taken
                h += 1
            view.hosts.free[first] += taken if view.nodes.state[node] == NodeState.UP else 0
            change += _kept_on(view, first, mask)
        entry = view.entries.next[entry]
    return int(change)


@kernel
def _kept_on(view: View, first: int, mask: int) -> int:
    """How many idle processors are kept of the node whose first element is *first*."""
    return int(max(0, min(kept_of_mask(view, first, mask), view.hosts.free[first])))
