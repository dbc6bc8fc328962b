"""The test of when and where a job could run (select/cons_tres): reference, section 3.4.

Running jobs are taken off in the order of the ends of their limits, in windows that double; a placement is
tried only where counts over nodes say that there may be one. A test begins with the room of now; its retries,
each of which is about a later instant, go on with what has been taken off.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.resources import Resource
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.nodes.choice import choose
from molokini.policies.slurm.nodes.demand import (
    component_of,
    least_nodes,
    most_nodes,
    wants_alone,
)
from molokini.policies.slurm.nodes.sets import put
from molokini.policies.slurm.planning.claims import has_claims
from molokini.policies.slurm.planning.later_room import begin_room, bring_chosen, choose_fitting, know
from molokini.policies.slurm.planning.releases import touches, touches_chosen
from molokini.policies.slurm.planning.trying import choose_now
from molokini.tables.requests import tasks_of
from molokini.tables.rows import how_many
from molokini.tables.tables import NEVER, View

_WINDOW_S, _ROUND_S, _MOST_A_ROUND = 30.0, 30.0, 200


@kernel
def begin_test(view: View, row: int, part: int) -> None:
    """No job is taken off; what was found out for a job that asks the same of a node holds for this one."""
    seldom()
    component, lone = component_of(view, row), 1 if wants_alone(view, row, part) else 0
    claims = has_claims(view)
    again = mine(view).like > 0 and lone == mine(view).lone and not claims and _asks_the_same(view, component)
    mine(view).least = min(least_nodes(view, row, part), tasks_of(view, row, component))
    mine(view).most = most_nodes(view, row, part)
    mine(view).tasks = tasks_of(view, row, component)
    mine(view).taken = 0
    if again:
        mine(view).like = component + 1
        return
    mine(view).simple = 1 if _is_simple(view, component) else 0
    mine(view).need = view.components.need[component, Resource.PROCESSORS]
    mine(view).lone = lone
    begin_room(view, row, part)
    # With reservations of processors, rules of where jobs go, or suspended jobs a node takes other jobs than
    # it seems.
    alike = view.hosts.count == 0 and view.placing.rules == 0 and not claims
    mine(view).like = component + 1 if alike else 0


@kernel
def test_again(view: View, row: int, part: int) -> None:
    """The same job is tested from the room of now on, once more."""
    mine(view).taken = 0
    if mine(view).like == 0:
        begin_test(view, row, part)


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


@kernel
def will_run(
    view: View, row: int, part: int, now: float, from_s: float, later_s: float, only_now: bool
) -> float:
    """When a job could start, on usable nodes that are then ``chosen``; NEVER: not before *later_s*."""
    if from_s <= now and view.jobs.width[row] <= view.machine.idle and _fits_now(view, row, part):
        return now
    if only_now:
        return NEVER
    if not parameters(view).relevant_end:
        test_again(view, row, part)
        # What the plan of nodes does not admit before then does not start before then.
        return max(from_s, _take_off_in_turn(view, row, part, now, later_s))
    if from_s > now or mine(view).taken < view.site.releases.count:
        k = mine(view).taken
        while k < view.site.releases.count and view.site.releases.end_s[k] <= from_s:
            k += 1
        removed = from_s > now or k > mine(view).taken
        mine(view).taken = k
        if removed and _fits_later(view, row, part):
            return max(from_s, now)
    return _take_off_in_turn(view, row, part, now, later_s)


@kernel
def _fits_now(view: View, row: int, part: int) -> bool:
    """Whether the job has a placement on usable nodes as they are; then they are ``chosen``."""
    if mine(view).like > 0:
        return _fits_once_gone(view, row, part, 0)
    found = choose_now(view, row, part)
    if found >= 0:
        _note_chosen(view, found)
    return found >= 0


@kernel
def _take_off_in_turn(view: View, row: int, part: int, now: float, later_s: float) -> float:
    """Take jobs off, window by window, until a placement is found."""
    count, window_s, reference_s = _ends_until(view, later_s), _WINDOW_S, -1.0
    if mine(view).like > 0 and not _may_fit(view, row, part, count):
        # Nor does it fit before: what is taken off only adds.
        return NEVER
    while True:
        k = mine(view).taken
        while k < count and not touches(view, k):
            k += 1
        if k >= count:
            return NEVER
        if reference_s < 0.0:
            reference_s = -(-view.site.releases.end_s[k] // _ROUND_S) * _ROUND_S
        while view.site.releases.end_s[k] > reference_s + window_s:
            window_s = _wider(view, window_s)
        k = mine(view).taken = _end_of_round(view, count, reference_s + window_s)
        if _fits_later(view, row, part):
            return _start_of(view, k, now)
        window_s = _wider(view, window_s)


@kernel
def _ends_until(view: View, later_s: float) -> int:
    """How many jobs end until *later_s*; 0: all count."""
    count = view.site.releases.count
    if later_s > 0.0:
        while count > mine(view).taken and view.site.releases.end_s[count - 1] > later_s:
            count -= 1
    return int(count)


@kernel
def _end_of_round(view: View, count: int, last_s: float) -> int:
    """The first job, of *count*, that a round does not take off: it has those that end up to *last_s*."""
    first = k = mine(view).taken
    while k < count and view.site.releases.end_s[k] <= last_s:
        k += 1
    if k - first <= _MOST_A_ROUND:
        return int(k)
    last, touched, k = k, 0, first
    while k < last and touched < _MOST_A_ROUND:
        touched += 1 if touches(view, k) else 0
        k += 1
    return int(k)


@inner
def _wider(view: View, window_s: float) -> float:
    linear_s = parameters(view).bf_window_linear_s
    return float(window_s + linear_s if linear_s > 0.0 else 2.0 * window_s)


@kernel
def _fits_later(view: View, row: int, part: int) -> bool:
    """The same in the room of the future, where places may prefer nodes in use."""
    mine(view).busy_first = parameters(view).bf_busy_nodes
    found = _fits_once_gone(view, row, part, mine(view).taken)
    mine(view).busy_first = 0
    return found


@kernel
def _may_fit(view: View, row: int, part: int, count: int) -> bool:
    """False where surely there is no placement once *count* jobs are gone: too few usable nodes take a task,
    or too few tasks. Else ``chosen`` has those nodes.
    """
    know(view, row, part, count)
    nodes, top = choose_fitting(view, count), view.site.node_plans.top
    most_tasks = top if mine(view).most == 1 else nodes * top
    return bool(nodes > 0 and nodes >= mine(view).least and most_tasks >= mine(view).tasks)


@kernel
def _fits_once_gone(view: View, row: int, part: int, count: int) -> bool:
    """Whether the job has a placement on usable nodes once *count* jobs are gone; they are ``chosen``."""
    if not _may_fit(view, row, part, count):
        return False
    # Where no node takes more than one task, ``fits`` is that.
    if view.site.node_plans.top > 1 and bring_chosen(view, row, part, count) < mine(view).tasks:
        return False
    mine(view).fits_known = 1
    found = choose(
        view, view.nodes.scratch, view.site.node_plans.alone, view.site.node_plans.chosen, row, part
    )
    mine(view).fits_known = 0
    if found >= 0:
        _note_chosen(view, found)
    return found >= 0


@kernel
def too_few(view: View) -> bool:
    """Whether fewer nodes are usable than the job in question asks for."""
    nodes = 0
    for word in range(view.site.node_plans.numbers):
        nodes += how_many(view.site.node_plans.usable[word])
    return bool(nodes < mine(view).least)


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
