"""What agents report: ends, failed launches, nodes lost and back. Late and repeated ones change nothing."""

from dataclasses import dataclass, replace

from molokini.model.actors import Actor, Origin
from molokini.model.agenda import Rank
from molokini.model.errors import Conflict
from molokini.model.facts import (
    AttemptGone,
    Ending,
    JobEnded,
    JobRequeued,
    NodeDrained,
    NodeLost,
    NodeReturned,
    NodesAdded,
    QueueSet,
    ReportsTaken,
)
from molokini.server.state.jobs import Element
from molokini.server.state.machine import NodeStatus
from molokini.server.state.state import State
from molokini.server.turn.command import Again, Command, Draft


@dataclass(frozen=True, slots=True)
class AttemptEnd:
    """An attempt is over, as its agent saw it."""

    job: int
    index: int
    attempt: int
    at_s: float
    exit_code: int = 0
    signal: int = 0
    memory_kb: int = 0
    timed_out: bool = False
    killed: bool = False
    started: bool = True
    reason: str = ""
    cpu_s: float = 0.0
    read_kb: int = 0
    written_kb: int = 0


class Ended(Command):
    """An attempt is over; the answer says whether that was news."""

    rank = Rank.END

    def __init__(self, end: AttemptEnd) -> None:
        self.end = end
        self.order = (end.job, end.index)

    def check(self, state: State, draft: Draft) -> bool:
        end = self.end
        job = state.jobs.get(end.job)
        element = job.element_of(end.index) if job is not None else None
        if element is None or element.attempt != end.attempt or not element.status.active:
            return False
        if end.job in draft.touched:
            raise Again
        draft.touched.add(end.job)
        # An agent's clock may be ahead of ours, or wrong.
        at_s = min(max(end.at_s, element.start_s or 0.0), draft.now)
        if element.stopping == "requeue" and (end.killed or not end.started):
            draft.facts.append(JobRequeued(end.job, end.index, end.attempt, "", element.reason))
            return True
        if end.killed and not element.stopping:
            # No command asked for it: the agent's lease has run out, which counts as the loss of the node.
            draft.facts.append(fate_of_lost(element, at_s, Origin.SYSTEM, end.reason))
            return True
        draft.facts.append(
            JobEnded(
                end.job,
                end.index,
                end.attempt,
                _ending(end, element),
                at_s,
                end.exit_code,
                end.signal,
                end.memory_kb,
                # A job that was to be stopped may have ended by itself before.
                reason=end.reason or (element.reason if end.killed else ""),
                cpu_s=end.cpu_s,
                read_kb=end.read_kb,
                written_kb=end.written_kb,
            )
        )
        return True


def _ending(end: AttemptEnd, element: Element) -> Ending:
    if not end.started:
        return Ending.NOT_STARTED
    if end.killed:
        return Ending.CANCELLED
    if end.timed_out:
        return Ending.TIMED_OUT
    return Ending.FAILED if end.exit_code or end.signal else Ending.COMPLETED


class Gone(Command):
    """An agent from which a job was taken says that it runs there no longer."""

    rank = Rank.END

    def __init__(self, job: int, index: int, agent: str) -> None:
        self.job, self.index, self.agent = job, index, agent
        self.order = (job, index)

    def check(self, state: State, draft: Draft) -> None:
        job = state.jobs.get(self.job)
        element = job.element_of(self.index) if job is not None else None
        if element is None or element.left_at != self.agent:
            return
        if self.job in draft.touched:
            raise Again
        draft.touched.add(self.job)
        draft.facts.append(AttemptGone(self.job, self.index, self.agent))


class LoseNodes(Command):
    """Nodes are lost, and what ran there with them: requeued where that may be, else over."""

    rank = Rank.NODE_LOSS

    def __init__(self, names: list[str], by: Actor, reason: str) -> None:
        self.names, self.by, self.reason = names, by, reason

    def check(self, state: State, draft: Draft) -> list[Element]:
        named = [state.machine.node(name) for name in self.names]
        lost = [record for record in named if record.status is not NodeStatus.DOWN]
        numbers = {record.number for record in lost}
        hit = [
            element
            for element in state.by_row.values()
            if element.status.active and any(node in numbers for node, _ in element.nodes)
        ]
        if any(element.job.id in draft.touched for element in hit):
            raise Again
        for element in sorted(hit, key=lambda e: (e.job.id, e.index)):
            draft.touched.add(element.job.id)
            draft.facts.append(fate_of_lost(element, draft.now, self.by, self.reason))
        draft.facts.extend(NodeLost(record.name, self.by, self.reason) for record in lost)
        self._let_go(state, draft, numbers)
        return hit

    def _let_go(self, state: State, draft: Draft, lost: set[int]) -> None:
        """What an agent may still have run that has no node left runs there no longer."""
        if not state.left:
            return
        up = {
            record.agent
            for record in state.machine.nodes
            if record.number not in lost and record.status is not NodeStatus.DOWN
        }
        for (job, index), element in sorted(state.left.items(), key=lambda item: item[0]):
            if element.left_at not in up:
                draft.facts.append(AttemptGone(job, index, element.left_at))


def fate_of_lost(element: Element, at_s: float, by: Actor, reason: str) -> JobEnded | JobRequeued:
    """What becomes of a job whose node, or whose agent's lease, was lost at *at_s*."""
    reason = f"node lost: {reason}" if reason else "node lost"
    return _taken(element, at_s, by, reason)


def fates_of_unheard(state: State, now: float) -> list[JobEnded | JobRequeued]:
    """What becomes of jobs that run by the journal, but on no node, so that no agent has heard of them.

    Early servers journalled jobs that shared processors in this way.
    """
    unheard = [e for e in state.by_row.values() if e.status.active and not e.nodes]
    reason = "no agent had heard of it"
    return [_taken(e, now, Origin.SYSTEM, reason) for e in sorted(unheard, key=lambda e: (e.job.id, e.index))]


def _taken(element: Element, at_s: float, by: Actor, reason: str) -> JobEnded | JobRequeued:
    """Something takes *element* off its nodes: it runs again where it may, else it is over."""
    job = element.job
    if element.stopping != "cancel" and job.may_run_again:
        return JobRequeued(job.id, element.index, element.attempt, by, reason)
    ending = Ending.CANCELLED if element.stopping == "cancel" else Ending.NODE_LOST
    return JobEnded(job.id, element.index, element.attempt, ending, at_s, by=by, reason=reason)


class ReturnNodes(Command):
    """Nodes take work again; with *keep_drained* only those that were lost, and none that is drained."""

    rank = Rank.NODE_RETURN

    def __init__(self, names: list[str], by: Actor, keep_drained: bool = False) -> None:
        self.names, self.by, self.keep_drained = names, by, keep_drained

    def check(self, state: State, draft: Draft) -> None:
        for name in self.names:
            node = state.machine.node(name)
            if node.status is NodeStatus.UP:
                continue
            if self.keep_drained and node.status is NodeStatus.DRAINING:
                # It has been heard of already, or was never lost.
                continue
            draft.facts.append(NodeReturned(name, self.by))
            if self.keep_drained and node.drained is not None:
                draft.facts.append(NodeDrained(name, *node.drained))


class AddNodes(Command):
    """An agent offers nodes; those that are new join the machine."""

    rank = Rank.NODE_RETURN

    def __init__(self, offers: list[NodesAdded]) -> None:
        self.offers = offers

    def check(self, state: State, draft: Draft) -> None:
        if any(isinstance(fact, NodesAdded | QueueSet) for fact in draft.facts):
            # What the machine knows by then is not known yet.
            raise Again
        state.machine.check_room(
            {name for offer in self.offers for name in offer.features},
            {name for offer in self.offers for name in offer.generic},
        )
        seen = set(state.machine.by_name)
        for offer in self.offers:
            new = tuple(name for name in dict.fromkeys(offer.names) if name not in seen)
            self._refuse_stolen(state, offer)
            seen.update(new)
            if new:
                draft.adds_nodes = True
                draft.facts.append(replace(offer, names=new))

    def _refuse_stolen(self, state: State, offer: NodesAdded) -> None:
        """Another agent may have come with the same names since the offer was looked at."""
        for name in offer.names:
            known = state.machine.by_name.get(name)
            if known is not None and known.agent != offer.agent:
                raise Conflict("nodes", f"node {name} belongs to agent {known.agent}")


class Taken(Command):
    """All reports up to a serial have been checked: remember it, and let the agent forget them."""

    rank = Rank.TIMER

    def __init__(self, agent: str, boot_id: str, serial: int) -> None:
        self.agent, self.boot_id, self.serial = agent, boot_id, serial

    def check(self, state: State, draft: Draft) -> None:
        draft.facts.append(ReportsTaken(self.agent, self.boot_id, self.serial))
