"""What holds, releases and alterations make of a state."""

from molokini.cycle.entries import Change
from molokini.model import facts as h
from molokini.model.actors import Origin
from molokini.model.decisions import Decision
from molokini.model.facts import NO_INDEX
from molokini.model.written_specs import WrittenSpec
from molokini.reports.wording import held_in_words
from molokini.server.state.effects.entering import become_eligible_if_free, count_open, leave, wait_for_others
from molokini.server.state.effects.table import Decided, effect_of, maker_of
from molokini.server.state.jobs import NO_JOBS, Element, Job, JobStatus
from molokini.server.state.state import State
from molokini.server.state.unplaced import could_hold
from molokini.tables import transitions
from molokini.tables.bank_changes import renew_lien


@maker_of(Decision.HOLD)
def hold(state: State, d: Decided) -> h.JobHeld:
    """*argument* is the rule for which it was deferred last."""
    return h.JobHeld(d.element.job.id, "system", Origin.POLICY, held_in_words(d.argument), d.element.index)


@effect_of(h.JobHeld)
def job_held(state: State, fact: h.JobHeld) -> None:
    """It, or one of its elements, waits until it is released."""
    job = state.jobs[fact.job]
    job.version += 1
    if fact.index != NO_INDEX:
        _hold_element(state, known_element(state, job, fact.index), fact)
        return
    job.holds |= {fact.hold}
    state.arrays.pop(job.id, None)
    _wait_no_longer(state, job)
    for element in job.known_elements():
        if element.status is JobStatus.WAITING and element.row >= 0:
            state.rows.change(element, Decision.HOLD, state.now)
        if element.status is JobStatus.WAITING:
            element.status, element.reason = JobStatus.HELD, fact.reason


def known_element(state: State, job: Job, index: int) -> Element:
    """The element *index*, made here where it was not known before."""
    element = job.element_of(index)
    if element is None:
        assert job.array is not None
        element = Element(job, index)
        job.array.add(element)
        if not job.array.unready:
            state.arrays.pop(job.id, None)
    return element


def _hold_element(state: State, element: Element, fact: h.JobHeld) -> None:
    element.holds |= {fact.hold}
    if element.status in (JobStatus.WAITING, JobStatus.HELD):
        if element.row >= 0:
            leave(state, element, Decision.CANCEL)
        set_apart(state, element, fact.reason)


def set_apart(state: State, element: Element, reason: str) -> None:
    """*element*, which is no row, stays so until it is released; others of its array go on."""
    job = element.job
    assert job.array is not None
    element.status, element.reason = JobStatus.HELD, reason
    job.array.back.discard(element.index)
    job.array.apart.add(element.index)
    if not job.array.unready:
        state.arrays.pop(job.id, None)
    if state.claims.waits(job) and not any(
        one.status is JobStatus.HELD and one.row < 0 and not job.array.keeps(one)
        for one in job.known_elements()
    ):
        # It was the one that waited for a place.
        _wait_no_longer(state, job)


def _wait_no_longer(state: State, job: Job) -> None:
    """*job* takes no place in its queue for now: the next job that waits for one may have it."""
    if state.claims.waits(job):
        state.claims.forget(job)
        state.to_look_at.update(state.claims.first(job.queue, job.user))


def _release_element(state: State, element: Element, holds: tuple[str, ...]) -> None:
    array = element.job.array
    element.holds -= set(holds)
    if element.holds or array is None or element.index not in array.apart:
        return
    # It becomes a row again when its array's limit and the free processors allow.
    array.apart.discard(element.index)
    array.back.add(element.index)
    element.reason = ""
    if element.job.eligible_s is not None and not element.job.holds:
        element.status = JobStatus.WAITING
        state.arrays[element.job.id] = element.job


@effect_of(h.JobReleased)
def job_released(state: State, fact: h.JobReleased) -> None:
    """Holds are taken away."""
    job = state.jobs[fact.job]
    job.version += 1
    if fact.index != NO_INDEX:
        element = state.element(fact.job, fact.index)
        _forget_deferrals(state, element, fact)
        _release_element(state, element, fact.holds)
        return
    job.holds -= set(fact.holds)
    for element in job.known_elements():
        _forget_deferrals(state, element, fact)
        if element.holds:
            _release_element(state, element, fact.holds)
    if job.holds:
        for element in job.known_elements():
            if element.status is JobStatus.HELD:
                # The reason belonged to a hold that may be gone; the other holds need none.
                element.reason = ""
        return
    for element in job.known_elements():
        if element.status is JobStatus.HELD and element.row >= 0:
            state.rows.change(element, Change.RELEASE, state.now)
            element.status, element.reason = JobStatus.WAITING, ""
    become_eligible_if_free(state, job)


def _forget_deferrals(state: State, element: Element, fact: h.JobReleased) -> None:
    """An operator's word ends them; a user's does not."""
    if element.row >= 0 and set(fact.holds) != {"user"}:
        transitions.forget_deferrals(state.tables, element.row)


@effect_of(h.JobAltered)
def job_altered(state: State, fact: h.JobAltered) -> None:
    """Another request under the same number."""
    job = state.jobs[fact.job]
    state.claims.forget(job)
    for element in job.known_elements():
        # Out and in again: the row's place, components and plan are those of the new wish.
        if element.row >= 0 and element.status in (JobStatus.WAITING, JobStatus.HELD):
            leave(state, element, Decision.CANCEL)
            element.status = JobStatus.HELD
    count_open(state, job.queue, job.user, -1)
    written = WrittenSpec({**job.spec, **fact.changes})
    job.keep(written)
    count_open(state, job.queue, job.user, 1)
    job.version += 1
    if "begin_at_s" in fact.changes:
        state.timed.pop(job.id, None)
        if fact.changes["begin_at_s"] > state.now:
            state.timed[job.id] = fact.changes["begin_at_s"]
            state.arrays.pop(job.id, None)
            job.eligible_s = None
    if "array" in fact.changes and job.array is not None:
        job.array.limit = fact.changes["array"]["running_limit"]
    if "dependencies" in fact.changes:
        _wait_anew(state, job)
    job.request = state.request_of(written.shared)
    job.credential = state.rows.credential(job.user, written.shared.spec)
    if state.ledger.bank is not None:
        state.ledger.open(job.account)
    for element in job.known_elements():
        if "estimate_s" in fact.changes:
            element.limit_s = 0.0
        _alter(state, element)
    if job.id in state.unplaced and could_hold(state.rows, job):
        state.unplaced.discard(job.id)
    become_eligible_if_free(state, job)
    state.tables.cycle.replan = 1


def _wait_anew(state: State, job: Job) -> None:
    """*job* has other conditions than before."""
    state.waking.pop(job.id, None)
    job.waits_for = NO_JOBS
    if job.spec["dependencies"]:
        wait_for_others(state, job)
    if job.waits_for:
        state.arrays.pop(job.id, None)
        job.eligible_s = None


def _alter(state: State, element: Element) -> None:
    if element.row < 0:
        return
    row, t = element.row, state.tables
    t.jobs.estimate_s[row] = element.execution_s
    if not element.limit_s:
        t.jobs.asked_s[row] = 0.0
    t.jobs.credential[row], t.jobs.user_priority[row] = element.job.credential, element.job.user_priority
    t.jobs.deadline_s[row] = element.job.deadline_s
    if element.job.system_priority != t.jobs.boost[row]:
        t.jobs.boost[row], t.jobs.uneven = element.job.system_priority, 1
    if element.status.active:
        renew_lien(t, row)
    if element.status is JobStatus.RUNNING:
        # A new estimate is a new expected end, by which running rows are sorted.
        state.rows.change(element, Decision.SET_SHARE, state.now, float(t.jobs.rate[row]))
