"""How agents come: what they offer, which name they have, and what they are to know at once."""

from molokini.model.actors import Origin
from molokini.model.errors import BadValue
from molokini.model.facts import NodesAdded
from molokini.model.names import expand
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.link.holders import Comer
from molokini.server.link.node_slices import check_slices
from molokini.server.link.session import Session, attempt_of, resumed_launch_of
from molokini.server.link.sessions import Sessions, log
from molokini.server.state.node_names import NodeStatus
from molokini.server.turn.reporting import AcknowledgeReports, AddNodes, ReturnNodes

_MIXED = (
    "real and emulated nodes are in one cluster: jobs with a program may start on emulated nodes, which only "
    "pretend to run it; give each kind a queue of its own (molokini queues NAME --set nodes=...)"
)


class Registration(Sessions):
    """The part of the hub that takes connections up."""

    async def _welcome(self, message: wire.AgentMessage, peer: str) -> Session:
        if message.WhichOneof("content") != "register":
            raise BadValue("message", message.WhichOneof("content"), "register, as the first of a connection")
        register = message.register
        if not 1 <= len(register.agent) <= 255 or not register.agent.isprintable():
            raise BadValue("agent", register.agent[:60], "a name of 1 to 255 printable characters")
        if not 1 <= len(register.boot_id) <= 255 or not register.boot_id.isprintable():
            # Without one the agent could not be told from a copy of it.
            raise BadValue("boot_id", register.boot_id[:60], "1 to 255 printable characters")
        if len(register.former_identity) > 255 or not register.former_identity.isprintable():
            raise BadValue(
                "former_identity", register.former_identity[:60], "at most 255 printable characters"
            )
        if self.turned and not register.follows_clock:
            # Its ends would come at instants of a clock of its own, which this one never reaches in time.
            raise BadValue(
                "follows_clock",
                False,
                f"true, as the clock of this server is {self.turned}; start the agent with --follow-clock",
            )
        offers = [self._offer(register.agent, offer) for offer in register.nodes]
        new = all(record.agent != register.agent for record in self.reactor.state.machine.nodes)
        comer = Comer(register.boot_id, register.former_identity)
        self.holders.claim(register.agent, comer, self.reactor.state)
        mixed = self.reactor.state.machine.mixed
        try:
            await self.reactor.post(AddNodes(offers))
            if self.reactor.state.machine.mixed and not mixed:
                log.warning("%s", _MIXED)
            if self.reactor.state.taken.get(register.agent, ("", 0))[0] != register.boot_id:
                # From here on a server that is started again knows which agent has the name.
                await self.reactor.post(AcknowledgeReports(register.agent, register.boot_id, 0))
        finally:
            self.holders.settle(register.agent)
        session = Session(register.agent, register.boot_id, register.follows_clock, peer)
        session.heard_s = self.monotonic()
        for offer in register.nodes:
            if offer.memory_not_enforced:
                session.memory_not_enforced.update(expand(offer.names))
            if offer.cores > 0:
                session.cores.update(dict.fromkeys(expand(offer.names), offer.cores))
            if offer.real and offer.HasField("slices"):
                session.slices.update(dict.fromkeys(expand(offer.names), offer.slices))
        if (older := self.sessions.pop(session.name, None)) is not None:
            self._replace(older, session, comer.is_agent_of(older.boot_id))
        log.info("agent %s from %s is connected, with %d nodes", session.name, peer, self._nodes_of(session))
        self.heard_s.pop(session.name, None)
        # From here to the end nothing waits, so no decision can fall between the Welcome and what follows it.
        welcome = self._welcome_of(session)
        begun = list(welcome.attempts) if new else []
        if new:
            # The agent does not know the jobs that have started since its nodes joined: it has to start them.
            del welcome.attempts[:]
        session.send(welcome=welcome)
        if known := self._known(session):
            # Never before the welcome: an agent takes nothing else for the beginning of a conversation.
            session.send(acknowledge=wire.Acknowledge(serial=known))
        for launch in begun:
            session.send(launch=launch)
            if launch.suspended:
                order = wire.Order(kind=wire.Order.SUSPEND, attempt=launch.attempt, at_s=self.now())
                session.send(order=order)
        self._stop_again(session)
        self.sessions[session.name] = session
        self._return_nodes(session)
        self.progress.set()
        return session

    def _replace(self, older: Session, session: Session, same: bool) -> None:
        """The connection of *older* ends: the dead one of the same agent, or that of a silent agent."""
        if same:
            log.info("agent %s has reconnected: closing its connection from %s", older.name, older.peer)
        else:
            log.warning(
                "agent %s from %s, long silent, is replaced by the one from %s",
                older.name,
                older.peer,
                session.peer,
            )
            older.send(refused=wire.Refused(reason=f"another agent has taken the name {older.name}"))
        older.outgoing.put_nowait(None)

    def _stop_again(self, session: Session) -> None:
        """Send the orders to stop that the agent may have missed while it was away."""
        state = self.reactor.state
        for element in list(state.by_row.values()):
            ends = element.stopping or state.ends_together(element)
            if ends and session.name in state.working(element):
                self._order(session, element, wire.Order.KILL, self.now())
        for element in list(state.left.values()):
            if session.name in element.left_at:
                # Its answer is the word that other agents wait for.
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
        if offer.HasField("slices"):
            check_slices(offer.slices)
        for name in (*offer.features, *offer.generic, *filter(None, (offer.cluster,))):
            if not 1 <= len(name) <= 64 or not name.isprintable() or ":" in name:
                field = "cluster" if name and name == offer.cluster else "features"
                raise BadValue(field, name[:60], "names of 1 to 64 printable characters without a colon")
        return NodesAdded(
            agent,
            names,
            offer.processors,
            offer.memory_kb,
            dict(offer.generic),
            tuple(offer.features),
            offer.cluster,
            offer.real,
        )

    def _welcome_of(self, session: Session) -> wire.Welcome:
        state = self.reactor.state
        attempts = [
            resumed_launch_of(element, state)
            for element in sorted(state.by_row.values(), key=lambda e: (e.job.id, e.index))
            if element.status.active and not element.left_at and session.name in state.working(element)
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
            and record.status is NodeStatus.DOWN
            and record.lost_by is Origin.LEASE
        ]
        if lost:
            self.reactor.post(ReturnNodes(lost, Origin.LEASE, keep_drained=True))
