"""What is lost, and let go: nodes, what ran on them, and what agents may still run."""

from molokini.model.actors import Actor, Origin
from molokini.model.facts import AttemptGone, Ending, JobEnded, JobRequeued, NodeLost
from molokini.model.ranks import Rank
from molokini.server.state.jobs import Element
from molokini.server.state.node_names import NodeStatus
from molokini.server.state.state import State
from molokini.server.turn.command import Command, Draft, RetryNextTurn


class ReleaseAttempt(Command):
    """An agent from which a job was taken says that it runs there no longer."""

    rank = Rank.END

    def __init__(self, job: int, index: int, agent: str) -> None:
        self.job, self.index, self.agent = job, index, agent
        self.order = (job, index)

    def check(self, state: State, draft: Draft) -> None:
        job = state.jobs.get(self.job)
        element = job.element_of(self.index) if job is not None else None
        if element is None or self.agent not in element.left_at:
            return
        if self.job in draft.touched:
            raise RetryNextTurn
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
            raise RetryNextTurn
        for element in sorted(hit, key=lambda e: (e.job.id, e.index)):
            draft.touched.add(element.job.id)
            left = _left(state, element, numbers)
            draft.facts.append(fate_of_lost(element, draft.now, self.by, self.reason, left))
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
            for agent in element.left_at:
                if agent not in up:
                    draft.facts.append(AttemptGone(job, index, agent))


def _left(state: State, element: Element, lost: set[int]) -> tuple[str, ...]:
    """The agents that may still run their parts of *element*: those of which no node is among the *lost*."""
    gone = {state.machine.nodes[number].agent for number, _ in element.nodes if number in lost}
    return tuple(agent for agent in state.working(element) if agent not in gone)


def fate_of_lost(
    element: Element, at_s: float, by: Actor, reason: str, left: tuple[str, ...] = ()
) -> JobEnded | JobRequeued:
    """What becomes of a job whose node, or whose agent's lease, was lost at *at_s*.

    The agents *left* may still run parts of it.
    """
    reason = f"node lost: {reason}" if reason else "node lost"
    return taken_off(element, at_s, by, reason, left)


def fates_of_unheard(state: State, now: float) -> list[JobEnded | JobRequeued]:
    """What becomes of jobs that run by the journal, but on no node, so that no agent has heard of them.

    Early servers journalled jobs that shared processors in this way.
    """
    unheard = [e for e in state.by_row.values() if e.status.active and not e.nodes]
    reason = "no agent had heard of it"
    return [
        taken_off(e, now, Origin.SYSTEM, reason) for e in sorted(unheard, key=lambda e: (e.job.id, e.index))
    ]


def taken_off(
    element: Element, at_s: float, by: Actor, reason: str, left: tuple[str, ...] = ()
) -> JobEnded | JobRequeued:
    """Something takes *element* off its nodes: it runs again where it may, else it is over."""
    job = element.job
    if element.stopping != "cancel" and job.may_run_again:
        return JobRequeued(job.id, element.index, element.attempt, by, reason, left=left)
    ending = Ending.CANCELLED if element.stopping == "cancel" else Ending.NODE_LOST
    ended = (job.id, element.index, element.attempt, ending, at_s)
    return JobEnded(*ended, by=by, reason=reason, cause=element.cause)
