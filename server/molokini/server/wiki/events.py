"""The event port of an outside scheduler: we notify it there of changes, and it polls by itself."""

import asyncio
import logging
from contextlib import suppress

from molokini.model import facts as h
from molokini.model.facts import Fact
from molokini.server.config.addresses import host_of, port_of
from molokini.server.turn.reactor import Reactor

log = logging.getLogger("molokini.server.wiki")

JOBS, MACHINE = b"1234\0", b"1235\0"
"""Jobs have changed; nodes or the configuration have changed, which is also the event of a start."""
RETRY_S = 120.0
"""After a scheduler could not be reached it is left alone for so long."""
_CONNECT_S = 5.0
_OF_MACHINE = (h.NodesAdded, h.NodeDrained, h.NodeLost, h.NodeReturned, h.QueueSet, h.QueueRemoved)


class Events:
    """Tells the scheduler at *place* (HOST:PORT; empty: none yet), at most once in *after_s* real seconds."""

    def __init__(self, reactor: Reactor, place: str, after_s: float, retry_s: float = RETRY_S) -> None:
        self._reactor, self._after_s, self._retry_s = reactor, after_s, retry_s
        self.place = place
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to tell."""
        self._task = asyncio.create_task(self._run(), name="events of the Wiki port")

    async def stop(self) -> None:
        """No longer do so."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        codes, state = {MACHINE}, self._reactor.state
        serial = state.serial
        while True:
            if self.place and codes and not await self._tell(codes):
                await asyncio.sleep(self._retry_s)
            codes = set()
            while not codes:
                async with self._reactor.turned:
                    while state.serial <= serial:
                        await self._reactor.turned.wait()
                await asyncio.sleep(self._after_s)
                codes = {code for _, _, fact in state.events_after(serial) if (code := code_of(fact))}
                serial = state.serial

    async def _tell(self, codes: set[bytes]) -> bool:
        try:
            for code in sorted(codes):
                async with asyncio.timeout(_CONNECT_S):
                    _, writer = await asyncio.open_connection(host_of(self.place), port_of(self.place))
                    writer.write(code)
                    with suppress(ConnectionError):
                        await writer.drain()
                    writer.close()
        except (OSError, TimeoutError) as error:
            log.info("the event port %s cannot be reached: %s", self.place, error or "no answer")
            return False
        return True


def code_of(fact: Fact) -> bytes:
    """The event that a scheduler gets of *fact*; empty: none."""
    if isinstance(fact, _OF_MACHINE):
        return MACHINE
    return JOBS if fact.EVENT else b""
