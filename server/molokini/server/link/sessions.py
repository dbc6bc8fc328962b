"""Which agents are connected, and which runs what: what telling, hearing and welcoming them share."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import Callable
from itertools import chain
from typing import Any

from molokini.feedback.keeping import Keeps
from molokini.proto.clock_names import clock_name
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.proto.v1.jobs_pb2 import NodeSlices, Rate, Sliced
from molokini.server.link.controlling import RateControllers
from molokini.server.link.holders import Holders
from molokini.server.link.latest_reports import LatestReports
from molokini.server.link.node_slices import keeps_of
from molokini.server.link.session import Session, attempt_of
from molokini.server.state.jobs import Element
from molokini.server.turn.reactor import Reactor

log = logging.getLogger("molokini.server.agents")


class Sessions:
    """The one table of sessions, which nothing but the parts of the hub may change."""

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
        self.clock = clock_name() if monotonic is time.monotonic else ""
        """The name of the monotonic clock; empty: it is not the machine's."""
        self.heartbeat_s, self.lease_s, self.margin_s = heartbeat_s, lease_s, margin_s
        self.turned = turned
        """The kind of a clock that is turned, which all agents must follow; empty: it runs by itself."""
        self.sessions: dict[str, Session] = {}
        self.heard_s: dict[str, float] = {}
        """Of agents that are not connected: when they were heard of last."""
        held_s = lease_s + margin_s if lease_s else 0.0
        self.holders = Holders(self.sessions, self.heard_s, lambda: self.monotonic(), heartbeat_s, held_s)
        self.progress = asyncio.Event()
        """Set whenever an agent has said something."""
        self._looked_s = monotonic()
        self._losing: asyncio.Future[object] | None = None
        """The last nodes that were given up; it is done when that is durable."""
        self._overruns = False
        """Whether agents have got limits beyond estimates."""
        self._runs_at: dict[tuple[int, int], tuple[str, ...]] = {}
        """Of what runs or is suspended, by job and index: the agents that are to run it."""
        self.achieved: LatestReports[Sliced] = LatestReports()
        """What was achieved for sliced jobs."""
        self.rates: LatestReports[Rate] = LatestReports()
        """How fast programs go, by their own account."""
        self._reactor: Reactor | None = None
        self.controllers: RateControllers | None = None
        """Of jobs with target rates; None: there is no reactor yet."""

    @property
    def reactor(self) -> Reactor:
        """The reactor that this hub serves."""
        assert self._reactor is not None
        return self._reactor

    def _cores(self, node: str) -> int:
        """Cores of *node*, as its agent has said; 0: as many as its processors."""
        record = self.reactor.state.machine.by_name.get(node)
        session = self.sessions.get(record.agent) if record is not None else None
        return session.cores.get(node, 0) if session is not None else 0

    def slices_of(self, node: str) -> NodeSlices | None:
        """What *node* keeps of periods and slices, as its agent, which is connected, has said."""
        record = self.reactor.state.machine.by_name.get(node)
        session = self.sessions.get(record.agent) if record is not None else None
        return session.slices.get(node) if session is not None else None

    def _keeps(self, node: str) -> Keeps:
        return keeps_of(self.slices_of(node))

    def belong_to(self, reactor: Reactor) -> None:
        """Set the reactor, which needs the hub to be made. The agents of its nodes are awaited now."""
        self._reactor = reactor
        self.controllers = RateControllers(reactor, lambda: self.monotonic())
        reactor.state.cores, reactor.state.keeps = self._cores, self._keeps
        self.policy_is_set()
        for record in reactor.state.machine.nodes:
            self.heard_s.setdefault(record.agent, self.monotonic())
        for element in reactor.state.by_row.values():
            if element.status.active and element.nodes:
                self._runs_at[element.job.id, element.index] = reactor.state.agents_of(element)

    def policy_is_set(self) -> None:
        """The server has set its policy at its start; no fact reports that to the hub."""
        self._overruns = self.reactor.state.site.overruns

    def working(self, element: Element) -> list[Session]:
        """The agents that run *element* and have not ended their parts, but for those that are away."""
        agents = self.reactor.state.working(element)
        return [session for agent in agents if (session := self.sessions.get(agent)) is not None]

    def _order(
        self, session: Session, element: Element, kind: wire.Order.Kind, now: float, **more: Any
    ) -> None:
        order = wire.Order(kind=kind, attempt=attempt_of(element), at_s=now, **more)
        session.send(order=order)

    def _nodes_of(self, session: Session) -> int:
        return sum(record.agent == session.name for record in self.reactor.state.machine.nodes)

    def _known(self, session: Session) -> int:
        boot_id, serial = self.reactor.state.taken.get(session.name, ("", 0))
        return serial if boot_id == session.boot_id else 0

    def agents(self) -> list[wire.Agent]:
        """Every agent that has nodes or is connected, sorted by name."""
        nodes = Counter(record.agent for record in self.reactor.state.machine.nodes)
        attempts = Counter(chain.from_iterable(self._runs_at.values()))
        return [
            self._described(name, nodes[name], attempts[name]) for name in sorted({*nodes, *self.sessions})
        ]

    def _described(self, name: str, nodes: int, attempts: int) -> wire.Agent:
        session = self.sessions.get(name)
        held_s = self.holders.left_s(name) if self.holders.of(name, self.reactor.state) else 0.0
        made = wire.Agent(name=name, nodes=nodes, attempts=attempts, held_s=held_s)
        if session is not None:
            made.connected, made.peer = True, session.peer
        heard_s = session.heard_s if session is not None else self.heard_s.get(name)
        if heard_s is not None:
            made.silent_s = self.monotonic() - heard_s
        return made

    def _gone(self, session: Session) -> None:
        if self.sessions.get(session.name) is session:
            self.heard_s[session.name] = session.heard_s
            del self.sessions[session.name]
            log.info("agent %s from %s has left", session.name, session.peer)
        self.progress.set()
