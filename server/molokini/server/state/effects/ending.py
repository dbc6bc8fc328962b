"""What facts about jobs that end, or go back to the queue, make of a state."""

from dataclasses import replace

from molokini.cycle.entries import Change
from molokini.model import facts as h
from molokini.model.actors import Actor, Origin
from molokini.model.decisions import Decision, Refusal
from molokini.model.facts import NO_INDEX, Ending, Fact
from molokini.model.run_results import NO_RESULT
from molokini.model.states import JobState
from molokini.server.state.effects.banking import note_debit, settle
from molokini.server.state.effects.entering import (
    become_eligible_if_free,
    count_open,
    leave,
    tell_dependents,
)
from molokini.server.state.effects.holding import known_element, set_apart
from molokini.server.state.effects.parts import forget_parts, set_left
from molokini.server.state.effects.table import Decided, effect_of, maker_of
from molokini.server.state.jobs import NO_AGENTS, Element, Job, JobStatus
from molokini.server.state.past import past_of
from molokini.server.state.state import NO_PROMISE_S, State
from molokini.tables.rows import work_by

_STATUS_OF = {ending: JobStatus(ending.value) for ending in Ending}
_WELL = (Ending.COMPLETED, Ending.TIMED_OUT)
"""Endings for which a bank charges that charges for success alone."""


_FOR_DEADLINE = frozenset(
    one.name.lower() for one in (Refusal.DEADLINE_TOO_TIGHT, Refusal.DEADLINE_NOT_GUARANTEED)
)
"""Refusals that are counted as deadlines."""
_GAVE_WAY = "it gave way to others"


@maker_of(Decision.REQUEUE)
def requeue(state: State, d: Decided) -> Fact:
    """Back into the queue, with its work where *argument* says so.

    A job that a command is cancelling already, or that must not run again, is over instead.
    """
    element = d.element
    if element.stopping == "cancel" or not element.job.may_run_again:
        return cancel(state, d)
    kept_s = _done_s(state, element, d.now) if d.argument == 1 else 0.0
    return h.JobRequeued(*d.whose, element.attempt, Origin.POLICY, _GAVE_WAY, kept_s)


def _done_s(state: State, element: Element, now: float) -> float:
    """Seconds of work that a running job has done."""
    return work_by(state.tables, element.row, now)


@effect_of(h.JobRequeued)
def job_requeued(state: State, fact: h.JobRequeued) -> None:
    """It goes back to the queue, with its work or without."""
    element = state.element(fact.job, fact.index)
    if element.over:
        _open_again(state, element, fact.reason)
        return
    # A policy does not wait until the agents say that they have stopped.
    left = state.working(element) if fact.by == Origin.POLICY else fact.left
    if left and not element.left_at:
        set_left(state, element, left)
    forget_parts(state, element)
    element.status, element.reason, element.start_s = JobStatus.WAITING, fact.reason, None
    state.sliced.pop((fact.job, fact.index), None)
    state.aims.pop((fact.job, fact.index), None)
    element.stopping = ""
    element.limit_s, element.queue = 0.0, ""
    element.suspended_s, element.suspended_from_s = 0.0, None
    element.job.version += 1
    _keep_work(state, element, fact.kept_s)
    if element.row >= 0:
        _requeue_row(state, element, fact.kept_s > 0.0)
    if element.holds:
        leave(state, element, Decision.CANCEL)
        set_apart(state, element, fact.reason)
    elif element.job.holds:
        state.rows.change(element, Decision.HOLD, state.now)
        element.status = JobStatus.HELD


def _open_again(state: State, element: Element, reason: str) -> None:
    """What was over is in the queue as one that is to run; what waited for its end has been told of it."""
    job = element.job
    if state.finished.pop(job.id, None) is not None:
        state.open_jobs[job.id] = state.open_by_user.setdefault(job.user, {})[job.id] = job
        count_open(state, job.queue, job.user, 1)
    job.version += 1
    if job.array is not None:
        job.array.ended -= 1
    element.status, element.reason = JobStatus.HELD, reason
    element.start_s = element.end_s = None
    element.result, element.nodes = NO_RESULT, ()
    element.refusal = element.cause = element.ended_by = ""
    element.earliest_deadline_s = element.limit_s = 0.0
    element.queue = ""
    become_eligible_if_free(state, job)


def _keep_work(state: State, element: Element, work_s: float) -> None:
    """So much of its work is done, whatever becomes of its row, when *element* starts again."""
    place = (element.job.id, element.index)
    if work_s > 0.0:
        state.kept_work[place] = work_s
    else:
        state.kept_work.pop(place, None)
        state.ledger.bills.pop(place, None)


def _requeue_row(state: State, element: Element, keep: bool) -> None:
    t = state.tables
    if keep:
        _requeue_kept(state, element)
        return
    settle(state, element, state.now, well=False)
    if t.jobs.state[element.row] == JobState.SUSPENDED:
        # A suspended job holds no processors: it goes and comes again.
        state.rows.free(element, Decision.CANCEL, state.now)
        state.rows.take(element, state.now)
        t.jobs.attempt[element.row] = element.attempt + 1
        t.jobs.uneven = 1
        return
    state.rows.change(element, Decision.REQUEUE, state.now)


def _requeue_kept(state: State, element: Element) -> None:
    """A running job goes back with its work, and with what its account has paid for that."""
    t, row = state.tables, element.row
    account = int(t.liens.account[row])
    before = int(t.bank.balance[account])
    state.rows.change(element, Decision.REQUEUE, state.now, argument=1)
    if account:
        note_debit(state, element, account, before)
        state.ledger.bills[element.job.id, element.index] = (account, int(t.liens.billed[row]))


@effect_of(h.JobStopping)
def job_stopping(state: State, fact: h.JobStopping) -> None:
    """Its agent is to end it."""
    element = state.element(fact.job, fact.index)
    element.stopping, element.reason, element.cause = fact.how, fact.reason, fact.cause
    element.ended_by = _user(fact.by) if fact.how == "cancel" else ""


def _user(by: Actor) -> str:
    return by if isinstance(by, str) else ""


@maker_of(Decision.CANCEL)
def cancel(state: State, d: Decided) -> h.JobEnded:
    """It is over, for the reason of the command that was cancelling it already, if there was one."""
    element = d.element
    cancelled = element.stopping == "cancel"
    made = h.JobEnded(*d.whose, element.attempt, Ending.CANCELLED, d.now, by=Origin.POLICY)
    return replace(made, reason=element.reason if cancelled else _GAVE_WAY, cause=element.cause)


@maker_of(Decision.REFUSE)
def refuse(state: State, d: Decided) -> h.JobEnded:
    """*argument* says why; *value* is the limit that *more* names, or the earliest deadline to be met."""
    made = h.JobEnded(*d.whose, 0, Ending.REFUSED, d.now, by=Origin.POLICY)
    made = replace(made, refusal=Refusal(d.argument).name.lower())
    if d.more:
        return replace(made, detail=f"{state.site.declaration.ceiling_name(d.more)} is {d.value:g}")
    return replace(made, earliest_deadline_s=d.value if 0.0 < d.value < NO_PROMISE_S else 0.0)


@effect_of(h.JobEnded)
def job_ended(state: State, fact: h.JobEnded) -> None:
    """It, or one of its elements, is over."""
    job = state.jobs[fact.job]
    job.version += 1
    state.sliced.pop((fact.job, fact.index), None)
    state.aims.pop((fact.job, fact.index), None)
    if fact.index == NO_INDEX and job.array is not None:
        _end_unmade(state, job, fact)
    else:
        _end_element(state, known_element(state, job, fact.index), fact)
    if job.over and state.open_jobs.pop(job.id, None) is not None:
        del state.open_by_user[job.user][job.id]
        if not state.open_by_user[job.user]:
            del state.open_by_user[job.user]
        count_open(state, job.queue, job.user, -1)
        state.timed.pop(job.id, None)
        state.unplaced.discard(job.id)
        state.arrays.pop(job.id, None)
        state.claims.forget(job)
        state.waking.pop(job.id, None)
        state.finished[job.id] = state.now
    tell_dependents(state, job)


@effect_of(h.JobsRetired)
def jobs_retired(state: State, fact: h.JobsRetired) -> None:
    """Finished jobs leave the memory; their records are kept beside the journal."""
    for number in fact.jobs:
        job = state.jobs.pop(number)
        state.past.add(number, past_of(job))
        job.part()
        state.finished.pop(number)


def _end_unmade(state: State, job: Job, fact: h.JobEnded) -> None:
    assert job.array is not None
    for element in list(job.array.elements.values()):
        if element.status in (JobStatus.WAITING, JobStatus.HELD):
            _end_element(state, element, fact)
    job.array.drop()
    state.arrays.pop(job.id, None)


def _end_element(state: State, element: Element, fact: h.JobEnded) -> None:
    state.ended += 1
    if element.job.array is not None:
        element.job.array.ended += 1
        element.job.array.apart.discard(element.index)
        element.job.array.back.discard(element.index)
    running = element.status is JobStatus.RUNNING
    element.status, element.end_s = _STATUS_OF[fact.ending], fact.at_s
    element.suspended_s, element.suspended_from_s = element.suspended_by(fact.at_s), None
    element.result = fact.result
    element.refusal, element.reason = fact.refusal, fact.detail if fact.refusal else fact.reason
    element.cause = fact.cause
    cancelled = fact.ending is Ending.CANCELLED
    element.ended_by = (element.ended_by or _user(fact.by)) if cancelled else ""
    element.reserved_s, element.stopping = None, ""
    set_left(state, element, NO_AGENTS)
    forget_parts(state, element)
    _keep_work(state, element, 0.0)
    element.earliest_deadline_s = fact.earliest_deadline_s
    _count_deadline(state, element, fact.refusal)
    if element.row >= 0:
        settle(state, element, fact.at_s, fact.ending in _WELL)
        # Whether the policy or a user cancels it, its row changes as in the simulator.
        ended = running and fact.ending is not Ending.CANCELLED
        leave(state, element, Change.END if ended else Decision.CANCEL)


def _count_deadline(state: State, element: Element, refusal: str) -> None:
    if element.deadline_met is not None:
        state.deadlines["met" if element.deadline_met else "missed"] += 1
    elif refusal in _FOR_DEADLINE:
        state.deadlines["refused"] += 1
