"""The list of available nodes of Figure 3: when how many more nodes become free, in order of time.

Kept in ``profile_time_s`` and ``profile_free``, one entry a distinct instant, so that it grows with the jobs
and not with the nodes.
"""

from molokini.compiled.compilation import kernel
from molokini.cycle.verbs import give_back, wake_at
from molokini.policies.divisible.decisions import is_staged, latest_are_taken
from molokini.shared.dividing import equal_chunk_ends
from molokini.tables.running import sort_running
from molokini.tables.tables import View


@kernel
def list_available(view: View, now: float) -> int:
    """Make the list from what is idle and what runs; how many entries it has."""
    sort_running(view)
    count = 0
    if view.idle > 0:
        view.profile_time_s[0], view.profile_free[0] = now, view.idle
        count = 1
    for k in range(view.running_count):
        row = view.running[k]
        nodes = view.job_width[row]
        if is_staged(view, row, nodes, view.job_estimate_s[row]):
            first = done_nodes(view, row, now) + 1
            count = _add_staged(view, count, row, nodes, view.job_start_s[row], first)
        else:
            count = _add(view, count, view.job_held[row], max(now, view.job_expected_end_s[row]))
    return count


@kernel
def done_nodes(view: View, row: int, now: float) -> int:
    """Of a running job whose nodes are free one by one: how many are; never the last, which ends the job."""
    nodes, done = view.job_width[row], 0
    while done + 1 < nodes and view.job_start_s[row] + equal_chunk_ends(view, row, nodes, done + 1) <= now:
        done += 1
    return done


@kernel
def release_done(view: View, now: float) -> None:
    """Give back the nodes that have done their chunks, and wake for the next that will have."""
    for k in range(view.running_count):
        row = view.running[k]
        nodes = view.job_width[row]
        if is_staged(view, row, nodes, view.job_estimate_s[row]):
            done = done_nodes(view, row, now)
            more = done - (nodes - view.job_held[row])
            if more > 0:
                give_back(view, row, more)
            wake_at(view, view.job_start_s[row] + equal_chunk_ends(view, row, nodes, done + 1))


@kernel
def first_with(view: View, count: int, nodes: int) -> int:
    """The first entry at which *nodes* nodes are available; -1: there never are."""
    available = 0
    for k in range(count):
        available += view.profile_free[k]
        if available >= nodes:
            return k
    return -1


@kernel
def occupy(view: View, count: int, row: int, nodes: int, start_s: float, length_s: float) -> int:
    """*row* takes *nodes* of the nodes that are free by *start_s*; how many entries there are now.

    Those released latest, so that the others stay for who starts before; or earliest: they are nobody's then.
    """
    if latest_are_taken(view):
        k, step = _last_by(view, count, start_s), -1
    else:
        k, step = 0, 1
    left = nodes
    while left > 0:
        taken = min(left, view.profile_free[k])
        view.profile_free[k] -= taken
        left -= taken
        k += step
    kept = 0
    for k in range(count):
        if view.profile_free[k] > 0:
            view.profile_time_s[kept], view.profile_free[kept] = view.profile_time_s[k], view.profile_free[k]
            kept += 1
    if is_staged(view, row, nodes, length_s):
        return _add_staged(view, kept, row, nodes, start_s, 1)
    return _add(view, kept, nodes, start_s + length_s)


@kernel
def _last_by(view: View, count: int, at_s: float) -> int:
    """The last entry that is free by *at_s*."""
    k = count - 1
    while view.profile_time_s[k] > at_s:
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
    while place > 0 and view.profile_time_s[place - 1] > at_s:
        place -= 1
    if place > 0 and view.profile_time_s[place - 1] == at_s:
        view.profile_free[place - 1] += nodes
        return count
    for k in range(count, place, -1):
        view.profile_time_s[k], view.profile_free[k] = view.profile_time_s[k - 1], view.profile_free[k - 1]
    view.profile_time_s[place], view.profile_free[place] = at_s, nodes
    return count + 1
