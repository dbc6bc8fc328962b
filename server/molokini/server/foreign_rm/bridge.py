"""The bridge to a resource manager: it looks, our policy decides as about nodes of our own, it orders.

One look brings what is new at an instant as commands of one turn, or of few between which no pass is made;
then comes the pass, and what it has decided is ordered. What is not new is no reason for a pass.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress

from molokini.model.errors import BadInput, MolokiniError
from molokini.model.facts import Fact
from molokini.server.caller_errors import WrongClock
from molokini.server.config.addresses import host_of, port_of
from molokini.server.config.wiki import Manager
from molokini.server.foreign_rm.foreign_jobs import Jobs
from molokini.server.foreign_rm.foreign_nodes import Nodes
from molokini.server.foreign_rm.ordering import Ordering
from molokini.server.server import Server
from molokini.server.time.clock import ClockKind
from molokini.server.turn.command import Command
from molokini.server.turn.reactor import Executors
from molokini.server.wiki.client import Refused, Unanswered, Unreachable, WikiClient

log = logging.getLogger("molokini.server.foreign_rm")

ALL_EVERY_S = 60.0
"""A look in this many seconds is at everything, so that a job that has vanished is missed."""
_LEAST_S = 0.05
"""Between two looks, however often the resource manager calls."""
_MOST_CALLERS, _CALL_S = 16, 5.0
"""Connections of callers at a time, and how long each may take to say its word."""


class Bridge:
    """Between *core*, which has no agents, and the resource manager that *client* asks."""

    def __init__(
        self,
        server: Server,
        config: Manager,
        client: WikiClient,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.core, self.client, self._config, self._monotonic = server, client, config, monotonic
        self.nodes = Nodes(server.state)
        self.jobs = Jobs(server, config.poll_s, monotonic)
        self._called = asyncio.Event()
        """Set when there is a reason to look before it is time."""
        self.ordering = Ordering(server.state, self.jobs, client, self._called.set)
        server.reactor.executors = _Both(server.reactor.executors, self.ordering)
        self._all_s = -float("inf")
        self._troubled = ""
        self._callers = 0
        self._task: asyncio.Task[None] | None = None
        self._listening: asyncio.Server | None = None

    # Looking and ordering.

    async def cycle(self) -> int:
        """One look, the pass that follows it, and its orders: how many. Raises what the client raises.

        After a failure the policy decides nothing before a look has succeeded: it would decide in the dark.
        """
        try:
            # What was decided meanwhile must not look as if the resource manager had taken it back.
            count = await self.order()
            await self.look()
            self.core.reactor.inform(True)
            return count + await self.order()
        except MolokiniError:
            self.core.reactor.inform(False)
            raise

    async def look(self) -> bool:
        """Take over what is new at the resource manager; whether anything was. Then no pass is made yet."""
        everything = self._monotonic() - self._all_s >= ALL_EVERY_S
        nodes = await self.client.ask(f"CMD=GETNODES ARG={0 if everything else self.nodes.since_s}:ALL")
        jobs = await self.client.ask(f"CMD=GETJOBS ARG={0 if everything else self.jobs.since_s}:ALL")
        await self._at_rest()
        self._turn_clock()
        of_nodes = list(self.nodes.commands(nodes.records))
        of_jobs = list(self.jobs.commands(jobs.records, everything))
        if everything:
            self._all_s = self._monotonic()
        if not (of_nodes or of_jobs):
            return False
        self.core.reactor.inform(False)
        # Whether a job can ever start is checked against the nodes that exist by then.
        for commands in filter(None, (of_nodes, of_jobs)):
            await self._post(commands)
        while later := self.jobs.later():
            await self._post(later)
        return True

    async def order(self) -> int:
        """Send what was decided since; how many orders there were. What could not be sent stays."""
        await self._at_rest()
        count = 0
        while (command := await self.ordering.send_one()) is not None:
            count += 1
            if isinstance(command, Command):
                await self._post([command])
                await self._at_rest()
        return count

    async def _post(self, commands: list[Command]) -> None:
        answers = [self.core.reactor.post(command) for command in commands]
        for command, answer in zip(
            commands, await asyncio.gather(*answers, return_exceptions=True), strict=True
        ):
            if isinstance(answer, BadInput):
                log.warning("from the resource manager: %s", answer)
            elif isinstance(answer, BaseException) and not isinstance(answer, MolokiniError):
                raise answer
            else:
                self.jobs.answered(command, answer)

    async def _at_rest(self) -> None:
        """Return when nothing is left to do at the present instant: the next turn is all of one look."""
        server = self.core
        # Answered by a turn with its pass; one that was under way has ended before it.
        await server.reactor.post(_Nothing())
        while not server.clock.runs and (server.timekeeper.busy or server.reactor.mailbox):
            if server.timekeeper.stopped.is_set():
                return
            await asyncio.sleep(0)

    def _turn_clock(self) -> None:
        """Let our clock stand where that of the resource manager does, if it does not go by the calendar."""
        at_s, clock = self.client.clock_s, self.core.clock
        if at_s is None:
            return
        if clock.kind is not ClockKind.STEPPED:
            told = f"the resource manager's clock does not show calendar time, and ours is {clock.kind}"
            raise WrongClock(f"{told}; start with --clock stepped")
        if at_s > clock.now():
            clock.limit_s = at_s
            clock.turn_to(at_s)

    # Going on.

    async def start(self) -> None:
        """Look for the first time, and go on in a task. Raises what the first look raises."""
        await self._listen()
        await self.cycle()
        self._task = asyncio.create_task(self._run(), name="bridge")

    async def stop(self) -> None:
        """Look no more; jobs go on."""
        if self._listening is not None:
            self._listening.close()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _run(self) -> None:
        while not self.core.reactor.stopping:
            with suppress(TimeoutError):
                async with asyncio.timeout(self._config.poll_s):
                    await self._called.wait()
            self._called.clear()
            await self._try()
            await asyncio.sleep(_LEAST_S)

    async def _try(self) -> None:
        try:
            await self.cycle()
        except (Unreachable, Unanswered, Refused, WrongClock) as error:
            if str(error) != self._troubled:
                log.warning("resource manager unreachable: %s", error)
            self._troubled = str(error)
        except Exception:
            # The next look may meet something else; the jobs of all others must not wait for it.
            log.exception("polling the resource manager failed")
        else:
            if self._troubled:
                log.info("the resource manager answers again")
            self._troubled = ""

    async def _listen(self) -> None:
        """Hear the resource manager call, where the configuration says where."""
        place = self._config.events
        if not place:
            return
        try:
            self._listening = await asyncio.start_server(self._hear, host_of(place), port_of(place))
        except OSError as error:
            raise MolokiniError(f"manager.events: {place}: {error.strerror or error}") from None
        port = self._listening.sockets[0].getsockname()[1]
        with suppress(Refused):
            # Some have no such command, and know the port by a configuration of their own.
            await self.client.ask(f"CMD=INITIALIZE ARG= EPORT={port} USEHOSTEXP=F")

    async def _hear(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """A caller can make us poll at once, and nothing else."""
        self._callers += 1
        try:
            with suppress(OSError, TimeoutError):
                async with asyncio.timeout(_CALL_S if self._callers <= _MOST_CALLERS else 0.0):
                    await reader.read(16)
        finally:
            self._callers -= 1
            writer.close()
            self._called.set()


class _Both:
    """Two executors, one after the other."""

    def __init__(self, first: Executors, second: Executors) -> None:
        self._parts = first, second

    def send_orders(self, fact: Fact, now: float) -> None:
        for one in self._parts:
            one.send_orders(fact, now)


class _Nothing(Command):
    """Answered when a turn and its pass are over; it changes nothing."""

    after_pass = True

    def check(self, state: object, draft: object) -> None:
        return None
