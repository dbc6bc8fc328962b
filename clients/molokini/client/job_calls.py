"""What users do with jobs that there are: look at them, change them, ask why they wait."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, Unpack

from molokini.client.calls import Caller
from molokini.client.methods import Method
from molokini.client.quantities import whole
from molokini.client.specs import ENDED, HOLDS, JobId, SpecFields, job_ref, job_spec, state_value
from molokini.model.errors import UnknownName
from molokini.model.slicing import Slicing
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1.jobs_pb2 import Job, JobSpec
from molokini.proto.v1.jobs_pb2 import Slicing as WiredSlicing

LARGEST_PAGE = 100_000
LARGEST_SIGNAL = 64

_IN_RESOURCES = frozenset(
    {"processors", "nodes", "processors_per_node", "components", "request"}
    | {"memory", "memory_kb", "gpus", "generic", "licenses", "features", "constraint"}
)


class JobCalls:
    """The calls of JobService on jobs that exist.

    Changes of several jobs answer a list of refusals, one a job in order: empty text where it was done, or
    had been done before, which is the same.
    """

    _caller: Caller

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        self._job_service = caller.methods("JobService")

    async def job(self, job: JobId, index: int | None = None) -> Job:
        """One job, or element *index* of an array; NotFound where there is none."""
        return await self._caller.call(self._job_service.GetJob, wire.GetJobRequest(job=job_ref(job, index)))

    async def jobs(
        self,
        *,
        users: Iterable[str] = (),
        queues: Iterable[str] = (),
        states: Iterable[str] = (),
        ids: Iterable[int] = (),
        name: str = "",
        include_ended: bool = False,
        expand_arrays: bool = False,
        deadline_met: bool | None = None,
        fields: Iterable[str] = (),
        page_size: int = 1000,
    ) -> AsyncIterator[Job]:
        """Jobs that match all that is given, page by page; the server filters.

        Without *include_ended*, and without a state in which a job has ended, only those that are held, wait
        or run. An array is one line, unless *expand_arrays* wants a line an element. *deadline_met*: only
        those that have met their deadlines, or (False) missed them, ended or not.
        """
        wanted = [state_value(state) for state in states]
        request = wire.ListJobsRequest(
            users=users,
            queues=queues,
            states=wanted,
            job_ids=ids,
            name=name,
            include_ended=include_ended or deadline_met is not None or not ENDED.isdisjoint(wanted),
            expand_arrays=expand_arrays,
            fields=fields,
            page_size=whole("page_size", page_size, 1, LARGEST_PAGE),
        )
        if deadline_met is not None:
            request.deadline_met = deadline_met
        while True:
            page: wire.ListJobsResponse = await self._caller.call(self._job_service.ListJobs, request)
            for job in page.jobs:
                yield job
            if not page.next_page_token:
                return
            request.page_token = page.next_page_token

    async def cancel(self, jobs: Iterable[JobId], reason: str = "") -> list[str]:
        """End *jobs*; of a job that has ended already nothing changes."""
        return await self._change(self._job_service.CancelJobs, jobs, reason=reason)

    async def hold(self, jobs: Iterable[JobId], reason: str = "", hold: str = "user") -> list[str]:
        """Keep *jobs* from starting; *hold* is user, operator or system."""
        return await self._change(self._job_service.HoldJobs, jobs, reason=reason, hold=_hold(hold))

    async def release(
        self, jobs: Iterable[JobId], reason: str = "", hold: str = "user", all_holds: bool = False
    ) -> list[str]:
        """Take a hold from *jobs*, or all of them, which takes an operator."""
        return await self._change(
            self._job_service.ReleaseJobs, jobs, reason=reason, hold=_hold(hold), all_holds=all_holds
        )

    async def requeue(self, jobs: Iterable[JobId], reason: str = "", ended: bool = False) -> list[str]:
        """Put running *jobs* back into the queue; their work is lost. Not repeated after a lost answer.

        With *ended* those, too, that are over and still in the server's memory.
        """
        return await self._change(self._job_service.RequeueJobs, jobs, reason=reason, ended=ended)

    async def suspend(self, jobs: Iterable[JobId], reason: str = "") -> list[str]:
        """Stop running *jobs*; they keep their work."""
        return await self._change(self._job_service.SuspendJobs, jobs, reason=reason)

    async def resume(self, jobs: Iterable[JobId], reason: str = "") -> list[str]:
        """Let suspended *jobs* go on."""
        return await self._change(self._job_service.ResumeJobs, jobs, reason=reason)

    async def start(
        self,
        jobs: Iterable[JobId],
        reason: str = "",
        *,
        nodes: Iterable[str] = (),
        ignore_limits: bool = False,
        ignore_reservations: bool = False,
    ) -> list[str]:
        """Start waiting *jobs* past the policy, on *nodes* alone if there are any. Not repeated after a lost
        answer. It takes an operator.
        """
        request = wire.StartJobsRequest(
            jobs=[job_ref(job) for job in jobs],
            reason=reason,
            nodes=nodes,
            ignore_limits=ignore_limits,
            ignore_reservations=ignore_reservations,
        )
        answer: wire.ChangeJobsResponse = await self._caller.call(self._job_service.StartJobs, request)
        return list(answer.refusals)

    async def signal(self, jobs: Iterable[JobId], signal: int) -> list[str]:
        """Send a signal (1 to 64) to running *jobs*. Not repeated after a lost answer."""
        request = wire.SignalJobsRequest(
            jobs=[job_ref(job) for job in jobs], signal=whole("signal", signal, 1, LARGEST_SIGNAL)
        )
        answer: wire.ChangeJobsResponse = await self._caller.call(self._job_service.SignalJobs, request)
        return list(answer.refusals)

    async def slice(self, jobs: Iterable[JobId], slicing: Slicing | None) -> list[str]:
        """Let running *jobs* compute as *slicing* says; None: all the time again."""
        request = wire.SliceJobsRequest(jobs=[job_ref(job) for job in jobs])
        if slicing is not None:
            slicing.check()
            request.slicing.CopyFrom(WiredSlicing(**slicing.as_json()))
        answer: wire.ChangeJobsResponse = await self._caller.call(self._job_service.SliceJobs, request)
        return list(answer.refusals)

    async def set_rates(
        self,
        jobs: Iterable[JobId],
        rate: str,
        *,
        full_rate: float = 0.0,
        threshold: float = 0.0,
        period_s: float = 0.0,
        step_s: float = 0.0,
        search: str = "",
        full_use: float = 0.0,
        measure_full_use: bool = False,
    ) -> list[str]:
        """Let running *jobs*, whose programs report iterations, go at *rate* (``50%`` or ``0.5/s``).

        Empty: as fast as they can. What is 0 or empty beside it stays as it was.
        """
        request = wire.SetRatesRequest(
            jobs=[job_ref(job) for job in jobs],
            rate=rate,
            full_rate=full_rate,
            threshold=threshold,
            period_s=period_s,
            step_s=step_s,
            search=search,
            full_use=full_use,
            measure_full_use=measure_full_use,
        )
        answer: wire.ChangeJobsResponse = await self._caller.call(self._job_service.SetRates, request)
        return list(answer.refusals)

    async def rates(self, jobs: Iterable[JobId] = ()) -> list[wire.ControlledJob]:
        """Running jobs with target rates: those that are named, or all."""
        request = wire.ListRatesRequest(jobs=[job_ref(job) for job in jobs])
        found: wire.ListRatesResponse = await self._caller.call(self._job_service.ListRates, request)
        return list(found.jobs)

    async def slices(self) -> list[wire.SlicedJob]:
        """The jobs that are sliced, as ordered and as achieved, and those that were, as far as is known."""
        found: wire.ListSlicesResponse = await self._caller.call(
            self._job_service.ListSlices, wire.ListSlicesRequest()
        )
        return list(found.jobs)

    async def alter(self, job: JobId, /, **changes: Unpack[SpecFields]) -> Job:
        """Change fields (see ``SpecFields``) of a job that has not ended; the job as it is then."""
        spec, fields = JobSpec(), altered_fields(changes)
        if "resources" in fields:
            # They are altered as one, so what is not mentioned has to be sent as it was.
            spec.resources.CopyFrom((await self.job(job)).spec.resources)
        if "features" in changes:
            spec.resources.ClearField("features")
        if "components" in changes:
            for name in ("components", "processors"):
                spec.resources.ClearField(name)
        spec.MergeFrom(job_spec(changes))
        request = wire.AlterJobRequest(job=job_ref(job), spec=spec, fields=fields)
        return await self._caller.call(self._job_service.AlterJob, request)

    async def explain(self, job: JobId) -> wire.Explanation:
        """Why a job waits: the first rule that blocks it, its limit and value, and what would help."""
        return await self._caller.call(self._job_service.ExplainJob, job_ref(job))

    async def forecast(self, job: JobId) -> wire.Forecast:
        """When a job will start, with a band."""
        request = wire.ForecastJobRequest(job=job_ref(job))
        return await self._caller.call(
            self._job_service.ForecastJob, request, timeout_s=self._caller.patience.reckoning_s
        )

    async def _change(self, method: Method, jobs: Iterable[JobId], **more: Any) -> list[str]:
        request = wire.ChangeJobsRequest(jobs=[job_ref(job) for job in jobs], **more)
        answer: wire.ChangeJobsResponse = await self._caller.call(method, request)
        return list(answer.refusals)


def altered_fields(changes: Mapping[str, Any]) -> Sequence[str]:
    """The fields of JobSpec that *changes* touch, by their names on the wire."""
    named = {"estimate": "estimate_s", "after": "dependencies"}
    return sorted({"resources" if name in _IN_RESOURCES else named.get(name, name) for name in changes})


def _hold(name: str) -> Any:
    if name not in HOLDS:
        raise UnknownName("hold", name, HOLDS)
    return HOLDS[name]
