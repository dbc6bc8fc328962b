"""What facts about submission make of a state, and how jobs join the queue and leave it."""

from collections import Counter
from math import inf
from typing import NamedTuple

from molokini.model import facts as h
from molokini.model.requests import Request
from molokini.model.written_specs import SharedSpec, WrittenSpec
from molokini.server.state.dependencies import WITHOUT_JOB, Outlook, found_of
from molokini.server.state.effects.table import effect_of
from molokini.server.state.jobs import NO_JOBS, Element, Job, JobStatus
from molokini.server.state.ledger import NO_BILL
from molokini.server.state.rooms import least_share, processors_together
from molokini.server.state.state import State
from molokini.server.state.unplaced import could_hold
from molokini.tables.bank_changes import owe

_RARE = frozenset({"held", "dependencies", "begin_at_s", "array", "divisible", "further_queues"})
"""Fields that most jobs come without, and that decide when they join the queue, and as what."""


class _Kind(NamedTuple):
    """What jobs of one submission that share a specification have in common."""

    request: Request
    credential: int
    plain: bool
    """Whether they join the queue at once, whatever else is in it, and count processors alone."""
    queue: str


def _kind_of(state: State, user: str, shared: SharedSpec) -> _Kind:
    spec = shared.spec
    account, queue = spec.get("account", ""), spec.get("queue", "")
    request, credential = state.request_of(shared), state.rows.credential(user, spec)
    if "rate" in spec and state.places_by_features:
        request = state.rows.with_room(request, least_share(spec), processors_together(spec))
    if account and state.ledger.bank is not None:
        state.ledger.open(account)
    plain = _RARE.isdisjoint(spec) and bool(state.machine.nodes) and state.claims.endless(queue)
    return _Kind(request, credential, plain and request.counted, queue)


@effect_of(h.JobsSubmitted)
def jobs_submitted(state: State, fact: h.JobsSubmitted) -> None:
    """Jobs that were accepted; those that nothing keeps from it join the queue."""
    plain: list[Element] = []
    theirs = state.open_by_user.setdefault(fact.user, {})
    if not state.machine.nodes:
        state.unplaced.update(range(fact.first_id, fact.first_id + len(fact.specs)))
    kinds: dict[int, _Kind] = {}
    counts: Counter[int] = Counter()
    for number, spec in enumerate(fact.specs, fact.first_id):
        shared = spec.shared
        kind = kinds.get(id(shared))
        if kind is None:
            kind = kinds[id(shared)] = _kind_of(state, fact.user, shared)
        request, credential, is_plain, _ = kind
        job = Job(number, fact.user, spec, state.now, request)
        job.credential = credential
        state.jobs[number] = state.open_jobs[number] = theirs[number] = job
        counts[id(shared)] += 1
        if is_plain and job.element is not None:
            if spec.submission_key:
                state.keys[fact.user, spec.submission_key] = number
            job.eligible_s = state.now
            plain.append(job.element)
        else:
            _submit_with_more(state, job, spec)
            become_eligible_if_free(state, job, plain)
    for one, count in counts.items():
        queue = kinds[one].queue
        count_open(state, queue, fact.user, count)
        if kinds[one].plain:
            state.claims.take_all(queue, fact.user, count)
    # Elements may have got the numbers behind these in the same turn.
    state.next_id = max(state.next_id, fact.first_id + len(fact.specs))
    if plain:
        state.rows.take_together(plain)


def place_unplaced(state: State) -> None:
    """Nodes have come: jobs that had none that could hold them join the queue where these can."""
    for number in sorted(state.unplaced):
        job = state.jobs[number]
        if could_hold(state.rows, job):
            state.unplaced.discard(number)
            become_eligible_if_free(state, job)


def take_up(state: State, job: Job) -> None:
    """*job*, of a snapshot, is one of ours, and counts where it is not over."""
    state.jobs[job.id] = job
    state.left.update(((job.id, one.index), one) for one in job.known_elements() if one.left_at)
    if not job.over:
        state.open_jobs[job.id] = state.open_by_user.setdefault(job.user, {})[job.id] = job
        count_open(state, job.queue, job.user, 1)


def _submit_with_more(state: State, job: Job, written: WrittenSpec) -> None:
    """What most jobs do not ask for, which keeps them from the queue."""
    spec = written.shared.spec
    if written.submission_key:
        state.keys[job.user, written.submission_key] = job.id
    if spec.get("held"):
        job.holds = frozenset({"user"})
    if spec.get("dependencies"):
        wait_for_others(state, job)
    begin_s = spec.get("begin_at_s", 0.0)
    if begin_s > state.now:
        state.timed[job.id] = begin_s


def count_open(state: State, queue: str, user: str, by: int) -> None:
    """So many more jobs (fewer, below 0) that are not over."""
    for key in ((queue, user), (queue, ""), ("", user)):
        state.open_counts[key] += by


def wait_for_others(state: State, job: Job) -> None:
    """*job* waits for those of its conditions that are not met."""
    found = found_of(state, job, state.now)
    job.waits_for = NO_JOBS if found.outlook is Outlook.MET else found.waits_for
    dependencies = job.spec["dependencies"]
    named = {one["job_id"] for one in dependencies if one["kind"] not in WITHOUT_JOB}
    # Only jobs that are not over will report anything.
    for other in (named | job.waits_for) & state.open_jobs.keys():
        state.dependents.setdefault(other, set()).add(job.id)
    one_by_one = job.array is not None and job.array.elementwise
    if found.outlook is Outlook.NEVER or found.due_s < inf or one_by_one:
        # No later fact makes the job be looked at.
        state.to_look_at.add(job.id)


def become_eligible_if_free(state: State, job: Job, plain: list[Element] | None = None) -> None:
    """Let *job* join the queue where nothing is in its way; a plain job by way of *plain*, if given."""
    if job.holds or job.waits_for or job.id in state.timed or job.id in state.unplaced or job.over:
        for element in job.known_elements():
            if element.row < 0 and element.status is JobStatus.WAITING:
                element.status = JobStatus.HELD
        return
    if job.eligible_s is None:
        job.eligible_s = state.now
    if job.array is not None:
        if job.array.unready:
            state.arrays[job.id] = job
        for element in job.known_elements():
            if element.index in job.array.back:
                element.status = JobStatus.WAITING
            elif element.status is JobStatus.HELD and element.row < 0 and not element.holds:
                _enter(state, element)
    elif job.element is not None and job.element.row < 0:
        _enter(state, job.element, plain)


def _enter(state: State, element: Element, plain: list[Element] | None = None) -> None:
    """*element* becomes a row that a policy sees, where its queue has room for it."""
    job = element.job
    if job.array is not None:
        job.array.back.discard(element.index)
    if state.claims.room(job) <= 0:
        element.status, element.reason = JobStatus.HELD, state.claims.why_not(job)
        state.claims.wait(job)
        return
    state.claims.take(job)
    state.to_look_at.update(state.claims.first(job.queue, job.user))
    element.reason = ""
    if plain is not None and job.request.counted and job.load is None:
        plain.append(element)
    else:
        state.rows.take(element, state.now)
        if element.attempt:
            state.tables.jobs.attempt[element.row] = element.attempt + 1
            state.tables.jobs.work_s[element.row] = state.kept_work.get((job.id, element.index), 0.0)
            owe(state.tables, element.row, *state.ledger.bills.get((job.id, element.index), NO_BILL))
            state.tables.jobs.uneven = 1


def leave(state: State, element: Element, change: int) -> None:
    """*element* gives its row back, and its place to the next that waits for one."""
    job = element.job
    state.rows.free(element, change, state.now)
    state.claims.give(job.queue, job.user)
    state.to_look_at.update(state.claims.first(job.queue, job.user))


@effect_of(h.ElementsReady)
def elements_ready(state: State, fact: h.ElementsReady) -> None:
    """Elements of an array become rows."""
    job = state.jobs[fact.job]
    assert job.array is not None
    for index in fact.indices:
        element = job.array.elements.get(index) or Element(job, index)
        if index not in job.array.back:
            job.array.add(element)
        _enter(state, element)
    if not job.array.unready:
        state.arrays.pop(job.id, None)


@effect_of(h.JobEligible)
def job_eligible(state: State, fact: h.JobEligible) -> None:
    """Its time has come, or what it waited for."""
    job = state.jobs[fact.job]
    state.timed.pop(job.id, None)
    job.waits_for = NO_JOBS
    become_eligible_if_free(state, job)


def tell_dependents(state: State, job: Job) -> None:
    """Dependents of *job* that may be free now; the next turn looks at them."""
    waiting = state.dependents.get(job.id)
    if waiting and job.over:
        state.dependents.pop(job.id)
    state.to_look_at.update(waiting or ())
