"""The other side of the Wiki protocol: requests to a resource manager, one connection each."""

import asyncio
import time
from contextlib import suppress

from molokini.model.errors import MolokiniError
from molokini.server.config.addresses import host_of, port_of
from molokini.server.wiki.answers import Answer, read_answer
from molokini.server.wiki.messages import (
    STARTING,
    Shared,
    WikiError,
    clock_of,
    message,
    opened,
    read_message,
)

MOST_ANSWER_BYTES = 64 << 20
"""Of a listing: some 300,000 jobs."""
CONNECT_S, ANSWER_S = 5.0, 60.0


class Unreachable(MolokiniError):
    """The resource manager could not be asked, or is only starting: it has done nothing."""


class Unanswered(MolokiniError):
    """It was asked, and no answer came that can be believed: what was ordered may have happened."""


class Refused(MolokiniError):
    """It was asked, and says no: *code* is its SC."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"the resource manager refuses ({code}): {text[:200]}")
        self.code = code


class WikiClient:
    """Asks the resource manager at *address*, HOST:PORT."""

    def __init__(self, address: str, shared: Shared, user: str) -> None:
        self.address, self._shared, self._user = address, shared, user
        self.clock_s: float | None = None
        """The instant of its scheduling clock at its last answer; None: that goes by the calendar."""

    async def ask(self, data: str) -> Answer:
        """The answer to *data*. Raises Unreachable, Unanswered, Refused."""
        try:
            async with asyncio.timeout(CONNECT_S):
                place = host_of(self.address), port_of(self.address)
                reader, writer = await asyncio.open_connection(*place, limit=1 << 20)
        except (OSError, TimeoutError) as error:
            raise Unreachable(f"{self.address} cannot be reached: {error or 'no answer'}") from None
        try:
            async with asyncio.timeout(ANSWER_S):
                writer.write(message(self._shared, self._user, data, time.time()))
                payload = await read_message(reader, MOST_ANSWER_BYTES)
            _, said = opened(self._shared, payload, time.time())
            answer = read_answer(said)
        except (OSError, TimeoutError, WikiError) as error:
            raise Unanswered(f"{self.address}: {error or 'no answer'}") from None
        finally:
            with suppress(OSError):
                writer.close()
        if answer.code == STARTING:
            raise Unreachable(f"{self.address}: {answer.text[:200] or 'it is starting'}")
        if answer.code < 0:
            raise Refused(answer.code, answer.text)
        self.clock_s = clock_of(payload)
        return answer
