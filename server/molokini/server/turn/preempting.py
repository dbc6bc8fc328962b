"""Suspending and resuming by command, which takes and gives processors as a policy's preemption does."""

from molokini.model.facts import JobResumed, JobSuspended, NodeLost
from molokini.room.placement import place_now
from molokini.server.state.jobs import JobStatus
from molokini.server.state.state import State
from molokini.server.turn.changing import JobCommand, NotNow
from molokini.server.turn.command import Again, Draft
from molokini.server.turn.sharing import SharedNodes


class SuspendJob(JobCommand):
    """Stop what runs."""

    def check(self, state: State, draft: Draft) -> None:
        job = self.job(state, draft)
        running = [e for e in self.elements(job) if e.status is JobStatus.RUNNING and not e.stopping]
        if not running:
            raise NotNow(f"job {job.id} does not run ({job.status})")
        for element in running:
            draft.facts.append(JobSuspended(job.id, element.index, self.by, self.reason))


class ResumeJob(JobCommand):
    """Let what was suspended go on, of an array one element; only where its processors are free.

    The answer is how many of its elements are suspended still.
    """

    def check(self, state: State, draft: Draft) -> int:
        job = self.job(state, draft)
        suspended = [e for e in self.elements(job) if e.status is JobStatus.SUSPENDED]
        if not suspended:
            raise NotNow(f"job {job.id} is not suspended ({job.status})")
        if draft.resuming or any(isinstance(fact, NodeLost) for fact in draft.facts):
            # Each takes room that the next must not count on.
            draft.touched.discard(job.id)
            raise Again
        for element in suspended[:1]:
            placed = place_now(state.tables, element.row)
            shared = placed is None and _shares(state)
            if shared:
                placed = SharedNodes(state).place(job.request.processors)
            if not placed:
                raise NotNow(f"job {job.id}: there is no room for it now")
            draft.resuming = True
            fact = JobResumed(job.id, element.index, placed, exclusive=not shared, by=self.by)
            draft.facts.append(fact)
        return len(suspended) - 1


def _shares(state: State) -> bool:
    """Whether jobs share processors as things are: one that runs holds none for itself."""
    t = state.tables
    return bool((t.jobs.held[t.queue.running[: t.queue.running_count]] == 0).any())
