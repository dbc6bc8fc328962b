"""Messages to agents: what each fact, durable and applied, means for the agent of its job."""

from typing import Any

from molokini.model.codec import KINDS
from molokini.model.decisions import DECISION_RULES
from molokini.model.facts import (
    AttemptGone,
    Fact,
    JobAimed,
    JobAltered,
    JobEnded,
    JobMoved,
    JobRequeued,
    JobResumed,
    JobShared,
    JobSliced,
    JobStarted,
    JobStopping,
    JobSuspended,
    PartEnded,
    PolicySet,
    ReportsTaken,
    RowsSet,
)
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.link.reports import ReportReader
from molokini.server.link.session import (
    allocation_of,
    limit_of,
    resumed_launch_of,
    rows_of,
    started_launch_of,
)
from molokini.server.state.jobs import Element, JobStatus
from molokini.server.state.slices import has_real_nodes, slicing_of
from molokini.server.translate import slicing_to_wire

_DECISION_RULES = {kind: [DECISION_RULES[one] for one in kind.DECISIONS] for kind in KINDS.values()}
_TOLD: tuple[type[Any], ...] = tuple(
    kind for kind, rules in _DECISION_RULES.items() if kind.FOR_AGENTS or any(one.of_agents for one in rules)
)
_WITHHELD = tuple(kind for kind, rules in _DECISION_RULES.items() if any(one.keeps_agent for one in rules))
"""Facts that an agent does not get about an attempt that it has not been given yet."""


class OrderSender(ReportReader):
    """The part of the hub that speaks."""

    def send_orders(self, fact: Fact, now: float) -> None:
        """Do what *fact*, durable and applied, means for an agent."""
        state = self.reactor.state
        if isinstance(fact, ReportsTaken):
            self._acknowledge(fact)
            return
        if isinstance(fact, RowsSet):
            self._send_rows(fact, now)
            return
        if isinstance(fact, JobAltered):
            self._send_limit(fact, now)
        elif isinstance(fact, PolicySet):
            self._send_limits(now)
        if not isinstance(fact, _TOLD):
            return
        job = state.jobs[fact.job]
        element = job.element_of(fact.index)
        if element is None:
            return
        before = self._keep_place(fact, element)
        if isinstance(fact, PartEnded):
            if state.ends_together(element):
                self._order_all(element, wire.Order.KILL, now)
        elif isinstance(fact, AttemptGone):
            if not element.left_at:
                self._go_on(element, now)
        elif isinstance(fact, JobResumed | JobMoved) and set(before) != set(state.agents_of(element)):
            for agent in element.left_at:
                if (older := self.sessions.get(agent)) is not None:
                    self._order(older, element, wire.Order.KILL, now)
            if not element.left_at:
                self._go_on(element, now)
        elif element.left_at and isinstance(fact, _WITHHELD):
            # While another may still run it, no agent is to; one that is away learns it from its welcome.
            return
        elif isinstance(fact, JobStarted):
            for session in self.working(element):
                session.send(launch=started_launch_of(element, state, fact.rate))
        elif isinstance(fact, JobSuspended):
            self._order_all(element, wire.Order.SUSPEND, now)
        elif isinstance(fact, JobResumed):
            place = allocation_of(element, state)
            self._order_all(element, wire.Order.RESUME, now, rate=fact.rate, allocation=place)
        elif isinstance(fact, JobMoved):
            self._order_all(element, wire.Order.MOVE, now, allocation=allocation_of(element, state))
        elif isinstance(fact, JobShared):
            self._order_all(element, wire.Order.SET_RATE, now, rate=fact.rate)
        elif isinstance(fact, JobSliced | JobAimed):
            if not element.left_at:
                self._send_slices(element, now)
        elif isinstance(fact, JobStopping) or (isinstance(fact, JobRequeued | JobEnded) and fact.by):
            # What was taken from its agents by others (a node lost) may still run on its other nodes.
            self._order_all(element, wire.Order.KILL, now)

    def _send_slices(self, element: Element, now: float) -> None:
        """When it computes from now on."""
        state = self.reactor.state
        slicing = slicing_of(state, element)
        rate = state.sliced_rate(element.job.id, element.index, 1.0)
        more = {} if slicing is None else {"slicing": slicing_to_wire(slicing)}
        self._order_all(element, wire.Order.SLICE, now, rate=rate, **more)

    def _send_rows(self, fact: RowsSet, now: float) -> None:
        """Where jobs stand in the matrix from now on; one that progresses as before need not hear of it.

        Real processes take turns on the grid, however work is counted, and hear of all changes.
        """
        state = self.reactor.state
        for job, index, _, _, _, stall_s, rate in fact.places:
            element = state.jobs[job].element_of(index)
            if element is None or element.row < 0 or element.left_at:
                continue
            if has_real_nodes(state, element):
                self._send_turns(element, now, rate)
            elif state.tables.jobs.updated_s[element.row] == now:
                rows = rows_of(element, state, stall_s)
                self._order_all(element, wire.Order.SET_ROWS, now, rate=rate, rows=rows)

    def _send_turns(self, element: Element, now: float, rate: float) -> None:
        """In which rows real processes compute from now on."""
        slicing = slicing_of(self.reactor.state, element)
        if slicing is not None:
            self._order_all(element, wire.Order.SLICE, now, rate=rate, slicing=slicing_to_wire(slicing))

    def _send_limit(self, fact: JobAltered, now: float) -> None:
        """An agent ends a job at its limit, so it must hear of another; if it is away, by its welcome."""
        if "estimate_s" not in fact.changes:
            return
        job = self.reactor.state.jobs[fact.job]
        for element in job.known_elements():
            if element.status.active:
                self._set_limit(element, now)

    def _send_limits(self, now: float) -> None:
        """Another configuration may let jobs that run already run on for longer, or shorter."""
        overruns = self.reactor.state.site.overruns
        if overruns or self._overruns:
            for element in list(self.reactor.state.by_row.values()):
                if element.status.active:
                    self._set_limit(element, now)
        self._overruns = overruns

    def _set_limit(self, element: Element, now: float) -> None:
        limit_s = limit_of(element, self.reactor.state)
        self._order_all(element, wire.Order.SET_LIMIT, now, limit_s=limit_s, estimate_s=element.execution_s)

    def _order_all(self, element: Element, kind: wire.Order.Kind, now: float, **more: Any) -> None:
        """Order the same of every agent that runs a part of *element*."""
        for session in self.working(element):
            self._order(session, element, kind, now, **more)

    def _keep_place(self, fact: Fact, element: Element) -> tuple[str, ...]:
        """Remember the agents that are to run *element* from now on; those before."""
        place = (element.job.id, element.index)
        before = self._runs_at.get(place, ())
        if isinstance(fact, JobEnded | JobRequeued):
            self._runs_at.pop(place, None)
        elif element.nodes:
            self._runs_at[place] = self.reactor.state.agents_of(element)
        return before

    def _go_on(self, element: Element, now: float) -> None:
        """Its agents may run *element* from *now* on; that they waited for others takes none of its time."""
        if not element.status.active or element.stopping:
            return
        launch = resumed_launch_of(element, self.reactor.state)
        launch.start_s = launch.updated_s = now
        for session in self.working(element):
            session.send(launch=launch)
            if element.status is JobStatus.SUSPENDED:
                self._order(session, element, wire.Order.SUSPEND, now)

    def signal(self, element: Element, signal: int, now: float) -> None:
        """Send a signal to what runs."""
        self._order_all(element, wire.Order.SIGNAL, now, signal=signal)

    def _acknowledge(self, fact: ReportsTaken) -> None:
        session = self.sessions.get(fact.agent)
        if session is None or session.boot_id != fact.boot_id:
            return
        for serial in [serial for serial in session.reports if serial <= fact.serial]:
            del session.reports[serial]
        session.send(acknowledge=wire.Acknowledge(serial=fact.serial))
        if fact.serial + 1 in session.reports:
            # The turn put the next report off, and no later report would bring it up again.
            self._take_reports(session, fact.serial)
