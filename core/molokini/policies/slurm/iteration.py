"""One call of the policy: what has happened, the calculation of priorities, the passes that are due."""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.reasons import held_back
from molokini.cycle.verbs import because
from molokini.model.decisions import Rule
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.counting.counting import count_running
from molokini.policies.slurm.counting.decaying import add_up, counts_usage, decay, note_rates
from molokini.policies.slurm.counting.licenses import count_licenses
from molokini.policies.slurm.knowledge.active import active_count
from molokini.policies.slurm.knowledge.kept_state import REFUSED, mine
from molokini.policies.slurm.knowledge.outranking import suspends_any
from molokini.policies.slurm.knowledge.waiting_reasons import FIRST_LIMIT, Reason
from molokini.policies.slurm.knowledge.who import find_credentials
from molokini.policies.slurm.limits.accruing import let_accrue
from molokini.policies.slurm.limits.submitting import refuse_over_submit
from molokini.policies.slurm.nodes.demand import note_alone
from molokini.policies.slurm.nodes.sets import find_nodes, note_completing, note_free
from molokini.policies.slurm.planning.backfill import backfill_pass
from molokini.policies.slurm.planning.claims import claimed, has_claims
from molokini.policies.slurm.planning.counted import counted_pass
from molokini.policies.slurm.planning.giving_way import end_graces
from molokini.policies.slurm.planning.main_pass import main_pass
from molokini.policies.slurm.planning.resuming import resume_suspended
from molokini.policies.slurm.planning.timers import (
    backfill_due_s,
    begin_timers,
    next_end,
    note_events,
    note_released,
    note_requeued,
    queued_due_s,
    queues_ends,
    settle_backfill,
    settle_full,
    settle_queued,
    wake_in_time,
)
from molokini.policies.slurm.planning.worthwhile import attempts_to_make
from molokini.policies.slurm.ranking.attempts import part_of, recalculate, refresh_attempts, row_of
from molokini.policies.slurm.ranking.classic import classic
from molokini.policies.slurm.ranking.fair_tree import fair_tree
from molokini.policies.slurm.ranking.priority import add_up_partitions
from molokini.tables.tables import NEVER, View


@kernel
def iterate(view: View, now: float) -> None:
    """Do what is due at *now*."""
    if not mine(view).begun:
        if view.queue.head == view.queue.tail and active_count(view) == 0:
            # A server that has just been started is asked, too; a replay begins with its first job.
            return
        begin_timers(view, now)
    new_room = _room_may_be_new(view)
    settle_queued(view, now)
    note_events(view, now)
    if view.queue.arrived > 0:
        note_released(view, now)
    settle_backfill(view, now)
    settle_full(view, now)
    mine(view).started = mine(view).gone = mine(view).refused = 0
    mine(view).stopped = mine(view).resumed = 0
    if view.jobs.uneven:
        note_requeued(view, now)
    find_credentials(view)
    if view.nodes.count > 0:
        find_nodes(view)
        if new_room:
            note_completing(view, now)
    if counts_usage(view):
        add_up(view, now)
    _calculate_if_due(view, now)
    if view.queue.head < view.queue.tail:
        _passes(view, now)
    elif not queues_ends(view) and (mine(view).ended_s <= now or mine(view).queued_s <= now):
        mine(view).ended_s = mine(view).queued_s = NEVER
    end_graces(view, now)
    resume_suspended(view, now)
    _note_state(view, new_room)
    wake_in_time(view, now)


@kernel
def share_factors(view: View) -> None:
    """Find the fair-share factors of all associations."""
    if parameters(view).association_count == 0:
        return
    if parameters(view).no_fair_tree or parameters(view).depth_oblivious:
        classic(view)
    else:
        fair_tree(view)


@kernel
def _calculate_if_due(view: View, now: float) -> None:
    """Usage, shares and priorities as often as the period has passed."""
    if now < mine(view).next_priority_s:
        return
    seldom()
    period_s, usage = parameters(view).priority_calc_period_s, counts_usage(view)
    while mine(view).next_priority_s <= now:
        at_s = mine(view).next_priority_s
        if usage and parameters(view).no_fair_tree:
            # The classic way finds factors before it adds what the period has brought.
            share_factors(view)
            decay(view, at_s)
        elif usage:
            decay(view, at_s)
            share_factors(view)
        mine(view).last_priority_s = at_s
        mine(view).next_priority_s = at_s + period_s
        if not usage:
            missed = (now - mine(view).next_priority_s) // period_s
            mine(view).next_priority_s += max(0.0, missed) * period_s
    refuse_over_submit(view)
    refresh_attempts(view)
    let_accrue(view, now)
    recalculate(view, mine(view).last_priority_s, parameters(view).incr_only > 0)


@kernel
def _passes(view: View, now: float) -> None:
    """The main pass, then backfill, as far as they are due."""
    seldom()
    full = parameters(view).sched_interval_s >= 0.0 and mine(view).next_full_s <= now
    after_end = not queues_ends(view) and mine(view).ended_s <= now
    queued = queued_due_s(view) <= now
    due_s = backfill_due_s(view)
    if not (full or after_end or queued or due_s <= now or view.cycle.explain):
        return
    refuse_over_submit(view)
    refresh_attempts(view)
    let_accrue(view, now)
    count_running(view)
    count_licenses(view)
    if view.nodes.count > 0:
        note_alone(view)
    if mine(view).ended_s <= now:
        next_end(view, now)
    if queued:
        mine(view).queued_s = NEVER
    if full or queued:
        mine(view).last_main_s = now
    if full or parameters(view).sched_interval_s < 0.0:
        mine(view).last_full_s = now
    if full:
        mine(view).next_full_s = now + parameters(view).sched_interval_s
    if (full or after_end or queued) and parameters(view).sched_interval_s >= 0.0:
        main_pass(view, now, full)
    if due_s <= now or _plans_for_answers(view):
        mine(view).last_backfill_s = now
        mine(view).changed = 0
        mine(view).passes += 1
        _backfill(view, now)
    if mine(view).started > 0 and not mine(view).changed:
        mine(view).changed = 1
        mine(view).changed_s = now
    if view.cycle.explain:
        _explain(view)


@inner
def _plans_for_answers(view: View) -> bool:
    """Whether the pass is asked for reasons where backfill has left out jobs that could not start."""
    missing = view.machine.idle == 0 or mine(view).left_out
    return bool(view.cycle.explain and missing and parameters(view).bf_interval_s >= 0.0)


@kernel
def _backfill(view: View, now: float) -> None:
    """A pass, as far as it may start a job, or finds something out."""
    most = attempts_to_make(view)
    mine(view).left_out = 1 if most < view.site.attempts.count else 0
    if most == 0:
        mine(view).skipped += 1
    elif view.nodes.count > 0:
        backfill_pass(view, now, most)
    else:
        counted_pass(view, now, most)


@inner
def _room_may_be_new(view: View) -> bool:
    """Whether nodes may have another room than after the last pass: a timer alone changes none."""
    return bool(
        view.machine.idle != mine(view).idle
        or view.machine.processors != mine(view).processors
        or view.queue.running_count != mine(view).running
        or view.queue.suspended_count != mine(view).suspended
    )


@kernel
def _note_state(view: View, new_room: bool) -> None:
    """Remember how things are when the decisions of this pass have been carried out."""
    change = mine(view).resumed - mine(view).stopped
    mine(view).running = view.queue.running_count + mine(view).started - mine(view).gone + change
    mine(view).waiting = view.queue.tail - view.queue.head - mine(view).started - mine(view).refused
    mine(view).processors = view.machine.processors
    mine(view).requeues = 1 if mine(view).gone > 0 else 0
    if view.nodes.count > 0:
        if new_room or mine(view).started > 0 or change != 0:
            note_free(view)
        mine(view).idle, mine(view).suspended = view.machine.idle, view.queue.suspended_count - change
    if counts_usage(view):
        note_rates(view)


@kernel
def _explain(view: View) -> None:
    """Why each job that waits does."""
    seldom()
    for k in range(view.site.attempts.count):
        row = row_of(view.site.attempts.what[k])
        if mine(view).listed[row] in (0, REFUSED):
            continue
        reason, width = mine(view).reason[row], view.jobs.width[row]
        if reason >= FIRST_LIMIT:
            because(view, row, Rule.OVER_HARD_LIMIT, float(reason), width, -1)
        elif reason > Reason.RESOURCES:
            because(view, row, Rule.KEPT_OUT, float(reason), width, -1)
        elif reason == Reason.NONE or held_back(view, row, -1):
            # No pass has tried to start it, or nodes and reservations keep it waiting.
            continue
        elif reason == Reason.PRIORITY:
            because(view, row, Rule.BEHIND_THE_HEAD, view.machine.idle, width, -1)
        else:
            kept = claimed(view, row, part_of(view.site.attempts.what[k])) if has_claims(view) else 0
            because(view, row, Rule.NOT_ENOUGH_FREE, max(0, view.machine.idle - kept), width, -1)


@kernel
def begin_again(view: View, now: float) -> None:
    """Forget what was looked up: credentials, nodes, the order of the queue."""
    mine(view).resolved = 0
    mine(view).nodes_known = 0
    mine(view).ordered = 0
    mine(view).suspends = 1 if suspends_any(view) else 0
    if view.nodes.count > 0:
        find_nodes(view)
    add_up_partitions(view)
