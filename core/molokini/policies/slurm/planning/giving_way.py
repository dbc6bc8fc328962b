"""Preemption by partition or QOS, by requeue or cancellation: reference, section 6.1.

Candidates are taken off one by one, those of least weight first, until the job fits; then they are put in
another order once more. All of a victim's resources go, at once or when its grace is over. The job itself
starts when their nodes are clean.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import cancel, requeue, wake_at
from molokini.model.states import JobState
from molokini.policies.slurm.configuration.line_layout import Line, Part
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.configuration.words import PreemptMode, PreemptType
from molokini.policies.slurm.counting.licenses import change_licenses
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.policies.slurm.knowledge.outranking import mode_of, outranks
from molokini.policies.slurm.knowledge.who import part_row, qos_of
from molokini.policies.slurm.nodes.choice import choose
from molokini.policies.slurm.nodes.demand import is_single, mark_alone, wants_alone
from molokini.policies.slurm.nodes.sets import put
from molokini.policies.slurm.planning.candidates import chosen_nodes_of, has_gone, key_of, next_candidate
from molokini.policies.slurm.planning.claims import is_lone
from molokini.policies.slurm.planning.suspending import make_room
from molokini.tables.tables import NEVER, View

ENOUGH_LEAVE = -2
"""The job fits once those have ended that are in their grace already."""
TAKEN = -NEVER
"""The key of a candidate that was taken off, until it fitted."""


@kernel
def preempt(view: View, row: int, part: int, now: float) -> bool:
    """Have running jobs give way to a waiting one, for which ``usable`` has no room; whether they do."""
    if parameters(view).preempt_type == PreemptType.NONE or view.nodes.count == 0:
        return False
    seldom()
    if not is_single(view, row) or _find_candidates(view, row, part, now) == 0:
        return False
    last = _take_off_until_it_fits(view, row, part)
    if last == ENOUGH_LEAVE:
        return False
    for _ in range(parameters(view).preempt_reorder_count):
        if last >= 0:
            _reorder(view, last)
            last = _take_off_until_it_fits(view, row, part)
    if last < 0:
        return False
    _send_off(view, now)
    return True


@kernel
def _gives_way(view: View, other: int, row: int, part: int, now: float) -> bool:
    if mine(view).begin_s[other] > 0.0:
        return False
    if mine(view).place[other] == 0 or now - view.jobs.start_s[other] < _exempt_s(view, other):
        return False
    place = mine(view).place[other] - 1
    mode = mode_of(view, other, place)
    if mode not in (PreemptMode.REQUEUE, PreemptMode.CANCEL):
        return False
    return outranks(view, row, part, other)


@inner
def _exempt_s(view: View, row: int) -> float:
    qos = qos_of(view, row)
    own_s = view.parameters[qos + Line.EXEMPT_S] if qos >= 0 else -1.0
    return float(own_s if own_s >= 0.0 else parameters(view).preempt_exempt_s)


@kernel
def _find_candidates(view: View, row: int, part: int, now: float) -> int:
    """Give each running job that may go its key, the lowest of which goes first; how many there are."""
    count = 0
    for k in range(view.queue.running_count):
        other = view.queue.running[k]
        view.cycle.order_key[other] = NEVER
        if not has_gone(view, other) and _gives_way(view, other, row, part, now):
            count += 1
            view.cycle.order_key[other] = key_of(view, other)
    return count


@kernel
def _take_off_until_it_fits(view: View, row: int, part: int) -> int:
    """Take candidates off in their order; the one with which the job fits, -1: it never does.

    Jobs in their grace are taken off before, and those that would be suspended; ENOUGH_LEAVE: no candidate
    need go. Else ``chosen`` are its nodes, and ``cycle.order`` has the candidates in their order.
    """
    make_room(view, row, part)
    other = -1
    mine(view).counted_entries = 0
    if _give_back_leaving(view):
        count = choose(
            view, view.nodes.scratch, view.site.node_plans.alone, view.site.node_plans.usable, row, part
        )
        if count >= 0:
            return ENOUGH_LEAVE
    while True:
        other = next_candidate(view, other)
        if other < 0:
            return -1
        view.cycle.order[mine(view).counted_entries] = other
        mine(view).counted_entries += 1
        _give_back(view, other)
        count = choose(
            view, view.nodes.scratch, view.site.node_plans.alone, view.site.node_plans.usable, row, part
        )
        if count >= 0:
            for word in range(view.site.node_plans.numbers):
                view.site.node_plans.chosen[word] = 0
            for k in range(count):
                put(view.site.node_plans.chosen, 0, view.placing.node[k])
            return other


@kernel
def _give_back_leaving(view: View) -> bool:
    """Take off the jobs that are in their grace; whether there is one."""
    found = False
    for k in range(view.queue.running_count):
        other = view.queue.running[k]
        if mine(view).begin_s[other] > 0.0 and not has_gone(view, other):
            _give_back(view, other)
            found = True
    return found


@kernel
def _give_back(view: View, other: int) -> None:
    lone = is_lone(view, other)
    entry = view.jobs.entries[other]
    while entry >= 0:
        node, component = view.entries.node[entry], view.entries.component[entry]
        for resource in range(view.nodes.free.shape[1]):
            need = view.components.need[component, resource]
            view.nodes.scratch[node, resource] += view.entries.tasks[entry] * need
        if lone:
            view.site.node_plans.alone[node] -= 1
        entry = view.entries.next[entry]


@kernel
def _reorder(view: View, last: int) -> None:
    """The last one goes first; the others by how many of the chosen nodes they have, or as before."""
    if not parameters(view).preempt_strict_order:
        for k in range(view.queue.running_count):
            other = view.queue.running[k]
            if view.cycle.order_key[other] < NEVER:
                view.cycle.order_key[other] = -chosen_nodes_of(view, other)
    view.cycle.order_key[last] = TAKEN


@kernel
def _send_off(view: View, now: float) -> None:
    """End, or requeue, the candidates up to the last that have chosen nodes."""
    for k in range(mine(view).counted_entries):
        other = view.cycle.order[k]
        if chosen_nodes_of(view, other) == 0 or view.jobs.state[other] != JobState.RUNNING:
            continue
        grace_s = _grace_s(view, other)
        if grace_s > 0.0:
            mine(view).begin_s[other] = now + grace_s
        else:
            _go(view, other, now)


@inner
def _grace_s(view: View, row: int) -> float:
    """How long a job may go on once it has to give way: as its partition, or its QOS, says."""
    qos = qos_of(view, row)
    if parameters(view).preempt_type == PreemptType.PARTITION_PRIO:
        return float(view.parameters[part_row(view, mine(view).place[row] - 1) + Part.GRACE_S])
    return float(view.parameters[qos + Line.GRACE_S]) if qos >= 0 else 0.0


@kernel
def end_graces(view: View, now: float) -> None:
    """End, or requeue, the jobs whose grace is over; ask for a pass when the next one is."""
    if parameters(view).preempt_type == PreemptType.NONE or view.nodes.count == 0:
        return
    seldom()
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        leaves_s = mine(view).begin_s[row]
        if 0.0 < leaves_s <= now:
            _go(view, row, now)
            # The job for which it goes starts in a later pass, even if nodes are clean at once.
            mine(view).ended_s = min(mine(view).ended_s, now + max(1.0, parameters(view).completing_s))
        elif leaves_s > now:
            wake_at(view, leaves_s)


@kernel
def _go(view: View, row: int, now: float) -> None:
    """End, or requeue, a running job; its nodes complete."""
    place = mine(view).place[row] - 1
    if wants_alone(view, row, place):
        mark_alone(view, row, -1)
    entry = view.jobs.entries[row]
    while entry >= 0:
        view.site.node_plans.completing_s[view.entries.node[entry]] = now + parameters(view).completing_s
        entry = view.entries.next[entry]
    change_licenses(view, row, -1.0)
    if mode_of(view, row, place) == PreemptMode.REQUEUE:
        mine(view).gone_s = now
        requeue(view, row)
    else:
        cancel(view, row)
    mine(view).gone += 1
    mine(view).changed = 1
