"""What agents say: reports become commands, each of which has its effect once."""

from math import isfinite

from molokini.model.actors import Origin
from molokini.model.errors import BadValue
from molokini.model.facts import Cause, Ending, PartEnded
from molokini.model.run_results import reported_in
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.link.session import Session, TakenNow
from molokini.server.link.sessions import Sessions, log
from molokini.server.turn.command import Command
from molokini.server.turn.ending import ReportEnd
from molokini.server.turn.losing import LoseNodes, ReleaseAttempt
from molokini.server.turn.operating import DrainNodes
from molokini.server.turn.reporting import ReturnNodes


class ReportReader(Sessions):
    """The part of the hub that listens."""

    def _read_message(self, session: Session, message: wire.AgentMessage) -> None:
        session.heard_s = self.monotonic()
        content = message.WhichOneof("content")
        if content == "report":
            self._report(session, message.report)
        elif content == "done":
            session.next_s = message.done.next_s if message.done.HasField("next_s") else float("inf")
            session.turn_done = message.done.turn
        elif content == "heartbeat":
            # An answer to each, so that the agent knows that its lease goes on.
            answer = wire.Acknowledge(serial=self._known(session))
            if message.heartbeat.sent_s:
                # By this an agent reckons where grids of sliced jobs begin on a clock of its own.
                answer.sent_s, answer.server_s = message.heartbeat.sent_s, self.monotonic()
                answer.clock = self.clock
            session.send(acknowledge=answer)
        elif content == "sliced":
            self._read_slices(session, message.sliced)
        elif content == "rated":
            self._read_rate(session, message.rated)
        else:
            raise BadValue("message", content, "heartbeat, report, done, sliced or rated")
        self.progress.set()

    def _read_slices(self, session: Session, said: wire.SlicedAttempt) -> None:
        """What was achieved is for those who look now, and is not journalled."""
        ref, told = said.attempt, said.sliced
        place = (ref.job_id, ref.array_index)
        known = self.achieved.of_attempt(place, ref.attempt).get(session.name)
        if known is None and not self._runs(session, ref):
            # Where something is known, these may be the last figures, which come after the end.
            log.warning("agent %s: %s", session.name, told.trouble or "slices of a job that is not its own")
            return
        told.trouble = told.trouble[:1000]
        if told.trouble and known is not None:
            known.trouble = told.trouble
            told = known
        elif known is not None:
            told.trouble = known.trouble
        self.achieved.take(place, ref.attempt, session.name, told)

    def _read_rate(self, session: Session, said: wire.RatedAttempt) -> None:
        """As what was achieved. An agent tells of the last iteration before it reports the end."""
        ref, rate = said.attempt, said.rate
        if self._runs(session, ref) and isfinite(rate.per_s) and isfinite(rate.at_s):
            self.rates.take((ref.job_id, ref.array_index), ref.attempt, session.name, rate)
            element = self.reactor.state.jobs[ref.job_id].element_of(ref.array_index)
            if element is not None and self.controllers is not None:
                self.controllers.hear(element, rate, session.name)

    def _report(self, session: Session, report: wire.Report) -> None:
        if self.holders.of(session.name, self.reactor.state) != session.boot_id:
            # Another start of it, or another agent, has the name by now; that one answers for the jobs.
            return
        known = self._known(session)
        if report.serial <= known:
            session.send(acknowledge=wire.Acknowledge(serial=known))
            return
        if report.serial in session.reports:
            return
        commands = self._commands(session, report)
        session.reports[report.serial] = commands
        for command in commands:
            # No task awaits the answer; reading a failure keeps asyncio from logging that none did.
            self.reactor.post(command).add_done_callback(lambda future: future.exception())
        self._take_reports(session, known)

    def _take_reports(self, session: Session, known: int) -> None:
        """Have a turn find out which reports after *known* it has checked."""
        if not session.taken_posted:
            session.taken_posted = True
            self.reactor.post(TakenNow(session, known)).add_done_callback(lambda future: future.exception())

    def _commands(self, session: Session, report: wire.Report) -> tuple[Command, ...]:
        kind, ref = report.kind, report.attempt
        if not isfinite(report.at_s):
            raise BadValue("at_s", report.at_s, "an instant of the scheduling clock")
        if kind in (wire.Report.ENDED, wire.Report.NOT_STARTED, wire.Report.KILLED):
            drain = report.drain_reason[:1000] if self._stands_for(session, report.node) else ""
            drained = (DrainNodes([report.node], Origin.SYSTEM, drain),) if drain else ()
            if self.reactor.state.may_still_run(ref.job_id, ref.array_index, ref.attempt, session.name):
                return (ReleaseAttempt(ref.job_id, ref.array_index, session.name), *drained)
            if not self._runs(session, ref):
                return drained
            end = PartEnded(
                ref.job_id,
                ref.array_index,
                ref.attempt,
                session.name,
                _ending(report),
                report.at_s,
                reported_in(report),
                report.reason[:1000],
                Cause.OUT_OF_MEMORY if report.out_of_memory else "",
            )
            return (ReportEnd(end, report.node, drain),)
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
        return session.name in self.reactor.state.working(element)

    def _stands_for(self, session: Session, node: str) -> bool:
        record = self.reactor.state.machine.by_name.get(node)
        return record is not None and record.agent == session.name


def _ending(report: wire.Report) -> Ending:
    if report.kind == wire.Report.NOT_STARTED:
        return Ending.NOT_STARTED
    if report.kind == wire.Report.KILLED:
        return Ending.CANCELLED
    if report.timed_out:
        return Ending.TIMED_OUT
    return Ending.FAILED if report.exit_code or report.signal else Ending.COMPLETED
