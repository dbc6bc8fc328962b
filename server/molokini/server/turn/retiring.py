"""Jobs that are over for long leave the memory."""

from collections.abc import Sequence

from molokini.model.facts import JobsRetired
from molokini.model.ranks import Rank
from molokini.server.state.state import State
from molokini.server.turn.command import Command, Draft


class Retire(Command):
    """Let jobs go whose records are kept; jobs that are not over, or gone already, are left as they are."""

    rank = Rank.TIMER

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers = numbers

    def check(self, state: State, draft: Draft) -> None:
        gone = {n for fact in draft.facts if isinstance(fact, JobsRetired) for n in fact.jobs}
        going = tuple(n for n in self.numbers if n in state.finished and n not in gone)
        if going:
            draft.facts.append(JobsRetired(going))
