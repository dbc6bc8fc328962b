"""The pass that was last asked why jobs wait, for all callers until something changes."""

import asyncio

from molokini.reports.why import PassReasons
from molokini.server.queries.explanations import asked_now
from molokini.server.server import Server
from molokini.server.turn.running_policy import RunningPolicy

RECENT_S = 1.0
"""So long a pass counts as one of now, where nothing has changed."""


class RecentPass:
    """It is over a copy of all tables, which would take longer than a short listing, and is kept briefly."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._of: tuple[int, RunningPolicy] | None = None
        self._at_s = 0.0
        self._reasons: PassReasons | None = None
        self._dropping: asyncio.TimerHandle | None = None

    def reasons(self) -> PassReasons | None:
        """What a pass says, at most a second ago on the clock; None: the policy cannot be asked."""
        server = self._server
        now = max(server.clock.now(), server.state.now)
        of = (server.state.serial, server.reactor.running_policy)
        if self._of != of or not 0.0 <= now - self._at_s < RECENT_S:
            self._drop()
            self._of, self._at_s, self._reasons = of, now, asked_now(server, now)
            self._dropping = asyncio.get_running_loop().call_later(RECENT_S, self._drop)
        return self._reasons

    def _drop(self) -> None:
        if self._dropping is not None:
            self._dropping.cancel()
        self._of = self._reasons = self._dropping = None
