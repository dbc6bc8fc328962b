"""What nodes take once running jobs are gone, in the order of the ends of their limits.

It depends on what a job asks of a node, not on how many nodes it wants: jobs that ask the same share what was
found out for the first of them. Which nodes take a task is kept as sets, one for each number of jobs that are
gone; the room of a node is brought to such a number when one looks at the node.
"""

from molokini.availability.node_capacity import tasks_that_fit
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.resources import Resource
from molokini.policies.slurm.configuration.line_layout import Part
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.outranking import is_suspended_for
from molokini.policies.slurm.knowledge.who import part_row
from molokini.policies.slurm.nodes.demand import ANY, component_of, in_cores, whole_cores
from molokini.policies.slurm.nodes.sets import has, put
from molokini.policies.slurm.planning.claims import (
    HIDE,
    SHOW,
    change_claimed,
    has_claims,
    is_lone,
    is_stopped,
)
from molokini.tables.rows import how_many
from molokini.tables.sizes import NODES_A_WORD
from molokini.tables.tables import View

_NOT_YET = ANY


@kernel
def begin_room(view: View, row: int, part: int) -> None:
    """The room is that of now, without what suspended jobs keep from the job; no job is gone.

    What is suspended makes it the room of one job alone, which is to be brought on only.
    """
    seldom()
    words = view.site.node_plans.numbers
    view.site.node_plans.known = 0
    view.site.node_plans.stride = view.site.releases.count // (view.site.node_plans.then.size // words) + 1
    # The node with the greatest free share comes first: one looks at the room of each.
    view.site.node_plans.top = ANY if _any_least_loaded(view) else 0
    for word in range(words):
        view.site.node_plans.fitting[word] = 0
    claims = has_claims(view)
    if claims:
        change_claimed(view, row, part, HIDE)
    for node in range(view.nodes.count):
        view.site.node_plans.first_off[node] = view.site.node_plans.last_off[node] = -1
        view.site.node_plans.fits_from[node] = _NOT_YET
        _restore(view, node)
        _note_fits(view, row, node)
        _note_first(view, node, 0)
    if claims:
        change_claimed(view, row, part, SHOW)
    _keep_set(view)


@kernel
def _any_least_loaded(view: View) -> bool:
    if parameters(view).least_loaded:
        return True
    for part in range(parameters(view).partition_count):
        if view.parameters[part_row(view, part) + Part.LEAST_LOADED] != 0.0:
            return True
    return False


@inner
def _restore(view: View, node: int) -> None:
    """The room of a node is that of now."""
    view.site.node_plans.given_back[node] = -1
    view.nodes.scratch[node, 0] = view.nodes.free[node, 0]
    if not mine(view).simple:
        for resource in range(1, view.nodes.free.shape[1]):
            view.nodes.scratch[node, resource] = view.nodes.free[node, resource]
    view.site.node_plans.alone[node] = view.site.node_plans.alone_now[node]


@inner
def _note_fits(view: View, row: int, node: int) -> None:
    """How many tasks of the job in question a node takes in its room."""
    room = view.nodes.scratch[node, Resource.PROCESSORS]
    by_cores = mine(view).in_cores > 0 and not mine(view).lone
    if by_cores:
        room = whole_cores(view, node, room)
    taken = mine(view).lone > 0 and room < view.nodes.total[node, Resource.PROCESSORS]
    if taken or room < mine(view).need or view.site.node_plans.alone[node] > 0:
        fits = 0
    elif mine(view).simple:
        fits = int(room / mine(view).need)
    else:
        fits = tasks_that_fit(view, view.nodes.scratch, node, component_of(view, row))
        if by_cores:
            fits = in_cores(view, view.nodes.scratch, node, row, fits)
    view.site.node_plans.fits[node] = fits


@inner
def _note_first(view: View, node: int, count: int) -> None:
    """Note whether a node takes a task for the first time once *count* jobs are gone."""
    fits = view.site.node_plans.fits[node]
    if fits > 0 and view.site.node_plans.fits_from[node] == _NOT_YET:
        view.site.node_plans.fits_from[node] = count
        put(view.site.node_plans.fitting, 0, node)
    if fits > view.site.node_plans.top:
        view.site.node_plans.top = fits


@inner
def _keep_set(view: View) -> None:
    """Keep the set of the nodes that take a task once those jobs are gone that are known."""
    words = view.site.node_plans.numbers
    if view.site.node_plans.known % view.site.node_plans.stride == 0:
        first = view.site.node_plans.known // view.site.node_plans.stride * words
        for word in range(words):
            view.site.node_plans.then[first + word] = view.site.node_plans.fitting[word]


@kernel
def know(view: View, row: int, part: int, count: int) -> None:
    """Find out what nodes take once *count* jobs are gone."""
    for k in range(view.site.node_plans.known, count):
        for e in range(view.site.releases.first[k], view.site.releases.last[k]):
            node = view.site.releases.node[e]
            _append(view, node, e, k)
            bring_to(view, row, part, node, k + 1)
            _note_first(view, node, k + 1)
        view.site.node_plans.known = k + 1
        _keep_set(view)


@inner
def _append(view: View, node: int, e: int, k: int) -> None:
    """Element *e*, of job *k*, is the last one of its node."""
    view.site.releases.job[e], view.site.releases.next[e] = k, -1
    last = view.site.node_plans.last_off[node]
    if last < 0:
        view.site.node_plans.first_off[node] = e
    else:
        view.site.releases.next[last] = e
    view.site.node_plans.last_off[node] = e


@inner
def bring_to(view: View, row: int, part: int, node: int, count: int) -> None:
    """The room of a node, and how many tasks it takes, is that once *count* jobs are gone."""
    e = view.site.node_plans.given_back[node]
    changes = e >= 0 and view.site.releases.job[e] >= count
    if changes:
        _restore(view, node)
        e = -1
    following = view.site.releases.next[e] if e >= 0 else view.site.node_plans.first_off[node]
    while following >= 0 and view.site.releases.job[following] < count:
        _give_back(view, row, part, following)
        e, following, changes = following, view.site.releases.next[following], True
    if changes:
        view.site.node_plans.given_back[node] = e
        _note_fits(view, row, node)


@inner
def _give_back(view: View, row: int, part: int, e: int) -> None:
    """Give back what a job has of a node; of a suspended one no CPUs that *row* might have had before."""
    node, component = view.site.releases.node[e], view.site.releases.component[e]
    many, own = view.site.releases.tasks[e], view.site.releases.row[view.site.releases.job[e]]
    keeps = has_claims(view) and is_stopped(view, own) and is_suspended_for(view, own, row, part)
    if not keeps:
        view.nodes.scratch[node, 0] += many * view.components.need[component, 0]
    if keeps or not mine(view).simple:
        for resource in range(1, view.nodes.free.shape[1]):
            view.nodes.scratch[node, resource] += many * view.components.need[component, resource]
    if mine(view).alone and not keeps and is_lone(view, own):
        view.site.node_plans.alone[node] -= 1


@kernel
def choose_fitting(view: View, count: int) -> int:
    """``chosen`` is the usable nodes that take a task once *count* jobs are gone; how many they are."""
    words, stride, nodes = view.site.node_plans.numbers, view.site.node_plans.stride, 0
    first = count // stride * words
    for word in range(words):
        found = view.site.node_plans.usable[word] & view.site.node_plans.then[first + word]
        view.site.node_plans.chosen[word] = found
        nodes += how_many(found)
    for k in range(count // stride * stride, count):
        for e in range(view.site.releases.first[k], view.site.releases.last[k]):
            node = view.site.releases.node[e]
            here = has(view.site.node_plans.usable, 0, node) and not has(view.site.node_plans.chosen, 0, node)
            if here and view.site.node_plans.fits_from[node] <= count:
                put(view.site.node_plans.chosen, 0, node)
                nodes += 1
    return nodes


@kernel
def bring_chosen(view: View, row: int, part: int, count: int) -> int:
    """Bring the ``chosen`` nodes to so many jobs; the tasks that they take, or one where it must be one."""
    tasks, one = 0, mine(view).most == 1
    for word in range(view.site.node_plans.numbers):
        bits = view.site.node_plans.chosen[word]
        while bits:
            # The lowest bit: those below it are as many as its place.
            node = word * NODES_A_WORD + how_many((bits & -bits) - 1)
            bring_to(view, row, part, node, count)
            fits = view.site.node_plans.fits[node]
            tasks = max(tasks, fits) if one else tasks + fits
            bits &= bits - 1
    return tasks
