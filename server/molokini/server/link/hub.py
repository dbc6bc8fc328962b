"""All agents: who stands for which node, what they are told, and what becomes of their reports."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from math import isfinite
from typing import Any

from molokini.model.errors import BadInput, BadValue, MolokiniError
from molokini.model.happened import (
    AttemptGone,
    Happened,
    JobAltered,
    JobEnded,
    JobMoved,
    JobRequeued,
    JobResumed,
    JobShared,
    JobStarted,
    JobStopping,
    JobSuspended,
    NodesAdded,
    PolicySet,
    ReportsTaken,
)
from molokini.model.names import expand
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.link.session import (
    Session,
    TakenNow,
    allocation_of,
    attempt_of,
    limit_of,
    resumed_launch_of,
    started_launch_of,
)
from molokini.server.state.jobs import Element, Standing
from molokini.server.state.machine import NodeStanding
from molokini.server.turn.command import Command
from molokini.server.turn.reactor import Reactor
from molokini.server.turn.reporting import AddNodes, AttemptEnd, Ended, Gone, LoseNodes, ReturnNodes

log = logging.getLogger("molokini.server.agents")

SLEPT_S = 2.0
"""The silent are looked for twice a second; after a longer break it was the server that did not listen."""
LOST_BY = "lease"
"""Who takes down nodes of which nothing was heard: they return by themselves."""


_ACTIVE = (Standing.RUNNING, Standing.SUSPENDED)
_TOLD = (
    AttemptGone,
    JobStarted,
    JobSuspended,
    JobResumed,
    JobShared,
    JobMoved,
    JobStopping,
    JobRequeued,
    JobEnded,
)


_WITHHELD = (JobStarted, JobSuspended, JobResumed, JobShared, JobMoved)
"""What the agent is not told of an attempt that it has not been given yet."""


class Hub:
    """The executors of a live server: node agents over streams."""

    def __init__(
        self,
        now: Callable[[], float],
        heartbeat_s: float = 5.0,
        lease_s: float = 30.0,
        margin_s: float = 5.0,
        monotonic: Callable[[], float] = time.monotonic,
        turned: str = "",
    ) -> None:
        self.now, self.monotonic = now, monotonic
        self.heartbeat_s, self.lease_s, self.margin_s = heartbeat_s, lease_s, margin_s
        self.turned = turned
        """The kind of a clock that is turned, which all agents must follow; empty: it runs by itself."""
        self.sessions: dict[str, Session] = {}
        self.heard_s: dict[str, float] = {}
        """Of agents that are not connected: when they were heard of last."""
        self.progress = asyncio.Event()
        """Set whenever an agent has said something."""
        self._looked_s = monotonic()
        self._losing: asyncio.Future[object] | None = None
        """The last nodes that were given up; it is done when that is durable."""
        self._overruns = False
        """Whether agents have been told of limits beyond estimates."""
        self._runs_at: dict[tuple[int, int], str] = {}
        """Of what runs or is suspended, by job and index: the agent that was told to run it."""
        self._reactor: Reactor | None = None

    @property
    def reactor(self) -> Reactor:
        """Whose hub this is."""
        assert self._reactor is not None
        return self._reactor

    def belong_to(self, reactor: Reactor) -> None:
        """Set the reactor, which needs the hub to be made. The agents of its nodes are awaited now."""
        self._reactor = reactor
        configured = reactor.state.configured
        self._overruns = configured is not None and configured.overruns
        for record in reactor.state.machine.nodes:
            self.heard_s.setdefault(record.agent, self.monotonic())
        for element in reactor.state.by_row.values():
            if element.standing in _ACTIVE and element.nodes:
                self._runs_at[element.job.id, element.index] = self._agent_of(element)

    # What agents are told.

    def tell(self, fact: Happened, now: float) -> None:
        """Do what *fact*, durable and applied, means for an agent."""
        state = self.reactor.state
        if isinstance(fact, ReportsTaken):
            self._acknowledge(fact)
            return
        if isinstance(fact, JobAltered):
            self._tell_limit(fact, now)
        elif isinstance(fact, PolicySet):
            self._tell_limits(now)
        if not isinstance(fact, _TOLD):
            return
        job = state.jobs[fact.job]
        element = job.element_of(fact.index)
        if element is None:
            return
        before = self._keep_place(fact, element)
        session = self.session_of(element)
        if isinstance(fact, JobResumed | JobMoved) and before not in ("", self._agent_of(element)):
            if (older := self.sessions.get(before)) is not None:
                self._order(older, element, wire.Order.KILL, now)
            if session is not None and not element.left_at:
                self._go_on(element, session, now)
        elif session is None or (element.left_at and isinstance(fact, _WITHHELD)):
            # Who is away learns it from its welcome; and while another may still run it, nobody is to run it.
            return
        elif isinstance(fact, AttemptGone):
            self._go_on(element, session, now)
        elif isinstance(fact, JobStarted):
            session.send(launch=started_launch_of(element, state, fact.rate))
        elif isinstance(fact, JobSuspended):
            self._order(session, element, wire.Order.SUSPEND, now)
        elif isinstance(fact, JobResumed):
            self._order(
                session,
                element,
                wire.Order.RESUME,
                now,
                rate=fact.rate,
                allocation=allocation_of(element, state),
            )
        elif isinstance(fact, JobMoved):
            self._order(session, element, wire.Order.MOVE, now, allocation=allocation_of(element, state))
        elif isinstance(fact, JobShared):
            self._order(session, element, wire.Order.SET_RATE, now, rate=fact.rate)
        elif isinstance(fact, JobStopping) or (isinstance(fact, JobRequeued | JobEnded) and fact.by):
            # What was taken from its agent by others (a node lost) may still run on its other nodes.
            self._order(session, element, wire.Order.KILL, now)

    def _tell_limit(self, fact: JobAltered, now: float) -> None:
        """An agent ends a job at its limit, so it must hear of another; if it is away, by its welcome."""
        if "estimate_s" not in fact.changes:
            return
        job = self.reactor.state.jobs[fact.job]
        for element in job.known_elements():
            if element.standing in _ACTIVE and (session := self.session_of(element)) is not None:
                self._set_limit(session, element, now)

    def _tell_limits(self, now: float) -> None:
        """Another configuration may let jobs that run already run on for longer, or shorter."""
        configured = self.reactor.state.configured
        overruns = configured is not None and configured.overruns
        if overruns or self._overruns:
            for element in list(self.reactor.state.by_row.values()):
                if element.standing in _ACTIVE and (session := self.session_of(element)) is not None:
                    self._set_limit(session, element, now)
        self._overruns = overruns

    def _set_limit(self, session: Session, element: Element, now: float) -> None:
        limit_s = limit_of(element, self.reactor.state)
        self._order(
            session, element, wire.Order.SET_LIMIT, now, limit_s=limit_s, estimate_s=element.execution_s
        )

    def _keep_place(self, fact: Happened, element: Element) -> str:
        """Remember who is to run *element* from now on; who was to do so before, or nobody."""
        place = (element.job.id, element.index)
        before = self._runs_at.get(place, "")
        if isinstance(fact, JobEnded | JobRequeued):
            self._runs_at.pop(place, None)
        elif element.nodes:
            self._runs_at[place] = self._agent_of(element)
        return before

    def _go_on(self, element: Element, session: Session, now: float) -> None:
        """Its agent may run *element* from *now* on; that it waited for another takes none of its time."""
        if element.standing not in _ACTIVE or element.stopping:
            return
        launch = resumed_launch_of(element, self.reactor.state)
        launch.start_s = launch.updated_s = now
        session.send(launch=launch)
        if element.standing is Standing.SUSPENDED:
            self._order(session, element, wire.Order.SUSPEND, now)

    def _agent_of(self, element: Element) -> str:
        return self.reactor.state.agent_of(element)

    def _order(
        self, session: Session, element: Element, kind: wire.Order.Kind, now: float, **more: Any
    ) -> None:
        order = wire.Order(kind=kind, attempt=attempt_of(element), at_s=now, **more)
        session.send(order=order)

    def signal(self, element: Element, signal: int, now: float) -> None:
        """Send a signal to what runs."""
        session = self.session_of(element)
        if session is not None:
            order = wire.Order(kind=wire.Order.SIGNAL, attempt=attempt_of(element), at_s=now, signal=signal)
            session.send(order=order)

    def session_of(self, element: Element) -> Session | None:
        """The agent of the first node of *element*, which runs all of it; None while it is away."""
        if not element.nodes:
            return None
        return self.sessions.get(self._agent_of(element))

    def _acknowledge(self, fact: ReportsTaken) -> None:
        session = self.sessions.get(fact.agent)
        if session is None or session.boot_id != fact.boot_id:
            return
        for serial in [serial for serial in session.reports if serial <= fact.serial]:
            del session.reports[serial]
        session.send(acknowledge=wire.Acknowledge(serial=fact.serial))

    # What agents say.

    async def converse(self, incoming: AsyncIterator[wire.AgentMessage]) -> AsyncIterator[wire.ServerMessage]:
        """One connection of an agent, from its first message to its end; what is to be sent to it."""
        try:
            first = await anext(incoming)
        except StopAsyncIteration:
            return
        try:
            session = await self._welcome(first)
        except MolokiniError as error:
            yield wire.ServerMessage(refused=wire.Refused(reason=str(error)))
            return
        reader = asyncio.create_task(self._read(session, incoming))
        try:
            while (message := await session.outgoing.get()) is not None:
                yield message
        finally:
            reader.cancel()
            self._gone(session)

    async def _read(self, session: Session, incoming: AsyncIterator[wire.AgentMessage]) -> None:
        try:
            async for message in incoming:
                self._hear(session, message)
        except BadInput as error:
            log.warning("agent %s: %s", session.name, error)
            session.send(refused=wire.Refused(reason=str(error)))
        finally:
            session.outgoing.put_nowait(None)

    def _gone(self, session: Session) -> None:
        self.heard_s[session.name] = session.heard_s
        if self.sessions.get(session.name) is session:
            del self.sessions[session.name]
        self.progress.set()

    async def _welcome(self, message: wire.AgentMessage) -> Session:
        if message.WhichOneof("content") != "register":
            raise BadValue("message", message.WhichOneof("content"), "register, as the first of a connection")
        register = message.register
        if not 1 <= len(register.agent) <= 255 or not register.agent.isprintable():
            raise BadValue("agent", register.agent[:60], "a name of 1 to 255 printable characters")
        if self.turned and not register.follows_clock:
            # Its ends would come at instants of a clock of its own, which this one never reaches in time.
            raise BadValue(
                "follows_clock",
                False,
                f"true, as the clock of this server is {self.turned}; start the agent with --follow-clock",
            )
        offers = [self._offer(register.agent, offer) for offer in register.nodes]
        await self.reactor.post(AddNodes(offers))
        session = Session(register.agent, register.boot_id, register.follows_clock)
        session.heard_s = self.monotonic()
        older = self.sessions.pop(session.name, None)
        if older is not None:
            # The same agent again: the older connection is the dead one.
            older.outgoing.put_nowait(None)
        self.heard_s.pop(session.name, None)
        # From here to the end nothing waits, so no decision can fall between the Welcome and what follows it.
        session.send(welcome=self._welcome_of(session))
        if known := self._known(session):
            # Never before the welcome: an agent takes nothing else for the beginning of a conversation.
            session.send(acknowledge=wire.Acknowledge(serial=known))
        self._stop_again(session)
        self.sessions[session.name] = session
        self._return_nodes(session)
        self.progress.set()
        return session

    def _stop_again(self, session: Session) -> None:
        """What was told to stop while the agent was away is told so now."""
        for element in list(self.reactor.state.by_row.values()):
            if element.stopping and element.nodes and self._agent_of(element) == session.name:
                self._order(session, element, wire.Order.KILL, self.now())
        for element in list(self.reactor.state.left.values()):
            if element.left_at == session.name:
                # Its answer is the word that another agent waits for.
                gone = attempt_of(element)
                gone.attempt = element.left_attempt
                session.send(order=wire.Order(kind=wire.Order.KILL, attempt=gone, at_s=self.now()))

    def _offer(self, agent: str, offer: wire.NodeOffer) -> NodesAdded:
        names = tuple(expand(offer.names))
        known = self.reactor.state.machine.by_name
        for name in names:
            if name in known and known[name].agent != agent:
                raise BadValue("nodes", name, f"a node of its own (this one is of agent {known[name].agent})")
        if not 1 <= offer.processors <= 2**20:
            raise BadValue("processors", offer.processors, "from 1 to 1,048,576 a node")
        if not 0 <= offer.memory_kb < 2**53 or any(not 0 <= v < 2**31 for v in offer.generic.values()):
            raise BadValue("memory_kb", offer.memory_kb, "zero or more, as all resources")
        for name in (*offer.features, *offer.generic, *filter(None, (offer.cluster,))):
            if not 1 <= len(name) <= 64 or not name.isprintable() or ":" in name:
                field = "cluster" if name == offer.cluster else "features"
                raise BadValue(field, name[:60], "names of 1 to 64 printable characters without a colon")
        return NodesAdded(
            agent,
            names,
            offer.processors,
            offer.memory_kb,
            dict(offer.generic),
            tuple(offer.features),
            offer.cluster,
        )

    def _welcome_of(self, session: Session) -> wire.Welcome:
        state = self.reactor.state
        attempts = [
            resumed_launch_of(element, state)
            for element in sorted(state.by_row.values(), key=lambda e: (e.job.id, e.index))
            if element.standing in _ACTIVE
            and element.nodes
            and not element.left_at
            and state.machine.nodes[element.nodes[0][0]].agent == session.name
        ]
        return wire.Welcome(
            now_s=self.now(),
            heartbeat_s=self.heartbeat_s,
            lease_s=self.lease_s,
            attempts=attempts,
            epoch=state.epoch,
        )

    def _return_nodes(self, session: Session) -> None:
        lost = [
            record.name
            for record in self.reactor.state.machine.nodes
            if record.agent == session.name
            and record.standing is NodeStanding.DOWN
            and record.reason.startswith(f"{LOST_BY}:")
        ]
        if lost:
            self.reactor.post(ReturnNodes(lost, LOST_BY, keep_drained=True))

    def _hear(self, session: Session, message: wire.AgentMessage) -> None:
        session.heard_s = self.monotonic()
        content = message.WhichOneof("content")
        if content == "report":
            self._report(session, message.report)
        elif content == "done":
            session.next_s = message.done.next_s if message.done.HasField("next_s") else float("inf")
            session.turn_done = message.done.turn
        elif content == "heartbeat":
            # An answer to each, so that the agent knows that its lease goes on.
            session.send(acknowledge=wire.Acknowledge(serial=self._known(session)))
        else:
            raise BadValue("message", content, "heartbeat, report or done")
        self.progress.set()

    def _known(self, session: Session) -> int:
        boot_id, serial = self.reactor.state.taken.get(session.name, ("", 0))
        return serial if boot_id == session.boot_id else 0

    def _report(self, session: Session, report: wire.Report) -> None:
        known = self._known(session)
        if report.serial <= known:
            session.send(acknowledge=wire.Acknowledge(serial=known))
            return
        if report.serial in session.reports:
            return
        commands = self._commands(session, report)
        session.reports[report.serial] = commands
        for command in commands:
            # Nobody waits for the answer; a failure is kept from being reported as never looked at.
            self.reactor.post(command).add_done_callback(lambda future: future.exception())
        if not session.taken_posted:
            session.taken_posted = True
            self.reactor.post(TakenNow(session, known)).add_done_callback(lambda future: future.exception())

    def _commands(self, session: Session, report: wire.Report) -> tuple[Command, ...]:
        kind, ref = report.kind, report.attempt
        if not isfinite(report.at_s):
            raise BadValue("at_s", report.at_s, "an instant of the scheduling clock")
        if kind in (wire.Report.ENDED, wire.Report.NOT_STARTED, wire.Report.KILLED):
            if self.reactor.state.may_still_run(ref.job_id, ref.array_index, ref.attempt, session.name):
                return (Gone(ref.job_id, ref.array_index, session.name),)
            if not self._runs(session, ref):
                return ()
            end = AttemptEnd(
                ref.job_id,
                ref.array_index,
                ref.attempt,
                report.at_s,
                report.exit_code,
                report.signal,
                report.memory_kb,
                report.timed_out,
                killed=kind == wire.Report.KILLED,
                started=kind != wire.Report.NOT_STARTED,
                reason=report.reason[:1000],
            )
            return (Ended(end),)
        if kind == wire.Report.NODE_LOST and self._stands_for(session, report.node):
            return (LoseNodes([report.node], session.name, report.reason[:1000]),)
        if kind == wire.Report.NODE_RETURNED and self._stands_for(session, report.node):
            return (ReturnNodes([report.node], session.name, keep_drained=True),)
        return ()

    def _runs(self, session: Session, ref: wire.AttemptRef) -> bool:
        """Whether this agent was given the attempt: an agent is not believed about the jobs of another."""
        job = self.reactor.state.jobs.get(ref.job_id)
        element = job.element_of(ref.array_index) if job is not None else None
        if element is None or element.attempt != ref.attempt or not element.nodes:
            return False
        return self._agent_of(element) == session.name

    def _stands_for(self, session: Session, node: str) -> bool:
        record = self.reactor.state.machine.by_name.get(node)
        return record is not None and record.agent == session.name

    # Leases, on the monotonic clock.

    def lose_the_silent(self) -> None:
        """Nodes of agents that were silent for longer than lease and margin are lost; never where it is 0."""
        if self.lease_s == 0:
            return
        now_s, state = self.monotonic(), self.reactor.state
        slept, self._looked_s = now_s - self._looked_s > SLEPT_S, now_s
        if slept:
            self._forgive(now_s)
        silent = {
            name
            for name, heard_s in {**self.heard_s, **{n: s.heard_s for n, s in self.sessions.items()}}.items()
            if now_s - heard_s > self.lease_s + self.margin_s
        }
        if not silent:
            return
        for name in silent & self.sessions.keys():
            # Nobody is to wait for it any longer; should it speak again, it is told to come anew.
            self.sessions[name].outgoing.put_nowait(None)
            self._gone(self.sessions[name])
        lost = [
            r.name for r in state.machine.nodes if r.agent in silent and r.standing is not NodeStanding.DOWN
        ]
        if lost and (self._losing is None or self._losing.done()):
            reason = f"{LOST_BY}: nothing was heard of the agent for {self.lease_s + self.margin_s:g} s"
            self._losing = self.reactor.post(LoseNodes(lost, LOST_BY, reason))
            self._losing.add_done_callback(lambda future: future.exception())

    def _forgive(self, now_s: float) -> None:
        """The server was paused: what was said meanwhile may not have been read, so all begin anew."""
        for session in self.sessions.values():
            session.heard_s = now_s
        self.heard_s = dict.fromkeys(self.heard_s, now_s)
