"""When turns happen: at once when something arrives, at timers, and in step with all that follow the clock.

On a clock that runs, a turn gathers what arrives together, so that many requests share one sync. On a clock
that is turned, the next instant is the first at which an agent, a feeder or a timer has something to do, and
it comes only when all agents and feeders are done with the present one.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol

from molokini.server.link.hub import Hub
from molokini.server.link.session import Session
from molokini.server.time.clock import Clock, ClockKind
from molokini.server.turn.following import next_timer
from molokini.server.turn.reactor import Reactor

SILENCE_S = 0.05
"""Real silence after which a virtual clock without participants in its way jumps."""
PAUSE_S = 0.05
"""Real time between attempts to write a journal that is full or away."""
LONGEST_WAIT_S = 0.5
"""Leases are looked at so often."""


class Feeder(Protocol):
    """A participant in virtual time inside the server's process."""

    async def advance(self, now: float) -> float:
        """Post everything that is due up to *now*; the next instant at which there will be more."""


class Timekeeper:
    """Runs the turns of a reactor by its clock until it is stopped."""

    def __init__(self, reactor: Reactor, hub: Hub, clock: Clock, feeders: Sequence[Feeder] = ()) -> None:
        self.reactor, self.hub, self.clock = reactor, hub, clock
        self.feeders = list(feeders)
        self.silence_s = SILENCE_S
        self.turns = 0
        self.stopped = asyncio.Event()
        self.busy = True
        """Whether something is still to be done at the present instant of a clock that is turned."""
        self.at_rest = False
        """Whether, on a clock that is turned, nothing is due any more: only news can change anything."""
        self.open_requests = 0
        """Requests of outside clients that a virtual clock must not run away from."""

    async def run(self) -> None:
        """Until ``stop``."""
        while not self.stopped.is_set():
            if self.reactor.troubled:
                # A journal that cannot keep anything is not to be pressed, and others get their turn.
                await asyncio.sleep(PAUSE_S)
            self.hub.lose_the_silent()
            if self.clock.runs:
                await self._run_once()
            else:
                await self._step_once()

    def stop(self) -> None:
        """Let ``run`` return after the present turn."""
        self.stopped.set()
        self.reactor.arrived.set()
        self.hub.progress.set()

    async def reached(self, at_s: float) -> None:
        """Return when the clock stands at *at_s* and everything on the way has happened."""
        while self.clock.now() < at_s or self.busy:
            if self.stopped.is_set():
                return
            self.reactor.arrived.set()
            await asyncio.sleep(0.001)

    # A clock that runs.

    async def _run_once(self) -> None:
        reactor, followers = self.reactor, self._followers()
        agents_s = min((session.next_s for session in followers), default=float("inf"))
        due_s = min(reactor.wake_s, next_timer(reactor.state), agents_s)
        wait_s = min(self.clock.real_s(due_s), LONGEST_WAIT_S)
        if not reactor.mailbox and wait_s > 0:
            try:
                async with asyncio.timeout(wait_s):
                    await reactor.arrived.wait()
            except TimeoutError:
                if wait_s == LONGEST_WAIT_S:
                    return
        if reactor.mailbox:
            await reactor.gathering.wait()
        self.turns += 1
        now = max(self.clock.now(), reactor.state.now)
        if followers:
            await self._finish(now)
        else:
            await reactor.turn(now)
        if reactor.arrived.is_set() and not reactor.mailbox:
            reactor.arrived.clear()
        # A caller that got an answer may send a request before the next turn.
        await asyncio.sleep(0)

    # A clock that is turned.

    async def _step_once(self) -> None:
        now = self.clock.now()
        self.busy = True
        next_s = await self._finish(now)
        self.busy = False
        due_s = max(now, min(next_s, self.reactor.wake_s, next_timer(self.reactor.state)))
        self.at_rest = due_s == float("inf")
        limit_s = self.clock.limit_s
        if self.clock.paused or (due_s == float("inf") and limit_s in (now, float("inf"))):
            await self._wait_for_news()
        elif due_s == now or self.open_requests or not await self._quiet():
            await asyncio.sleep(0)
        elif due_s <= limit_s:
            self.busy = True
            self.clock.turn_to(due_s)
        elif now < limit_s:
            self.busy = True
            self.clock.turn_to(limit_s)
        else:
            await self._wait_for_news()

    async def _finish(self, now: float) -> float:
        """Do all that is to be done at *now*, with as many turns as that takes; the next instant.

        What is started at this instant may end at this instant, so agents that got messages are asked again.
        """
        again = True
        while again:
            feeders_s = [await feeder.advance(now) for feeder in self.feeders]
            await self._grant(now)
            self.turns += 1
            await self.reactor.turn(now)
            if self.reactor.troubled:
                return now
            again = bool(self.reactor.mailbox) or any(session.told for session in self._followers())
        agents_s = [session.next_s for session in self._followers()]
        return min([*feeders_s, *agents_s], default=float("inf"))

    def _followers(self) -> list[Session]:
        return [session for session in self.hub.sessions.values() if session.follows_clock]

    async def _grant(self, now: float) -> None:
        """Ask every agent that follows the clock to do what is due up to *now*, and wait until all have.

        On the way of a clock that is turned there may be very many instants at which an agent, by its own
        word, has nothing to do; where the clock stops, all are asked.
        """
        turn = self.turns
        passing = not self.clock.runs and now < self.clock.limit_s
        asked = [one for one in self._followers() if not passing or one.told or one.next_s <= now]
        if not asked:
            # No agent is waited for, so other tasks would not have their turn.
            await asyncio.sleep(0)
        for session in asked:
            session.grant(now, turn)
        while any(self.hub.sessions.get(s.name) is s and s.turn_done < turn for s in asked):
            self.hub.progress.clear()
            if any(self.hub.sessions.get(s.name) is s and s.turn_done < turn for s in asked):
                # An agent that hangs is not waited for longer than its lease.
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.hub.progress.wait(), LONGEST_WAIT_S)
                self.hub.lose_the_silent()
            if self.stopped.is_set():
                return

    async def _quiet(self) -> bool:
        """Whether nothing arrives for a while; at once where all that happens comes from participants.

        A stepped clock goes by command alone, so no request is waited for.
        """
        if self.feeders or self.reactor.mailbox or self.clock.kind is ClockKind.STEPPED:
            return not self.reactor.mailbox
        try:
            await asyncio.wait_for(self.reactor.arrived.wait(), self.silence_s)
        except TimeoutError:
            return True
        return False

    async def _wait_for_news(self) -> None:
        if self.stopped.is_set():
            # The turn has taken away the sign that wakes us.
            return
        waits = [asyncio.create_task(event.wait()) for event in (self.reactor.arrived, self.hub.progress)]
        self.hub.progress.clear()
        done, pending = await asyncio.wait(waits, timeout=LONGEST_WAIT_S, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        del done
        if self.reactor.arrived.is_set() and not self.reactor.mailbox:
            self.reactor.arrived.clear()
