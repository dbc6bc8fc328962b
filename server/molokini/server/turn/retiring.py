"""Jobs that are over for long leave the memory."""

from collections.abc import Mapping, Sequence

from molokini.model.facts import JobRequeued, JobsRetired
from molokini.model.ranks import Rank
from molokini.server.state.state import State
from molokini.server.turn.command import Command, Draft


class Retire(Command):
    """Let jobs go whose records are kept; jobs that are not over, or gone already, are left as they are."""

    rank = Rank.TIMER

    def __init__(self, numbers: Sequence[int], versions: Mapping[int, int] | None = None) -> None:
        self.numbers = numbers
        self.versions = versions or {}
        """Of the jobs as their records have them: one that was opened again since stays."""

    def check(self, state: State, draft: Draft) -> None:
        gone = {n for fact in draft.facts if isinstance(fact, JobsRetired) for n in fact.jobs}
        gone |= {fact.job for fact in draft.facts if isinstance(fact, JobRequeued)}
        going = tuple(
            n
            for n in self.numbers
            if n in state.finished
            and n not in gone
            and self.versions.get(n, state.jobs[n].version) == state.jobs[n].version
        )
        if going:
            draft.facts.append(JobsRetired(going))
