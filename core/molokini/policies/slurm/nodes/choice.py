"""The choice of nodes (select/cons_tres on a flat machine, select/linear): reference, section 4.4.

The nodes that a job gets are written to ``placing``; nothing is taken from the room.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.compiled.structs import FloatTable, Ints
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.nodes.demand import (
    ANY,
    component_of,
    least_nodes,
    most_nodes,
    tasks_on,
    wants_alone,
)
from molokini.policies.slurm.nodes.sets import has
from molokini.tables.requests import tasks_of
from molokini.tables.tables import View

FIRST_FIT = 0


@kernel
def choose(view: View, room: FloatTable, lone: Ints, nodes: Ints, row: int, part: int) -> int:
    """Choose among *nodes*; how many elements of ``placing`` say where, -1: there is no room.

    *room* is what is free of each node, *lone* how many jobs that admit no other are there.
    """
    seldom()
    least, most = least_nodes(view, row, part), most_nodes(view, row, part)
    alone, left = wants_alone(view, row, part), tasks_of(view, row, component_of(view, row))
    if most < least:
        return -1
    least = min(least, left)
    if most == 1 and parameters(view).one_node == FIRST_FIT:
        return _first_fit(view, room, lone, nodes, row, alone, left)
    _note_fits(view, room, lone, nodes, row, alone)
    count = 0
    while left > 0 or least > 0:
        first, last = _best_run(view, left, least)
        if first < 0 or count >= most:
            return -1
        if least <= 1 and count + 1 <= most:
            single = _tightest(view, first, last, left)
            if single >= 0:
                return _take(view, row, single, left, count)
        for k in range(first, last):
            node = view.nodes.order[k]
            fits = view.nodes.own_jobs[node]
            if fits == 0 or (left <= 0 and least <= 0) or count >= most:
                continue
            here = max(1, min(fits, left - max(0, least - 1)))
            # A node more than the tasks need, as so many were asked for, takes one of those to come.
            here = min(here, left)
            if here == 0:
                continue
            count = _take(view, row, node, here, count)
            left -= here
            least -= 1
            view.nodes.own_jobs[node] = 0
        for k in range(first, last):
            view.nodes.own_jobs[view.nodes.order[k]] = 0
        if least > 0 and left <= 0:
            return -1
    return count


@kernel
def _note_fits(view: View, room: FloatTable, lone: Ints, nodes: Ints, row: int, alone: bool) -> None:
    """``nodes.own_jobs`` is how many tasks each node takes; 0 for those that are not asked."""
    for node in range(view.nodes.count):
        fits = tasks_on(view, room, lone, node, row, alone) if has(nodes, 0, node) else 0
        view.nodes.own_jobs[node] = fits


@kernel
def _take(view: View, row: int, node: int, tasks: int, count: int) -> int:
    view.placing.node[count] = node
    view.placing.tasks[count] = tasks
    view.placing.component[count] = component_of(view, row)
    return count + 1


@kernel
def _first_fit(
    view: View, room: FloatTable, lone: Ints, nodes: Ints, row: int, alone: bool, tasks: int
) -> int:
    """The first node, by weight and index, that has it all."""
    for k in range(view.nodes.count):
        node = view.nodes.order[k]
        if has(nodes, 0, node) and tasks_on(view, room, lone, node, row, alone) >= tasks:
            return _take(view, row, node, tasks, 0)
    return -1


@kernel
def _best_run(view: View, left: int, least: int) -> tuple[int, int]:
    """The run of adjacent nodes of equal weight that is taken next, as places in the order; (-1, -1): none.

    The lightest; of equal weight one that is sufficient, the smallest of those; else the largest.
    """
    best, best_last, best_sum, best_enough = -1, -1, 0, False
    k = 0
    while k < view.nodes.count:
        if view.nodes.own_jobs[view.nodes.order[k]] == 0:
            k += 1
            continue
        first, tasks, nodes = k, 0, 0
        while (
            k < view.nodes.count and view.nodes.own_jobs[view.nodes.order[k]] > 0 and _follows(view, first, k)
        ):
            tasks += view.nodes.own_jobs[view.nodes.order[k]]
            nodes += 1
            k += 1
        enough = tasks >= left and nodes >= least
        if best < 0 or _is_better(view, first, best, enough, best_enough, tasks, best_sum):
            best, best_last, best_sum, best_enough = first, k, tasks, enough
    return best, best_last


@kernel
def _follows(view: View, first: int, k: int) -> bool:
    """Whether the node at place *k* is the neighbour of the one before it, of the same weight."""
    if k == first:
        return True
    node, before = view.nodes.order[k], view.nodes.order[k - 1]
    return bool(
        view.nodes.key[node] == view.nodes.key[before] and view.nodes.row[node] == view.nodes.row[before] + 1
    )


@kernel
def _is_better(
    view: View, first: int, best: int, enough: bool, best_enough: bool, tasks: int, best_sum: int
) -> bool:
    weight, best_weight = view.nodes.key[view.nodes.order[first]], view.nodes.key[view.nodes.order[best]]
    if weight != best_weight:
        return bool(weight < best_weight)
    if enough != best_enough:
        return enough
    return tasks < best_sum if enough else tasks > best_sum


@kernel
def _tightest(view: View, first: int, last: int, tasks: int) -> int:
    """The node of the run with the least room that takes all that is left; -1: none does."""
    best, best_fits = -1, ANY
    for k in range(first, last):
        node = view.nodes.order[k]
        fits = view.nodes.own_jobs[node]
        if tasks <= fits < best_fits:
            best, best_fits = node, fits
    return best
