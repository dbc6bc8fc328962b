"""The test of when and where a job could run (select/cons_tres): reference, section 3.4.

Running jobs are taken off in the order of the ends of their limits, in windows that double; a placement is
tried only where sums over nodes say that there may be one.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.knowledge.memory import mine
from molokini.policies.slurm.nodes.choice import choose
from molokini.policies.slurm.nodes.demand import (
    component_of,
    least_nodes,
    most_nodes,
    tasks_on,
    wants_alone,
)
from molokini.policies.slurm.nodes.sets import has, put
from molokini.policies.slurm.planning.releases import touches, touches_chosen
from molokini.tables.requests import tasks_of
from molokini.tables.tables import NEVER, View

_WINDOW_S, _ROUND_S, _MOST_A_ROUND = 30.0, 30.0, 200


@kernel
def will_run(
    view: View, row: int, part: int, now: float, from_s: float, later_s: float, only_now: bool
) -> float:
    """When a job could start, on usable nodes that are then ``chosen``; NEVER: not before *later_s*."""
    seldom()
    alone = wants_alone(view, row, part)
    if from_s <= now and view.jobs.width[row] <= view.machine.idle:
        count = choose(view, view.nodes.free, view.node_plans.alone_now, view.node_plans.usable, row, part)
        if count >= 0:
            _note_chosen(view, count)
            return now
    if only_now:
        return NEVER
    least, most = least_nodes(view, row, part), most_nodes(view, row, part)
    tasks = tasks_of(view, row, component_of(view, row))
    plain = view.jobs.components[row] == 0
    _copy_room(view, plain)
    sum_tasks, nodes, largest = _sums(view, row, alone)
    k, count = 0, view.releases.count
    removed = False
    if parameters(view).relevant_end:
        while k < count and view.releases.end_s[k] <= from_s:
            if touches(view, k):
                sum_tasks, nodes, largest = _take_off(view, k, row, alone, plain, sum_tasks, nodes, largest)
                removed = True
            k += 1
    if (removed or from_s > now) and _may_fit(sum_tasks, nodes, largest, tasks, least, most):
        found = choose(view, view.nodes.scratch, view.node_plans.alone, view.node_plans.usable, row, part)
        if found >= 0:
            _note_chosen(view, found)
            return max(from_s, now)
    return _take_off_in_turn(
        view, row, part, now, later_s, k, alone, plain, sum_tasks, nodes, largest, tasks, least, most
    )


@kernel
def _take_off_in_turn(
    view: View,
    row: int,
    part: int,
    now: float,
    later_s: float,
    k: int,
    alone: bool,
    plain: bool,
    sum_tasks: int,
    nodes: int,
    largest: int,
    tasks: int,
    least: int,
    most: int,
) -> float:
    """Take jobs off from the *k*-th on, window by window, until a placement is found."""
    count, window_s, reference_s = view.releases.count, _WINDOW_S, -1.0
    while True:
        k = _next(view, k)
        if k >= count or (later_s > 0.0 and view.releases.end_s[k] > later_s):
            return NEVER
        if reference_s < 0.0:
            reference_s = -(-view.releases.end_s[k] // _ROUND_S) * _ROUND_S
        while view.releases.end_s[k] > reference_s + window_s:
            window_s = _wider(view, window_s)
        taken = 0
        while k < count and taken < _MOST_A_ROUND and view.releases.end_s[k] <= reference_s + window_s:
            if touches(view, k):
                if later_s > 0.0 and view.releases.end_s[k] > later_s:
                    break
                sum_tasks, nodes, largest = _take_off(view, k, row, alone, plain, sum_tasks, nodes, largest)
                taken += 1
            k += 1
        if _may_fit(sum_tasks, nodes, largest, tasks, least, most):
            found = choose(view, view.nodes.scratch, view.node_plans.alone, view.node_plans.usable, row, part)
            if found >= 0:
                _note_chosen(view, found)
                return _start_of(view, k, now)
        if taken == 0:
            return NEVER
        window_s = _wider(view, window_s)


@inner
def _wider(view: View, window_s: float) -> float:
    linear_s = parameters(view).bf_window_linear_s
    return float(window_s + linear_s if linear_s > 0.0 else 2.0 * window_s)


@kernel
def _next(view: View, k: int) -> int:
    """The next job from *k* on that has usable nodes."""
    while k < view.releases.count and not touches(view, k):
        k += 1
    return k


@inner
def _may_fit(sum_tasks: int, nodes: int, largest: int, tasks: int, least: int, most: int) -> bool:
    """False where there surely is no placement."""
    if most == 1 and largest < tasks:
        return False
    return sum_tasks >= tasks and nodes >= min(least, tasks)


@kernel
def _copy_room(view: View, plain: bool) -> None:
    """The room of the future begins as that of now."""
    for node in range(view.nodes.count):
        view.nodes.scratch[node, 0] = view.nodes.free[node, 0]
        view.node_plans.alone[node] = view.node_plans.alone_now[node]
    if not plain:
        for node in range(view.nodes.count):
            for resource in range(1, view.nodes.free.shape[1]):
                view.nodes.scratch[node, resource] = view.nodes.free[node, resource]


@kernel
def _sums(view: View, row: int, alone: bool) -> tuple[int, int, int]:
    """Tasks of all usable nodes, nodes that take any, and the most of one node."""
    tasks, nodes, largest = 0, 0, 0
    for node in range(view.nodes.count):
        if has(view.node_plans.usable, 0, node):
            fits = tasks_on(view, view.nodes.scratch, view.node_plans.alone, node, row, alone)
            tasks += fits
            nodes += 1 if fits > 0 else 0
            largest = max(largest, fits)
    return tasks, nodes, largest


@inner
def _take_off(
    view: View, k: int, row: int, alone: bool, plain: bool, tasks: int, nodes: int, largest: int
) -> tuple[int, int, int]:
    """Give back what job *k* has; the sums afterwards."""
    own = view.releases.row[k]
    lone = mine(view).place[own] > 0 and wants_alone(view, own, mine(view).place[own] - 1)
    for e in range(view.releases.first[k], view.releases.last[k]):
        node, component = view.releases.node[e], view.releases.component[e]
        usable = has(view.node_plans.usable, 0, node)
        before = tasks_on(view, view.nodes.scratch, view.node_plans.alone, node, row, alone) if usable else 0
        many = view.releases.tasks[e]
        view.nodes.scratch[node, 0] += many * view.components.need[component, 0]
        if not plain:
            for resource in range(1, view.nodes.free.shape[1]):
                view.nodes.scratch[node, resource] += many * view.components.need[component, resource]
        if lone:
            view.node_plans.alone[node] -= 1
        if usable:
            fits = tasks_on(view, view.nodes.scratch, view.node_plans.alone, node, row, alone)
            tasks += fits - before
            nodes += 1 if before == 0 and fits > 0 else 0
            largest = max(largest, fits)
    return tasks, nodes, largest


@kernel
def _note_chosen(view: View, count: int) -> None:
    for word in range(view.node_plans.numbers):
        view.node_plans.chosen[word] = 0
    for k in range(count):
        put(view.node_plans.chosen, 0, view.placing.node[k])


@kernel
def _start_of(view: View, k: int, now: float) -> float:
    """The end of the last job taken off, of those before *k*: since 25.05 of one that is in the way."""
    last = k - 1
    while last > 0 and not (
        touches_chosen(view, last) if parameters(view).relevant_end else touches(view, last)
    ):
        last -= 1
    end_s = view.releases.end_s[last]
    if end_s <= now:
        end_s = max(now + 1.0, end_s + parameters(view).kill_wait_s + parameters(view).over_time_limit_s)
    return float(end_s)
