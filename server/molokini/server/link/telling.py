"""Messages to agents: what each fact, durable and applied, means for the agent of its job."""

from typing import Any

from molokini.model.codec import KINDS
from molokini.model.decisions import DEEDS
from molokini.model.facts import (
    AttemptGone,
    Fact,
    JobAltered,
    JobEnded,
    JobMoved,
    JobRequeued,
    JobResumed,
    JobShared,
    JobStarted,
    JobStopping,
    JobSuspended,
    PolicySet,
    ReportsTaken,
)
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.link.hearing import Hearing
from molokini.server.link.session import (
    Session,
    allocation_of,
    attempt_of,
    limit_of,
    resumed_launch_of,
    started_launch_of,
)
from molokini.server.state.jobs import Element, JobStatus

_DEEDS = {kind: [DEEDS[one] for one in kind.DECISIONS] for kind in KINDS.values()}
_TOLD: tuple[type[Any], ...] = tuple(
    kind for kind, deeds in _DEEDS.items() if kind.FOR_AGENTS or any(one.of_agents for one in deeds)
)
_WITHHELD = tuple(kind for kind, deeds in _DEEDS.items() if any(one.keeps_agent for one in deeds))
"""Facts that an agent does not get about an attempt that it has not been given yet."""


class Telling(Hearing):
    """The part of the hub that speaks."""

    def tell(self, fact: Fact, now: float) -> None:
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
            # An agent that is away learns it from its welcome; while another may still run it, none is to.
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
            if element.status.active and (session := self.session_of(element)) is not None:
                self._set_limit(session, element, now)

    def _tell_limits(self, now: float) -> None:
        """Another configuration may let jobs that run already run on for longer, or shorter."""
        overruns = self.reactor.state.site.overruns
        if overruns or self._overruns:
            for element in list(self.reactor.state.by_row.values()):
                if element.status.active and (session := self.session_of(element)) is not None:
                    self._set_limit(session, element, now)
        self._overruns = overruns

    def _set_limit(self, session: Session, element: Element, now: float) -> None:
        limit_s = limit_of(element, self.reactor.state)
        self._order(
            session, element, wire.Order.SET_LIMIT, now, limit_s=limit_s, estimate_s=element.execution_s
        )

    def _keep_place(self, fact: Fact, element: Element) -> str:
        """Remember the agent that is to run *element* from now on; the one before, empty for none."""
        place = (element.job.id, element.index)
        before = self._runs_at.get(place, "")
        if isinstance(fact, JobEnded | JobRequeued):
            self._runs_at.pop(place, None)
        elif element.nodes:
            self._runs_at[place] = self._agent_of(element)
        return before

    def _go_on(self, element: Element, session: Session, now: float) -> None:
        """Its agent may run *element* from *now* on; that it waited for another takes none of its time."""
        if not element.status.active or element.stopping:
            return
        launch = resumed_launch_of(element, self.reactor.state)
        launch.start_s = launch.updated_s = now
        session.send(launch=launch)
        if element.status is JobStatus.SUSPENDED:
            self._order(session, element, wire.Order.SUSPEND, now)

    def signal(self, element: Element, signal: int, now: float) -> None:
        """Send a signal to what runs."""
        session = self.session_of(element)
        if session is not None:
            order = wire.Order(kind=wire.Order.SIGNAL, attempt=attempt_of(element), at_s=now, signal=signal)
            session.send(order=order)

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
