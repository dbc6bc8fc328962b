"""Journalled facts as events that a watcher of jobs understands."""

from collections.abc import Iterator

from molokini.model import facts as h
from molokini.model.codec import KINDS
from molokini.model.decisions import DECISION_RULES
from molokini.model.facts import NO_INDEX, Fact
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.server.state.jobs import Element, Job, JobStatus
from molokini.server.state.past import Past
from molokini.server.state.state import State
from molokini.server.translate import STATE_OF


def event_of(fact: Fact, serial: int, time_s: float, state: State) -> Iterator[wire.JobEvent]:
    """The events of *fact*; none where it is not about a job."""
    kind = fact.EVENT
    if not kind:
        return
    if isinstance(fact, h.JobsSubmitted):
        for number in range(fact.first_id, fact.first_id + len(fact.specs)):
            yield _event(fact, kind, number, NO_INDEX, serial, time_s, state)
    elif isinstance(fact, h.ElementsReady):
        for index in fact.indices:
            yield _event(fact, kind, fact.job, index, serial, time_s, state)
    else:
        about: int = getattr(fact, "job")  # noqa: B009
        yield _event(fact, kind, about, getattr(fact, "index", NO_INDEX), serial, time_s, state)


def _event(
    fact: Fact, kind: str, number: int, index: int, serial: int, time_s: float, state: State
) -> wire.JobEvent:
    """As it was then, as far as the fact says so; the rest as it is now."""
    job = state.known(number)
    element = job.element_of(index) if isinstance(job, Job) else None
    made = wire.JobEvent(sequence=serial, time_s=time_s, kind=kind, job_id=number)
    made.state = STATE_OF[_status_after(fact, job, element, time_s)]
    if index != NO_INDEX:
        made.array_index = index
    made.attempt = getattr(fact, "attempt", element.attempt if element is not None else 0)
    made.exit_code = fact.result.exit_code if isinstance(fact, h.JobEnded) else 0
    made.reason = fact.why if isinstance(fact, h.JobEnded) else getattr(fact, "reason", "")
    return made


def _status_after(fact: Fact, job: Job | Past | None, element: Element | None, time_s: float) -> JobStatus:
    if isinstance(fact, h.JobEnded):
        return JobStatus(fact.ending.value)
    if not isinstance(job, Job):
        # Its record says how it ended; a watcher of something else need not wait for that.
        ended = JobStatus.COMPLETED if job is not None and job.well else JobStatus.FAILED
        return _AFTER.get(type(fact), JobStatus.WAITING if isinstance(fact, h.JobsSubmitted) else ended)
    if isinstance(fact, h.JobsSubmitted):
        eligible = job.eligible_s is not None and job.eligible_s <= time_s
        return JobStatus.WAITING if eligible else JobStatus.HELD
    present = element.status if element is not None else job.status
    return _AFTER.get(type(fact), present)


_AFTER = {
    h.ElementsReady: JobStatus.WAITING,
    h.JobEligible: JobStatus.WAITING,
    # A hold is of jobs that run, too: it leaves them as they are.
    **{
        kind: JobStatus[DECISION_RULES[kind.DECISIONS[0]].after.name]
        for kind in KINDS.values()
        if len(kind.DECISIONS) == 1 and kind is not h.JobHeld
    },
}


def matches(request: wire.WatchJobsRequest, event: wire.JobEvent, owner: str) -> bool:
    """Whether a watcher asked for this event."""
    if request.job_ids and event.job_id not in request.job_ids:
        return False
    return not request.users or owner in request.users
