"""When passes are made: reference, sections 2.1 and 3.2. All timers begin at the first event, plus phases.

A queued pass is made when the controller looks, once a second, ``tick_phase_s`` after whole seconds from the
first event on; backfill looks whole seconds after its last pass. A pass that comes due while no job waits
counts as made: the phase of the next one is the same as if it had been.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import wake_at
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.counting.decaying import counts_usage, usage_is_left
from molokini.policies.slurm.knowledge.kept_state import mine
from molokini.tables.tables import NEVER, View


@kernel
def begin_timers(view: View, now: float) -> None:
    """The first event: no pass has been made."""
    mine(view).begun = 1
    mine(view).epoch_s = now
    mine(view).last_main_s = -NEVER
    mine(view).next_full_s = now
    mine(view).last_backfill_s = now + parameters(view).backfill_phase_s
    mine(view).last_priority_s = mine(view).counted_s = now
    first_s = parameters(view).priority_phase_s
    mine(view).next_priority_s = now + (first_s if first_s > 0.0 else parameters(view).priority_calc_period_s)
    mine(view).ended_s = mine(view).queued_s = NEVER
    mine(view).running = view.queue.running_count
    mine(view).waiting = 0
    mine(view).processors = view.machine.processors
    mine(view).changed = 1
    mine(view).changed_s = mine(view).event_s = mine(view).noted_s = now
    mine(view).last_full_s = -NEVER


@inner
def _next_tick(from_s: float, at_s: float, tick_s: float) -> float:
    """The first instant that is not before *at_s*, and whole ticks away from *from_s*."""
    return float(from_s - (-(at_s - from_s) // tick_s) * tick_s)


@inner
def queues_ends(view: View) -> bool:
    """Whether the end of a job asks for a queued pass, as a submission does, and has none of its own."""
    return bool(parameters(view).defer or parameters(view).end_pass)


@kernel
def note_events(view: View, now: float) -> None:
    """What has happened since the last pass: ends, submissions, changes of the machine."""
    ended = view.queue.running_count < mine(view).running
    came = view.queue.arrived > 0 or view.queue.tail - view.queue.head > mine(view).waiting
    other = (
        view.machine.processors != mine(view).processors
        or view.queue.tail - view.queue.head != mine(view).waiting
    )
    if ended and mine(view).ended_s == NEVER:
        mine(view).ended_s = now + parameters(view).completing_s
    elif ended:
        mine(view).again_s = now + parameters(view).completing_s
    if (came or other) and mine(view).queued_s == NEVER:
        mine(view).queued_s = now
    if mine(view).ended_s <= now:
        note_clean(view, now)
    if ended or came or other or _has_opened(view, now):
        mine(view).event_s = now
        note_change(view, now)
    mine(view).noted_s = now


@kernel
def note_clean(view: View, now: float) -> None:
    """Nodes of ended jobs are clean: a change for backfill, which has passed them over so far."""
    mine(view).event_s = now
    note_change(view, now)
    if queues_ends(view):
        mine(view).queued_s = min(mine(view).queued_s, now)
        next_end(view, now)


@inner
def next_end(view: View, now: float) -> None:
    """The pass after an end is made or queued: what is left is the end of another that completes still."""
    mine(view).ended_s = mine(view).again_s if mine(view).again_s > now else NEVER
    mine(view).again_s = 0.0


@inner
def _has_opened(view: View, now: float) -> bool:
    """Whether a reservation has ended since the last pass, so that its nodes are there for others again."""
    for r in range(view.reservations.count):
        if mine(view).noted_s < view.reservations.until_s[r] <= now:
            return True
    return False


@kernel
def note_requeued(view: View, now: float) -> None:
    """Jobs that ran before wait anew: submitted at that instant, they begin a while later (section 1.2)."""
    at_s = mine(view).gone_s if mine(view).requeues else now
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if view.jobs.attempt[row] > 1 and mine(view).submitted_s[row] == 0.0:
            mine(view).submitted_s[row] = max(at_s, 1e-9)
            mine(view).begin_s[row] = at_s + parameters(view).requeue_delay_s


@kernel
def note_released(view: View, now: float) -> None:
    """Jobs that come later than they were submitted, as others had to end first, begin now: their age does.

    Elements of an array age with it, whenever they become rows.
    """
    new, k = 0, view.queue.tail - 1
    while k >= view.queue.head and view.jobs.submit_s[view.queue.waiting[k]] >= now:
        new += 1
        k -= 1
    if new >= view.queue.arrived:
        return
    seldom()
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        seen = mine(view).listed[row] > 0 or mine(view).accrue_s[row] != 0.0 or view.jobs.index[row] >= 0
        if not seen and view.jobs.attempt[row] == 1 and view.jobs.submit_s[row] < now:
            mine(view).begin_s[row] = now


@kernel
def note_change(view: View, at_s: float) -> None:
    """Something has changed for backfill; a pass that was due before is over."""
    _settle_backfill(view, at_s)
    if not mine(view).changed:
        mine(view).changed = 1
        mine(view).changed_s = at_s


@kernel
def backfill_due_s(view: View) -> float:
    """When the next backfill pass is due; NEVER: nothing has changed since the last, or there is none."""
    interval_s = parameters(view).bf_interval_s
    if interval_s < 0.0 or not mine(view).changed:
        return NEVER
    due_s = max(mine(view).last_backfill_s + interval_s, mine(view).changed_s)
    return due_s if interval_s == 0.0 else _next_tick(mine(view).last_backfill_s, due_s, 1.0)


@kernel
def _settle_backfill(view: View, now: float) -> None:
    """A backfill pass that was due before *now*, while no job waited, counts as made then."""
    if mine(view).awake:
        return
    due_s = backfill_due_s(view)
    if due_s < now:
        mine(view).last_backfill_s = due_s
        mine(view).changed = 0


@kernel
def settle_backfill(view: View, now: float) -> None:
    """The same for what is not about a change."""
    _settle_backfill(view, now)


@kernel
def queued_due_s(view: View) -> float:
    """When the pass after a submission is due."""
    if mine(view).queued_s == NEVER:
        return NEVER
    delay_s = parameters(view).batch_sched_delay_s
    due_s = max(mine(view).queued_s, mine(view).last_main_s + delay_s)
    if delay_s == 0.0:
        return due_s
    return _next_tick(mine(view).epoch_s + parameters(view).tick_phase_s, due_s, parameters(view).tick_s)


@kernel
def settle_queued(view: View, now: float) -> None:
    """Queued passes that were due before *now*, while no job waited, count as made then."""
    if mine(view).awake:
        return
    while True:
        if queues_ends(view) and mine(view).ended_s < now:
            mine(view).queued_s = min(mine(view).queued_s, mine(view).ended_s)
            next_end(view, mine(view).ended_s)
        due_s = queued_due_s(view)
        if due_s < now:
            mine(view).last_main_s = due_s
            mine(view).queued_s = NEVER
        if not (queues_ends(view) and mine(view).ended_s < now):
            return


@kernel
def settle_full(view: View, now: float) -> None:
    """Full passes that were due while no job waited count as made then."""
    interval_s = parameters(view).sched_interval_s
    if interval_s <= 0.0:
        mine(view).next_full_s = NEVER
        return
    if mine(view).next_full_s < now and not mine(view).awake:
        missed = -(-(now - mine(view).next_full_s) // interval_s)
        mine(view).next_full_s += missed * interval_s
        mine(view).last_main_s = max(mine(view).last_main_s, mine(view).next_full_s - interval_s)


@kernel
def wake_in_time(view: View, now: float) -> None:
    """Ask for a pass when the next timer is due."""
    waiting = view.queue.tail > view.queue.head and not _stands_still(view, now)
    mine(view).awake = 1 if waiting else 0
    if waiting:
        for at_s in (mine(view).ended_s, queued_due_s(view), mine(view).next_full_s, backfill_due_s(view)):
            if at_s > now:
                wake_at(view, at_s)
    if mine(view).gone > 0:
        wake_at(view, now + parameters(view).requeue_delay_s)
    if (waiting and depends_on_time(view)) or (counts_usage(view) and runs_any(view)):
        wake_at(view, mine(view).next_priority_s)


@kernel
def _stands_still(view: View, now: float) -> bool:
    """Whether time alone changes nothing: no job runs, all have been tried, none may begin later, and no
    reservation is to end.

    Without this a simulation in which a job can never run would never end.
    """
    if runs_any(view) or view.queue.suspended_count > 0 or backfill_due_s(view) < NEVER:
        return False
    if (
        mine(view).ended_s < NEVER
        or mine(view).queued_s < NEVER
        or mine(view).last_full_s < mine(view).event_s
    ):
        return False
    for k in range(view.queue.head, view.queue.tail):
        if mine(view).begin_s[view.queue.waiting[k]] > now:
            return False
    for r in range(view.reservations.count):
        # Its end lets jobs go that would have run into it.
        if now < view.reservations.until_s[r] < NEVER:
            return False
    return not (parameters(view).enforce_limits and usage_is_left(view))


@kernel
def runs_any(view: View) -> bool:
    """Whether a job runs, or is about to."""
    return bool(view.queue.running_count > 0 or view.cycle.decided > 0)


@kernel
def depends_on_time(view: View) -> bool:
    """Whether a calculation may change a priority."""
    return bool(
        parameters(view).priority_weight_age > 0.0
        or parameters(view).priority_weight_job_size > 0.0
        or counts_usage(view)
    )
