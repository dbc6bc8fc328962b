"""Preemption: running jobs give way to a waiting one that may preempt them (reference, section 13).

A job may preempt where its QoS is PREEMPTOR; under BACKFILLPOLICY PREEMPT each job of the priority phase may.
A job gives way if its QoS is PREEMPTEE, or PREEMPTSPV as long as its owner is beyond a soft limit, or if it
was backfilled under that policy; and if it started with a priority no higher than the preemptor has now. The
cheapest jobs go first, by the priority that they started with for each processor that they free, until there
is room; where all together do not make enough, no job goes.
"""

from molokini.availability.beside_reserved import fits_beside
from molokini.availability.node_rules import PARTITIONS, partition_at
from molokini.availability.profile import plan
from molokini.availability.reserved import taken_off
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import cancel, checkpoint, never_mind, requeue, suspend, wake_at
from molokini.model.decisions import Decision
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.words import BackfillPolicy, PreemptPolicy, QosFlag
from molokini.policies.maui.knowledge.memory import SOFT, mine
from molokini.policies.maui.knowledge.scopes import PREEMPTS, is_flagged
from molokini.policies.maui.nodes.allocation import order_nodes
from molokini.policies.maui.nodes.beside import change_spares_beyond, resume_beside
from molokini.policies.maui.nodes.holding import room_changed
from molokini.policies.maui.nodes.sharing import note_placed
from molokini.policies.maui.selection.priority import priority
from molokini.policies.maui.selection.throttling import add_active, beyond_soft, drop_active
from molokini.policies.maui.starting.free_slots import fits_now, start_now
from molokini.tables.running import remaining_s
from molokini.tables.tables import NEVER, View

_ANYWHERE = -1
LEAST_SUSPENDED_S = 10.0
"""So long a job stays suspended at least (Maui's source)."""


@inner
def preempts(view: View) -> bool:
    """Whether any job may preempt at all."""
    return bool(parameters(view).backfill == BackfillPolicy.PREEMPT or mine(view).limits & PREEMPTS)


@kernel
def may_preempt(view: View, row: int) -> bool:
    """Whether *row* may have other jobs give way."""
    if parameters(view).backfill == BackfillPolicy.PREEMPT:
        return True
    return is_flagged(view, row, QosFlag.PREEMPTOR) or is_flagged(view, row, QosFlag.RESTART_PREEMPT)


@kernel
def start_preempting(view: View, row: int, now: float) -> bool:
    """Start *row* where other jobs give way to it; where that does not make enough room, none does."""
    seldom()
    if not may_preempt(view, row):
        return False
    if not view.placing.rules & PARTITIONS:
        return _start_over(view, row, now, _ANYWHERE)
    for k in range(view.partitions.count + 1):
        partition = partition_at(view, row, k)
        if partition >= 0 and _start_over(view, row, now, partition):
            return True
    return False


@kernel
def _start_over(view: View, row: int, now: float, partition: int) -> bool:
    """The same; only jobs in *partition* give way."""
    seldom()
    freed = 0
    for k in range(view.queue.running_count):
        other = view.queue.running[k]
        view.cycle.order_key[other] = NEVER
        if _is_in(view, other, partition) and _gives_way(view, other, row):
            view.cycle.order_key[other] = started_with(view, other) / view.jobs.held[other]
            freed += view.jobs.held[other]
    if view.machine.idle + freed < view.jobs.width[row]:
        return False
    first = view.cycle.decided
    while True:
        cheapest = _cheapest(view)
        if cheapest < 0:
            break
        view.cycle.order_key[cheapest] = NEVER
        if not _still_gives_way(view, cheapest, row):
            # The jobs that went before have brought its owner back within the soft limits.
            continue
        _take_off(view, cheapest, row, now)
        if fits_now(view, row, now) and start_now(view, row, now):
            return True
    for k in range(first, view.cycle.decided):
        other = view.cycle.decisions[k, 1]
        left_s = max(0.0, view.jobs.expected_end_s[other] - now)
        plan(view, now, now + left_s, view.jobs.held[other])
        add_active(view, other, left_s)
        change_spares_beyond(view, other, view.jobs.expected_end_s[other], -1.0)
    never_mind(view, first)
    room_changed(view)
    return False


@kernel
def started_with(view: View, row: int) -> float:
    """The priority with which a running job started, as fairshare is now."""
    return priority(view, row, view.jobs.start_s[row])


@kernel
def _is_in(view: View, row: int, partition: int) -> bool:
    if partition == _ANYWHERE:
        return True
    entry = view.jobs.entries[row]
    return bool(entry >= 0 and view.nodes.partition[view.entries.node[entry]] == partition)


@kernel
def _gives_way(view: View, other: int, row: int) -> bool:
    return bool(could_give_way(view, other, row) and started_with(view, other) <= view.cycle.rank_key[row])


@kernel
def could_give_way(view: View, other: int, row: int) -> bool:
    """Whether the running *other* gives way to *row* as soon as the priority of *row* is high enough."""
    if not _still_gives_way(view, other, row):
        return False
    return not (view.jobs.held[other] == 0 or taken_off(view, other))


@kernel
def _still_gives_way(view: View, row: int, to: int) -> bool:
    """Whether the running *row* is one of the jobs that may have to give way to *to*, as things are now."""
    if parameters(view).backfill == BackfillPolicy.PREEMPT and mine(view).backfilled[row] == 1:
        return True
    if is_flagged(view, row, QosFlag.RESTARTABLE) and is_flagged(view, to, QosFlag.RESTART_PREEMPT):
        return True
    if parameters(view).backfill != BackfillPolicy.PREEMPT and not is_flagged(view, to, QosFlag.PREEMPTOR):
        return False
    if is_flagged(view, row, QosFlag.PREEMPTEE):
        return True
    return is_flagged(view, row, QosFlag.PREEMPT_SOFT_VIOLATION) and beyond_soft(view, row)


@kernel
def _cheapest(view: View) -> int:
    """The job that goes next, of equally cheap jobs the one that started last; -1: there is none."""
    found = -1
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        if view.cycle.order_key[row] == NEVER:
            continue
        if found < 0 or _before(view, row, found):
            found = row
    return int(found)


@inner
def _before(view: View, one: int, other: int) -> bool:
    if view.cycle.order_key[one] != view.cycle.order_key[other]:
        return bool(view.cycle.order_key[one] < view.cycle.order_key[other])
    if view.jobs.start_s[one] != view.jobs.start_s[other]:
        return bool(view.jobs.start_s[one] > view.jobs.start_s[other])
    if view.jobs.number[one] != view.jobs.number[other]:
        return bool(view.jobs.number[one] > view.jobs.number[other])
    return bool(view.jobs.index[one] > view.jobs.index[other])


@kernel
def _take_off(view: View, row: int, to: int, now: float) -> None:
    """*row* gives way to row *to*, by a requeue where it does so because it can be restarted."""
    left_s = max(0.0, view.jobs.expected_end_s[row] - now)
    plan(view, now, now + left_s, -view.jobs.held[row])
    drop_active(view, row, left_s)
    # What was reserved beside it was reckoned as if it stayed up to its estimate.
    change_spares_beyond(view, row, view.jobs.expected_end_s[row], 1.0)
    policy = parameters(view).preempt
    if policy == PreemptPolicy.REQUEUE or not (
        is_flagged(view, to, QosFlag.PREEMPTOR) or parameters(view).backfill == BackfillPolicy.PREEMPT
    ):
        requeue(view, row)
    elif policy == PreemptPolicy.SUSPEND:
        suspend(view, row)
    elif policy == PreemptPolicy.CHECKPOINT:
        checkpoint(view, row)
    else:
        cancel(view, row)
    room_changed(view)


@kernel
def resume_suspended(view: View, count: int, now: float) -> None:
    """Let suspended jobs go on, by the priority that they have now, where there is room beside reservations.

    A job stays suspended where a waiting job of the list could have it give way again at once.
    """
    seldom()
    if parameters(view).preempt != PreemptPolicy.SUSPEND or view.queue.suspended_count == 0:
        return
    highest = -NEVER
    for k in range(count):
        row = view.cycle.ranked[k]
        if mine(view).level[row] == SOFT and may_preempt(view, row):
            highest = view.cycle.rank_key[row]
            break
    for k in range(view.queue.suspended_count):
        row = view.queue.suspended[k]
        view.cycle.order_key[row] = -NEVER if _resumed(view, row) else priority(view, row, now)
    for _ in range(view.queue.suspended_count):
        row = _most_urgent(view)
        if view.cycle.order_key[row] <= highest or view.cycle.order_key[row] == -NEVER:
            return
        view.cycle.order_key[row] = -NEVER
        if now < view.jobs.updated_s[row] + LEAST_SUSPENDED_S:
            wake_at(view, view.jobs.updated_s[row] + LEAST_SUSPENDED_S)
            continue
        length_s = remaining_s(view, row)
        if view.jobs.width[row] > view.machine.idle or not fits_beside(view, row, length_s, now):
            continue
        order_nodes(view, row, now + length_s)
        if resume_beside(view, row, now + length_s):
            note_placed(view, row)
            plan(view, now, now + length_s, view.jobs.width[row])
            add_active(view, row, length_s)


@kernel
def _resumed(view: View, row: int) -> bool:
    """Whether this pass has resumed *row* already."""
    for k in range(view.cycle.decided):
        if view.cycle.decisions[k, 0] == Decision.RESUME and view.cycle.decisions[k, 1] == row:
            return True
    return False


@kernel
def _most_urgent(view: View) -> int:
    found = view.queue.suspended[0]
    for k in range(1, view.queue.suspended_count):
        row = view.queue.suspended[k]
        if view.cycle.order_key[row] > view.cycle.order_key[found] or (
            view.cycle.order_key[row] == view.cycle.order_key[found]
            and view.jobs.number[row] < view.jobs.number[found]
        ):
            found = row
    return int(found)
