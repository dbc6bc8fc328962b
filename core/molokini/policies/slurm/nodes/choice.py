"""The choice of nodes (select/cons_tres on a flat machine, select/linear): reference, section 4.4.

The nodes that a job gets are written to ``placing``; nothing is taken from the room.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import FloatTable, Ints
from molokini.model.resources import Resource
from molokini.policies.slurm.configuration.line_layout import Part
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.who import part_row
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
from molokini.tables.rows import how_many
from molokini.tables.sizes import NODES_A_WORD
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
    if parameters(view).least_loaded or view.parameters[part_row(view, part) + Part.LEAST_LOADED] != 0.0:
        _find_runs(view, room, lone, nodes, row, alone)
        return _least_loaded(view, room, row, least, most, left)
    if most == 1 and parameters(view).one_node == FIRST_FIT:
        return _first_fit(view, room, lone, nodes, row, alone, left)
    if mine(view).in_order and not mine(view).busy_first:
        runs = _find_runs_in_order(view, room, lone, nodes, row, alone)
    else:
        runs = _find_runs(view, room, lone, nodes, row, alone)
    return _from_runs(view, row, runs, least, most, left)


@kernel
def _from_runs(view: View, row: int, runs: int, least: int, most: int, left: int) -> int:
    """Take runs of adjacent nodes, the best first, each as a whole, until the job has its tasks."""
    count = 0
    while left > 0 or least > 0:
        run = _best_run(view, runs, left, least)
        if run < 0 or count >= most:
            return -1
        first, last = view.site.node_plans.run_first[run], view.site.node_plans.run_last[run]
        if least <= 1 and count + 1 <= most:
            single = _tightest(view, first, last, left)
            if single >= 0:
                return _take(view, row, single, left, count)
        for k in range(first, last):
            node = view.nodes.order[k]
            fits = view.nodes.own_jobs[node]
            if (left <= 0 and least <= 0) or count >= most:
                break
            here = max(1, min(fits, left - max(0, least - 1)))
            # A node more than the tasks need, as so many were asked for, takes one of those to come.
            here = min(here, left)
            if here == 0:
                break
            count = _take(view, row, node, here, count)
            left -= here
            least -= 1
        view.site.node_plans.run_tasks[run] = 0
        if least > 0 and left <= 0:
            return -1
    return count


@inner
def _fits_on(view: View, room: FloatTable, lone: Ints, nodes: Ints, node: int, row: int, alone: bool) -> int:
    """How many tasks one of *nodes* takes; 0 for the others. A test of the future knows it already."""
    if not has(nodes, 0, node):
        return 0
    if mine(view).fits_known > 0:
        return int(view.site.node_plans.fits[node])
    # Suspended jobs may keep more from it than is free.
    return max(0, tasks_on(view, room, lone, node, row, alone))


@kernel
def _find_runs(view: View, room: FloatTable, lone: Ints, nodes: Ints, row: int, alone: bool) -> int:
    """Divide the nodes that take a task into runs of neighbours of one weight; how many runs there are.

    ``nodes.own_jobs`` is how many tasks each node takes.
    """
    runs, going = 0, False
    for k in range(view.nodes.count):
        node = view.nodes.order[k]
        fits = _fits_on(view, room, lone, nodes, node, row, alone)
        view.nodes.own_jobs[node] = fits
        if fits > 0:
            runs = _put_into_run(view, runs, k, fits, going and _follows(view, k))
        going = fits > 0
    return runs


@inner
def _put_into_run(view: View, runs: int, k: int, fits: int, same: bool) -> int:
    """Put the node at place *k* into the *same* run as the one before it, or into a new one."""
    if not same:
        view.site.node_plans.run_first[runs] = k
        view.site.node_plans.run_tasks[runs] = 0
        runs += 1
    view.site.node_plans.run_last[runs - 1] = k + 1
    view.site.node_plans.run_tasks[runs - 1] += fits
    return runs


@kernel
def _find_runs_in_order(view: View, room: FloatTable, lone: Ints, nodes: Ints, row: int, alone: bool) -> int:
    """The same choice where nodes stand in the order of their numbers: it reads the set *nodes* alone."""
    runs, behind = 0, -1
    for word in range(view.site.node_plans.numbers):
        bits, follows = nodes[word], view.site.node_plans.follows[word]
        while bits:
            lowest = bits & -bits
            # What is added carries through the lowest bits that stand together.
            rest = bits & (bits + lowest)
            place, last = how_many(lowest - 1), how_many((bits ^ rest) | (lowest - 1))
            for k in range(place, last):
                node = word * NODES_A_WORD + k
                if mine(view).fits_known > 0:
                    fits = int(view.site.node_plans.fits[node])
                else:
                    fits = max(0, tasks_on(view, room, lone, node, row, alone))
                view.nodes.own_jobs[node] = fits
                if fits > 0:
                    same = behind == node and (follows >> k & 1) > 0
                    runs, behind = _put_into_run(view, runs, node, fits, same), node + 1
            bits = rest
    return runs


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
    of_idle = -1
    for k in range(view.nodes.count):
        node = view.nodes.order[k]
        if _fits_on(view, room, lone, nodes, node, row, alone) >= tasks:
            if not _comes_late(view, node):
                return _take(view, row, node, tasks, 0)
            of_idle = node if of_idle < 0 else of_idle
    return _take(view, row, of_idle, tasks, 0) if of_idle >= 0 else -1


@inner
def _comes_late(view: View, node: int) -> bool:
    """Whether a plan goes to this node only where nodes in use are not enough (``bf_busy_nodes``)."""
    return bool(
        mine(view).busy_first > 0
        and view.nodes.free[node, Resource.PROCESSORS] >= view.nodes.total[node, Resource.PROCESSORS]
    )


@kernel
def _least_loaded(view: View, room: FloatTable, row: int, least: int, most: int, left: int) -> int:
    """Nodes by the free share of their CPUs, the greatest first, each filled before the next (LLN)."""
    seldom()
    count = 0
    while left > 0 or least > 0:
        best, best_share = -1, 0.0
        for k in range(view.nodes.count):
            node = view.nodes.order[k]
            fits, share = view.nodes.own_jobs[node], room[node, 0] / max(1.0, view.nodes.total[node, 0])
            if fits == 0 or (most == 1 and fits < left):
                continue
            if best < 0 or share > best_share:
                best, best_share = node, share
        if best < 0 or count >= most or left == 0:
            return -1
        here = max(1, min(view.nodes.own_jobs[best], left - max(0, least - 1)))
        count = _take(view, row, best, here, count)
        left -= here
        least -= 1
        view.nodes.own_jobs[best] = 0
    return count


@kernel
def _best_run(view: View, runs: int, left: int, least: int) -> int:
    """The run that is taken next; -1: there is none.

    The lightest; of equal weight one that is sufficient, the smallest of those; else the largest.
    """
    best, best_enough, best_tasks = -1, False, 0
    for run in range(runs):
        tasks, first = view.site.node_plans.run_tasks[run], view.site.node_plans.run_first[run]
        if tasks == 0:
            continue
        enough = tasks >= left and view.site.node_plans.run_last[run] - first >= least
        if best < 0 or _is_better(
            view, first, view.site.node_plans.run_first[best], enough, best_enough, tasks, best_tasks
        ):
            best, best_enough, best_tasks = run, enough, tasks
    return best


@inner
def _follows(view: View, k: int) -> bool:
    """Whether the node at place *k* is the neighbour of the one before it, of the same weight."""
    node, before = view.nodes.order[k], view.nodes.order[k - 1]
    if _comes_late(view, node) != _comes_late(view, before):
        return False
    return bool(
        view.nodes.key[node] == view.nodes.key[before] and view.nodes.row[node] == view.nodes.row[before] + 1
    )


@kernel
def _is_better(
    view: View, first: int, best: int, enough: bool, best_enough: bool, tasks: int, best_sum: int
) -> bool:
    late, best_late = (
        _comes_late(view, view.nodes.order[first]),
        _comes_late(view, view.nodes.order[best]),
    )
    if late != best_late:
        return best_late
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
