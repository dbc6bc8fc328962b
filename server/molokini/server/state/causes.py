"""Why a job is held, or has ended as it did, as a word: what ``reason`` says in a sentence."""

from molokini.model.facts import Cause
from molokini.server.state.jobs import Element, Job, JobStatus
from molokini.server.state.state import State

_OF_ENDS: dict[str, str] = {"": ""} | {str(one): one.name for one in Cause}


def cause_of(job: Job, element: Element | None, state: State) -> str:
    """The name of the ``Job.Cause`` of *element*, or (None) of the array as a whole; empty: it has none."""
    if element is not None and element.over:
        return _OF_ENDS[element.cause]
    if (element.status if element is not None else job.status) is not JobStatus.HELD:
        return ""
    if job.holds or (element is not None and element.holds):
        return "HOLDS"
    if job.waits_for:
        return "DEPENDENCY"
    if job.id in state.timed:
        return "BEGIN_TIME"
    if job.id in state.unplaced:
        return "NO_NODES"
    if state.claims.waits(job):
        return "QUEUE_LIMIT" if state.queues[job.queue].started else "QUEUE_STOPPED"
    return ""
