"""What facts about jobs that end, or go back to the queue, make of a state."""

from molokini.cycle.entries import Change
from molokini.model import happened as h
from molokini.model.happened import NO_INDEX, Ending
from molokini.model.states import JobState
from molokini.server.state.effects.banking import note_debit, settle
from molokini.server.state.effects.entering import count_open, leave, tell_dependents
from molokini.server.state.effects.holding import known_element, set_apart
from molokini.server.state.effects.running import set_left
from molokini.server.state.jobs import Element, Job, Standing
from molokini.server.state.loads import REFUSED_FOR_DEADLINE
from molokini.server.state.past import past_of
from molokini.server.state.state import POLICY, State

_STANDING_OF = {ending: Standing(ending.value) for ending in Ending}
_WELL = (Ending.COMPLETED, Ending.TIMED_OUT)
"""Endings of jobs that are charged by who charges for success alone."""


def job_requeued(state: State, fact: h.JobRequeued) -> None:
    """It goes back to the queue, with its work or without."""
    element = state.element(fact.job, fact.index)
    if fact.by == POLICY:
        # Nobody has waited for the agent's word.
        set_left(state, element, element.left_at or state.agent_of(element))
    element.standing, element.reason, element.start_s = Standing.WAITING, fact.reason, None
    element.stopping = ""
    element.job.version += 1
    _keep_work(state, element, fact.kept_s)
    if element.row >= 0:
        _requeue_row(state, element, fact.kept_s > 0.0)
    if element.holds:
        leave(state, element, Change.CANCEL)
        set_apart(state, element, fact.reason)
    elif element.job.holds:
        state.rows.change(element, Change.HOLD, state.now)
        element.standing = Standing.HELD


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
    if t.job_state[element.row] == JobState.SUSPENDED:
        # A suspended job holds no processors: it goes and comes again.
        state.rows.free(element, Change.CANCEL, state.now)
        state.rows.take(element, state.now)
        t.job_attempt[element.row] = element.attempt + 1
        t.uneven = 1
        return
    state.rows.change(element, Change.REQUEUE, state.now)


def _requeue_kept(state: State, element: Element) -> None:
    """A running job goes back with its work, and with what its account has paid for that."""
    t, row = state.tables, element.row
    account = int(t.lien_account[row])
    before = int(t.bank_balance[account])
    state.rows.change(element, Change.REQUEUE, state.now, exclusive=1)
    if account:
        note_debit(state, element, account, before)
        state.ledger.bills[element.job.id, element.index] = (account, int(t.lien_billed[row]))


def job_stopping(state: State, fact: h.JobStopping) -> None:
    """Its agent was told to end it."""
    element = state.element(fact.job, fact.index)
    element.stopping, element.reason = fact.how, fact.reason


def job_ended(state: State, fact: h.JobEnded) -> None:
    """It, or one of its elements, is over."""
    job = state.jobs[fact.job]
    job.version += 1
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
        state.finished[job.id] = state.now
        tell_dependents(state, job)


def jobs_retired(state: State, fact: h.JobsRetired) -> None:
    """They leave the memory; what is asked for later is kept beside the journal."""
    for number in fact.jobs:
        job = state.jobs.pop(number)
        state.past.add(number, past_of(job))
        job.part()
        state.finished.pop(number)


def _end_unmade(state: State, job: Job, fact: h.JobEnded) -> None:
    assert job.array is not None
    for element in list(job.array.elements.values()):
        if element.standing in (Standing.WAITING, Standing.HELD):
            _end_element(state, element, fact)
    job.array.drop()
    state.arrays.pop(job.id, None)


def _end_element(state: State, element: Element, fact: h.JobEnded) -> None:
    state.ended += 1
    if element.job.array is not None:
        element.job.array.ended += 1
        element.job.array.apart.discard(element.index)
        element.job.array.back.discard(element.index)
    running = element.standing is Standing.RUNNING
    element.standing, element.end_s = _STANDING_OF[fact.ending], fact.at_s
    element.exit_code, element.signal, element.memory_kb = fact.exit_code, fact.signal, fact.memory_kb
    element.reason, element.reserved_s, element.stopping = fact.reason, None, ""
    set_left(state, element, "")
    _keep_work(state, element, 0.0)
    element.earliest_deadline_s = fact.earliest_deadline_s
    _count_deadline(state, element)
    if element.row >= 0:
        settle(state, element, fact.at_s, fact.ending in _WELL)
        change = Change.END if running else Change.CANCEL
        leave(state, element, change)


def _count_deadline(state: State, element: Element) -> None:
    if element.deadline_met is not None:
        state.deadlines["met" if element.deadline_met else "missed"] += 1
    elif element.standing is Standing.REFUSED and element.reason in REFUSED_FOR_DEADLINE:
        state.deadlines["refused"] += 1
