"""Where and when a job has room in the lanes of the availability profile.

The machine is one lane, on which a job takes processors by their number, or each cluster is a lane: then
``planned_tasks`` of a job says how many processors of each it takes. Counting is enough where every task
takes one processor and nothing else (``countable``).
"""

from molokini.availability import profile
from molokini.availability.clusters import choose_clusters, close_clusters, use_no_cluster
from molokini.availability.node_capacity import asks_for_features
from molokini.availability.profile import cut, join, segment_at
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.tables.requests import tasks_of
from molokini.tables.running import sort_running
from molokini.tables.tables import NEVER, View


@kernel
def lanes_of_running(view: View, now: float, by_cluster: bool) -> None:
    """The profile in which only the running jobs are planned, each up to its expected end.

    Lanes are clusters where *by_cluster* says so and there are nodes, else the machine is one lane.
    """
    if view.nodes.count > 0 and by_cluster:
        _clusters_of_running(view, now)
    else:
        profile.profile_of_running(view, now)


@kernel
def fits(view: View, row: int, length_s: float, at_s: float) -> bool:
    """Whether *row* has room from *at_s* for *length_s*.

    Where lanes are clusters, its ``planned_tasks`` say where.
    """
    if view.nodes.count > 0 and view.profile.lane_count > 0:
        return _fits_in_lanes(view, row, length_s, at_s)
    return profile.fits(view, view.jobs.width[row], length_s, at_s)


@kernel
def earliest(view: View, row: int, length_s: float, from_s: float) -> float:
    """The first instant from *from_s* on at which *row* has room for *length_s*; NEVER where there is none.

    Where lanes are clusters, its ``planned_tasks`` say where.
    """
    if view.nodes.count > 0 and view.profile.lane_count > 0:
        return _earliest_in_lanes(view, row, length_s, from_s)
    return profile.earliest(view, view.jobs.width[row], length_s, from_s)


@inner
def take(view: View, row: int, from_s: float, until_s: float) -> None:
    """Plan *row* in [from, until), where lanes are clusters on its ``planned_tasks``."""
    if view.nodes.count > 0 and view.profile.lane_count > 0:
        _change(view, row, from_s, until_s, 1)
    else:
        profile.plan(view, from_s, until_s, view.jobs.width[row])


@inner
def give(view: View, row: int, from_s: float, until_s: float) -> None:
    """Give back what ``take`` has planned for *row*, or the part of it that is in [from, until)."""
    if view.nodes.count > 0 and view.profile.lane_count > 0:
        _change(view, row, from_s, until_s, -1)
    else:
        profile.plan(view, from_s, until_s, -view.jobs.width[row])


@kernel
def countable(view: View, row: int) -> bool:
    """Whether lanes tell when there is room for *row*."""
    component = view.jobs.components[row]
    if component == 0:
        return True
    for _ in range(view.jobs.component_count[row]):
        if view.components.per_node[component] > 0 or asks_for_features(view, component):
            return False
        for resource in range(view.components.need.shape[1]):
            if view.components.need[component, resource] != (1.0 if resource == 0 else 0.0):
                return False
        component = view.components.next[component]
    return True


@kernel
def fits_as_planned(view: View, row: int, length_s: float, at_s: float) -> bool:
    """Whether *row* has room from *at_s* for *length_s* on the clusters that are planned for it."""
    _least_free(view, segment_at(view, at_s), at_s + length_s)
    for lane in range(view.profile.lane_count):
        if view.planned_tasks[row, lane] > view.clusters.least[lane]:
            return False
    return True


@kernel
def keep_planned(view: View, row: int) -> None:
    """Remember on which clusters *row* is planned, for ``restore_planned``."""
    for lane in range(view.profile.lane_count):
        view.clusters.kept[lane] = view.planned_tasks[row, lane]


@kernel
def restore_planned(view: View, row: int) -> None:
    """Plan *row* on the clusters that ``keep_planned`` remembered."""
    for lane in range(view.profile.lane_count):
        view.planned_tasks[row, lane] = view.clusters.kept[lane]


@kernel
def _clusters_of_running(view: View, now: float) -> None:
    seldom()
    sort_running(view)
    profile.clear_profile(view, now, 0)
    view.profile.lane_count = view.clusters.count
    for lane in range(view.profile.lane_count):
        view.profile.lanes[0, lane] = 0
    for node in range(view.nodes.count):
        _add(view, 0, view.nodes.group[node], int(view.nodes.free[node, 0]))
    last = 1
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        if view.jobs.held[row] == 0:
            continue
        if view.profile.time_s[last - 1] < view.jobs.expected_end_s[row]:
            view.profile.time_s[last] = view.jobs.expected_end_s[row]
            view.profile.free[last] = view.profile.free[last - 1]
            for lane in range(view.profile.lane_count):
                view.profile.lanes[last, lane] = view.profile.lanes[last - 1, lane]
            last += 1
        entry = view.jobs.entries[row]
        while entry >= 0:
            need = view.components.need[view.entries.component[entry], 0]
            lane = view.nodes.group[view.entries.node[entry]]
            _add(view, last - 1, lane, int(view.entries.tasks[entry] * need))
            entry = view.entries.next[entry]
    view.profile.last = last


@inner
def _add(view: View, segment: int, lane: int, processors: int) -> None:
    view.profile.free[segment] += processors
    view.profile.lanes[segment, lane] += processors


@kernel
def _change(view: View, row: int, from_s: float, until_s: float, sign: int) -> None:
    """Take (1) or give back (-1) the planned processors of *row* in [from, until)."""
    seldom()
    if until_s <= from_s:
        return
    begin, stop = cut(view, from_s, until_s)
    for k in range(begin, stop):
        view.profile.free[k] -= sign * view.jobs.width[row]
        for lane in range(view.profile.lane_count):
            view.profile.lanes[k, lane] -= sign * view.planned_tasks[row, lane]
    join(view, begin, stop)


@kernel
def _fits_in_lanes(view: View, row: int, length_s: float, at_s: float) -> bool:
    seldom()
    return _room_from(view, row, segment_at(view, at_s), at_s + length_s)


@kernel
def _earliest_in_lanes(view: View, row: int, length_s: float, from_s: float) -> float:
    seldom()
    k = segment_at(view, from_s)
    candidate_s = from_s
    while not _room_from(view, row, k, candidate_s + length_s):
        k += 1
        if k >= view.profile.last:
            return NEVER
        candidate_s = view.profile.time_s[k]
    return candidate_s


@kernel
def _room_from(view: View, row: int, k: int, until_s: float) -> bool:
    """Whether *row* has room from segment *k* up to *until_s*, and where."""
    if _least_free(view, k, until_s) < view.jobs.width[row]:
        return False
    for lane in range(view.profile.lane_count):
        view.planned_tasks[row, lane] = 0
    component = view.jobs.components[row]
    use_no_cluster(view)
    for _ in range(view.jobs.component_count[row]):
        where = view.components.where[component]
        for lane in range(view.profile.lane_count):
            free = view.clusters.least[lane] - view.planned_tasks[row, lane]
            view.clusters.room[lane] = max(0, free) if where < 0 or where == lane else 0
        if not choose_clusters(view, component, tasks_of(view, row, component)):
            return False
        for lane in range(view.profile.lane_count):
            view.planned_tasks[row, lane] += max(0, view.clusters.tasks[lane])
        close_clusters(view, component)
        component = view.components.next[component]
    return True


@kernel
def _least_free(view: View, k: int, until_s: float) -> int:
    """``clusters.least`` from segment *k* up to *until_s*; the sum over clusters."""
    for lane in range(view.profile.lane_count):
        view.clusters.least[lane] = view.profile.lanes[k, lane]
    k += 1
    while k < view.profile.last and view.profile.time_s[k] < until_s:
        for lane in range(view.profile.lane_count):
            view.clusters.least[lane] = min(view.clusters.least[lane], view.profile.lanes[k, lane])
        k += 1
    free = 0
    for lane in range(view.profile.lane_count):
        free += max(0, view.clusters.least[lane])
    return free
