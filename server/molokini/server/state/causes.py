"""Why a job is held, or has ended as it did, as a word: what ``reason`` says in a sentence."""

from molokini.model.facts import Cause
from molokini.server.state.dependencies import Outlook, found_of
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
        return _of_dependency(job, None, state)
    if job.id in state.timed:
        return "BEGIN_TIME"
    if job.id in state.unplaced:
        return "NO_NODES"
    if state.claims.waits(job):
        return "QUEUE_LIMIT" if state.claims.started(job) else "QUEUE_STOPPED"
    if job.array is not None and job.array.elementwise:
        return _of_dependency(job, element.index if element is not None else None, state)
    return ""


def _of_dependency(job: Job, index: int | None, state: State) -> str:
    # As long as all others are open, nothing is lost, and the conditions need not be read.
    if index is None and job.waits_for <= state.open_jobs.keys():
        return "DEPENDENCY"
    never = found_of(state, job, state.now, index).outlook is Outlook.NEVER
    return "DEPENDENCY_NEVER_MET" if never else "DEPENDENCY"
