"""Journalled facts as events that a watcher of jobs understands."""

from collections.abc import Iterator

from molokini.model import happened as h
from molokini.model.errors import MolokiniError
from molokini.model.happened import NO_INDEX, Happened
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.server.state.state import State
from molokini.server.translate import STATE_OF, job_to_wire

_KINDS: dict[type[Happened], str] = {
    h.JobsSubmitted: "submitted",
    h.ElementsReady: "ready",
    h.JobEligible: "eligible",
    h.JobHeld: "held",
    h.JobReleased: "released",
    h.JobAltered: "altered",
    h.JobReserved: "reserved",
    h.JobStarted: "started",
    h.JobSuspended: "suspended",
    h.JobResumed: "resumed",
    h.JobMoved: "moved",
    h.JobShared: "shared",
    h.JobStopping: "stopping",
    h.JobEnded: "ended",
    h.JobRequeued: "requeued",
}


class EventGone(MolokiniError):
    """What is asked for is older than what is kept."""

    def __init__(self, after: int, oldest: int) -> None:
        super().__init__(f"changes after {after} are no longer kept; the oldest kept is {oldest}")


def event_of(fact: Happened, serial: int, time_s: float, state: State) -> Iterator[wire.JobEvent]:
    """The events of *fact*; none where it is not about a job."""
    kind = _KINDS.get(type(fact))
    if kind is None:
        return
    if isinstance(fact, h.JobsSubmitted):
        for number in range(fact.first_id, fact.first_id + len(fact.specs)):
            yield _event(kind, number, NO_INDEX, serial, time_s, state)
    elif isinstance(fact, h.ElementsReady):
        for index in fact.indices:
            yield _event(kind, fact.job, index, serial, time_s, state)
    else:
        about: int = getattr(fact, "job")  # noqa: B009
        yield _event(kind, about, getattr(fact, "index", NO_INDEX), serial, time_s, state)


def _event(kind: str, number: int, index: int, serial: int, time_s: float, state: State) -> wire.JobEvent:
    job = state.jobs[number]
    element = job.element_of(index)
    standing = element.standing if element is not None else job.standing
    made = wire.JobEvent(sequence=serial, time_s=time_s, kind=kind, job_id=number, state=STATE_OF[standing])
    if index != NO_INDEX:
        made.array_index = index
    if element is not None:
        made.attempt, made.exit_code = element.attempt, element.exit_code
    made.reason = (element.reason if element is not None else "") or ""
    return made


def matches(request: wire.WatchJobsRequest, event: wire.JobEvent, owner: str) -> bool:
    """Whether a watcher asked for this event."""
    if request.job_ids and event.job_id not in request.job_ids:
        return False
    return not request.users or owner in request.users


__all__ = ["EventGone", "event_of", "job_to_wire", "matches"]
