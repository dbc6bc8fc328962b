"""The conversation of an agent with the server, whatever carries it and whatever runs the jobs.

One session lasts as long as its agent: ``run`` is one connection of it. Reports are numbered from 1, kept
until the server has acknowledged them, and all sent again, in order, after the next connection's welcome.

The server must answer every heartbeat with a word (an Acknowledge of the serial it has): silence for the
length of the lease ends all jobs and the connection.
"""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from math import inf
from typing import Protocol

from molokini.agents.lease import Lease
from molokini.agents.offset import ClockOffset
from molokini.agents.outbox import Outbox
from molokini.agents.unheard import Unheard
from molokini.model.errors import BadInput, MolokiniError
from molokini.proto.v1 import agent_service_pb2 as wire

_log = logging.getLogger(__name__)

WELCOME_S = 30.0
"""Seconds of real time within which a server must answer a registration."""


class RegistrationRefused(BadInput):
    """The server does not take this agent; trying again would meet the same answer."""


class PutOff(MolokiniError):
    """The server does not take this agent just now; after *retry_s* seconds it may."""

    def __init__(self, text: str, retry_s: float) -> None:
        super().__init__(text)
        self.retry_s = retry_s


class WireBroken(MolokiniError):
    """What came is no conversation between a server and an agent; another connection may be better."""


class Executor(Protocol):
    """What runs the jobs. It is never asked to wait: what takes time is its own task's business."""

    def attempts(self) -> Iterable[wire.AttemptRef]:
        """The attempts that it has."""

    @property
    def running(self) -> int:
        """How many they are."""

    def welcome(self, welcome: wire.Welcome, unheard: Unheard) -> None:
        """Make its attempts those of *welcome*, but for what *unheard* reports have already ended."""

    def launch(self, launch: wire.Launch) -> None:
        """Run an attempt."""

    def order(self, order: wire.Order) -> None:
        """Do something to an attempt."""

    def grant(self, now_s: float) -> float | None:
        """Do and report all that is due up to *now_s*; the next instant that matters."""

    def acknowledged(self, reports: Iterable[wire.Report]) -> None:
        """These reports are durable at the server."""

    def lease_ran_out(self, at: float) -> None:
        """End all attempts, as of the instant *at* of the monotonic clock."""

    async def work(self, lease: Lease) -> None:
        """Runs beside every connection until it is cancelled; nothing may end when *lease* is over."""


class Agent(Protocol):
    """One agent, whatever runs its jobs: what a connection needs of it."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def welcomed(self) -> bool:
        """Whether the present connection, or the last one, was accepted."""

    @property
    def lease_s(self) -> float:
        """The lease that the server has given last; infinite: none."""

    async def run(
        self,
        incoming: AsyncIterator[wire.ServerMessage],
        send: Callable[[wire.AgentMessage], Awaitable[None]],
    ) -> None:
        """Talk to a server until the stream ends or its silence outlasts the lease.

        Raises RegistrationRefused (do not try again), PutOff (later), WireBroken, and what *incoming* and
        *send* raise.
        """

    def stop(self) -> None:
        """Give back what it has beside its connections; real jobs go on."""


class Session:
    """Registers, beats, keeps the lease, hands orders to the executor and its reports to the server.

    *make_executor* is given the function by which the executor reports. *monotonic* is the clock of
    heartbeats and lease; where it is not the machine's own, *look_s* says how often to look at it. *offset*,
    if there is one, is measured by the heartbeats.
    """

    def __init__(
        self,
        registration: wire.Register,
        make_executor: Callable[[Callable[[wire.Report], None]], Executor],
        monotonic: Callable[[], float],
        look_s: float,
        offset: ClockOffset | None = None,
    ) -> None:
        self._registration = registration
        self._offset = offset
        self._executor = make_executor(self._report)
        self._monotonic, self._look_s = monotonic, look_s
        self._lease = Lease()
        self._outbox = Outbox()
        self._outgoing: deque[wire.AgentMessage] = deque()
        self._more = asyncio.Event()
        self._beat_every_s = inf
        self._given_up = False
        """Whether the lease ended on the present connection: nothing that still comes over it is obeyed."""
        self.welcomed = False
        """Whether the present connection (the last one, if there is none) was accepted."""
        self.lease_s = inf
        """The lease of the last welcome; infinite: none."""

    async def run(
        self,
        incoming: AsyncIterator[wire.ServerMessage],
        send: Callable[[wire.AgentMessage], Awaitable[None]],
    ) -> None:
        """One connection: returns when it is over, or when the server has been silent for too long.

        Raises RegistrationRefused, PutOff, WireBroken, and whatever *incoming* and *send* raise.
        """
        self._begin()
        works = (self._read(incoming), self._write(send), self._beat(), self._executor.work(self._lease))
        tasks = [asyncio.ensure_future(work) for work in works]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        # The reader is the first: a refusal that it has read explains why a write has failed.
        for task in tasks:
            if task in done:
                task.result()

    def tell(self, said: wire.SlicedAttempt | wire.RatedAttempt) -> None:
        """Tell the server how an attempt keeps to its slices, or how fast it goes, where it listens."""
        if not self.welcomed:
            return
        if isinstance(said, wire.RatedAttempt):
            self._post(wire.AgentMessage(rated=said))
        else:
            self._post(wire.AgentMessage(sliced=said))

    def _begin(self) -> None:
        now = self._monotonic()
        if self._offset is not None:
            self._offset.begin()
        if self._lease.over(now):
            self._end_jobs()
        registration = wire.Register()
        registration.CopyFrom(self._registration)
        registration.attempts.extend(self._executor.attempts())
        self.welcomed = self._given_up = False
        self._beat_every_s = inf
        self._outgoing.clear()
        self._lease.beat(now)
        self._post(wire.AgentMessage(register=registration))

    async def _read(self, incoming: AsyncIterator[wire.ServerMessage]) -> None:
        async for message in incoming:
            if self._given_up:
                return None
            # Before anything else: this may be the first moment after a long stop, and the word an old one.
            if self._lease.over(self._monotonic()):
                return self._end_jobs()
            self._lease.renew()
            self._take(message)
        return None

    def _take(self, message: wire.ServerMessage) -> None:
        content = message.WhichOneof("content")
        if content == "refused":
            text = f"the server refuses this agent: {message.refused.reason}"
            if message.refused.retry_s > 0:
                raise PutOff(text, message.refused.retry_s)
            raise RegistrationRefused(text)
        if (content == "welcome") == self.welcomed:
            raise WireBroken(f"the server sent {content!r} which the session does not allow now")
        match content:
            case "welcome":
                self._enter(message.welcome)
            case "launch":
                self._executor.launch(message.launch)
            case "order":
                self._executor.order(message.order)
            case "acknowledge":
                self._acknowledged(message.acknowledge)
            case "grant":
                self._answer(message.grant)
            case _:
                _log.warning("ignored a message of a newer server")

    def _acknowledged(self, answer: wire.Acknowledge) -> None:
        if self._offset is not None and answer.sent_s:
            self._offset.heard(answer.sent_s, answer.server_s, self._monotonic(), answer.clock)
        self._executor.acknowledged(self._outbox.acknowledge(answer.serial))

    def _enter(self, welcome: wire.Welcome) -> None:
        self._lease.grant(welcome.lease_s)
        self.lease_s = self._lease.length_s
        self._beat_every_s = _beat_every(welcome)
        self._executor.welcome(welcome, Unheard(self._outbox.kept))
        self.welcomed = True
        for report in self._outbox.kept:
            self._post(wire.AgentMessage(report=report))
        if self._offset is not None:
            self._post_heartbeat(self._monotonic())

    def _answer(self, grant: wire.Grant) -> None:
        next_s = self._executor.grant(grant.now_s)
        self._post(wire.AgentMessage(done=wire.Done(turn=grant.turn, next_s=next_s)))

    def _report(self, report: wire.Report) -> None:
        self._outbox.add(report)
        if self.welcomed:
            self._post(wire.AgentMessage(report=report))

    def _post(self, message: wire.AgentMessage) -> None:
        self._outgoing.append(message)
        self._more.set()

    async def _write(self, send: Callable[[wire.AgentMessage], Awaitable[None]]) -> None:
        while True:
            while self._outgoing:
                await send(self._outgoing.popleft())
            self._more.clear()
            await self._more.wait()

    async def _beat(self) -> None:
        """Send heartbeats; return when the lease has run out, or when no welcome has come."""
        last = began = self._monotonic()
        while True:
            now = self._monotonic()
            if self._lease.over(now):
                return self._end_jobs()
            if not self.welcomed and now >= began + WELCOME_S:
                raise WireBroken(f"the server did not answer the registration within {WELCOME_S:g} s")
            every_s = self._beat_every_s
            if self.welcomed and self._offset is not None:
                every_s = min(every_s, self._offset.every_s)
            if now >= last + every_s:
                last = now
                self._post_heartbeat(now)
            wake = min(now + self._look_s, last + every_s, self._lease.ends_s)
            await asyncio.sleep(max(0.0, wake - now))

    def _post_heartbeat(self, now: float) -> None:
        self._lease.beat(now)
        heartbeat = wire.Heartbeat(running=self._executor.running)
        if self._offset is not None:
            self._offset.asked()
            heartbeat.sent_s = now
        self._post(wire.AgentMessage(heartbeat=heartbeat))

    def _end_jobs(self) -> None:
        _log.warning("no message from the server within the lease: ending all jobs of this agent")
        self._given_up = True
        self._executor.lease_ran_out(self._lease.ends_s)
        self._lease.drop()


def _beat_every(welcome: wire.Welcome) -> float:
    """Twice as often as the server wants, so that one late beat is no missing one; well within the lease."""
    heartbeat_s = welcome.heartbeat_s / 2 if welcome.heartbeat_s > 0 else inf
    lease_s = welcome.lease_s / 4 if welcome.lease_s > 0 else inf
    return min(heartbeat_s, lease_s)
