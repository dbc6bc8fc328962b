"""The list of available nodes of Figure 3: how many more nodes become free at each instant, in order of time.

Kept in ``profile.time_s`` and ``profile.free``, one entry for each distinct instant, so that it grows with
the jobs and not with the nodes.
"""

from molokini.compiled.compilation import kernel
from molokini.cycle.verbs import give_back, wake_at
from molokini.policies.divisible.decisions import is_staged, latest_are_taken
from molokini.shared.dividing import equal_chunk_ends
from molokini.tables.running import sort_running
from molokini.tables.tables import View


@kernel
def list_available(view: View, now: float) -> int:
    """Make the list from the idle nodes and the running jobs; how many entries it has."""
    sort_running(view)
    count = 0
    if view.machine.idle > 0:
        view.profile.time_s[0], view.profile.free[0] = now, view.machine.idle
        count = 1
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        nodes = view.jobs.width[row]
        if is_staged(view, row, nodes, view.jobs.estimate_s[row]):
            first = done_nodes(view, row, now) + 1
            count = _add_staged(view, count, row, nodes, view.jobs.start_s[row], first)
        else:
            count = _add(view, count, view.jobs.held[row], max(now, view.jobs.expected_end_s[row]))
    return count


@kernel
def done_nodes(view: View, row: int, now: float) -> int:
    """How many nodes of a running job that frees them one by one are free; never the last, which ends it."""
    nodes, done = view.jobs.width[row], 0
    while done + 1 < nodes and view.jobs.start_s[row] + equal_chunk_ends(view, row, nodes, done + 1) <= now:
        done += 1
    return done


@kernel
def release_done(view: View, now: float) -> None:
    """Give back the nodes that have done their chunks, and wake for the next node that will be done."""
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        nodes = view.jobs.width[row]
        if is_staged(view, row, nodes, view.jobs.estimate_s[row]):
            done = done_nodes(view, row, now)
            more = done - (nodes - view.jobs.held[row])
            if more > 0:
                give_back(view, row, more)
            wake_at(view, view.jobs.start_s[row] + equal_chunk_ends(view, row, nodes, done + 1))


@kernel
def first_with(view: View, count: int, nodes: int) -> int:
    """The first entry at which *nodes* nodes are available; -1: they never are."""
    available = 0
    for k in range(count):
        available += view.profile.free[k]
        if available >= nodes:
            return k
    return -1


@kernel
def occupy(view: View, count: int, row: int, nodes: int, start_s: float, length_s: float) -> int:
    """*row* takes *nodes* of the nodes that are free by *start_s*; how many entries there are now.

    Those released latest, so that the others stay for jobs that start before; or those released earliest.
    """
    if latest_are_taken(view):
        k, step = _last_by(view, count, start_s), -1
    else:
        k, step = 0, 1
    left = nodes
    while left > 0:
        taken = min(left, view.profile.free[k])
        view.profile.free[k] -= taken
        left -= taken
        k += step
    kept = 0
    for k in range(count):
        if view.profile.free[k] > 0:
            view.profile.time_s[kept], view.profile.free[kept] = view.profile.time_s[k], view.profile.free[k]
            kept += 1
    if is_staged(view, row, nodes, length_s):
        return _add_staged(view, kept, row, nodes, start_s, 1)
    return _add(view, kept, nodes, start_s + length_s)


@kernel
def _last_by(view: View, count: int, at_s: float) -> int:
    """The last entry that is free by *at_s*."""
    k = count - 1
    while view.profile.time_s[k] > at_s:
        k -= 1
    return k


@kernel
def _add_staged(view: View, count: int, row: int, nodes: int, start_s: float, first: int) -> int:
    """Nodes from the *first* on of *row*, started at *start_s*, become free one by one."""
    for place in range(first, nodes + 1):
        count = _add(view, count, 1, start_s + equal_chunk_ends(view, row, nodes, place))
    return count


@kernel
def _add(view: View, count: int, nodes: int, at_s: float) -> int:
    """*nodes* more nodes become free at *at_s*; how many entries there are now."""
    place = count
    while place > 0 and view.profile.time_s[place - 1] > at_s:
        place -= 1
    if place > 0 and view.profile.time_s[place - 1] == at_s:
        view.profile.free[place - 1] += nodes
        return count
    for k in range(count, place, -1):
        view.profile.time_s[k], view.profile.free[k] = view.profile.time_s[k - 1], view.profile.free[k - 1]
    view.profile.time_s[place], view.profile.free[place] = at_s, nodes
    return count + 1
