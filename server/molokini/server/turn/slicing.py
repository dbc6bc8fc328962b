"""Slicing by command: when jobs that run compute, and when they stand still."""

from molokini.model.actors import Actor
from molokini.model.facts import JobSliced
from molokini.model.slicing import Slicing
from molokini.server.state.jobs import JobStatus
from molokini.server.state.state import State
from molokini.server.turn.changing import JobCommand, NotNow, does_not_run
from molokini.server.turn.command import Draft


class SliceJob(JobCommand):
    """Let what runs, or is suspended, compute as *slicing* says; None: all the time again.

    It goes slower from then on, so its expected end moves, and its limit counts the work that it does.
    """

    def __init__(self, number: int, index: int, by: Actor, slicing: Slicing | None) -> None:
        super().__init__(number, index, by)
        self.slicing = slicing

    def check(self, state: State, draft: Draft) -> None:
        if self.slicing is not None:
            self.slicing.check()
        job = self.job(state, draft)
        active = [one for one in self.elements(job) if one.status.active and not one.stopping]
        if not active:
            raise does_not_run(job)
        held = state.tables.jobs.held
        if any(one.status is JobStatus.RUNNING and held[one.row] == 0 for one in active):
            raise NotNow(
                f"job {job.id} shares its processors with others, at the rate that the policy gives it"
            )
        written = self.slicing.as_json() if self.slicing is not None else {}
        for one in active:
            if (job.id, one.index) in state.sliced or written:
                draft.facts.append(JobSliced(job.id, one.index, written, self.by))
