"""The test of when and where a job could run (select/cons_tres): reference, section 3.4.

Running jobs are taken off in the order of the ends of their limits, in windows that double; a placement is
tried only where counts over nodes say that there may be one. A test begins with the room of now; its retries,
each of which is about a later instant, go on with what has been taken off.
"""

from molokini.availability.node_capacity import tasks_that_fit
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.resources import Resource
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.outranking import is_suspended_for
from molokini.policies.slurm.nodes.choice import choose
from molokini.policies.slurm.nodes.demand import (
    component_of,
    least_nodes,
    most_nodes,
    wants_alone,
)
from molokini.policies.slurm.nodes.sets import drop, has, put
from molokini.policies.slurm.planning.claims import (
    HIDE,
    SHOW,
    change_claimed,
    has_claims,
    is_lone,
    is_stopped,
)
from molokini.policies.slurm.planning.releases import touches, touches_chosen
from molokini.policies.slurm.planning.trying import choose_now
from molokini.tables.requests import tasks_of
from molokini.tables.rows import how_many
from molokini.tables.sizes import NODES_A_WORD
from molokini.tables.tables import NEVER, View

_WINDOW_S, _ROUND_S, _MOST_A_ROUND = 30.0, 30.0, 200


@kernel
def begin_test(view: View, row: int, part: int) -> None:
    """The room of the future is that of now; no job is taken off.

    Where the test before was of a job that asks the same of a node, only the nodes are looked at on which it
    has taken jobs off.
    """
    seldom()
    component, lone = component_of(view, row), 1 if wants_alone(view, row, part) else 0
    claims = has_claims(view)
    again = mine(view).like > 0 and lone == mine(view).lone and not claims and _asks_the_same(view, component)
    mine(view).least = min(least_nodes(view, row, part), tasks_of(view, row, component))
    mine(view).most = most_nodes(view, row, part)
    mine(view).tasks = tasks_of(view, row, component)
    if again:
        for e in range(view.site.releases.count):
            if e >= mine(view).taken:
                break
            for k in range(view.site.releases.first[e], view.site.releases.last[e]):
                _restore(view, row, view.site.releases.node[k])
        mine(view).taken = 0
        mine(view).like = component + 1
        return
    mine(view).taken = 0
    mine(view).simple = 1 if _is_simple(view, component) else 0
    mine(view).need = view.components.need[component, Resource.PROCESSORS]
    mine(view).lone = lone
    for word in range(view.site.node_plans.numbers):
        view.site.node_plans.fitting[word] = 0
    if claims:
        change_claimed(view, row, part, HIDE)
    for node in range(view.nodes.count):
        _restore(view, row, node)
    if claims:
        change_claimed(view, row, part, SHOW)
    # With reservations of processors, or rules of where jobs go, a node takes other jobs than it seems.
    mine(view).like = component + 1 if view.hosts.count == 0 and view.placing.rules == 0 else 0


@kernel
def _asks_the_same(view: View, component: int) -> bool:
    """Whether a component asks the same of a node as that of the test before."""
    before = mine(view).like - 1
    for k in range(view.components.any_of.shape[1]):
        if view.components.any_of[component, k] != view.components.any_of[before, k]:
            return False
    for resource in range(view.nodes.free.shape[1]):
        if view.components.need[component, resource] != view.components.need[before, resource]:
            return False
    return bool(
        view.components.per_node[component] == view.components.per_node[before]
        and view.components.where[component] == view.components.where[before]
        and view.components.features[component] == view.components.features[before]
        and view.components.one_of[component] == view.components.one_of[before]
    )


@inner
def _restore(view: View, row: int, node: int) -> None:
    """The room of a node is that of now."""
    view.nodes.scratch[node, 0] = view.nodes.free[node, 0]
    if not mine(view).simple:
        for resource in range(1, view.nodes.free.shape[1]):
            view.nodes.scratch[node, resource] = view.nodes.free[node, resource]
    view.site.node_plans.alone[node] = view.site.node_plans.alone_now[node]
    _note_fits(view, row, node)


@kernel
def _is_simple(view: View, component: int) -> bool:
    """Whether nothing but processors decides how many tasks a node takes that is up."""
    if view.hosts.count > 0 or view.placing.rules > 0 or view.components.per_node[component] > 0:
        return False
    if view.components.where[component] >= 0 or view.components.features[component] != 0:
        return False
    if view.components.any_of[component, 0] != 0:
        return False
    for resource in range(1, view.nodes.free.shape[1]):
        if view.components.need[component, resource] > 0.0:
            return False
    return bool(view.components.need[component, Resource.PROCESSORS] > 0.0)


@inner
def _note_fits(view: View, row: int, node: int) -> None:
    """How many tasks of the job in question a node takes now, and whether it takes any."""
    room = view.nodes.scratch[node, Resource.PROCESSORS]
    taken = mine(view).lone > 0 and room < view.nodes.total[node, Resource.PROCESSORS]
    if taken or room < mine(view).need or view.site.node_plans.alone[node] > 0:
        fits = 0
    elif mine(view).simple:
        fits = int(room / mine(view).need)
    else:
        fits = tasks_that_fit(view, view.nodes.scratch, node, component_of(view, row))
    view.site.node_plans.fits[node] = fits
    if fits > 0:
        put(view.site.node_plans.fitting, 0, node)
    else:
        drop(view.site.node_plans.fitting, 0, node)


@kernel
def will_run(
    view: View, row: int, part: int, now: float, from_s: float, later_s: float, only_now: bool
) -> float:
    """When a job could start, on usable nodes that are then ``chosen``; NEVER: not before *later_s*."""
    if from_s <= now and view.jobs.width[row] <= view.machine.idle:
        count = choose_now(view, row, part)
        if count >= 0:
            _note_chosen(view, count)
            return now
    if only_now:
        return NEVER
    if not parameters(view).relevant_end:
        begin_test(view, row, part)
        # What the plan of nodes does not admit before then does not start before then.
        return max(from_s, _take_off_in_turn(view, row, part, now, later_s))
    if from_s > now or mine(view).taken < view.site.releases.count:
        removed = from_s > now
        while mine(view).taken < view.site.releases.count:
            if view.site.releases.end_s[mine(view).taken] > from_s:
                break
            _take_off(view, mine(view).taken, row, part)
            mine(view).taken += 1
            removed = True
        if removed and _fits_later(view, row, part):
            return max(from_s, now)
    return _take_off_in_turn(view, row, part, now, later_s)


@kernel
def _take_off_in_turn(view: View, row: int, part: int, now: float, later_s: float) -> float:
    """Take jobs off, window by window, until a placement is found."""
    count, window_s, reference_s = view.site.releases.count, _WINDOW_S, -1.0
    while True:
        k = mine(view).taken
        while k < count and not touches(view, k):
            k += 1
        if k >= count or (later_s > 0.0 and view.site.releases.end_s[k] > later_s):
            return NEVER
        if reference_s < 0.0:
            reference_s = -(-view.site.releases.end_s[k] // _ROUND_S) * _ROUND_S
        while view.site.releases.end_s[k] > reference_s + window_s:
            window_s = _wider(view, window_s)
        touched = 0
        k = mine(view).taken
        while k < count and touched < _MOST_A_ROUND and view.site.releases.end_s[k] <= reference_s + window_s:
            if later_s > 0.0 and view.site.releases.end_s[k] > later_s:
                break
            touched += 1 if touches(view, k) else 0
            _take_off(view, k, row, part)
            k += 1
        mine(view).taken = k
        if _fits_later(view, row, part):
            return _start_of(view, k, now)
        window_s = _wider(view, window_s)


@inner
def _wider(view: View, window_s: float) -> float:
    linear_s = parameters(view).bf_window_linear_s
    return float(window_s + linear_s if linear_s > 0.0 else 2.0 * window_s)


@kernel
def _fits_later(view: View, row: int, part: int) -> bool:
    """Whether the job has a placement on usable nodes in the room of the future; then they are ``chosen``,
    which holds no more than nodes that take a task until then.
    """
    if not _may_fit(view):
        return False
    for word in range(view.site.node_plans.numbers):
        usable, fitting = view.site.node_plans.usable[word], view.site.node_plans.fitting[word]
        view.site.node_plans.chosen[word] = usable & fitting
    mine(view).busy_first, mine(view).fits_known = parameters(view).bf_busy_nodes, 1
    found = choose(
        view, view.nodes.scratch, view.site.node_plans.alone, view.site.node_plans.chosen, row, part
    )
    mine(view).busy_first = mine(view).fits_known = 0
    if found < 0:
        return False
    _note_chosen(view, found)
    return True


@kernel
def _may_fit(view: View) -> bool:
    """False where there surely is no placement: too few usable nodes take any task, or too few tasks."""
    nodes, words = 0, view.site.node_plans.numbers
    for word in range(words):
        nodes += how_many(view.site.node_plans.usable[word] & view.site.node_plans.fitting[word])
    if nodes < mine(view).least or nodes == 0:
        return False
    tasks, wanted, one = 0, mine(view).tasks, mine(view).most == 1
    for word in range(words):
        bits = view.site.node_plans.usable[word] & view.site.node_plans.fitting[word]
        while bits:
            # The lowest bit: those below it are as many as its place.
            node = word * NODES_A_WORD + how_many((bits & -bits) - 1)
            fits = view.site.node_plans.fits[node]
            tasks = max(tasks, fits) if one else tasks + fits
            if tasks >= wanted:
                return True
            bits &= bits - 1
    return False


@kernel
def too_few(view: View) -> bool:
    """Whether fewer nodes are usable than the job in question asks for."""
    nodes = 0
    for word in range(view.site.node_plans.numbers):
        nodes += how_many(view.site.node_plans.usable[word])
    return bool(nodes < mine(view).least)


@kernel
def _take_off(view: View, k: int, row: int, part: int) -> None:
    """Give back what job *k* has; of a suspended one no CPUs that *row* might have had before."""
    own, simple = view.site.releases.row[k], mine(view).simple > 0
    lone = is_lone(view, own)
    if has_claims(view) and is_stopped(view, own) and is_suspended_for(view, own, row, part):
        _take_off_memory(view, k, row)
        return
    for e in range(view.site.releases.first[k], view.site.releases.last[k]):
        node, component = view.site.releases.node[e], view.site.releases.component[e]
        many = view.site.releases.tasks[e]
        view.nodes.scratch[node, 0] += many * view.components.need[component, 0]
        if not simple:
            for resource in range(1, view.nodes.free.shape[1]):
                view.nodes.scratch[node, resource] += many * view.components.need[component, resource]
        if lone:
            view.site.node_plans.alone[node] -= 1
        if has(view.site.node_plans.base, 0, node):
            _note_fits(view, row, node)


@kernel
def _take_off_memory(view: View, k: int, row: int) -> None:
    """The same of everything but CPUs."""
    seldom()
    for e in range(view.site.releases.first[k], view.site.releases.last[k]):
        node, component = view.site.releases.node[e], view.site.releases.component[e]
        for resource in range(1, view.nodes.free.shape[1]):
            need = view.components.need[component, resource]
            view.nodes.scratch[node, resource] += view.site.releases.tasks[e] * need
        if has(view.site.node_plans.base, 0, node):
            _note_fits(view, row, node)


@kernel
def _note_chosen(view: View, count: int) -> None:
    for word in range(view.site.node_plans.numbers):
        view.site.node_plans.chosen[word] = 0
    for k in range(count):
        put(view.site.node_plans.chosen, 0, view.placing.node[k])


@kernel
def _start_of(view: View, k: int, now: float) -> float:
    """The end of the last job taken off, of those before *k*: since 25.05 of one that is in the way."""
    last, relevant = k - 1, parameters(view).relevant_end > 0
    while last > 0 and not (touches_chosen(view, last) if relevant else touches(view, last)):
        last -= 1
    end_s = view.site.releases.end_s[last]
    if end_s <= now:
        end_s = max(now + 1.0, end_s + parameters(view).kill_wait_s + parameters(view).over_time_limit_s)
    return float(end_s)
