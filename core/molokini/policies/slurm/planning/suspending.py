"""Preemption by suspension: reference, sections 6.1 and 6.7.

A waiting job that would find room without the jobs that give way to it starts at once, and as many of those
on its nodes are suspended as it takes. They keep their nodes, and there everything but CPUs, and go on when
their CPUs are free again (``resuming``). There is no grace, and no time of exemption.
"""

from molokini.availability.hosts import mask_nodes, unmask
from molokini.compiled.compilation import kernel, seldom
from molokini.cycle.verbs import never_mind, suspend_in_place
from molokini.model.decisions import Decision
from molokini.model.resources import Resource
from molokini.policies.slurm.counting.licenses import lacks_licenses
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.outranking import is_suspended_for
from molokini.policies.slurm.limits.associations import over_after
from molokini.policies.slurm.nodes.choice import choose
from molokini.policies.slurm.nodes.cores import start_on_cores
from molokini.policies.slurm.nodes.demand import is_single, mark_alone, taken_of, wants_alone
from molokini.policies.slurm.nodes.sets import has, put
from molokini.policies.slurm.planning.candidates import (
    chosen_nodes_of,
    has_gone,
    key_of,
    next_candidate,
)
from molokini.policies.slurm.planning.claims import HIDE, SHOW, change_claimed, has_claims, is_lone
from molokini.policies.slurm.planning.trying import note_start, note_tested
from molokini.tables.tables import NEVER, View


@kernel
def start_instead_of_others(view: View, row: int, part: int, now: float) -> bool:
    """Start a waiting job on usable nodes, where other jobs are suspended for it; whether it does."""
    if not mine(view).suspends or view.nodes.count == 0 or not is_single(view, row):
        return False
    seldom()
    if lacks_licenses(view, row) or not make_room(view, row, part):
        return False
    count = _choose(view, row, part)
    if count < 0 or over_after(view, row, part, note_tested(view, row, part, count), count) > 0:
        return False
    first = view.cycle.decided
    _ask_for_placed(view, row, part, count)
    if not stop_in_the_way(view, row, part) or not start_on_cores(view, row, part, count):
        _take_back(view, first)
        return False
    note_start(view, row, part, now)
    if wants_alone(view, row, part):
        mark_alone(view, row, 1)
    return True


@kernel
def make_room(view: View, row: int, part: int) -> bool:
    """``scratch`` and ``alone`` are the nodes without the jobs that would be suspended for *row*; whether any
    runs.
    """
    _show_room(view, row, part)
    if not mine(view).suspends:
        return False
    found = False
    for k in range(view.queue.running_count):
        other = view.queue.running[k]
        if is_suspended_for(view, other, row, part) and not has_gone(view, other):
            _change_need(view, other, 1.0)
            found = True
    return found


@kernel
def _show_room(view: View, row: int, part: int) -> None:
    """``scratch`` and ``alone`` are the nodes as they are, without what suspended jobs keep from *row*."""
    claims = has_claims(view)
    if claims:
        change_claimed(view, row, part, HIDE)
    for node in range(view.nodes.count):
        view.site.node_plans.alone[node] = view.site.node_plans.alone_now[node]
        for resource in range(view.nodes.free.shape[1]):
            view.nodes.scratch[node, resource] = view.nodes.free[node, resource]
    if claims:
        change_claimed(view, row, part, SHOW)


@kernel
def _choose(view: View, row: int, part: int) -> int:
    """The nodes of *row* in that room, which are ``chosen``; how many elements of ``placing``, -1: none."""
    if view.hosts.count > 0:
        mask_nodes(view, row)
    count = choose(
        view, view.nodes.scratch, view.site.node_plans.alone, view.site.node_plans.usable, row, part
    )
    if view.hosts.count > 0:
        unmask(view)
    for word in range(view.site.node_plans.numbers):
        view.site.node_plans.chosen[word] = 0
    for k in range(count):
        if not has(view.site.node_plans.open, 0, view.placing.node[k]):
            # It cleans up after another job.
            return -1
        put(view.site.node_plans.chosen, 0, view.placing.node[k])
    return count


@kernel
def _ask_for_placed(view: View, row: int, part: int, count: int) -> None:
    """``scratch`` is what is left of the CPUs of each node where *row* has its own, and others have what is
    reserved for them; below 0: too few.
    """
    _show_room(view, row, part)
    _keep_reserved(view, row)
    lone, need = wants_alone(view, row, part), view.components.need[view.jobs.components[row], 0]
    for k in range(count):
        node = view.placing.node[k]
        asked = view.placing.tasks[k] * need
        if lone:
            asked = view.nodes.total[node, Resource.PROCESSORS]
        elif mine(view).in_cores:
            asked = taken_of(view, node, asked)
        view.nodes.scratch[node, Resource.PROCESSORS] -= asked


@kernel
def _keep_reserved(view: View, row: int) -> None:
    """Take what is reserved for others than *row* out of ``scratch``."""
    if view.hosts.count == 0:
        return
    seldom()
    mask_nodes(view, row)
    for node in range(view.nodes.count):
        view.nodes.scratch[node, Resource.PROCESSORS] -= view.barred.processors[node]
    unmask(view)


@kernel
def ask_for_own(view: View, row: int) -> None:
    """The same of a suspended job, whose nodes are ``chosen``: claims of others keep nothing from it."""
    for node in range(view.nodes.count):
        view.site.node_plans.alone[node] = view.site.node_plans.alone_now[node]
        view.nodes.scratch[node, Resource.PROCESSORS] = view.nodes.free[node, Resource.PROCESSORS]
    _keep_reserved(view, row)
    for word in range(view.site.node_plans.numbers):
        view.site.node_plans.chosen[word] = 0
    lone, entry = is_lone(view, row), view.jobs.entries[row]
    while entry >= 0:
        node = view.entries.node[entry]
        need = view.components.need[view.entries.component[entry], Resource.PROCESSORS]
        asked = view.entries.tasks[entry] * need
        if lone:
            asked = 0.0 if has(view.site.node_plans.chosen, 0, node) else view.nodes.total[node, 0]
        view.nodes.scratch[node, Resource.PROCESSORS] -= asked
        put(view.site.node_plans.chosen, 0, node)
        entry = view.entries.next[entry]


@kernel
def stop_in_the_way(view: View, row: int, part: int) -> bool:
    """Suspend as many jobs for *row* as the chosen nodes lack CPUs; False, and none is: they are too few.

    Candidates are taken off in their order until the job fits; then each is put back that need not have gone.
    """
    for k in range(view.queue.running_count):
        other = view.queue.running[k]
        _mark(view, other, 0)
        view.cycle.order_key[other] = NEVER
        if chosen_nodes_of(view, other) > 0 and is_suspended_for(view, other, row, part):
            view.cycle.order_key[other] = NEVER if has_gone(view, other) else key_of(view, other)
    other = -1
    while _lacks(view):
        other = next_candidate(view, other)
        if other < 0:
            return False
        if _helps(view, other):
            _change_need(view, other, 1.0)
            _mark(view, other, 1)
    other = next_candidate(view, -1)
    while other >= 0:
        if _is_marked(view, other):
            _change_need(view, other, -1.0)
            if _lacks(view):
                _change_need(view, other, 1.0)
                _stop(view, other)
        other = next_candidate(view, other)
    return True


@kernel
def _mark(view: View, row: int, mark: int) -> None:
    """Remember whether a candidate goes, where the list of attempts is sorted between passes."""
    view.site.attempts.other_what[row] = mark


@kernel
def _is_marked(view: View, row: int) -> bool:
    return bool(view.site.attempts.other_what[row] == 1)


@kernel
def _lacks(view: View) -> bool:
    """Whether one of the chosen nodes has too few CPUs, or a job that admits no other."""
    for node in range(view.nodes.count):
        if has(view.site.node_plans.chosen, 0, node) and _is_short(view, node):
            return True
    return False


@kernel
def _is_short(view: View, node: int) -> bool:
    return bool(view.nodes.scratch[node, Resource.PROCESSORS] < 0.0 or view.site.node_plans.alone[node] > 0)


@kernel
def _helps(view: View, other: int) -> bool:
    """Whether a job has one of the chosen nodes that lack something."""
    entry = view.jobs.entries[other]
    while entry >= 0:
        node = view.entries.node[entry]
        if has(view.site.node_plans.chosen, 0, node) and _is_short(view, node):
            return True
        entry = view.entries.next[entry]
    return False


@kernel
def _change_need(view: View, other: int, sign: float) -> None:
    """Give the CPUs of a job that runs to ``scratch`` (1), or take them back (-1)."""
    lone, entry = is_lone(view, other), view.jobs.entries[other]
    while entry >= 0:
        node = view.entries.node[entry]
        need = view.components.need[view.entries.component[entry], Resource.PROCESSORS]
        view.nodes.scratch[node, Resource.PROCESSORS] += sign * view.entries.tasks[entry] * need
        if lone:
            view.site.node_plans.alone[node] -= int(sign)
        entry = view.entries.next[entry]


@kernel
def _stop(view: View, other: int) -> None:
    if is_lone(view, other):
        mark_alone(view, other, -1)
    suspend_in_place(view, other)
    mine(view).stopped += 1
    mine(view).changed = 1


@kernel
def _take_back(view: View, first: int) -> None:
    """The job does not start: those go on that were suspended for it, by the decisions from *first* on."""
    for k in range(first, view.cycle.decided):
        other = view.cycle.decisions[k, 1]
        if view.cycle.decisions[k, 0] == Decision.SUSPEND:
            mine(view).stopped -= 1
            if is_lone(view, other):
                mark_alone(view, other, 1)
    never_mind(view, first)
