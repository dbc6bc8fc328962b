"""The pass that was last asked why jobs wait, for all callers until something changes.

It is over a copy of the tables. With a long queue that copy is made in pieces, with turns between
them, and the pass runs in a thread: nothing else waits for it longer than for one piece.
"""

import asyncio
from typing import Final

from molokini.reports.why import PassReasons
from molokini.server.cooperative import Yielder
from molokini.server.queries.explanations import asked_now, surroundings_of
from molokini.server.server import Server
from molokini.server.turn.running_policy import RunningPolicy
from molokini.tables.copying import copied, copying
from molokini.tables.tables import Tables

RECENT_S: Final = 1.0
"""So long a pass counts as one of now, where nothing has changed."""
SHORT_ROWS: Final = 4096
"""Tables of so many rows are copied, and have their pass, within one step."""
MOST_ATTEMPTS: Final = 4
"""Where turns come between the pieces so often, the next copy is made at once, in memory that is there."""


class RecentPass:
    """What it says is kept briefly."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._of: tuple[int, RunningPolicy] | None = None
        self._at_s = 0.0
        self._reasons: PassReasons | None = None
        self._dropping: asyncio.TimerHandle | None = None
        self._one_at_a_time = asyncio.Lock()

    async def reasons(self) -> PassReasons | None:
        """What a pass says, at most a second ago on the clock; None: the policy cannot be asked."""
        asked_at, policy = self._server.state.serial, self._server.reactor.running_policy
        if self._is_recent() and self._of == (asked_at, policy):
            return self._reasons
        if self._server.state.tables.jobs.state.size <= SHORT_ROWS:
            return self._keep(asked_at, self._now(), asked_now(self._server, self._now()))
        async with self._one_at_a_time:
            # The one before may have begun after this one was asked for.
            if (
                self._is_recent()
                and self._of is not None
                and self._of[0] >= asked_at
                and self._of[1] is policy
            ):
                return self._reasons
            return await self._asked_aside()

    def _is_recent(self) -> bool:
        return self._of is not None and 0.0 <= self._now() - self._at_s < RECENT_S

    def _now(self) -> float:
        return max(self._server.clock.now(), self._server.state.now)

    async def _asked_aside(self) -> PassReasons | None:
        try:
            t = await self._copy()
            # Between the end of the copy and here there is no turn.
            serial, at_s, around = self._server.state.serial, self._now(), surroundings_of(self._server)
            t.cycle.explain = 1
            await self._server.reactor.running_policy.decide_aside(t, at_s)
            return self._keep(serial, at_s, PassReasons(around, t))
        except Exception:
            # A policy of the site's own may fail: jobs are listed all the same.
            return None

    async def _copy(self) -> Tables:
        """The tables, all of them as they are at one instant between two turns."""
        begun: Tables | None = None
        for _ in range(MOST_ATTEMPTS):
            as_of, yielder = self._as_of(), Yielder()
            for twin in copying(self._server.state.tables, begun):
                begun = twin
                await yielder.maybe_yield()
                if self._as_of() != as_of:
                    break
            else:
                return twin
        return copied(self._server.state.tables, begun)

    def _as_of(self) -> tuple[object, ...]:
        """Changes with each fact, with each pass, and where the tables have other arrays."""
        state = self._server.state
        return (
            state.serial,
            self._server.reactor.running_policy,
            state.tables.cycle.room_epoch,
            state.tables.bindings,
        )

    def _keep(self, serial: int, at_s: float, reasons: PassReasons | None) -> PassReasons | None:
        self._drop()
        self._of, self._at_s, self._reasons = (serial, self._server.reactor.running_policy), at_s, reasons
        self._dropping = asyncio.get_running_loop().call_later(RECENT_S, self._drop)
        return reasons

    def _drop(self) -> None:
        if self._dropping is not None:
            self._dropping.cancel()
        self._of = self._reasons = self._dropping = None
