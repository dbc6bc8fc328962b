"""The Python client: everything that ``molokini.v1`` offers, on asyncio, over one channel.

async with Client.connect() as client:
    job = await client.submit(argv=["sleep", "5"], processors=2, estimate_s=60)
    print(await client.wait([job]))
"""

from types import TracebackType
from typing import Self

from molokini.clients.live.calls import Caller, Patience
from molokini.clients.live.cluster_calls import ClusterCalls
from molokini.clients.live.endpoint import Tls, find_endpoint
from molokini.clients.live.job_calls import JobCalls
from molokini.clients.live.submitting import Submitting
from molokini.clients.live.watching import Watching


class Client(Submitting, JobCalls, Watching, ClusterCalls):
    """A connection to one server; all calls of it share one channel, which finds a server that comes back.

    What calls raise stands in ``errors.py``; each has a deadline, and those that may be made twice are
    repeated after a lost answer (see ``Patience``).
    """

    def __init__(self, caller: Caller) -> None:
        for part in (Submitting, JobCalls, Watching, ClusterCalls):
            part.__init__(self, caller)

    @classmethod
    def connect(
        cls,
        target: str | None = None,
        token: str | None = None,
        tls: Tls | None = None,
        patience: Patience | None = None,
    ) -> Self:
        """A client of the server at *target*, to be closed or used with ``async with``.

        *target* is ``host:port``; without, MOLOKINI_SERVER, then the file ``molokini-state/endpoint``.
        *token*: without, MOLOKINI_TOKEN, the file that MOLOKINI_TOKEN_FILE names, then
        ``molokini-state/token``. *tls*: without, the files in MOLOKINI_TLS_CA, MOLOKINI_TLS_CERT and
        MOLOKINI_TLS_KEY. Must be called where an event loop runs; the connection comes with the first call.
        """
        return cls(Caller(find_endpoint(target, token, tls), patience or Patience()))

    @property
    def target(self) -> str:
        """Where the server is."""
        return self._caller.endpoint.target

    async def close(self) -> None:
        """End the calls that are under way, and the connection."""
        await self._caller.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()
