"""When emulated nodes act: at instants granted by the server's clock, or by a clock of their own."""

import asyncio
from collections.abc import Callable, Iterable
from math import inf, nextafter

from molokini.agents.clocks import ScaledClock
from molokini.agents.emulated import EmulatedExecutor
from molokini.agents.lease import Lease
from molokini.agents.unheard import Unheard
from molokini.proto.v1.agent_service_pb2 import AttemptRef, Launch, Order, Report, Welcome


class GrantedTime:
    """The session's executor where the server's clock grants every instant: between grants nothing ends.

    Only what cannot start, and what is killed or signalled, is reported at once.
    """

    def __init__(self, nodes: EmulatedExecutor) -> None:
        self._nodes = nodes
        self._now_s = -inf

    def attempts(self) -> Iterable[AttemptRef]:
        """The attempts that it has."""
        return self._nodes.attempts()

    @property
    def running(self) -> int:
        """How many they are."""
        return self._nodes.running

    def welcome(self, welcome: Welcome, unheard: Unheard) -> None:
        """Take up the attempts; those that ended before the present instant are reported now."""
        self._now_s = welcome.now_s
        self._nodes.take_up(welcome.attempts, welcome.now_s, unheard)
        self._nodes.advance(nextafter(welcome.now_s, -inf))

    def launch(self, launch: Launch) -> None:
        """Run an attempt."""
        self._nodes.launch(launch)

    def order(self, order: Order) -> None:
        """Do something to an attempt."""
        self._nodes.order(order)

    def grant(self, now_s: float) -> float | None:
        """Let all happen that is due up to *now_s*; the next instant at which anything will be."""
        self._now_s = now_s
        self._nodes.advance(now_s)
        return self._nodes.next_s()

    def acknowledged(self, reports: Iterable[Report]) -> None:
        """Nothing is kept for them."""

    def lease_ran_out(self, at: float) -> None:
        """End all attempts at the last instant that was granted."""
        self._nodes.end_by_lease(self._now_s)

    async def work(self, lease: Lease) -> None:
        """Nothing to do between grants."""
        await asyncio.get_running_loop().create_future()


class OwnTime:
    """The session's executor on real or scaled time: a task wakes for the next happening.

    *look_s* is the longest time between two looks at the monotonic clock.
    """

    def __init__(
        self, nodes: EmulatedExecutor, clock: ScaledClock, monotonic: Callable[[], float], look_s: float
    ) -> None:
        self._nodes, self._clock = nodes, clock
        self._monotonic, self._look_s = monotonic, look_s
        self._changed = asyncio.Event()
        self._wakes_for_s = inf

    def attempts(self) -> Iterable[AttemptRef]:
        """The attempts that it has."""
        return self._nodes.attempts()

    @property
    def running(self) -> int:
        """How many they are."""
        return self._nodes.running

    def welcome(self, welcome: Welcome, unheard: Unheard) -> None:
        """Take the server's time and its attempts; those that have ended by now are reported now."""
        self._clock.set(welcome.now_s, self._monotonic())
        self._nodes.take_up(welcome.attempts, welcome.now_s, unheard)
        self._nodes.advance(welcome.now_s)
        self._look()

    def launch(self, launch: Launch) -> None:
        """Run an attempt."""
        self._clock.at_least(launch.start_s, self._monotonic())
        self._nodes.launch(launch)
        self._look()

    def order(self, order: Order) -> None:
        """Do something to an attempt, unless it ended at or before the order's instant."""
        self._clock.at_least(order.at_s, self._monotonic())
        self._nodes.advance(order.at_s)
        self._nodes.order(order)
        self._look()

    def grant(self, now_s: float) -> float | None:
        """A grant is a word about the time like any other."""
        self._clock.at_least(now_s, self._monotonic())
        self._nodes.advance(now_s)
        self._look()
        return self._nodes.next_s()

    def acknowledged(self, reports: Iterable[Report]) -> None:
        """Nothing is kept for them."""

    def lease_ran_out(self, at: float) -> None:
        """End all attempts that had not ended at *at*; what ended before is reported as it was."""
        ended_s = self._clock.at(at)
        self._nodes.advance(ended_s)
        self._nodes.end_by_lease(ended_s)

    async def work(self, lease: Lease) -> None:
        """Wake for what happens next."""
        while True:
            self._changed.clear()
            now = self._monotonic()
            # After a long stop this may run before the end of the lease has been noticed.
            self._nodes.advance(self._clock.at(min(now, lease.ends_s)))
            next_s = self._nodes.next_s()
            self._wakes_for_s = inf if next_s is None else next_s
            try:
                async with asyncio.timeout(min(self._look_s, self._clock.until(self._wakes_for_s, now))):
                    await self._changed.wait()
            except TimeoutError:
                continue

    def _look(self) -> None:
        """Wake the task if something is to happen sooner than it thinks."""
        next_s = self._nodes.next_s()
        if next_s is not None and next_s < self._wakes_for_s:
            self._changed.set()
