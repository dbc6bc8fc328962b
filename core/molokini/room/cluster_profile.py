"""The availability profile of several clusters: how many processors of each are planned to be free.

As ``profile.py``, with a column a cluster: segments [first, last) of ``profile_time_s`` /
``profile_clusters``, the last for ever, neighbours differ, and the window is kept at the end of the
policy's global line. A machine of counted processors is one cluster. Counting is enough where every task
takes one processor and nothing else.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.model.requests import Spread
from molokini.room.clusters import choose_clusters, close_clusters, use_no_cluster
from molokini.room.profile import FIRST, LAST, segment_at
from molokini.tables.requests import tasks_of
from molokini.tables.running import sort_running
from molokini.tables.tables import NEVER, View

_ONE_CLUSTER = int(Spread.ONE_CLUSTER)


@kernel
def columns(view: View) -> int:
    """Columns of the profile."""
    return max(1, view.clusters)


@kernel
def countable(view: View, row: int) -> bool:
    """Whether the profile can tell when there is room for *row*."""
    component = view.job_components[row]
    if component == 0:
        return True
    for _ in range(view.job_component_count[row]):
        if view.component_per_node[component] > 0 or view.component_features[component] != 0:
            return False
        for resource in range(view.component_need.shape[1]):
            if view.component_need[component, resource] != (1.0 if resource == 0 else 0.0):
                return False
        component = view.component_next[component]
    return True


@kernel
def profile_of_running(view: View, now: float) -> None:
    """The profile in which only the running jobs are planned, each up to its expected end."""
    seldom()
    sort_running(view)
    view.profile_time_s[0] = now
    for cluster in range(columns(view)):
        view.profile_clusters[0, cluster] = view.free if view.nodes == 0 else 0
    for node in range(view.nodes):
        view.profile_clusters[0, view.node_group[node]] += int(view.node_free[node, 0])
    last = 1
    for k in range(view.running_count):
        row = view.running[k]
        if view.job_held[row] == 0:
            continue
        if view.profile_time_s[last - 1] < view.job_expected_end_s[row]:
            view.profile_time_s[last] = view.job_expected_end_s[row]
            _copy_segment(view, last - 1, last)
            last += 1
        _release(view, row, last - 1)
    view.global_i[FIRST] = 0
    view.global_i[LAST] = last


@kernel
def _release(view: View, row: int, segment: int) -> None:
    if view.nodes == 0:
        view.profile_clusters[segment, 0] += view.job_held[row]
        return
    entry = view.job_entries[row]
    while entry >= 0:
        processors = int(view.entry_tasks[entry] * view.component_need[view.entry_component[entry], 0])
        view.profile_clusters[segment, view.node_group[view.entry_node[entry]]] += processors
        entry = view.entry_next[entry]


@kernel
def _copy_segment(view: View, source: int, target: int) -> None:
    for cluster in range(columns(view)):
        view.profile_clusters[target, cluster] = view.profile_clusters[source, cluster]


@kernel
def plan(view: View, row: int, from_s: float, until_s: float, sign: int) -> None:
    """Take (1) or give back (-1) the planned processors of *row* in [from, until)."""
    if until_s <= from_s:
        return
    begin = _split(view, from_s)
    first_before = view.global_i[FIRST]
    stop = _split(view, until_s)
    begin -= first_before - view.global_i[FIRST]
    for k in range(begin, stop):
        for cluster in range(columns(view)):
            view.profile_clusters[k, cluster] -= sign * view.planned_tasks[row, cluster]
    _merge(view, stop)
    _merge(view, begin)


@kernel
def _split(view: View, at_s: float) -> int:
    """Make *at_s* a boundary; the segment that begins there."""
    k = segment_at(view, at_s)
    if view.profile_time_s[k] >= at_s:
        return k
    last = view.global_i[LAST]
    if last == view.profile_time_s.size:
        k -= _slide(view)
        last = view.global_i[LAST]
    for j in range(last, k + 1, -1):
        view.profile_time_s[j] = view.profile_time_s[j - 1]
        _copy_segment(view, j - 1, j)
    view.profile_time_s[k + 1] = at_s
    _copy_segment(view, k, k + 1)
    view.global_i[LAST] = last + 1
    return k + 1


@kernel
def _slide(view: View) -> int:
    """Move the window to the front of the arrays; by how much."""
    seldom()
    first, last = view.global_i[FIRST], view.global_i[LAST]
    for j in range(first, last):
        view.profile_time_s[j - first] = view.profile_time_s[j]
        _copy_segment(view, j, j - first)
    view.global_i[FIRST] = 0
    view.global_i[LAST] = last - first
    return int(first)


@kernel
def _merge(view: View, k: int) -> None:
    """Join segment *k* to the one before it where they are alike."""
    first, last = view.global_i[FIRST], view.global_i[LAST]
    if k <= first or k >= last:
        return
    for cluster in range(columns(view)):
        if view.profile_clusters[k, cluster] != view.profile_clusters[k - 1, cluster]:
            return
    for j in range(k, last - 1):
        view.profile_time_s[j] = view.profile_time_s[j + 1]
        _copy_segment(view, j + 1, j)
    view.global_i[LAST] = last - 1


@kernel
def earliest(view: View, row: int, length_s: float, from_s: float) -> float:
    """The first instant from *from_s* on at which *row* has room for *length_s*; NEVER where there is none.

    ``planned_tasks`` of *row* then says on which clusters.
    """
    k = segment_at(view, from_s)
    candidate_s = from_s
    while not _room_from(view, row, k, candidate_s + length_s):
        k += 1
        if k >= view.global_i[LAST]:
            return NEVER
        candidate_s = view.profile_time_s[k]
    return candidate_s


@kernel
def has_room(view: View, row: int, length_s: float, at_s: float) -> bool:
    """Whether *row* has room from *at_s* for *length_s*; ``planned_tasks`` then says on which clusters."""
    return _room_from(view, row, segment_at(view, at_s), at_s + length_s)


@kernel
def has_planned_room(view: View, row: int, length_s: float, at_s: float) -> bool:
    """Whether the clusters that are planned for *row* stay free from *at_s* for *length_s*."""
    _least_free(view, segment_at(view, at_s), at_s + length_s)
    for cluster in range(columns(view)):
        if view.planned_tasks[row, cluster] > view.cluster_least[cluster]:
            return False
    return True


@kernel
def keep_planned(view: View, row: int) -> None:
    """Remember where *row* is planned, for ``restore_planned``."""
    for cluster in range(columns(view)):
        view.cluster_kept[cluster] = view.planned_tasks[row, cluster]


@kernel
def restore_planned(view: View, row: int) -> None:
    """*row* is planned where it was at ``keep_planned``."""
    for cluster in range(columns(view)):
        view.planned_tasks[row, cluster] = view.cluster_kept[cluster]


@kernel
def _room_from(view: View, row: int, k: int, until_s: float) -> bool:
    """Whether *row* has room from segment *k* up to *until_s*, and where."""
    if _least_free(view, k, until_s) < view.job_width[row]:
        return False
    for cluster in range(columns(view)):
        view.planned_tasks[row, cluster] = 0
    if view.clusters == 0:
        view.planned_tasks[row, 0] = view.job_width[row]
        return True
    component = view.job_components[row]
    use_no_cluster(view)
    for _ in range(view.job_component_count[row]):
        where = view.component_where[component]
        for cluster in range(view.clusters):
            free = view.cluster_least[cluster] - view.planned_tasks[row, cluster]
            view.cluster_room[cluster] = max(0, free) if where < 0 or where == cluster else 0
        if not choose_clusters(view, component, tasks_of(view, row, component)):
            return False
        for cluster in range(view.clusters):
            view.planned_tasks[row, cluster] += max(0, view.cluster_tasks[cluster])
        close_clusters(view, component)
        component = view.component_next[component]
    return True


@kernel
def _least_free(view: View, k: int, until_s: float) -> int:
    """``cluster_least`` from segment *k* up to *until_s*; the sum over clusters."""
    for cluster in range(columns(view)):
        view.cluster_least[cluster] = view.profile_clusters[k, cluster]
    k += 1
    while k < view.global_i[LAST] and view.profile_time_s[k] < until_s:
        for cluster in range(columns(view)):
            view.cluster_least[cluster] = min(view.cluster_least[cluster], view.profile_clusters[k, cluster])
        k += 1
    free = 0
    for cluster in range(columns(view)):
        free += max(0, view.cluster_least[cluster])
    return free
