"""The fake server's jobs: a table, its events, and JobService on it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

import grpc

from molokini.model.facts import NO_INDEX
from molokini.proto.v1.job_service_pb2 import (
    AlterJobRequest,
    ChangeJobsRequest,
    ChangeJobsResponse,
    ControlledJob,
    Explanation,
    Forecast,
    ForecastJobRequest,
    GetJobRequest,
    JobEvent,
    ListJobsRequest,
    ListJobsResponse,
    ListRatesRequest,
    ListRatesResponse,
    ListSlicesRequest,
    ListSlicesResponse,
    Refusal,
    SetRatesRequest,
    SignalJobsRequest,
    SlicedJob,
    SliceJobsRequest,
    SubmitManyRequest,
    SubmitManyResponse,
    SubmitRequest,
    SubmitResponse,
    SubmitStreamResponse,
    WaitJobsRequest,
    WaitJobsResponse,
    WatchJobsRequest,
)
from molokini.proto.v1.job_service_pb2_grpc import JobServiceServicer
from molokini.proto.v1.jobs_pb2 import Hold, Job, JobRef, JobSpec, JobState, Slicing
from molokini.server.security.statuses import trailing_of
from molokini.server.services.arriving import Arriving
from molokini.server.turn.changing import NoSuchJob

USER = "ann"
WIDEST = 1024
_ENDED = range(JobState.COMPLETED, JobState.REFUSED + 1)


class FakeState:
    """All that the fake server knows."""

    def __init__(self) -> None:
        self.jobs: dict[int, Job] = {}
        self.elements: list[Job] = []
        """What a test says of elements; they are listed in place of their arrays where that is asked for."""
        self.keys: dict[str, int] = {}
        self.sliced: list[tuple[int, Slicing | None]] = []
        """Orders for slices that were taken."""
        self.slices: list[SlicedJob] = []
        self.rates: list[ControlledJob] = []
        self.rates_set: list[SetRatesRequest] = []
        """What was asked for of rates."""
        self.events: list[JobEvent] = []
        self.oldest_kept = 1
        self.now_s = 100.0
        self.signals: list[tuple[int, int]] = []
        self.changed = asyncio.Condition()
        self.planned = self.waiting = 0
        """What a forecast says of the queue."""

    async def add(self, spec: JobSpec, user: str = USER) -> SubmitResponse:
        """Take a job in, or know it again by its key."""
        if spec.submission_key in self.keys:
            return SubmitResponse(job_id=self.keys[spec.submission_key], repeated_key=True)
        job = Job(id=len(self.jobs) + 1, user=user, spec=spec, submitted_s=self.now_s)
        self.jobs[job.id] = job
        if spec.submission_key:
            self.keys[spec.submission_key] = job.id
        await self.change(job.id, JobState.HELD if spec.held else JobState.WAITING, kind="submitted")
        return SubmitResponse(job_id=job.id)

    async def change(self, job_id: int, state: JobState, kind: str = "", **fields: Any) -> None:
        """A job's new state and fields, with an event."""
        job = self.jobs[job_id]
        job.state = state
        job.version += 1
        for name, value in fields.items():
            setattr(job, name, value)
        word = kind or JobState.Name(state).lower()
        event = JobEvent(sequence=self.sequence + 1, time_s=self.now_s, kind=word, job_id=job_id, state=state)
        event.exit_code = job.exit_code
        async with self.changed:
            self.events.append(event)
            self.changed.notify_all()

    @property
    def sequence(self) -> int:
        """Number of the last event."""
        return self.events[-1].sequence if self.events else 0

    def found(self, ref: JobRef) -> Job | None:
        """The job; an element of an array is made up from its whole."""
        job = self.jobs.get(ref.id)
        if job is None or not ref.HasField("array_index"):
            return job
        array = job.spec.array
        if not job.spec.HasField("array") or not array.first <= ref.array_index <= array.last:
            return None
        element = Job()
        element.CopyFrom(job)
        element.array_index = ref.array_index
        return element


def wrong(spec: JobSpec) -> str:
    """What is wrong with a specification, as the real server would say it."""
    if spec.resources.processors > WIDEST:
        return (
            f"resources.processors: {spec.resources.processors} is not allowed; it must be from 1 to {WIDEST}"
        )
    if spec.argv and spec.script:
        return "argv: not together with script"
    return ""


def missing(ref: JobRef) -> NoSuchJob:
    return NoSuchJob(ref.id, ref.array_index if ref.HasField("array_index") else NO_INDEX)


async def unknown(context: Any, ref: JobRef) -> None:
    """End the call in the server's own words."""
    error = missing(ref)
    await context.abort(grpc.StatusCode.NOT_FOUND, str(error), trailing_of(error))


class FakeJobService(JobServiceServicer):
    """JobService on a FakeState."""

    def __init__(self, state: FakeState) -> None:
        self.state = state

    async def Submit(self, request: SubmitRequest, context: Any) -> SubmitResponse:  # noqa: N802
        if text := wrong(request.spec):
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, text, (("molokini-reason", "bad_value"),))
        return await self.state.add(request.spec)

    async def SubmitStream(  # noqa: N802
        self, requests: AsyncIterator[SubmitRequest], context: Any
    ) -> AsyncIterator[SubmitStreamResponse]:
        arriving = Arriving(requests, 1000)
        while batch := await arriving.next_batch():
            made = SubmitStreamResponse()
            for request in batch:
                text = wrong(request.spec)
                answer = SubmitResponse(refusal=text) if text else await self.state.add(request.spec)
                answer.tag = request.tag
                made.answers.append(answer)
            yield made

    async def SubmitMany(  # noqa: N802
        self, requests: AsyncIterator[SubmitManyRequest], context: Any
    ) -> AsyncIterator[SubmitManyResponse]:
        async for request in requests:
            answer = SubmitManyResponse()
            for place, spec in enumerate(request.specs):
                if text := wrong(spec):
                    answer.job_ids.append(0)
                    answer.refusals.append(Refusal(place=place, reason=text))
                else:
                    answer.job_ids.append((await self.state.add(spec)).job_id)
            yield answer

    async def GetJob(self, request: GetJobRequest, context: Any) -> Job:  # noqa: N802
        job = self.state.found(request.job)
        if job is None:
            await unknown(context, request.job)
        assert job is not None
        return job

    async def ListJobs(self, request: ListJobsRequest, context: Any) -> ListJobsResponse:  # noqa: N802
        first = int(request.page_token or 0)
        size = request.page_size or 1000
        matching = [job for job in self._lines(request) if _matches(job, request)]
        more = len(matching) > first + size
        return ListJobsResponse(
            jobs=matching[first : first + size], next_page_token=str(first + size) if more else ""
        )

    def _lines(self, request: ListJobsRequest) -> list[Job]:
        elements = self.state.elements if request.expand_arrays else []
        arrays = {element.id for element in elements}
        return [*(job for job in self.state.jobs.values() if job.id not in arrays), *elements]

    async def WatchJobs(  # noqa: N802
        self, request: WatchJobsRequest, context: Any
    ) -> AsyncIterator[JobEvent]:
        state = self.state
        after = state.sequence if request.only_new else request.after
        if after and after < state.oldest_kept - 1:
            await context.abort(grpc.StatusCode.OUT_OF_RANGE, f"changes up to {after} are no longer kept")
        seen: list[JobEvent] = []
        while True:
            async with state.changed:
                await state.changed.wait_for(lambda: len(state.events) > len(seen))
            for event in state.events[len(seen) :]:
                seen.append(event)
                if event.sequence > after and (not request.job_ids or event.job_id in request.job_ids):
                    yield event

    async def WaitJobs(self, request: WaitJobsRequest, context: Any) -> WaitJobsResponse:  # noqa: N802
        state = self.state
        for ref in request.jobs:
            if state.found(ref) is None:
                await unknown(context, ref)

        def jobs() -> list[Job]:
            return [job for ref in request.jobs if (job := state.found(ref)) is not None]

        def ended() -> bool:
            return all(job.state in _ENDED for job in jobs())

        try:
            async with asyncio.timeout(request.timeout_s), state.changed:
                await state.changed.wait_for(ended)
        except TimeoutError:
            pass
        return WaitJobsResponse(jobs=jobs(), all_ended=ended())

    async def CancelJobs(self, request: ChangeJobsRequest, context: Any) -> ChangeJobsResponse:  # noqa: N802
        async def cancel(job: Job) -> str:
            if job.state not in _ENDED:
                await self.state.change(job.id, JobState.CANCELLED, reason=request.reason)
            return ""

        return await self._each(request.jobs, cancel)

    async def HoldJobs(self, request: ChangeJobsRequest, context: Any) -> ChangeJobsResponse:  # noqa: N802
        async def hold(job: Job) -> str:
            if job.state not in (JobState.WAITING, JobState.HELD):
                return f"job {job.id} is {JobState.Name(job.state).lower()} and cannot be held"
            job.holds.append(request.hold or Hold.HOLD_USER)
            await self.state.change(job.id, JobState.HELD, reason=request.reason)
            return ""

        return await self._each(request.jobs, hold)

    async def ReleaseJobs(self, request: ChangeJobsRequest, context: Any) -> ChangeJobsResponse:  # noqa: N802
        async def release(job: Job) -> str:
            del job.holds[:]
            await self.state.change(job.id, JobState.WAITING)
            return ""

        return await self._each(request.jobs, release)

    async def RequeueJobs(self, request: ChangeJobsRequest, context: Any) -> ChangeJobsResponse:  # noqa: N802
        return await self._moved(request, JobState.WAITING)

    async def SuspendJobs(self, request: ChangeJobsRequest, context: Any) -> ChangeJobsResponse:  # noqa: N802
        return await self._moved(request, JobState.SUSPENDED)

    async def ResumeJobs(self, request: ChangeJobsRequest, context: Any) -> ChangeJobsResponse:  # noqa: N802
        return await self._moved(request, JobState.RUNNING)

    async def SignalJobs(self, request: SignalJobsRequest, context: Any) -> ChangeJobsResponse:  # noqa: N802
        async def signal(job: Job) -> str:
            self.state.signals.append((job.id, request.signal))
            return ""

        return await self._each(request.jobs, signal)

    async def SliceJobs(self, request: SliceJobsRequest, context: Any) -> ChangeJobsResponse:  # noqa: N802
        async def sliced(job: Job) -> str:
            self.state.sliced.append((job.id, request.slicing if request.HasField("slicing") else None))
            return ""

        return await self._each(request.jobs, sliced)

    async def SetRates(self, request: SetRatesRequest, context: Any) -> ChangeJobsResponse:  # noqa: N802
        self.state.rates_set.append(request)
        return ChangeJobsResponse(refusals=["" for _ in request.jobs])

    async def ListRates(self, request: ListRatesRequest, context: Any) -> ListRatesResponse:  # noqa: N802
        wanted = {ref.id for ref in request.jobs}
        return ListRatesResponse(jobs=[one for one in self.state.rates if not wanted or one.job.id in wanted])

    async def ListSlices(self, request: ListSlicesRequest, context: Any) -> ListSlicesResponse:  # noqa: N802
        return ListSlicesResponse(jobs=self.state.slices)

    async def AlterJob(self, request: AlterJobRequest, context: Any) -> Job:  # noqa: N802
        job = await self.GetJob(GetJobRequest(job=request.job), context)
        if "queue" in request.fields:
            job.spec.ClearField("further_queues")
        for name in request.fields:
            job.spec.ClearField(name)
            part = JobSpec()
            part.CopyFrom(request.spec)
            for other in set(JobSpec.DESCRIPTOR.fields_by_name) - {name}:
                part.ClearField(other)
            job.spec.MergeFrom(part)
        return job

    async def ExplainJob(self, request: JobRef, context: Any) -> Explanation:  # noqa: N802
        job = await self.GetJob(GetJobRequest(job=request), context)
        needed = job.spec.resources.processors
        return Explanation(
            job_id=job.id,
            rule="not_enough_free",
            text=f"{needed} processors are needed, and 3 are free",
            limit=3,
            value=needed,
            in_front=[other for other in self.state.jobs if other < job.id],
            in_front_count=job.id - 1,
            what_would_help=["ask for 3 processors or fewer"],
        )

    async def ForecastJob(self, request: ForecastJobRequest, context: Any) -> Forecast:  # noqa: N802
        job = await self.GetJob(GetJobRequest(job=request.job), context)
        if job.state == JobState.HELD:
            return Forecast(job_id=job.id, possible=False, reason="it is held by its user")
        if job.HasField("start_s"):
            made = Forecast(job_id=job.id, possible=True, started=True, reason="it has started")
            made.start_s = made.earliest_s = made.latest_s = job.start_s
            return made
        return Forecast(
            job_id=job.id,
            start_s=3700.0,
            earliest_s=400.0,
            latest_s=7300.0,
            possible=True,
            planned_jobs=self.state.planned,
            waiting_jobs=self.state.waiting,
        )

    async def _moved(self, request: ChangeJobsRequest, state: JobState) -> ChangeJobsResponse:
        async def move(job: Job) -> str:
            if job.state not in (JobState.RUNNING, JobState.SUSPENDED):
                return f"job {job.id} does not run"
            await self.state.change(job.id, state, reason=request.reason)
            return ""

        return await self._each(request.jobs, move)

    async def _each(self, refs: Iterable[JobRef], change: Callable[[Job], Any]) -> ChangeJobsResponse:
        answer = ChangeJobsResponse()
        for ref in refs:
            job = self.state.found(ref)
            answer.refusals.append(str(missing(ref)) if job is None else await change(job))
        return answer


def _matches(job: Job, request: ListJobsRequest) -> bool:
    wanted = (
        (request.users, job.user),
        (request.states, job.state),
        (request.job_ids, job.id),
        ([request.name] if request.name else [], job.spec.name),
    )
    if any(some and one not in some for some, one in wanted):
        return False
    queues = {job.chosen_queue} if job.chosen_queue else {job.spec.queue, *job.spec.further_queues}
    if request.queues and queues.isdisjoint(request.queues):
        return False
    return request.include_ended or bool(request.job_ids) or job.state not in _ENDED
