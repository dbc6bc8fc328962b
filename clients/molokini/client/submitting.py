"""Submitting: one job, many, or a stream of them, each safe to repeat.

Every specification carries a submission key before it leaves; without one of the caller's it gets its own.
After a lost answer or connection the same keys are sent again, and the server answers the ids that it has
given already.
"""

import uuid
from collections.abc import AsyncIterable, AsyncIterator, Iterable
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias, Unpack

from molokini.client.calls import Caller
from molokini.client.errors import ServerFault
from molokini.client.exchange import Exchange
from molokini.client.quantities import whole
from molokini.client.specs import SpecFields, job_spec, put
from molokini.model.errors import BadInput, BadValue
from molokini.proto.v1 import job_service_pb2 as wire
from molokini.proto.v1.jobs_pb2 import JobSpec

Specs: TypeAlias = Iterable[JobSpec] | AsyncIterable[JobSpec]
MOST_IN_A_BATCH = 1000
_LONGEST_KEY = 128


@dataclass(frozen=True)
class SubmitRefused:
    """A job of many that was not taken; its neighbours were."""

    reason: str


class Submitting:
    """The calls that make jobs."""

    _caller: Caller

    def __init__(self, caller: Caller) -> None:
        self._caller = caller
        jobs = caller.methods("JobService")
        self._submit, self._stream, self._many = jobs.Submit, jobs.SubmitStream, jobs.SubmitMany
        # A key a client and a counter: unique, and cheaper than a random number a job.
        self._name, self._serial = uuid.uuid4().hex, count(1)

    async def submit(
        self, spec: JobSpec | None = None, key: str | None = None, **fields: Unpack[SpecFields]
    ) -> int:
        """Submit one job, given as *spec* or by its fields, and return its id; it is durable then.

        With the same *key* (at most 128 characters) a later submit of the same user answers the same id and
        makes no second job. Refused names the field that is wrong.
        """
        if spec is not None and fields:
            raise BadInput("submit takes a specification or the fields of one, not both")
        given = job_spec(fields) if spec is None else spec
        return (await self.submit_response(given, key)).job_id

    async def submit_response(self, spec: JobSpec, key: str | None = None) -> wire.SubmitResponse:
        """The same with the whole answer, in which a divisible job finds what it was promised.

        One that is refused for its deadline has an id, too, and ``promise.verdict`` says so.
        """
        return await self._caller.call(self._submit, wire.SubmitRequest(spec=self._keyed(spec, key)))

    async def submit_many(self, specs: Specs, batch: int = 500) -> list[int | SubmitRefused]:
        """Submit many jobs in batches (1 to 1,000 jobs); an id or a refusal a job, in order.

        All that is in the answer is durable. If this raises, some may have been taken: with submission keys
        of your own in *specs*, calling again with the same ones is safe.
        """
        whole("batch", batch, 1, MOST_IN_A_BATCH)
        found: list[int | SubmitRefused] = []
        requests = (
            wire.SubmitManyRequest(specs=part) async for part in _batches(self._all_keyed(specs), batch)
        )
        async for request, answer in Exchange(self._caller, self._many, requests, window=8).answers():
            found += _outcomes(request, answer)
        return found

    async def submit_stream(self, specs: Specs, window: int = 256) -> AsyncIterator[int | SubmitRefused]:
        """Submit jobs one by one over one stream; yields an id or a refusal a job, in order, as they come.

        At most *window* jobs are under way at once.
        """
        whole("window", window, 1)
        requests = (wire.SubmitRequest(spec=spec) async for spec in self._all_keyed(specs))
        answer: wire.SubmitResponse
        exchange = Exchange(self._caller, self._stream, requests, window, lambda made: made.answers)
        async for _, answer in exchange.answers():
            yield SubmitRefused(answer.refusal) if answer.refusal else answer.job_id

    async def _all_keyed(self, specs: Specs) -> AsyncIterator[JobSpec]:
        async for spec in _each(specs):
            yield self._keyed(spec, None)

    def _keyed(self, spec: JobSpec, key: str | None) -> JobSpec:
        if not isinstance(spec, JobSpec):
            raise BadInput(f"a job is given as a JobSpec, not as {type(spec).__name__}; job_spec() makes one")
        if key is None and spec.submission_key:
            return spec
        if key is not None and not 1 <= len(key) <= _LONGEST_KEY:
            raise BadValue("key", key[: _LONGEST_KEY + 1], f"1 to {_LONGEST_KEY} characters")
        keyed = JobSpec()
        keyed.CopyFrom(spec)  # the caller may want to submit it once more
        put(keyed, "submission_key", key or f"{self._name}-{next(self._serial)}")
        return keyed


def _outcomes(request: wire.SubmitManyRequest, answer: wire.SubmitManyResponse) -> list[int | SubmitRefused]:
    found: list[int | SubmitRefused] = list(answer.job_ids)
    if len(found) != len(request.specs):
        raise ServerFault(f"{len(request.specs)} jobs were sent, and {len(found)} answered")
    for refusal in answer.refusals:
        found[refusal.place] = SubmitRefused(refusal.reason)
    return found


async def _each(specs: Specs) -> AsyncIterator[JobSpec]:
    if isinstance(specs, AsyncIterable):
        async for spec in specs:
            yield spec
    else:
        for spec in specs:
            yield spec


async def _batches(specs: AsyncIterator[JobSpec], size: int) -> AsyncIterator[list[JobSpec]]:
    part: list[JobSpec] = []
    async for spec in specs:
        part.append(spec)
        if len(part) == size:
            yield part
            part = []
    if part:
        yield part
