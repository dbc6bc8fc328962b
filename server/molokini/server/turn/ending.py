"""The end of an attempt, as its agents report it: each its own part, and the attempt with the last one."""

from dataclasses import replace

from molokini.model.actors import Origin
from molokini.model.facts import Ending, JobEnded, JobRequeued, NodeDrained, PartEnded
from molokini.model.ranks import Rank
from molokini.model.run_results import result_of_parts
from molokini.server.state.jobs import Element
from molokini.server.state.state import State
from molokini.server.turn.command import Command, Draft, RetryNextTurn
from molokini.server.turn.losing import fate_of_lost, taken_off


class ReportEnd(Command):
    """A part of an attempt, or all of it, is over; the answer says whether that was news.

    *end* is as its agent saw it; agent "" is the one that runs all of it. With a *drain_reason* its *node* is
    to take no more jobs.
    """

    rank = Rank.END

    def __init__(self, end: PartEnded, node: str = "", drain_reason: str = "") -> None:
        self.end, self.node, self.drain_reason = end, node, drain_reason
        self.order = (end.job, end.index)

    def check(self, state: State, draft: Draft) -> bool:
        end = self.end
        self._drain(state, draft)
        job = state.jobs.get(end.job)
        element = job.element_of(end.index) if job is not None else None
        if element is None or element.attempt != end.attempt or not element.status.active:
            return False
        place = (end.job, end.index)
        if place in draft.ended or (end.job in draft.touched and end.job not in draft.ending):
            raise RetryNextTurn
        parts = draft.ended_parts.get(place, [])
        over = {part.agent for part in parts}
        working = [agent for agent in state.working(element) if agent not in over]
        agent = end.agent or next(iter(working), "")
        if working and agent not in working:
            return False
        # Elements of an array that end together share the turn, and so its commits and its pass.
        draft.touched.add(end.job)
        draft.ending.add(end.job)
        # An agent's clock may be ahead of ours, or wrong.
        part = replace(end, agent=agent, at_s=min(max(end.at_s, element.start_s or 0.0), draft.now))
        others = tuple(one for one in working if one != agent)
        if (fate := self._taken_off(state, element, part.at_s, others)) is not None:
            draft.facts.append(fate)
            draft.ended.add(place)
        elif others:
            draft.facts.append(part)
            draft.ended_parts.setdefault(place, []).append(part)
        else:
            known = [*state.ended_parts.get(place, ()), *parts, part]
            draft.facts.append(_end_of(element, known, state.agents_of(element)))
            draft.ended.add(place)
        return True

    def _taken_off(
        self, state: State, element: Element, at_s: float, others: tuple[str, ...]
    ) -> JobEnded | JobRequeued | None:
        """What becomes of an attempt that ends for no fault of the job; None: it is no such end."""
        end = self.end
        if element.stopping or state.ends_together(element):
            return None
        if end.ending is Ending.CANCELLED:
            # No command asked for it: the agent's lease has run out, which counts as the loss of the node.
            return fate_of_lost(element, at_s, Origin.SYSTEM, end.reason, others)
        if end.ending is Ending.NOT_STARTED and self.drain_reason and element.job.may_run_again:
            return taken_off(element, at_s, Origin.SYSTEM, end.reason, others)
        return None

    def _drain(self, state: State, draft: Draft) -> None:
        """The node is drained whatever the attempt has become meanwhile."""
        node = state.machine.by_name.get(self.node)
        if not self.drain_reason or node is None or node.drained is not None:
            return
        if not any(isinstance(fact, NodeDrained) and fact.node == node.name for fact in draft.facts):
            draft.facts.append(NodeDrained(node.name, Origin.SYSTEM, self.drain_reason))


def _end_of(element: Element, parts: list[PartEnded], agents: tuple[str, ...]) -> JobEnded | JobRequeued:
    """What becomes of an attempt whose *parts* are all over; they run on the nodes of *agents*, in order."""
    killed = [part for part in parts if part.ending is Ending.CANCELLED]
    if element.stopping == "requeue" and (killed or parts[-1].ending is Ending.NOT_STARTED):
        return JobRequeued(parts[0].job, parts[0].index, parts[0].attempt, "", element.reason)
    told = _telling(element, parts, agents, killed)
    return JobEnded(
        told.job,
        told.index,
        told.attempt,
        told.ending,
        max(part.at_s for part in parts),
        result_of_parts(told.result, [part.result for part in parts]),
        # A job that was to be stopped may have ended by itself before.
        reason=_reason(element, told, len(parts)),
        cause=told.cause or (element.cause if told.ending is Ending.CANCELLED else ""),
    )


def _telling(
    element: Element, parts: list[PartEnded], agents: tuple[str, ...], killed: list[PartEnded]
) -> PartEnded:
    """The part that says how all has ended: the first that failed; or else one that was told to end."""
    failed = [part for part in parts if part.failed]
    if killed and (element.stopping == "cancel" and not _failed_first(failed, killed)):
        return killed[0]
    if failed:
        return min(failed, key=lambda part: (part.at_s, agents.index(part.agent)))
    return (killed or parts)[0]


def _failed_first(failed: list[PartEnded], killed: list[PartEnded]) -> bool:
    return bool(failed) and min(part.at_s for part in failed) <= min(part.at_s for part in killed)


def _reason(element: Element, told: PartEnded, parts: int) -> str:
    if told.ending is Ending.CANCELLED:
        return told.reason or element.reason
    if parts == 1 or not told.failed:
        return told.reason
    return f"first on the node of agent {told.agent}" + (f": {told.reason}" if told.reason else "")
