"""A connection to a server: how it is made and closed. The calls over it stand in files of their own."""

from types import TracebackType
from typing import Self

from molokini.client.calls import Caller, Patience
from molokini.client.endpoint import Tls, find_endpoint


class Connected:
    """What every client has; the calls come from the classes that it is mixed with."""

    _caller: Caller

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

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
