"""Listing jobs: filters and pages are applied here, so that a client never gets more than it asked for."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable

from molokini.model.errors import BadValue
from molokini.model.facts import NO_INDEX
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1 import jobs_pb2
from molokini.server.memory.history import History
from molokini.server.state.jobs import Element, Job, JobStatus
from molokini.server.state.past import PastJob
from molokini.server.state.state import State
from molokini.server.translate import LARGE, STATUSES_OF, deadline_met, job_to_wire

MOST_LINES = 100_000
"""The most that a caller may ask for; a page has no more than the configuration allows."""
LINES = 1_000
_BETWEEN_BREATHS = 2_000
"""Jobs that are looked at before others get a word in."""

_FIELDS = frozenset(jobs_pb2.Job.DESCRIPTOR.fields_by_name)


async def page_of(
    state: State,
    history: History,
    request: wire.ListJobsRequest,
    hidden_from: str | None,
    most: int,
    may_read: Callable[[Job], bool],
) -> wire.ListJobsResponse:
    """The page that *request* asks for; with *hidden_from*, only that user's jobs. At most *most* lines.

    *may_read* says of which jobs the caller gets the script and the environment, if it asks for them.
    """
    size = lines_of_page(request.page_size, most)
    after = _cursor(request.page_token)
    wanted = _statuses(request.states)
    large = LARGE if not request.fields else ()
    _check_fields(request.fields)
    made = wire.ListJobsResponse()
    async for job in _jobs(state, history, request, hidden_from, after[0]):
        if not _fits(job, request):
            continue
        first = after[1] + 1 if job.id == after[0] else 0
        async for element in _lines(history, job, request.expand_arrays, first):
            index = element.index if element is not None else NO_INDEX
            if (job.id, index) <= after or not _stands(job, element, wanted, request):
                continue
            if not _kept_its_deadline(element, state, request):
                continue
            if len(made.jobs) == size:
                last = made.jobs[-1]
                place = last.array_index if last.HasField("array_index") else NO_INDEX
                made.next_page_token = f"{last.id}:{place}"
                return made
            without = large or (() if may_read(job) else LARGE)
            made.jobs.append(_only(job_to_wire(job, element, state, without), request.fields))
    return made


def lines_of_page(wanted: int, most: int) -> int:
    """How many lines an answer has at most, where *wanted* were asked for and *most* are allowed."""
    if not 0 <= wanted <= MOST_LINES:
        raise BadValue("page_size", wanted, f"from 1 to {MOST_LINES:,}, or 0 for {LINES:,}")
    return min(wanted or LINES, most)


def _cursor(token: str) -> tuple[int, int]:
    if not token:
        return (0, NO_INDEX)
    number, _, index = token.partition(":")
    try:
        return (int(number), int(index))
    except ValueError:
        raise BadValue("page_token", token[:40], "a next_page_token that the server has given") from None


def _statuses(states: Iterable[jobs_pb2.JobState]) -> frozenset[JobStatus]:
    found: frozenset[JobStatus] = frozenset()
    for one in states:
        if one not in STATUSES_OF:
            raise BadValue("states", one, "states of jobs")
        found |= STATUSES_OF[one]
    return found


def _check_fields(names: Iterable[str]) -> None:
    for name in names:
        if name not in _FIELDS:
            raise BadValue("fields", name[:60], "names of fields of Job")


async def _jobs(
    state: State, history: History, request: wire.ListJobsRequest, hidden_from: str | None, after: int
) -> AsyncIterator[Job]:
    """Candidates in order of id, from the smallest index that serves."""
    if request.include_ended and not request.job_ids:
        users = [hidden_from] if hidden_from is not None else request.users
        async for job in history.all(after, users, request.queues, request.name):
            if hidden_from is None or job.user == hidden_from:
                yield job
        return
    if request.job_ids:
        for found in await history.some(number for number in request.job_ids if number >= after):
            # It may have left the memory while others were read.
            here = isinstance(found, PastJob) or found.id in state.jobs
            present = found if here else await history.job(found.id)
            if present is not None and (hidden_from is None or present.user == hidden_from):
                yield present
        return
    if hidden_from is not None or len(request.users) == 1:
        jobs = list(state.open_by_user.get(hidden_from or request.users[0], {}).values())
    else:
        jobs = list(state.open_jobs.values())
    for looked_at, job in enumerate(jobs, 1):
        if looked_at % _BETWEEN_BREATHS == 0:
            await asyncio.sleep(0)
        # It may have ended meanwhile, and left.
        if job.id >= after and job.id in state.open_jobs and (hidden_from is None or job.user == hidden_from):
            yield job


def _fits(job: Job, request: wire.ListJobsRequest) -> bool:
    if request.users and job.user not in request.users:
        return False
    if request.queues and job.queue not in request.queues:
        return False
    return not request.name or job.name == request.name


async def _lines(history: History, job: Job, expand: bool, first: int) -> AsyncIterator[Element | None]:
    """What *job* has lines for: itself (None where it is an array), or its elements from index *first* on."""
    if job.element is not None or not expand:
        yield job.element
        return
    async for element in history.elements(job, first):
        yield element


def _stands(
    job: Job, element: Element | None, wanted: frozenset[JobStatus], request: wire.ListJobsRequest
) -> bool:
    status = element.status if element is not None else job.status
    if wanted:
        return status in wanted
    return request.include_ended or bool(request.job_ids) or not status.over


def _kept_its_deadline(element: Element | None, state: State, request: wire.ListJobsRequest) -> bool:
    """Whether *element* did, or did not, as it is asked for."""
    if not request.HasField("deadline_met"):
        return True
    return element is not None and deadline_met(element, state.present_s()) is request.deadline_met


def _only(job: jobs_pb2.Job, fields: Iterable[str]) -> jobs_pb2.Job:
    keep = {"id", "array_index", *fields}
    if len(keep) > 2:
        for name in _FIELDS - keep:
            job.ClearField(name)
    return job
