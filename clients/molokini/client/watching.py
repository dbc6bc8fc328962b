"""What happens to jobs, as it happens: a watch that outlives connections, and waiting for ends."""

import time
from collections.abc import AsyncIterator, Iterable
from typing import NamedTuple

import grpc

from molokini.client.calls import Caller, Pauses
from molokini.client.errors import ServerError, Unavailable
from molokini.client.specs import JobId, job_ref
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1.cluster_service_pb2 import Cluster, GetClusterRequest
from molokini.proto.v1.jobs_pb2 import Job

_WATCH_S = 3600.0
"""Seconds after which a watch is called again, so that every call has a deadline."""

_WAIT_S = 60.0
"""So long one call waits; a connection that has died in silence is noticed after that."""


class Waited(NamedTuple):
    """The jobs that were waited for as they are now, and whether all have ended."""

    jobs: list[Job]
    all_ended: bool


class Watching:
    """The calls that wait for something to happen."""

    _caller: Caller

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        jobs, cluster = caller.methods("JobService"), caller.methods("ClusterService")
        self._watch, self._wait, self._get_cluster = jobs.WatchJobs, jobs.WaitJobs, cluster.GetCluster

    async def watch(
        self, after: int | None = None, *, ids: Iterable[int] = (), users: Iterable[str] = ()
    ) -> AsyncIterator[wire.JobEvent]:
        """Changes of jobs, without end: those after sequence number *after*, or (None) from now on.

        A lost connection is made again and the watch goes on where it stopped, without gap or repetition; a
        server that stays away longer than the client's patience raises Unavailable. HistoryGone: *after* lies
        before what the server keeps (0 asks for all that it keeps).
        """
        place = _Place(await self._sequence() if after is None else after)
        request = wire.WatchJobsRequest(job_ids=ids, users=users)
        pauses = Pauses(self._caller.patience)
        while True:
            request.after = place.resume()
            stream = self._watch(request, timeout=_WATCH_S, metadata=self._caller.metadata)
            failed: ServerError = Unavailable(f"{self._caller.endpoint.target}: the server ended the watch")
            try:
                async for event in stream:
                    pauses.reset()
                    if place.is_new(event):
                        yield event
            except grpc.aio.AioRpcError as error:
                failed = await self._caller.failure(error)
            finally:
                stream.cancel()
            await self._server_back(failed, pauses)

    async def wait(self, jobs: Iterable[JobId], timeout_s: float | None = None) -> Waited:
        """Wait until all of *jobs* have ended, or for *timeout_s* seconds of real time.

        It bears lost connections and a server that starts again, as long as that is not away for longer than
        the client's patience. NotFound: one of the jobs does not exist.
        """
        refs = [job_ref(job) for job in jobs]
        end_s = None if timeout_s is None else time.monotonic() + timeout_s
        pauses = Pauses(self._caller.patience)
        while True:
            left_s = _WAIT_S if end_s is None else min(max(end_s - time.monotonic(), 0.001), _WAIT_S)
            request = wire.WaitJobsRequest(jobs=refs, timeout_s=left_s)
            try:
                answer: wire.WaitJobsResponse = await self._caller.call(
                    self._wait,
                    request,
                    repeat=False,
                    timeout_s=left_s + self._caller.patience.attempt_s,
                )
            except Unavailable as failed:
                await self._server_back(failed, pauses)
                continue
            if answer.all_ended or (end_s is not None and time.monotonic() >= end_s):
                return Waited(list(answer.jobs), answer.all_ended)

    async def _server_back(self, failed: ServerError, pauses: Pauses) -> None:
        """Return once the server answers again; raises where that is never, or takes too long."""
        await self._caller.pause(failed, pauses, time.monotonic())
        await self._sequence()

    async def _sequence(self) -> int:
        """The last sequence number of the journal."""
        cluster: Cluster = await self._caller.call(self._get_cluster, GetClusterRequest())
        return cluster.sequence


class _Place:
    """How far a watch has come. Events may share a sequence number, and a break may fall between them."""

    def __init__(self, after: int) -> None:
        self._after = after
        self._last = after
        self._seen = 0
        self._skip = 0

    def resume(self) -> int:
        """The number after which to ask; what was seen of the next one already will be passed over."""
        self._skip = self._seen
        return self._last - 1 if self._seen else self._after

    def is_new(self, event: wire.JobEvent) -> bool:
        """Whether *event* has not been seen; counts it then."""
        if event.sequence == self._last and self._skip:
            self._skip -= 1
            return False
        self._seen = self._seen + 1 if event.sequence == self._last else 1
        self._last = event.sequence
        self._skip = 0
        return True
