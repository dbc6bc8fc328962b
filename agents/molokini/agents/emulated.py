"""Emulated nodes: they run nothing, and report what would have happened to the jobs placed on them.

Whatever is reported is a function of the attempts, the orders and the scripted outcomes alone (and of the
seed, where nodes fail by themselves), with instants of the scheduling clock. Nothing here looks at a clock:
the caller says until when things are to happen.
"""

from collections.abc import Callable, Container, Iterable, Sequence
from signal import SIGCHLD, SIGCONT, SIGKILL, SIGSTOP, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH

from molokini.agents.agenda import Agenda, Rank, Subject
from molokini.agents.attempt import Attempt, Fate, launched, nodes_of, taken_up
from molokini.agents.failures import Failures
from molokini.agents.unheard import Unheard
from molokini.model.errors import BadValue
from molokini.proto.v1.agent_service_pb2 import AttemptRef, Launch, Order, Report

_ALWAYS_END = frozenset({SIGKILL, SIGTERM})
_NEVER_END = frozenset({0, SIGCHLD, SIGCONT, SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU, SIGURG, SIGWINCH})


class EmulatedExecutor:
    """Attempts on up to 10,000 nodes, and what will happen to them.

    *report* is called with every report, in order of instant; reports of one instant come in the ranks of
    the design, then by job and array index. Of two attempts of a job the later one counts.
    """

    def __init__(self, report: Callable[[Report], None], nodes: Sequence[str], failures: Failures) -> None:
        self._report = report
        self._nodes, self._own = nodes, frozenset(nodes)
        self._failures = failures
        self._attempts: dict[Subject, Attempt] = {}
        self._agenda = Agenda()
        self._returns: dict[str, float] = {}
        """Lost nodes that will return, and when. A node that will not is the server's to give back."""
        self._ended_by_lease: dict[tuple[int, int, int], float] = {}
        self._fresh = True

    def attempts(self) -> list[AttemptRef]:
        """What runs or is suspended."""
        return [attempt.ref for attempt in self._attempts.values()]

    @property
    def running(self) -> int:
        """How many attempts there are, suspended ones included."""
        return len(self._attempts)

    def next_s(self) -> float | None:
        """The next instant at which there will be something to report, as things are; None: never."""
        return self._agenda.first_s()

    def advance(self, now_s: float) -> None:
        """Let everything happen that is due up to *now_s*."""
        while (happening := self._agenda.pop_until(now_s)) is not None:
            at_s, rank, subject = happening
            if rank is Rank.END:
                self._end(subject, at_s)
            elif rank is Rank.NODE_RETURNED:
                self._return(subject[2], at_s)
            elif subject[0]:
                self._die(subject, at_s)
            else:
                self._fail(subject[2], at_s)

    def launch(self, launch: Launch) -> None:
        """Run an attempt from its start on, or report at once that it cannot start. A repeat does nothing."""
        subject = _subject(launch.attempt)
        known = self._attempts.get(subject)
        if known is None or known.number < launch.attempt.attempt:
            self._forget(subject)
            self._admit(launch, launched)

    def take_up(self, launches: Iterable[Launch], now_s: float, unheard: Unheard) -> None:
        """Make the attempts those that a welcome at *now_s* names, as the server describes them.

        What has already ended, by a report that the server has not heard yet, stays ended. Ends that lie
        before *now_s* come with the next ``advance``, at their own instants.
        """
        for subject in list(self._attempts):
            self._forget(subject)
        for launch in launches:
            ref = launch.attempt
            ended_s = self._ended_by_lease.get((ref.job_id, ref.array_index, ref.attempt))
            if ended_s is not None:
                self._report(
                    Report(kind=Report.KILLED, attempt=ref, at_s=ended_s, reason="its lease ran out")
                )
            elif not unheard.closes(launch):
                self._admit(launch, taken_up)
        self._ended_by_lease.clear()
        if self._fresh and self._failures:
            self._begin_to_fail(now_s)
        self._fresh = False

    def order(self, order: Order) -> None:
        """Do what the server wants to an attempt; orders to others than the present one change nothing."""
        attempt = self._attempts.get(_subject(order.attempt))
        if attempt is not None and attempt.number != order.attempt.attempt:
            attempt = None
        if order.kind == Order.KILL:
            self._kill(order, attempt)
        elif attempt is None:
            return
        elif order.kind == Order.SIGNAL:
            self._signal(attempt, order)
        else:
            self._carry_on(attempt, order)

    def end_by_lease(self, at_s: float) -> None:
        """End all attempts in silence; the next welcome that names one is answered that it was killed."""
        for subject, attempt in list(self._attempts.items()):
            self._ended_by_lease[attempt.job, attempt.index, attempt.number] = at_s
            self._forget(subject)

    def _admit(self, launch: Launch, make: Callable[[Launch, Container[str]], Attempt]) -> None:
        try:
            attempt = make(launch, self._own)
        except BadValue as fault:
            self._refuse(launch, str(fault))
            return
        down = next((node for node in attempt.nodes if node in self._returns), None)
        if launch.spec.outcome.never_starts:
            self._refuse(launch, "scripted: the job never starts")
        elif down is not None:
            self._refuse(launch, f"node {down} is down")
        else:
            self._attempts[_subject(launch.attempt)] = attempt
            self._plan(attempt)

    def _refuse(self, launch: Launch, reason: str) -> None:
        self._report(
            Report(kind=Report.NOT_STARTED, attempt=launch.attempt, at_s=launch.start_s, reason=reason)
        )

    def _plan(self, attempt: Attempt) -> None:
        subject = (attempt.job, attempt.index, "")
        at_s = attempt.fate_s()
        if at_s is None:
            self._agenda.drop(subject)
        else:
            rank = Rank.NODE_LOST if attempt.fate is Fate.NODE_DIES else Rank.END
            self._agenda.set(at_s, rank, subject)

    def _forget(self, subject: Subject) -> Attempt | None:
        self._agenda.drop(subject)
        return self._attempts.pop(subject, None)

    def _end(self, subject: Subject, at_s: float) -> None:
        attempt = self._attempts.pop(subject)
        self._report(
            Report(
                kind=Report.ENDED,
                attempt=attempt.ref,
                at_s=at_s,
                exit_code=attempt.exit_code,
                signal=attempt.signal,
                memory_kb=attempt.memory_kb,
                timed_out=attempt.fate is Fate.TIMES_OUT,
            )
        )

    def _kill(self, order: Order, attempt: Attempt | None) -> None:
        """Answered for an attempt that is not known, too: the server wants to hear that it is gone."""
        if attempt is not None:
            self._forget(_subject(order.attempt))
        memory_kb = attempt.memory_kb if attempt else 0
        self._report(Report(kind=Report.KILLED, attempt=order.attempt, at_s=order.at_s, memory_kb=memory_kb))

    def _carry_on(self, attempt: Attempt, order: Order) -> None:
        _change(attempt, order, self._own)
        if any(node in self._returns for node in attempt.nodes):
            # The server knows, or will learn by a report, that the node and its new jobs are lost.
            self._forget(_subject(order.attempt))
        else:
            self._plan(attempt)

    def _signal(self, attempt: Attempt, order: Order) -> None:
        """Signals 9 and 15 end a job; any other that ends a process does so unless an outcome is scripted."""
        ends = order.signal in _ALWAYS_END or not (attempt.scripted or order.signal in _NEVER_END)
        if not ends:
            return
        self._forget(_subject(order.attempt))
        self._report(
            Report(
                kind=Report.ENDED,
                attempt=attempt.ref,
                at_s=order.at_s,
                signal=order.signal,
                memory_kb=attempt.memory_kb,
            )
        )

    def _begin_to_fail(self, now_s: float) -> None:
        """Plan every node's outages. A node is as the failures say since its latest job began, or now.

        What fell into a time without an agent is so found again: an attempt that the server believes to run
        was there at its start, and its node has not been lost since, for all that the server knows.
        """
        since_s: dict[str, float] = {}
        for attempt in self._attempts.values():
            for node in attempt.nodes:
                since_s[node] = max(attempt.start_s, since_s.get(node, attempt.start_s))
        for node in self._nodes:
            if node in since_s:
                self._plan_failure(node, since_s[node])
            else:
                self._agenda.set(self._failures.next_outage(node, now_s)[0], Rank.NODE_LOST, (0, 0, node))

    def _plan_failure(self, node: str, up_s: float) -> None:
        """Plan the first loss of *node*, which is up at *up_s*, from then on."""
        lost_s, returned_s = self._failures.next_outage(node, up_s)
        if lost_s < up_s:
            lost_s, _ = self._failures.next_outage(node, returned_s)
        self._agenda.set(lost_s, Rank.NODE_LOST, (0, 0, node))

    def _fail(self, node: str, at_s: float) -> None:
        self._report(Report(kind=Report.NODE_LOST, node=node, at_s=at_s, reason="the node has failed"))
        self._lose(node, at_s, self._failures.next_outage(node, at_s)[1])

    def _die(self, subject: Subject, at_s: float) -> None:
        """An attempt takes its first node with it; without an allocation it is lost alone."""
        attempt = self._attempts.pop(subject)
        node = attempt.nodes[0] if attempt.nodes else ""
        reason = "scripted: the node dies"
        self._report(Report(kind=Report.NODE_LOST, attempt=attempt.ref, node=node, at_s=at_s, reason=reason))
        if node:
            self._lose(node, at_s, self._failures.repaired(node, at_s))

    def _lose(self, node: str, at_s: float, returned_s: float | None) -> None:
        """What runs on *node* is gone; the server knows it from the loss of the node."""
        for subject, attempt in list(self._attempts.items()):
            if node in attempt.nodes:
                self._forget(subject)
        if returned_s is not None:
            self._returns[node] = returned_s
            self._agenda.set(returned_s, Rank.NODE_RETURNED, (0, 0, node))

    def _return(self, node: str, at_s: float) -> None:
        del self._returns[node]
        self._report(Report(kind=Report.NODE_RETURNED, node=node, at_s=at_s))
        if self._failures:
            self._plan_failure(node, at_s)


def _subject(ref: AttemptRef) -> Subject:
    return ref.job_id, ref.array_index, ""


def _change(attempt: Attempt, order: Order, own: Container[str]) -> None:
    """Suspend, resume, move, limit or change the rate of *attempt*; what it already is it stays."""
    if order.kind in (Order.RESUME, Order.MOVE) and order.allocation:
        attempt.nodes = nodes_of(order.allocation, own)
    if order.kind == Order.SUSPEND and not attempt.suspended:
        attempt.suspend(order.at_s)
    elif order.kind == Order.RESUME and attempt.suspended:
        attempt.resume(order.at_s, order.rate)
    elif order.kind in (Order.SET_RATE, Order.SLICE):
        attempt.set_rate(order.at_s, order.rate)
    elif order.kind == Order.SET_ROWS:
        attempt.set_rows(order.at_s, order.rows, order.rate)
    elif order.kind == Order.SET_LIMIT:
        attempt.set_limit(order.at_s, order.limit_s, order.estimate_s)
