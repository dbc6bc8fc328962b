"""JobService: what users do with jobs. Each method translates, asks the reactor, and translates back."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from molokini.model.errors import BadInput, BadValue, MolokiniError
from molokini.model.facts import NO_INDEX
from molokini.model.job_specs import SECRET
from molokini.model.names import expand
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1 import jobs_pb2
from molokini.server.caller_errors import EventGone, text_for_caller
from molokini.server.cooperative import Yielder
from molokini.server.queries.explanations import Reasons, explain
from molokini.server.queries.forecasting import forecast
from molokini.server.queries.recent_pass import RecentPass
from molokini.server.security.decoding import checks_strings
from molokini.server.security.permissions import Action, may, require
from molokini.server.security.roles import Caller, Role, caller
from molokini.server.security.statuses import reason_of
from molokini.server.security.strings import check_strings
from molokini.server.server import Server
from molokini.server.services.arriving import Arriving, one_ahead
from molokini.server.services.batching import batch_from_wire
from molokini.server.services.events import event_of, matches
from molokini.server.services.listing import list_page
from molokini.server.services.rating import asked_of, rated_jobs
from molokini.server.services.slicing_service import fill_pace, sliced_jobs
from molokini.server.state.jobs import Element, Job, JobStatus
from molokini.server.translate import (
    EVERY_FIELD,
    HOLDS,
    JobFields,
    JobLines,
    chunks_of,
    fields_of_job,
    job_to_wire,
    promise_of,
    slicing_from_wire,
    spec_from_wire,
)
from molokini.server.turn import submitting
from molokini.server.turn.aiming import AimJob
from molokini.server.turn.asked import AskedBatch, AskedSpec
from molokini.server.turn.changing import DEFERRAL, Alter, Cancel, Hold, NoSuchJob, Release, Requeue, Signal
from molokini.server.turn.command import Command
from molokini.server.turn.preempting import ResumeJob, SuspendJob
from molokini.server.turn.slicing import SliceJob
from molokini.server.turn.starting import StartJob

MOST_IN_A_BATCH = 1000
MOST_REFERENCES = 10_000
LONGEST_WAIT_S = 86_400.0


class JobService:
    """The servicer."""

    def __init__(self, server: Server) -> None:
        self.core = server
        self._recent = RecentPass(server)

    # Submitting.

    async def Submit(self, request: wire.SubmitRequest, context: Any) -> wire.SubmitResponse:
        """One job, durable when answered."""
        command = self._submission([request.spec], caller())
        [answer] = await self._post(command)
        if isinstance(answer, Exception):
            raise answer
        made = await self._answer(answer, request, command.repeated[0])
        made.emulated = self.core.state.machine.emulated
        return made

    async def SubmitStream(
        self, requests: AsyncIterator[wire.SubmitRequest], context: Any
    ) -> AsyncIterator[wire.SubmitStreamResponse]:
        """One answer a request, in order. What has arrived while others were kept is kept together.

        And it is answered together: a message costs both sides more than an answer in it.
        """
        who, stream = caller(), Arriving(requests, MOST_IN_A_BATCH)
        try:
            while batch := await stream.next_batch():
                command = self._submission([request.spec for request in batch], who)
                answers = await self._post(command)
                made = wire.SubmitStreamResponse()
                for request, answer, repeated in zip(batch, answers, command.repeated, strict=True):
                    if isinstance(answer, Exception):
                        made.answers.add(tag=request.tag, refusal=text_for_caller(answer))
                    else:
                        made.answers.append(await self._answer(answer, request, repeated))
                yield made
        finally:
            stream.close()

    @checks_strings
    async def SubmitMany(
        self, requests: AsyncIterator[wire.SubmitManyRequest], context: Any
    ) -> AsyncIterator[wire.SubmitManyResponse]:
        """Batches; a job that is refused does not keep its neighbours out."""
        async with aclosing(one_ahead(self._batches(requests, caller()))) as batches:
            async for request, command in batches:
                answers = await self._post(command)
                if command.together:
                    yield wire.SubmitManyResponse(job_ids=answers)
                else:
                    yield await self._answer_many(answers, request)

    async def _batches(
        self, requests: AsyncIterator[wire.SubmitManyRequest], who: Caller
    ) -> AsyncIterator[tuple[wire.SubmitManyRequest, submitting.Submit]]:
        """Each batch and what it asks for; read one ahead, as the journal writes the one before meanwhile."""
        async for request in requests:
            if len(request.specs) > MOST_IN_A_BATCH:
                check_strings(request)
                raise BadValue("specs", len(request.specs), f"at most {MOST_IN_A_BATCH:,} jobs a batch")
            yield request, self._submit(batch_from_wire(request), who)

    async def _answer_many(
        self, answers: Sequence[int | BadInput], request: wire.SubmitManyRequest
    ) -> wire.SubmitManyResponse:
        made = wire.SubmitManyResponse(
            job_ids=[0 if isinstance(answer, Exception) else answer for answer in answers]
        )
        for place, answer in enumerate(answers):
            if isinstance(answer, Exception):
                made.refusals.add(place=place, reason=text_for_caller(answer))
            elif request.specs[place].HasField("divisible"):
                made.promises[place].CopyFrom(await self._promise(answer))
        return made

    async def _answer(self, job_id: int, request: wire.SubmitRequest, repeated: bool) -> wire.SubmitResponse:
        made = wire.SubmitResponse(job_id=job_id, tag=request.tag, repeated_key=repeated)
        if request.spec.HasField("divisible"):
            made.promise.CopyFrom(await self._promise(job_id))
        return made

    async def _promise(self, job_id: int) -> jobs_pb2.Promise:
        """What was promised to a divisible job; nothing where the key was that of another kind of job."""
        # The job of a key that was sent before may have left the memory.
        job = await self.core.history.job(job_id)
        element = job.element if job is not None else None
        return promise_of(element) if element is not None and element.job.load else jobs_pb2.Promise()

    def _submission(self, specs: Sequence[jobs_pb2.JobSpec], who: Caller) -> submitting.Submit:
        return self._submit([spec_from_wire(spec) for spec in specs], who)

    def _submit(self, asked: Sequence[AskedSpec] | AskedBatch, who: Caller) -> submitting.Submit:
        operator = who.is_at_least(Role.OPERATOR)
        return submitting.Submit(who.name, asked, self.core.settings.limits, operator, programs=True)

    async def _post(self, command: Command) -> Any:
        return await self.core.reactor.post(command)

    # Looking.

    async def GetJob(self, request: wire.GetJobRequest, context: Any) -> jobs_pb2.Job:
        """One job, or one element of an array."""
        job, element = await self._visible(request.job)
        reasons, one = Reasons(self.core, self._recent.reasons), element or job.element
        if one is not None and one.status is JobStatus.WAITING:
            await reasons.prepare(EVERY_FIELD)
        fields = fields_of_job(job, element, self.core.state, () if _may_read(caller(), job) else SECRET)
        if one is not None:
            reasons.fill(fields, one, EVERY_FIELD)
        made = jobs_pb2.Job(**fields)
        made.emulated = self._is_emulated(element)
        if element is not None and element.attempt:
            fill_pace(self.core, made, element)
        if element is not None and job.load is not None and element.attempt:
            # Of one job, not of each of a listing: a load may have thousands of chunks.
            work_s = made.work_s if element.end_s is None else element.end_s - (element.start_s or 0.0)
            made.chunks.CopyFrom(chunks_of(element, work_s))
        return made

    def _is_emulated(self, element: Element | None) -> bool:
        machine = self.core.state.machine
        if element is None or not element.nodes:
            return machine.emulated
        return not any(machine.nodes[number].real for number, _ in element.nodes)

    async def ListJobs(self, request: wire.ListJobsRequest, context: Any) -> wire.ListJobsResponse:
        """A page of jobs by id."""
        made = wire.ListJobsResponse()
        made.next_page_token = await self._list(request, lambda fields: made.jobs.add(**fields))
        return made

    async def ListJobs_lines(self, request: wire.ListJobsRequest, context: Any) -> JobLines:
        """The same, for the gateway."""
        lines: list[JobFields] = []
        return JobLines(lines, await self._list(request, lines.append))

    async def _list(self, request: wire.ListJobsRequest, add: Callable[[JobFields], object]) -> str:
        who, privacy = caller(), self.core.settings.privacy
        hidden_from = who.name if privacy and not who.is_at_least(Role.OPERATOR) else None
        return await list_page(
            self.core.state,
            self.core.history,
            request,
            add,
            hidden_from,
            self.core.settings.page_size,
            lambda job: _may_read(who, job),
            Reasons(self.core, self._recent.reasons),
        )

    async def WatchJobs(self, request: wire.WatchJobsRequest, context: Any) -> AsyncIterator[wire.JobEvent]:
        """Changes from a sequence number on; ends only with the caller."""
        who, state = caller(), self.core.state
        only_own = self.core.settings.privacy and not who.is_at_least(Role.OPERATOR)
        after = state.serial if request.only_new else request.after
        if after > state.serial:
            # It is of another state, and what comes now would look as if it were its continuation.
            raise BadValue("after", after, f"at most {state.serial}, the last sequence number so far")
        while True:
            # Checked each time: a slow watcher must get an error where there is a gap.
            oldest = state.events[0][0] if state.events else state.serial + 1
            if after and after + 1 < oldest:
                raise EventGone(after, oldest)
            for serial, time_s, fact in state.events_after(after):
                after = serial
                for event in event_of(fact, serial, time_s, state):
                    about = state.known(event.job_id)
                    owner = about.user if about is not None else ""
                    if matches(request, event, owner) and not (only_own and owner != who.name):
                        yield event
            async with self.core.reactor.turned:
                while state.serial <= after:
                    await self.core.reactor.turned.wait()

    async def WaitJobs(self, request: wire.WaitJobsRequest, context: Any) -> wire.WaitJobsResponse:
        """Answers when all have ended, or at the time-out."""
        timeout_s = request.timeout_s or LONGEST_WAIT_S
        if not 0 < timeout_s <= LONGEST_WAIT_S:
            raise BadValue("timeout_s", request.timeout_s, f"from 0 to {LONGEST_WAIT_S:,.0f} seconds")
        _few(request.jobs)
        wanted = [await self._visible(ref) for ref in request.jobs]

        def all_over() -> bool:
            for place, (job, element) in enumerate(wanted):
                if element is not None and element.index != NO_INDEX and not element.attempt:
                    # It may have been none of those that are kept when it was looked up.
                    wanted[place] = job, job.element_of(element.index) or element
            return all((element or job.element or job).over for job, element in wanted)

        try:
            async with asyncio.timeout(timeout_s):
                async with self.core.reactor.turned:
                    await self.core.reactor.turned.wait_for(all_over)
        except TimeoutError:
            pass
        made, yielder = wire.WaitJobsResponse(all_ended=all_over()), Yielder()
        for job, element in wanted:
            made.jobs.add(**fields_of_job(job, element, self.core.state, SECRET))
            await yielder.maybe_yield()
        return made

    async def ExplainJob(self, request: jobs_pb2.JobRef, context: Any) -> wire.Explanation:
        """Why does this job wait?"""
        job, element = await self._visible(request)
        return explain(self.core, job, element or job.element)

    async def ForecastJob(self, request: wire.ForecastJobRequest, context: Any) -> wire.Forecast:
        """When will it start?"""
        job, element = await self._visible(request.job)
        return await forecast(self.core, job, element or job.element)

    async def _visible(self, ref: jobs_pb2.JobRef) -> tuple[Job, Element | None]:
        """The job that *ref* names; NoSuchJob where there is none, or none that the caller may see."""
        ref = self._named(ref)
        index = ref.array_index if ref.HasField("array_index") else NO_INDEX
        job = await self.core.history.job(ref.id)
        if job is None:
            raise NoSuchJob(ref.id, index)
        require(caller(), Action.VIEW, job.user, self.core.settings.privacy, job.id)
        if index == NO_INDEX:
            return job, job.element
        element = await self.core.history.element(job, index)
        if element is None:
            raise NoSuchJob(ref.id, index)
        return job, element

    def _named(self, ref: jobs_pb2.JobRef) -> jobs_pb2.JobRef:
        """*ref*, or job and index of the element whose own number it gives."""
        state = self.core.state
        if ref.HasField("array_index") or state.known(ref.id) is not None:
            return ref
        place = state.numbers.get(ref.id)
        return ref if place is None else jobs_pb2.JobRef(id=place[0], array_index=place[1])

    # Changing.

    async def CancelJobs(self, request: wire.ChangeJobsRequest, context: Any) -> wire.ChangeJobsResponse:
        """End what has not ended; once more is harmless."""
        return await self._change(
            request,
            Action.CANCEL,
            lambda r, i, who: Cancel(r.id, i, who, request.reason, request.as_done),
        )

    async def HoldJobs(self, request: wire.ChangeJobsRequest, context: Any) -> wire.ChangeJobsResponse:
        """Keep what waits from starting."""
        hold = HOLDS.get(request.hold, "user")
        action = _HOLD_ACTION[hold]
        return await self._change(request, action, lambda r, i, who: Hold(r.id, who, hold, request.reason, i))

    async def ReleaseJobs(self, request: wire.ChangeJobsRequest, context: Any) -> wire.ChangeJobsResponse:
        """Take holds away; all of them are all that the caller may take."""
        holds, action = [HOLDS.get(request.hold, "user")], _HOLD_ACTION[HOLDS.get(request.hold, "user")]
        if request.all_holds:
            holds, action = ["user", "operator"], Action.OPERATOR_HOLD
            if caller().is_at_least(Role.ADMINISTRATOR):
                holds.append("system")
        if holds != ["user"]:
            holds.append(DEFERRAL)
        return await self._change(request, action, lambda r, i, who: Release(r.id, who, holds, i))

    async def RequeueJobs(self, request: wire.ChangeJobsRequest, context: Any) -> wire.ChangeJobsResponse:
        """Let what runs run again later, and what is over where that is asked for."""
        hold = HOLDS.get(request.hold, "") if request.ended else ""
        # Who may set such a hold may requeue as well.
        action = _HOLD_ACTION[hold] if hold not in ("", "user") else Action.REQUEUE
        return await self._change(
            request,
            action,
            lambda r, i, who: Requeue(r.id, i, who, request.reason, request.ended, hold),
        )

    async def SuspendJobs(self, request: wire.ChangeJobsRequest, context: Any) -> wire.ChangeJobsResponse:
        """Stop what runs; it keeps its work and gives its processors back."""
        return await self._change(
            request, Action.SUSPEND, lambda r, i, who: SuspendJob(r.id, i, who, request.reason)
        )

    async def ResumeJobs(self, request: wire.ChangeJobsRequest, context: Any) -> wire.ChangeJobsResponse:
        """Let what was suspended go on, where there is room."""
        _check_reason(request.reason)

        async def resume(ref: jobs_pb2.JobRef, index: int, who: str) -> None:
            # One element a turn: each takes room that the next one must not count on.
            while await self._post(ResumeJob(ref.id, index, who, request.reason)):
                pass

        return await self._each(request.jobs, Action.RESUME, resume)

    async def StartJobs(self, request: wire.StartJobsRequest, context: Any) -> wire.ChangeJobsResponse:
        """Start what waits, past the policy."""
        _check_reason(request.reason)
        nodes = [name for pattern in request.nodes for name in expand(pattern)]

        async def start(ref: jobs_pb2.JobRef, index: int, who: str) -> None:
            command = StartJob(
                ref.id,
                index,
                who,
                self.core.reactor.running_policy,
                request.reason,
                nodes=nodes,
                past_limits=request.ignore_limits,
                past_reservations=request.ignore_reservations,
            )
            await self._post(command)

        return await self._each(request.jobs, Action.START, start)

    async def SignalJobs(self, request: wire.SignalJobsRequest, context: Any) -> wire.ChangeJobsResponse:
        """Send a signal to what runs."""

        async def send(ref: jobs_pb2.JobRef, index: int, who: str) -> None:
            elements: list[Element] = await self._post(Signal(ref.id, index, who, request.signal))
            for element in elements:
                self.core.hub.signal(element, request.signal, self.core.state.present_s())

        return await self._each(request.jobs, Action.SIGNAL, send)

    async def SliceJobs(self, request: wire.SliceJobsRequest, context: Any) -> wire.ChangeJobsResponse:
        """Let what runs compute in slices of time, or all the time again."""
        slicing = slicing_from_wire(request.slicing) if request.HasField("slicing") else None

        async def post(ref: jobs_pb2.JobRef, index: int, who: str) -> None:
            await self._post(SliceJob(ref.id, index, who, slicing))

        return await self._each(request.jobs, Action.SLICE, post)

    async def SetRates(self, request: wire.SetRatesRequest, context: Any) -> wire.ChangeJobsResponse:
        """Let running programs go at a rate, or as fast as they can."""
        asked = asked_of(request)

        async def post(ref: jobs_pb2.JobRef, index: int, who: str) -> None:
            await self._post(AimJob(ref.id, index, who, asked, self.core.hub.monotonic))

        return await self._each(request.jobs, Action.SET_RATE, post)

    async def ListRates(self, request: wire.ListRatesRequest, context: Any) -> wire.ListRatesResponse:
        """How jobs with target rates go."""
        if request.jobs:
            _few(request.jobs)
        return rated_jobs(self.core, request, caller())

    async def ListSlices(self, request: wire.ListSlicesRequest, context: Any) -> wire.ListSlicesResponse:
        """What is sliced and was, as ordered and as achieved."""
        return sliced_jobs(self.core)

    async def AlterJob(self, request: wire.AlterJobRequest, context: Any) -> jobs_pb2.Job:
        """Change fields of a job that has not ended."""
        job, _ = await self._visible(request.job)
        who = caller()
        require(who, Action.ALTER, job.user, self.core.settings.privacy, job.id)
        if not request.fields or len(request.fields) > 50:
            raise BadValue("fields", list(request.fields)[:5], "from 1 to 50 names of fields")
        given: Mapping[str, Any] = dict(spec_from_wire(request.spec).spec)
        changes: Any = {field: given[field] if field in given else _unset(field) for field in request.fields}
        operator = who.is_at_least(Role.OPERATOR)
        await self._post(Alter(job.id, who.name, changes, self.core.settings.limits, operator))
        return job_to_wire(job, job.element, self.core.state)

    async def _change(
        self,
        request: wire.ChangeJobsRequest,
        action: Action,
        make: Callable[[jobs_pb2.JobRef, int, str], Command],
    ) -> wire.ChangeJobsResponse:
        _check_reason(request.reason)

        async def post(ref: jobs_pb2.JobRef, index: int, who: str) -> None:
            await self._post(make(ref, index, who))

        return await self._each(request.jobs, action, post)

    async def _each(
        self,
        refs: Sequence[jobs_pb2.JobRef],
        action: Action,
        do: Callable[[jobs_pb2.JobRef, int, str], Awaitable[None]],
    ) -> wire.ChangeJobsResponse:
        """Do it to each; where there is only one, its refusal is the call's status."""
        _few(refs)
        refs = [self._named(ref) for ref in refs]
        who = caller()
        # A job that is named twice is changed once: a turn changes a job once, so each would take a turn.
        named = [(ref.id, ref.array_index if ref.HasField("array_index") else None) for ref in refs]
        once = dict(zip(named, refs, strict=True))
        found = await asyncio.gather(*(self._one(ref, action, do, who) for ref in once.values()))
        answer_to = dict(zip(once, found, strict=True))
        answers = [answer_to[name] for name in named]
        if len(answers) == 1 and answers[0] is not None:
            raise answers[0]
        return wire.ChangeJobsResponse(
            refusals=["" if answer is None else text_for_caller(answer) for answer in answers],
            reasons=["" if answer is None else reason_of(answer) for answer in answers],
        )

    async def _one(
        self,
        ref: jobs_pb2.JobRef,
        action: Action,
        do: Callable[[jobs_pb2.JobRef, int, str], Awaitable[None]],
        who: Caller,
    ) -> MolokiniError | None:
        index = ref.array_index if ref.HasField("array_index") else NO_INDEX
        try:
            job = self.core.state.known(ref.id)
            if job is None:
                raise NoSuchJob(ref.id, index)
            require(who, action, job.user, self.core.settings.privacy, ref.id)
            await do(ref, index, who.name)
        except MolokiniError as error:
            return error
        return None


_HOLD_ACTION = {"user": Action.HOLD, "operator": Action.OPERATOR_HOLD, "system": Action.SYSTEM_HOLD}


def _may_read(who: Caller, job: Job) -> bool:
    """Whether the caller *who* gets the script and the environment of *job*, which may hold secrets."""
    return may(who, Action.READ, job.user) is None


def _check_reason(reason: str) -> None:
    if len(reason) > 1000:
        raise BadValue("reason", reason[:40] + "...", "at most 1,000 characters")


def _few(refs: Sequence[jobs_pb2.JobRef]) -> None:
    if not 1 <= len(refs) <= MOST_REFERENCES:
        raise BadValue("jobs", len(refs), f"from 1 to {MOST_REFERENCES:,} references")


def _unset(field: str) -> Any:
    """What an altered field holds that the request names and does not set."""
    if field not in jobs_pb2.JobSpec.DESCRIPTOR.fields_by_name:
        raise BadValue("fields", field, "the name of a field of JobSpec")
    default = jobs_pb2.JobSpec.DESCRIPTOR.fields_by_name[field].default_value
    return {} if field in ("resources", "array") else list(default) if field == "dependencies" else default
