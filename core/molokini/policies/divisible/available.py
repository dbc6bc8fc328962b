"""The list of available nodes of Figure 3: when how many more nodes become free, in order of time.

Kept in ``profile_time_s`` and ``profile_free``, one entry a distinct instant, so that it grows with the jobs
and not with the nodes.
"""

from molokini.scheduling.compilation import kernel
from molokini.scheduling.running import sort_running
from molokini.scheduling.tables import View


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
        end_s = max(now, view.job_expected_end_s[row])
        if count > 0 and view.profile_time_s[count - 1] == end_s:
            view.profile_free[count - 1] += view.job_held[row]
        else:
            view.profile_time_s[count], view.profile_free[count] = end_s, view.job_held[row]
            count += 1
    return count


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
def occupy(view: View, count: int, nodes: int, until_s: float) -> int:
    """Take the *nodes* nodes that are free first, until *until_s*; how many entries there are now.

    A job holds its nodes from its start to its end; between their release and its start they are nobody's.
    """
    used = 0
    left = nodes
    while left > 0:
        taken = min(left, view.profile_free[used])
        view.profile_free[used] -= taken
        left -= taken
        if view.profile_free[used] == 0:
            used += 1
    place = 0
    for k in range(used, count):
        view.profile_time_s[place], view.profile_free[place] = view.profile_time_s[k], view.profile_free[k]
        place += 1
    while place > 0 and view.profile_time_s[place - 1] > until_s:
        view.profile_time_s[place] = view.profile_time_s[place - 1]
        view.profile_free[place] = view.profile_free[place - 1]
        place -= 1
    if place > 0 and view.profile_time_s[place - 1] == until_s:
        view.profile_free[place - 1] += nodes
        # Nobody was moved for an entry of its own: close the gap again.
        for k in range(place, count - used):
            view.profile_time_s[k], view.profile_free[k] = (
                view.profile_time_s[k + 1],
                view.profile_free[k + 1],
            )
        return count - used
    view.profile_time_s[place], view.profile_free[place] = until_s, nodes
    return count - used + 1
