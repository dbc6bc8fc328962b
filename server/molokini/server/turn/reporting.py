"""What agents say of their nodes: offers, returns, and how far their reports have had their effect."""

from dataclasses import replace

from molokini.model.actors import Actor
from molokini.model.errors import Conflict
from molokini.model.facts import (
    NodeDrained,
    NodeLost,
    NodeReturned,
    NodesAdded,
    PolicySet,
    QueueSet,
    ReportsTaken,
)
from molokini.model.ranks import Rank
from molokini.server.state.node_names import NodeStatus
from molokini.server.state.state import State
from molokini.server.turn.command import Command, Draft, RetryNextTurn
from molokini.server.turn.moving import check_joining


class ReturnNodes(Command):
    """Nodes take work again; with *keep_drained* only those that were lost, and none that is drained."""

    rank = Rank.NODE_RETURN

    def __init__(self, names: list[str], by: Actor, keep_drained: bool = False) -> None:
        self.names, self.by, self.keep_drained = names, by, keep_drained

    def check(self, state: State, draft: Draft) -> None:
        lost = {fact.node for fact in draft.facts if isinstance(fact, NodeLost)}
        if not lost.isdisjoint(self.names):
            # They are lost in this turn, so they are down, and can come back, only in the next.
            raise RetryNextTurn
        for name in self.names:
            node = state.machine.node(name)
            if node.status is NodeStatus.UP:
                continue
            if self.keep_drained and node.status is NodeStatus.DRAINING:
                # It was reported already, or was never lost.
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
        if any(isinstance(fact, NodesAdded | QueueSet | PolicySet) for fact in draft.facts):
            # What the machine knows by then is not known yet.
            raise RetryNextTurn
        state.machine.check_room(
            {name for offer in self.offers for name in offer.features},
            {name for offer in self.offers for name in offer.generic},
        )
        seen = set(state.machine.by_name)
        for offer in self.offers:
            new = tuple(name for name in dict.fromkeys(offer.names) if name not in seen)
            self._refuse_stolen(state, offer)
            if new:
                check_joining(state, {*seen, *new}, any(one.real for one in self.offers))
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


class AcknowledgeReports(Command):
    """All reports up to a serial have been checked: remember it, and let the agent forget them."""

    rank = Rank.TIMER

    def __init__(self, agent: str, boot_id: str, serial: int) -> None:
        self.agent, self.boot_id, self.serial = agent, boot_id, serial

    def check(self, state: State, draft: Draft) -> None:
        draft.facts.append(ReportsTaken(self.agent, self.boot_id, self.serial))
