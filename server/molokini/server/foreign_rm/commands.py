"""State changes of jobs at the resource manager, as commands: they are facts, and no policy decides them."""

from molokini.model.facts import (
    NO_INDEX,
    Ending,
    JobEnded,
    JobHeld,
    JobRequeued,
    JobResumed,
    JobStarted,
    JobSuspended,
    NodesAdded,
    Placed,
)
from molokini.model.ranks import Rank
from molokini.model.resources import Resource
from molokini.model.run_results import RunResult
from molokini.server.foreign_rm.foreign_records import AGENT
from molokini.server.state.jobs import Element, JobStatus
from molokini.server.state.state import State
from molokini.server.turn.command import Command, Draft, RetryNextTurn

_MAKES_ROOM = (JobEnded, JobRequeued, JobSuspended, NodesAdded)


class _OfJob(Command):
    """About the job *number*, where it has not changed under our hands."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.order = (number, NO_INDEX)

    def element(self, state: State, draft: Draft) -> Element | None:
        """The job's run; None where it has left, or is over."""
        job = state.jobs.get(self.number)
        if job is None or job.element is None or job.over:
            return None
        if self.number in draft.touched:
            raise RetryNextTurn
        draft.touched.add(self.number)
        return job.element


class EndTold(_OfJob):
    """It is over; *at_s* 0: when is not known."""

    rank = Rank.END

    def __init__(self, number: int, ending: Ending, at_s: float, exit_code: int, reason: str = "") -> None:
        super().__init__(number)
        self.ending, self.at_s, self.exit_code, self.reason = ending, at_s, exit_code, reason

    def check(self, state: State, draft: Draft) -> None:
        """End it, unless it is over here, too."""
        element = self.element(state, draft)
        if element is None:
            return
        began_s = element.start_s if element.status.active else None
        at_s = min(max(self.at_s or draft.now, began_s or 0.0), draft.now)
        attempt = element.attempt if element.status.active else 0
        reason = self.reason or element.reason
        draft.facts.append(
            JobEnded(
                self.number,
                NO_INDEX,
                attempt,
                self.ending if attempt else Ending.CANCELLED,
                at_s,
                RunResult(self.exit_code),
                # A job that ends by itself was ended by no caller, and does not belong in the audit.
                by=AGENT if self.ending is Ending.CANCELLED else "",
                reason=reason,
            )
        )


class RequeueTold(_OfJob):
    """It waits again, although it had started for all that we knew; *held*: until we try again."""

    rank = Rank.END

    def __init__(self, number: int, attempt: int, reason: str, held: bool = False) -> None:
        super().__init__(number)
        self.attempt, self.reason, self.held = attempt, reason[:500], held

    def check(self, state: State, draft: Draft) -> None:
        """Take it back, if it is still that attempt."""
        element = self.element(state, draft)
        if element is None or not element.status.active or element.attempt != self.attempt:
            return
        draft.facts.append(JobRequeued(self.number, NO_INDEX, element.attempt, AGENT, self.reason))
        if self.held:
            draft.facts.append(JobHeld(self.number, "system", AGENT, self.reason))


class SuspendTold(_OfJob):
    """It was suspended, and not by us."""

    def check(self, state: State, draft: Draft) -> None:
        """Suspend it, if it runs."""
        element = self.element(state, draft)
        if element is not None and element.status is JobStatus.RUNNING:
            draft.facts.append(JobSuspended(self.number, NO_INDEX, AGENT))


class RunTold(_OfJob):
    """The resource manager has started or resumed it, with so many tasks on each node of *places*.

    The answer is what keeps us from believing it; empty: nothing.
    """

    def __init__(self, number: int, places: dict[str, int], each: int) -> None:
        super().__init__(number)
        self.places, self.each = places, each

    def check(self, state: State, draft: Draft) -> str:
        """Start it or let it go on, where it lies there."""
        if draft.resuming or any(isinstance(fact, _MAKES_ROOM) for fact in draft.facts):
            # Each takes room that the next must not count on, or may have what others leave in this turn.
            raise RetryNextTurn
        element = self.element(state, draft)
        if element is None or element.status is JobStatus.RUNNING:
            return ""
        if element.status is JobStatus.WAITING and element.row < 0:
            return "it does not wait here"
        if element.status not in (JobStatus.WAITING, JobStatus.SUSPENDED):
            return f"here it is {element.status}"
        placed, why = self._placed(state, element)
        if not placed:
            return why
        draft.resuming = True
        if element.status is JobStatus.SUSPENDED:
            draft.facts.append(JobResumed(self.number, NO_INDEX, placed, by=AGENT))
        else:
            draft.facts.append(JobStarted(self.number, NO_INDEX, element.attempt + 1, placed))
        return ""

    def _placed(self, state: State, element: Element) -> tuple[Placed, str]:
        t, row = state.tables, element.row
        component = int(t.jobs.components[row])
        need = t.components.need[component]
        placed = []
        for name, tasks in self.places.items():
            node = state.machine.by_name.get(name)
            if node is None:
                return (), f"it runs on node {name[:60]}, which is not known"
            count = tasks * self.each // max(1, int(need[Resource.PROCESSORS]))
            if count < 1 or (t.nodes.free[node.number] < count * need).any():
                return (), f"node {name} has no room for it by our records"
            placed.append((node.number, count, component))
        if sum(count for _, count, _ in placed) != element.job.request.components[0].tasks:
            return (), "its nodes are not reported, or not for all of its tasks"
        return tuple(placed), ""
