"""What happens at an instant, applied to tables and agenda together.

The transitions change the tables; these functions also keep the true ends and the results, which
tables and policies never hold.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.cycle import apply_other_decision
from molokini.model.decisions import Decision, Refusal
from molokini.model.states import JobState
from molokini.room.placement import could_ever_place
from molokini.shared.dividing import execution_of
from molokini.sim.agenda import (
    CANCELLED,
    EACH,
    HELD,
    NODE_LOST,
    NODE_RETURNED,
    RELEASED,
    Agenda,
    add_end,
    drop_end,
    first_ends,
    move_end,
)
from molokini.sim.communication import communicate
from molokini.tables import transitions
from molokini.tables.allocations import uses_node
from molokini.tables.bank import settle
from molokini.tables.tables import NEVER, Tables

_START = int(Decision.START)
_RESERVE = int(Decision.RESERVE)
_SUSPEND = int(Decision.SUSPEND)
_MIGRATE = int(Decision.MIGRATE)
_REQUEUE = int(Decision.REQUEUE)
_CANCEL = int(Decision.CANCEL)
_REFUSE = int(Decision.REFUSE)
_MOLD = int(Decision.MOLD)
_GIVE_BACK = int(Decision.GIVE_BACK)
_BYPASS = int(Decision.BYPASS)
_ACCRUE = int(Decision.ACCRUE)
_LIEN = int(Decision.LIEN)
_DEFER = int(Decision.DEFER)
_HOLD = int(Decision.HOLD)
_NOTES = (_MIGRATE, _BYPASS, _ACCRUE, _LIEN, _DEFER, _HOLD)
"""Decisions after which no job ends at another instant."""
_RUNNING = int(JobState.RUNNING)
_SUSPENDED = int(JobState.SUSPENDED)
_HELD = int(JobState.HELD)
_WAITING = int(JobState.WAITING)
_WIDER = int(Refusal.WIDER_THAN_MACHINE)
_NEVER_PLACEABLE = int(Refusal.NEVER_PLACEABLE)
_NEEDS_NODES = int(Refusal.NEEDS_NODES)


@inner
def end_job(a: Agenda, t: Tables, now: float) -> None:
    """The first true end of the agenda happens."""
    row = first_ends(a, t)
    job = t.job_serial[row]
    keep_start(a, t, row, job)
    a.ended_s[job] = now
    if a.facts > 0:
        a.row_of[job] = -1
    if t.liens > 0 and a.failed.size > 0 and a.failed[job]:
        settle(t, row, now, False)
    transitions.end(t, row, now)


@inner
def keep_start(a: Agenda, t: Tables, row: int, job: int) -> None:
    """Note the first start of a job that leaves its processors (a second attempt does not count)."""
    if not t.uneven or t.job_attempt[row] == 1:
        a.started_s[job] = t.job_start_s[row]


@inner
def arrive(a: Agenda, t: Tables, job: int) -> None:
    """The next job of the workload joins the queue, or is refused for good."""
    refusal = 0
    if a.width[job] > t.processors_in_all:
        refusal = _WIDER
    elif a.wishes > 0 and a.component_count[job] > 0 and a.counted_only:
        refusal = _NEEDS_NODES
    if refusal:
        a.refusal[job] = refusal
        return
    row = transitions.new_row(t)
    t.job_serial[row] = job
    t.job_number[row] = a.number[job]
    t.job_submit_s[row] = a.submit_s[job]
    t.job_estimate_s[row] = a.estimate_s[job]
    t.job_credential[row] = a.credential[job]
    if a.facts > 0:
        a.row_of[job] = row
    t.job_width[row] = a.width[job]
    if a.wishes > 0 and a.component_count[job] > 0 and not _wish(a, t, row, job):
        t.job_state[row] = _HELD
        transitions.cancel(t, row, a.submit_s[job])
        if a.facts > 0:
            a.row_of[job] = -1
        a.refusal[job] = _NEVER_PLACEABLE
        return
    if a.divided:
        transitions.divide(t, row, a.load[job], a.deadline_s[job], a.application)
    transitions.submit(t, row)


@kernel
def _wish(a: Agenda, t: Tables, row: int, job: int) -> bool:
    """Copy the components of a job that wishes for more; False when the machine cannot hold it."""
    seldom()
    first, count = a.request[job], a.component_count[job]
    t.job_component_count[row] = count
    t.job_shape[row] = a.shape[job]
    columns = t.component_need.shape[1]
    following = -1
    for k in range(first + count - 1, first - 1, -1):
        component = t.component_free
        t.component_free = t.component_next[component]
        t.component_spare -= 1
        t.component_tasks[component] = a.component_tasks[k]
        t.component_where[component] = a.component_where[k]
        t.component_per_node[component] = a.component_per_node[k]
        t.component_features[component] = a.component_features[k]
        t.component_spread[component] = a.component_spread[k]
        for resource in range(columns):
            t.component_need[component, resource] = a.component_need[k * columns + resource]
        t.component_next[component] = following
        following = component
    t.job_components[row] = following
    transitions.wish(t, row)
    return t.nodes > 0 and could_ever_place(t, row)


@kernel
def apply_fact(a: Agenda, t: Tables, k: int, now: float) -> None:
    """Fact *k* of the agenda."""
    seldom()
    kind, subject, amount = a.fact_kind[k], a.fact_subject[k], a.fact_amount[k]
    if kind == NODE_LOST:
        _lose(a, t, subject, amount, now)
    elif kind == NODE_RETURNED:
        if subject < 0:
            transitions.change_processors(t, amount)
        else:
            transitions.return_node(t, subject)
    elif kind == CANCELLED:
        _cancel(a, t, subject, now)
    elif kind == HELD:
        row = a.row_of[subject]
        if row >= 0 and t.job_state[row] == _WAITING:
            transitions.hold(t, row)
    elif kind == RELEASED:
        row = a.row_of[subject]
        if row >= 0:
            transitions.forget_deferrals(t, row)
        if row >= 0 and t.job_state[row] == _HELD:
            transitions.release(t, row)


@kernel
def _cancel(a: Agenda, t: Tables, job: int, now: float) -> None:
    row = a.row_of[job]
    if row >= 0:
        _end_early(a, t, row, now)


@kernel
def _end_early(a: Agenda, t: Tables, row: int, now: float) -> None:
    """The job of *row* is over, whether it waits, runs or is suspended."""
    job = t.job_serial[row]
    if t.job_state[row] == _RUNNING or t.job_state[row] == _SUSPENDED:
        t.uneven = 1
        transitions.account(t, row, now)
        keep_start(a, t, row, job)
        a.ended_s[job] = now
        a.done_s[job] = t.job_work_s[row]
    drop_end(a, t, row)
    if a.facts > 0:
        a.row_of[job] = -1
    transitions.cancel(t, row, now)


@kernel
def _lose(a: Agenda, t: Tables, node: int, amount: int, now: float) -> None:
    """A node, or so many counted processors, are lost; what ran there goes back to the queue.

    Where processors are only counted, the jobs that started last make room.
    """
    if node >= 0:
        k = t.running_count - 1
        while k >= 0:
            row = t.running[k]
            if uses_node(t, row, node):
                _requeue(a, t, row, now, False)
            k = min(k, t.running_count) - 1
        transitions.lose_node(t, node)
        return
    amount = min(amount, t.processors)
    while t.free < amount and t.running_count > 0:
        latest = t.running[0]
        for k in range(1, t.running_count):
            row = t.running[k]
            if t.job_start_s[row] > t.job_start_s[latest] or (
                t.job_start_s[row] == t.job_start_s[latest] and t.job_number[row] > t.job_number[latest]
            ):
                latest = row
        _requeue(a, t, latest, now, False)
    transitions.change_processors(t, -amount)


@kernel
def _requeue(a: Agenda, t: Tables, row: int, now: float, keep: bool) -> None:
    drop_end(a, t, row)
    job = t.job_serial[row]
    keep_start(a, t, row, job)
    a.requeues[job] += 1
    if keep:
        a.checkpoints[job] += 1
    else:
        a.lost_s[job] += t.job_work_s[row] + t.job_rate[row] * (now - t.job_updated_s[row])
    transitions.requeue(t, row, now, keep)


@inner
def carry_out(a: Agenda, t: Tables, k: int, now: float) -> None:
    """Decision *k* of the pass becomes true, in the tables and on the agenda."""
    if t.decisions[k, 0] != _START:
        _carry_out_other(a, t, k, now)
        return
    row, rate = t.decisions[k, 1], t.decision_time_s[k]
    transitions.start(t, row, now, rate, t.decisions[k, 2] == 1)
    if a.ties == EACH:
        a.starts += 1
        a.row_order[row] = a.starts
    job = t.job_serial[row]
    if a.pattern > 0:
        communicate(a, t, row, job)
    add_end(a, t, row, transitions.end_of(now, a.run_s[job] - t.job_work_s[row], rate))
    if t.decisions[k, 2] == 0 or (t.uneven and t.job_attempt[row] > 1):
        _trace(a, t, row, job, now)


@kernel
def _carry_out_other(a: Agenda, t: Tables, k: int, now: float) -> None:
    seldom()
    kind, row = t.decisions[k, 0], t.decisions[k, 1]
    job = t.job_serial[row]
    if kind == _REQUEUE:
        _requeue(a, t, row, now, t.decisions[k, 2] == 1)
        _trace(a, t, row, job, now)
        return
    if kind == _CANCEL:
        _end_early(a, t, row, now)
        return
    apply_other_decision(t, k, now)
    if kind == _RESERVE:
        if a.first_reserved_s[job] == NEVER:
            a.first_reserved_s[job] = t.job_reserved_s[row]
    elif kind == _REFUSE:
        a.refusal[job] = t.decisions[k, 2]
        if t.offering:
            a.offer_s[job] = t.decision_time_s[k]
        if a.facts > 0:
            a.row_of[job] = -1
    elif kind == _MOLD:
        # What it really takes, from the same costs: the tables hold what the policy says.
        a.width[job] = t.job_width[row]
        a.estimate_s[job] = t.job_estimate_s[row]
        if a.cut.size > 0:
            a.cut[job] = t.decisions[k, 3]
        a.run_s[job] = execution_of(t, row, t.decisions[k, 3], t.job_width[row])
    elif kind == _GIVE_BACK:
        _trace(a, t, row, job, now)
    elif kind == _SUSPEND:
        drop_end(a, t, row)
        a.suspensions[job] += 1
        _trace(a, t, row, job, now)
    elif kind not in _NOTES:
        left_s = max(0.0, a.run_s[job] - t.job_work_s[row])
        move_end(a, t, row, transitions.end_of(now, left_s, t.job_rate[row]))
        _trace(a, t, row, job, now)


@kernel
def _trace(a: Agenda, t: Tables, row: int, job: int, now: float) -> None:
    seldom()
    k = a.trace_count
    a.trace_time_s[k] = now
    a.trace_job[k] = job
    a.trace_rate[k] = t.job_rate[row]
    a.trace_held[k] = t.job_held[row]
    if t.job_held[row] == 0:
        a.trace_held[k] = t.job_width[row] * t.job_rate[row]
    a.trace_count = k + 1
