"""Listing jobs: filters and pages are applied here, so that a client never gets more than it asked for."""

from collections.abc import AsyncIterator, Callable, Collection, Iterable
from math import isfinite

from molokini.model.errors import BadValue
from molokini.model.facts import NO_INDEX
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1 import jobs_pb2
from molokini.server.cooperative import Yielder
from molokini.server.persistence.history import History
from molokini.server.queries.explanations import Reasons
from molokini.server.services.field_masks import Fields
from molokini.server.state.jobs import Element, Job, JobStatus
from molokini.server.state.past import PastJob
from molokini.server.state.state import State
from molokini.server.translate import STATUSES_OF, JobFields, deadline_met, fields_of_job

MOST_LINES = 100_000
"""The most that a caller may ask for; a page has no more than the configuration allows."""
LINES = 1_000
_BETWEEN_LOOKS = 8
"""Jobs after which the time is looked at, which takes as long as to skip one."""


async def list_page(
    state: State,
    history: History,
    request: wire.ListJobsRequest,
    add: Callable[[JobFields], object],
    hidden_from: str | None,
    most: int,
    may_read: Callable[[Job], bool],
    reasons: Reasons | None = None,
) -> str:
    """*add* each line of the page that *request* asks for; the token of the next page, empty after the last.

    With *hidden_from*, only that user's jobs. At most *most* lines.
    *may_read* says of which jobs the caller gets the script and the environment, if it asks for them,
    *reasons* (None: nothing does) why jobs wait.
    """
    page = _Page(state, request, add, lines_of_page(request.page_size, most), may_read, reasons)
    if reasons is not None and page.may_wait:
        await reasons.prepare(page.wanted)
    yielder, expand, looked_at = Yielder(), request.expand_arrays, 0
    async for job in _jobs(state, history, request, hidden_from, page.after[0]):
        if not page.fits(job):
            pass
        elif job.element is not None or not expand:
            if not page.takes(job, job.element):
                break
        else:
            first = page.after[1] + 1 if job.id == page.after[0] else 0
            async for element in history.elements(job, first):
                if not page.takes(job, element):
                    return page.next_token
                await yielder.maybe_yield()
        # Not before a job is looked at: it may end while others have their turn.
        looked_at += 1
        if looked_at % _BETWEEN_LOOKS == 0:
            await yielder.maybe_yield()
    return page.next_token


class _Page:
    """The lines listed so far, and which lines belong there. The filters are evaluated once."""

    def __init__(
        self,
        state: State,
        request: wire.ListJobsRequest,
        add: Callable[[JobFields], object],
        size: int,
        may_read: Callable[[Job], bool],
        reasons: Reasons | None,
    ) -> None:
        self.next_token = ""
        self._add = add
        self.after = _cursor(request.page_token)
        self._state, self._size, self._may_read, self._reasons = state, size, may_read, reasons
        self._users, self._queues, self._name = (
            frozenset(request.users),
            frozenset(request.queues),
            request.name,
        )
        self._wanted = _statuses(request.states)
        self._over_too = request.include_ended or bool(request.job_ids)
        self._deadline_met = request.deadline_met if request.HasField("deadline_met") else None
        self._ended_since_s = request.ended_since_s
        if not isfinite(self._ended_since_s):
            raise BadValue("ended_since_s", self._ended_since_s, "an instant, in seconds")
        self._fields = Fields(request.fields)
        self._readable: dict[str, bool] = {}
        """By user: whether the caller gets the scripts and variables of that user's jobs."""
        self._lines = 0
        self._last: tuple[Job, Element | None]

    @property
    def wanted(self) -> Collection[str]:
        """The fields of Job that lines have."""
        return self._fields.wanted

    @property
    def may_wait(self) -> bool:
        """Whether jobs that wait belong here."""
        return not self._wanted or JobStatus.WAITING in self._wanted

    def fits(self, job: Job) -> bool:
        """Whether lines of *job* may belong here."""
        if self._users and job.user not in self._users:
            return False
        if self._queues and self._queues.isdisjoint(job.present_queues):
            return False
        return not self._name or job.name == self._name

    def takes(self, job: Job, element: Element | None) -> bool:
        """List *element* (None: the array *job* as a whole), if it belongs here; False at the end."""
        if job.id <= self.after[0] and _place(job, element) <= self.after:
            return True
        if not self._stands(job, element):
            return True
        if self._lines == self._size:
            self.next_token = "{}:{}".format(*_place(*self._last))
            return False
        readable = self._readable.get(job.user)
        if readable is None:
            readable = self._readable[job.user] = self._may_read(job)
        wanted = self._fields.wanted
        spec = self._fields.spec_of(job, readable) if "spec" in wanted else None
        fields = fields_of_job(job, element, self._state, (), wanted, spec)
        if element is not None and self._reasons is not None:
            self._reasons.fill(fields, element, wanted)
        self._add(fields)
        self._lines += 1
        self._last = job, element
        return True

    def _stands(self, job: Job, element: Element | None) -> bool:
        status = element.status if element is not None else job.status
        if self._wanted:
            if status not in self._wanted:
                return False
        elif not self._over_too and status.over:
            return False
        if status.over and element is not None and (element.end_s or 0.0) < self._ended_since_s:
            return False
        if self._deadline_met is None:
            return True
        # It did, or did not, keep its deadline, as it is asked for.
        return element is not None and deadline_met(element, self._state.present_s()) is self._deadline_met


def _place(job: Job, element: Element | None) -> tuple[int, int]:
    """Where a line stands among all: by this a page ends, and the next begins."""
    return job.id, element.index if element is not None else NO_INDEX


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


def _jobs_of(state: State, request: wire.ListJobsRequest) -> Iterable[int]:
    """The jobs that are asked for; of an element's own number, its array."""
    for number in request.job_ids:
        place = state.numbers.get(number) if state.known(number) is None else None
        yield number if place is None else place[0]


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
        for found in await history.some(number for number in _jobs_of(state, request) if number >= after):
            # It may have left the memory while others were read.
            here = isinstance(found, PastJob) or found.id in state.jobs
            present = found if here else await history.job(found.id)
            if present is not None and (hidden_from is None or present.user == hidden_from):
                yield present
        return
    if hidden_from is not None or len(request.users) == 1:
        own = state.open_by_user.get(hidden_from or request.users[0], {})
        jobs = [job for job in own.values() if job.id >= after]
    else:
        jobs = [job for job in state.open_jobs.values() if job.id >= after]
    for job in jobs:
        # It may have ended meanwhile, and left.
        if job.id in state.open_jobs and (hidden_from is None or job.user == hidden_from):
            yield job
