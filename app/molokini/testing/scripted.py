"""The services of a server, with scripted outcomes and faults put around their methods."""

from collections.abc import AsyncIterator, Callable
from functools import wraps
from typing import Any

from molokini.proto.v1.job_service_pb2 import ListJobsResponse
from molokini.testing.faults import METHODS, Faults
from molokini.testing.outcomes import Outcomes


class Scripted:
    """A servicer like *inner*: each of its methods fills in outcomes, and fails as *faults* say."""

    def __init__(self, inner: object, outcomes: Outcomes, faults: Faults, now: Callable[[], float]) -> None:
        self._inner, self._outcomes, self._faults, self._now = inner, outcomes, faults, now

    def __getattr__(self, name: str) -> Any:
        if name.endswith("_lines"):
            # Answers are messages here, by gRPC and by the gateway alike: so faults can change them.
            raise AttributeError(name)
        call = getattr(self._inner, name)
        if name == "Submit":
            call = self._filling(call)
        elif name in ("SubmitStream", "SubmitMany"):
            return self._filling_many(call)
        elif name == "ListJobs":
            call = self._late(call)
        return self._faults.around(name, call) if name in METHODS else call

    def _filling(self, call: Any) -> Any:
        @wraps(call)
        async def submit(request: Any, context: Any) -> Any:
            self._outcomes.fill(request.spec)
            return await call(request, context)

        return submit

    def _filling_many(self, call: Any) -> Any:
        async def filled(requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
            async for request in requests:
                for spec in request.specs if hasattr(request, "specs") else (request.spec,):
                    self._outcomes.fill(spec)
                yield request

        @wraps(call)
        def submit(requests: AsyncIterator[Any], context: Any) -> Any:
            return call(filled(requests), context)

        return submit

    def _late(self, call: Any) -> Any:
        """Listings in which what has just ended is not yet to be found."""

        @wraps(call)
        async def listed(request: Any, context: Any) -> Any:
            answer = await call(request, context)
            delay_s = self._faults.accounting_delay_s
            if not delay_s:
                return answer
            since_s = self._now() - delay_s
            kept = [one for one in answer.jobs if not one.HasField("end_s") or one.end_s <= since_s]
            return ListJobsResponse(jobs=kept, next_page_token=answer.next_page_token)

        return listed
