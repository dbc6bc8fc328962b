"""Whether the policy decides at all, and since when statistics count: what administrators change."""

from molokini.model.actors import Actor
from molokini.model.facts import SchedulingSet, StatisticsReset
from molokini.server.state.state import State
from molokini.server.turn.command import Command, Draft


class SetScheduling(Command):
    """Have the policy make no passes from now on (*paused*), or make them again."""

    def __init__(self, paused: bool, by: Actor, reason: str = "") -> None:
        self.paused, self.by, self.reason = paused, by, reason

    def check(self, state: State, draft: Draft) -> None:
        draft.facts.append(SchedulingSet(self.paused, self.by, self.reason))


class ResetStatistics(Command):
    """Let statistics count what ends from now on; the answer is the instant."""

    def __init__(self, by: Actor) -> None:
        self.by = by

    def check(self, state: State, draft: Draft) -> float:
        draft.facts.append(StatisticsReset(self.by))
        return draft.now
