"""What operators and administrators change: nodes, queues, the policy."""

from collections.abc import Mapping
from typing import Any

from molokini.model.actors import Actor
from molokini.model.errors import Conflict, UnknownName
from molokini.model.facts import (
    CommandTaken,
    JobAltered,
    JobsSubmitted,
    NodeDrained,
    NodesAdded,
    PolicySet,
    QueueRemoved,
    QueueSet,
    ReservationMade,
)
from molokini.model.ranks import Rank
from molokini.policies import load_policy
from molokini.server.policies import check_parameters, with_parameter
from molokini.server.state.node_names import NodeStatus
from molokini.server.state.queues import Queue
from molokini.server.state.state import State
from molokini.server.turn.changing import NotNow
from molokini.server.turn.command import Command, Draft, RetryNextTurn
from molokini.server.turn.moving import check_moves, check_rows
from molokini.server.turn.reserving import check_policy
from molokini.server.turn.running_policy import RunningPolicy


class DrainNodes(Command):
    """Running jobs go on, no new ones start."""

    def __init__(self, names: list[str], by: Actor, reason: str) -> None:
        self.names, self.by, self.reason = names, by, reason

    def check(self, state: State, draft: Draft) -> None:
        for name in self.names:
            node = state.machine.node(name)
            if node.status is not NodeStatus.DRAINING and node.drained is None:
                draft.facts.append(NodeDrained(name, self.by, self.reason))


class SetQueue(Command):
    """Make or change a queue."""

    def __init__(self, queue: Queue, by: Actor) -> None:
        self.queue, self.by = queue, by

    def check(self, state: State, draft: Draft) -> None:
        self.queue.check()
        for name in self.queue.nodes:
            state.machine.node(name)
        if self.queue.nodes:
            if any(isinstance(fact, NodesAdded | QueueSet) for fact in draft.facts):
                raise RetryNextTurn
            state.machine.check_room({f"queue:{self.queue.name}"}, ())
        known = state.queues.get(self.queue.name)
        draft.other_nodes |= known is not None and known.nodes != self.queue.nodes
        draft.facts.append(QueueSet(self.queue.as_json(), self.by))


class RemoveQueue(Command):
    """Take an empty queue away."""

    rank = Rank.BOUNDARY

    def __init__(self, name: str, by: Actor) -> None:
        self.name, self.by = name, by

    def check(self, state: State, draft: Draft) -> None:
        if any(isinstance(fact, QueueRemoved | QueueSet | JobAltered) for fact in draft.facts):
            raise RetryNextTurn
        if self.name not in state.queues:
            raise UnknownName("queue", self.name, state.queues)
        if len(state.queues) == 1:
            raise Conflict("queue", f"{self.name} is the last queue, and jobs need one")
        if draft.submitted[self.name, ""] or any(self.name in job.queues for job in state.open_jobs.values()):
            raise NotNow(f"queue {self.name} has jobs that have not ended")
        draft.facts.append(QueueRemoved(self.name, self.by))


class SetPolicy(Command):
    """Let another policy decide; its poster has the reactor change policies when the fact is durable."""

    def __init__(self, name: str, parameters: dict[str, str], by: Actor) -> None:
        self.name, self.parameters, self.by = name, parameters, by

    def check(self, state: State, draft: Draft) -> None:
        if any(isinstance(fact, ReservationMade) for fact in draft.facts):
            raise RetryNextTurn
        check_policy(
            self.name, self.parameters, bool(state.reservations.keys() - state.configured_reservations)
        )
        check_wishes(self.name, self.parameters, state, draft)
        if any(isinstance(fact, NodesAdded) for fact in draft.facts):
            raise RetryNextTurn
        check_moves(self.name, self.parameters, state.machine)
        check_rows(self.name, self.parameters, state)
        check_parameters(
            self.name, self.parameters, state.tables.machine.processors_in_all, len(state.machine.nodes)
        )
        draft.other_policy = True
        draft.facts.append(PolicySet(self.name, self.parameters, self.by))


def check_wishes(name: str, parameters: Mapping[str, str], state: State, draft: Draft) -> None:
    """NotNow where the policy *name* only counts processors and jobs that request nodes have not ended."""
    policy = load_policy(name)
    if not (policy.declaration.counted_only and policy.declaration.counts(policy.site(parameters).values)):
        return
    if any(isinstance(fact, JobsSubmitted) for fact in draft.facts):
        raise RetryNextTurn
    wishing = [job.id for job in state.open_jobs.values() if not job.request.counted]
    if wishing:
        jobs = f"job {wishing[0]} wishes" if len(wishing) == 1 else f"{len(wishing):,} jobs wish"
        raise NotNow(f"policy {name} looks at no nodes (needs_nodes), for which {jobs}")


class ChangeMauiParameter(Command):
    """Change one parameter of Maui's configuration; the answer is the policy's parameters from then on."""

    def __init__(self, name: str, value: str, by: Actor) -> None:
        self.name, self.value, self.by = name, value, by
        self.policy = ""
        """Whose configuration it is, once that is known."""

    def check(self, state: State, draft: Draft) -> dict[str, str]:
        if any(isinstance(fact, PolicySet) for fact in draft.facts):
            raise RetryNextTurn
        self.policy, parameters = state.policy or ("", {})
        changed = with_parameter(self.policy, parameters, f"{self.name} {self.value}")
        # Fails here, and not in a later pass, where the policy cannot be made of it.
        RunningPolicy(self.policy, changed)
        check_moves(self.policy, changed, state.machine)
        draft.facts.append(PolicySet(self.policy, changed, self.by))
        return changed


class NoteCommand(Command):
    """Leave a trace of a change in the audit log."""

    def __init__(self, by: Actor, what: str, detail: dict[str, Any] | None = None) -> None:
        self.by, self.what, self.detail = by, what, detail or {}

    def check(self, state: State, draft: Draft) -> None:
        draft.facts.append(CommandTaken(self.by, self.what, self.detail))
