"""What agents say: reports become commands, each of which has its effect once."""

from math import isfinite

from molokini.model.errors import BadValue
from molokini.proto.v1 import agent_service_pb2 as wire
from molokini.server.link.session import Session, TakenNow
from molokini.server.link.sessions import Sessions
from molokini.server.turn.command import Command
from molokini.server.turn.reporting import AttemptEnd, Ended, Gone, LoseNodes, ReturnNodes


class Hearing(Sessions):
    """The part of the hub that listens."""

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
                cpu_s=_amount(report.cpu_s),
                read_kb=int(_amount(report.read_kb)),
                written_kb=int(_amount(report.written_kb)),
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


def _amount(value: float) -> float:
    """What was used; a figure that cannot be one is not known, and no reason to doubt the end itself."""
    return value if 0 <= value < 2**53 else 0.0
