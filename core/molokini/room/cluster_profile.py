"""The availability profile of several clusters: how many processors of each are planned to be free.

As ``profile.py``, with a column for each cluster: segments [first, last) of ``profile.time_s`` /
``profile.clusters``, the last for ever; neighbours differ. A machine of counted processors is one cluster.
Counting is enough where every task takes one processor and nothing else.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.model.requests import Spread
from molokini.room.beside_reserved import in_the_way_until
from molokini.room.clusters import choose_clusters, close_clusters, use_no_cluster
from molokini.room.profile import segment_at
from molokini.tables.requests import tasks_of
from molokini.tables.running import sort_running
from molokini.tables.tables import NEVER, View

_ONE_CLUSTER = int(Spread.ONE_CLUSTER)


@kernel
def columns(view: View) -> int:
    """Columns of the profile."""
    return max(1, view.clusters.count)


@kernel
def countable(view: View, row: int) -> bool:
    """Whether the profile can tell when there is room for *row*."""
    component = view.jobs.components[row]
    if component == 0:
        return True
    for _ in range(view.jobs.component_count[row]):
        if view.components.per_node[component] > 0 or view.components.features[component] != 0:
            return False
        for resource in range(view.components.need.shape[1]):
            if view.components.need[component, resource] != (1.0 if resource == 0 else 0.0):
                return False
        component = view.components.next[component]
    return True


@kernel
def profile_of_running(view: View, now: float) -> None:
    """The profile in which only the running jobs are planned, each up to its expected end."""
    seldom()
    sort_running(view)
    view.profile.time_s[0] = now
    for cluster in range(columns(view)):
        view.profile.clusters[0, cluster] = view.machine.free if view.nodes.count == 0 else 0
    for node in range(view.nodes.count):
        view.profile.clusters[0, view.nodes.group[node]] += int(view.nodes.free[node, 0])
    last = 1
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        if view.jobs.held[row] == 0:
            continue
        if view.profile.time_s[last - 1] < view.jobs.expected_end_s[row]:
            view.profile.time_s[last] = view.jobs.expected_end_s[row]
            _copy_segment(view, last - 1, last)
            last += 1
        _release(view, row, last - 1)
    view.profile.first = 0
    view.profile.last = last


@kernel
def _release(view: View, row: int, segment: int) -> None:
    if view.nodes.count == 0:
        view.profile.clusters[segment, 0] += view.jobs.held[row]
        return
    entry = view.jobs.entries[row]
    while entry >= 0:
        processors = int(view.entries.tasks[entry] * view.components.need[view.entries.component[entry], 0])
        view.profile.clusters[segment, view.nodes.group[view.entries.node[entry]]] += processors
        entry = view.entries.next[entry]


@kernel
def _copy_segment(view: View, source: int, target: int) -> None:
    for cluster in range(columns(view)):
        view.profile.clusters[target, cluster] = view.profile.clusters[source, cluster]


@kernel
def plan(view: View, row: int, from_s: float, until_s: float, sign: int) -> None:
    """Take (1) or give back (-1) the planned processors of *row* in [from, until)."""
    if until_s <= from_s:
        return
    begin = _split(view, from_s)
    first_before = view.profile.first
    stop = _split(view, until_s)
    begin -= first_before - view.profile.first
    for k in range(begin, stop):
        for cluster in range(columns(view)):
            view.profile.clusters[k, cluster] -= sign * view.planned_tasks[row, cluster]
    _merge(view, stop)
    _merge(view, begin)


@kernel
def _split(view: View, at_s: float) -> int:
    """Make *at_s* a boundary; the segment that begins there."""
    k = segment_at(view, at_s)
    if view.profile.time_s[k] >= at_s:
        return k
    last = view.profile.last
    if last == view.profile.time_s.size:
        k -= _slide(view)
        last = view.profile.last
    for j in range(last, k + 1, -1):
        view.profile.time_s[j] = view.profile.time_s[j - 1]
        _copy_segment(view, j - 1, j)
    view.profile.time_s[k + 1] = at_s
    _copy_segment(view, k, k + 1)
    view.profile.last = last + 1
    return k + 1


@kernel
def _slide(view: View) -> int:
    """Move the window to the front of the arrays; by how much."""
    seldom()
    first, last = view.profile.first, view.profile.last
    for j in range(first, last):
        view.profile.time_s[j - first] = view.profile.time_s[j]
        _copy_segment(view, j, j - first)
    view.profile.first = 0
    view.profile.last = last - first
    return int(first)


@kernel
def _merge(view: View, k: int) -> None:
    """Join segment *k* to the one before it where they are alike."""
    first, last = view.profile.first, view.profile.last
    if k <= first or k >= last:
        return
    for cluster in range(columns(view)):
        if view.profile.clusters[k, cluster] != view.profile.clusters[k - 1, cluster]:
            return
    for j in range(k, last - 1):
        view.profile.time_s[j] = view.profile.time_s[j + 1]
        _copy_segment(view, j + 1, j)
    view.profile.last = last - 1


@kernel
def earliest(view: View, row: int, length_s: float, from_s: float) -> float:
    """The first instant from *from_s* on at which *row* has room for *length_s*; NEVER where there is none.

    ``planned_tasks`` of *row* then says on which clusters.
    """
    k = segment_at(view, from_s)
    candidate_s = from_s
    while not _room_from(view, row, k, candidate_s + length_s):
        k += 1
        if k >= view.profile.last:
            return NEVER
        candidate_s = view.profile.time_s[k]
    return candidate_s


@kernel
def earliest_beside(view: View, row: int, length_s: float, from_s: float) -> float:
    """As ``earliest``, beside what is reserved for other jobs."""
    at_s = earliest(view, row, length_s, from_s)
    if view.reservations.count == 0 or at_s == NEVER:
        return at_s
    _count_all(view)
    while at_s < NEVER:
        until_s = in_the_way_until(view, row, length_s, at_s)
        if until_s < 0.0:
            break
        at_s = earliest(view, row, length_s, until_s) if until_s < NEVER else NEVER
    return at_s


@kernel
def stays_out(view: View, row: int, length_s: float, at_s: float) -> bool:
    """Whether *row*, which the profile admits at *at_s*, stays out of what is reserved for other jobs."""
    if view.reservations.count == 0:
        return True
    _count_all(view)
    return bool(in_the_way_until(view, row, length_s, at_s) < 0.0)


@kernel
def _count_all(view: View) -> None:
    """``profile.free`` is the sum over clusters: what reservations keep is counted over the whole machine."""
    seldom()
    for k in range(view.profile.first, view.profile.last):
        free = 0
        for cluster in range(columns(view)):
            free += view.profile.clusters[k, cluster]
        view.profile.free[k] = free


@kernel
def has_room(view: View, row: int, length_s: float, at_s: float) -> bool:
    """Whether *row* has room from *at_s* for *length_s*; ``planned_tasks`` then says on which clusters."""
    return _room_from(view, row, segment_at(view, at_s), at_s + length_s)


@kernel
def has_planned_room(view: View, row: int, length_s: float, at_s: float) -> bool:
    """Whether the clusters that are planned for *row* stay free from *at_s* for *length_s*."""
    _least_free(view, segment_at(view, at_s), at_s + length_s)
    for cluster in range(columns(view)):
        if view.planned_tasks[row, cluster] > view.clusters.least[cluster]:
            return False
    return True


@kernel
def keep_planned(view: View, row: int) -> None:
    """Remember on which clusters *row* is planned, for ``restore_planned``."""
    for cluster in range(columns(view)):
        view.clusters.kept[cluster] = view.planned_tasks[row, cluster]


@kernel
def restore_planned(view: View, row: int) -> None:
    """Plan *row* on the clusters that ``keep_planned`` remembered."""
    for cluster in range(columns(view)):
        view.planned_tasks[row, cluster] = view.clusters.kept[cluster]


@kernel
def _room_from(view: View, row: int, k: int, until_s: float) -> bool:
    """Whether *row* has room from segment *k* up to *until_s*, and where."""
    if _least_free(view, k, until_s) < view.jobs.width[row]:
        return False
    for cluster in range(columns(view)):
        view.planned_tasks[row, cluster] = 0
    if view.clusters.count == 0:
        view.planned_tasks[row, 0] = view.jobs.width[row]
        return True
    component = view.jobs.components[row]
    use_no_cluster(view)
    for _ in range(view.jobs.component_count[row]):
        where = view.components.where[component]
        for cluster in range(view.clusters.count):
            free = view.clusters.least[cluster] - view.planned_tasks[row, cluster]
            view.clusters.room[cluster] = max(0, free) if where < 0 or where == cluster else 0
        if not choose_clusters(view, component, tasks_of(view, row, component)):
            return False
        for cluster in range(view.clusters.count):
            view.planned_tasks[row, cluster] += max(0, view.clusters.tasks[cluster])
        close_clusters(view, component)
        component = view.components.next[component]
    return True


@kernel
def _least_free(view: View, k: int, until_s: float) -> int:
    """``clusters.least`` from segment *k* up to *until_s*; the sum over clusters."""
    for cluster in range(columns(view)):
        view.clusters.least[cluster] = view.profile.clusters[k, cluster]
    k += 1
    while k < view.profile.last and view.profile.time_s[k] < until_s:
        for cluster in range(columns(view)):
            view.clusters.least[cluster] = min(
                view.clusters.least[cluster], view.profile.clusters[k, cluster]
            )
        k += 1
    free = 0
    for cluster in range(columns(view)):
        free += max(0, view.clusters.least[cluster])
    return free
