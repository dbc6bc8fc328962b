"""Changing jobs: cancel, hold, release, requeue, suspend, resume, alter; and what agents report of them."""

from collections.abc import Iterable

from molokini.model.actors import Actor
from molokini.model.errors import BadInput, BadValue, Conflict, MolokiniError
from molokini.model.facts import (
    NO_INDEX,
    Cause,
    CommandTaken,
    Ending,
    JobAltered,
    JobEnded,
    JobHeld,
    JobReleased,
    JobRequeued,
    JobStopping,
)
from molokini.model.job_specs import FIELDS, ArraySpec, JobSpec
from molokini.model.ranks import Rank
from molokini.server.state.clusters import with_processors
from molokini.server.state.jobs import Element, Job
from molokini.server.state.state import State
from molokini.server.turn.accounts import account_for, check_longer
from molokini.server.turn.checks import Limits, check_numbers, check_priorities, check_texts, with_array
from molokini.server.turn.command import Command, Draft, RetryNextTurn
from molokini.server.turn.counts import check_access
from molokini.server.turn.depending import check_dependencies, check_no_circle, with_elements
from molokini.server.turn.dividing import check_change
from molokini.server.turn.submitting import check_counted, check_possible, of_open_queues


class NoSuchJob(BadInput):
    """No job, or no element, of that number; or none that the caller may know of."""

    def __init__(self, number: int, index: int) -> None:
        super().__init__(f"no job {number}" + (f"[{index}]" if index != NO_INDEX else ""))


class NotNow(MolokiniError):
    """The job's present state does not allow it."""


class HasEnded(NotNow):
    """The job, or the element, is over."""


class DoesNotRun(NotNow):
    """The job waits or is held."""


def does_not_run(job: Job) -> NotNow:
    """The error of a command about what runs, where nothing of *job* does."""
    return (HasEnded if job.over else DoesNotRun)(f"job {job.id} does not run ({job.status})")


class JobCommand(Command):
    """A command about one job, or one element of it; the answer is None."""

    def __init__(self, number: int, index: int, by: Actor, reason: str = "") -> None:
        self.number, self.index, self.by, self.reason = number, index, by, reason
        self.order = (number, index)

    def job(self, state: State, draft: Draft) -> Job:
        """The job that it is about, which no other command of this turn touches."""
        job = state.jobs.get(self.number)
        if job is None and state.past.get(self.number) is not None:
            raise HasEnded(f"job {self.number} has ended")
        if job is None:
            raise NoSuchJob(self.number, self.index)
        if self.number in draft.touched:
            raise RetryNextTurn
        if self.index != NO_INDEX and (job.array is None or not job.array.has(self.index)):
            raise NoSuchJob(self.number, self.index)
        draft.touched.add(self.number)
        return job

    def elements(self, job: Job) -> list[Element]:
        """The elements that it is about and that are or were rows."""
        if self.index == NO_INDEX:
            return job.known_elements()
        found = job.element_of(self.index)
        return [found] if found is not None else []


class Cancel(JobCommand):
    """End what has not ended: through its agent where it runs, at once where it waits or no agent has it."""

    def __init__(self, number: int, index: int, by: Actor, reason: str = "", as_done: bool = False) -> None:
        super().__init__(number, index, by, reason)
        self.cause = Cause.AS_DONE if as_done else ""

    def check(self, state: State, draft: Draft) -> None:
        if state.past.get(self.number) is not None:
            return
        job = self.job(state, draft)
        if self.index != NO_INDEX and job.element_of(self.index) is None and not job.over:
            # It has never been a candidate, and never will be one.
            draft.facts.append(self._ended(job, self.index, draft.now))
        for element in self.elements(job):
            if element.status.active and not element.nodes:
                draft.facts.append(self._ended(job, element.index, draft.now, element.attempt))
            elif element.status.active:
                stopping = JobStopping(job.id, element.index, "cancel", self.by, self._why, self.cause)
                draft.facts.append(stopping)
            elif not element.status.over and (job.array is None or self.index != NO_INDEX):
                draft.facts.append(self._ended(job, element.index, draft.now))
        if job.array is not None and self.index == NO_INDEX and not job.over:
            draft.facts.append(self._ended(job, NO_INDEX, draft.now))

    @property
    def _why(self) -> str:
        return self.reason or f"cancelled by {self.by}"

    def _ended(self, job: Job, index: int, now: float, attempt: int = 0) -> JobEnded:
        ended = (job.id, index, attempt, Ending.CANCELLED, now)
        return JobEnded(*ended, by=self.by, reason=self._why, cause=self.cause)


def _open(job: Job, index: int) -> Job | Element:
    """The job, or its element, that is to be held. Raises NotNow where it has ended."""
    found: Job | Element = job
    if index != NO_INDEX:
        # An element that has not become a row yet is as good as new.
        found = job.element_of(index) or Element(job, index)
        if job.array is not None and job.element_of(index) is None and job.over:
            found = job
    if found.over:
        name = f"job {job.id}" + (f"[{index}]" if index != NO_INDEX else "")
        raise HasEnded(f"{name} has ended ({found.status})")
    return found


DEFERRAL = "defer"
"""What stands among the holds of a job that is deferred, where they are released."""


class Hold(JobCommand):
    """Keep what waits from starting; with *index*, one element alone."""

    def __init__(self, number: int, by: Actor, hold: str, reason: str = "", index: int = NO_INDEX) -> None:
        super().__init__(number, index, by, reason)
        self.hold = hold

    def check(self, state: State, draft: Draft) -> None:
        job = self.job(state, draft)
        held = _open(job, self.index).holds
        if self.hold not in held:
            draft.facts.append(JobHeld(job.id, self.hold, self.by, self.reason, self.index))


class Release(JobCommand):
    """Take holds away: of a job and all its elements, or with *index* of one element alone.

    ``DEFERRAL`` among *holds* ends their deferrals, too.
    """

    rank = Rank.ARRIVAL

    def __init__(self, number: int, by: Actor, holds: Iterable[str], index: int = NO_INDEX) -> None:
        super().__init__(number, index, by)
        self.holds = tuple(holds)

    def check(self, state: State, draft: Draft) -> None:
        job = self.job(state, draft)
        held = _open(job, self.index).holds
        if self.index == NO_INDEX and job.array is not None:
            held = held.union(*(element.holds for element in job.known_elements()))
        named = (element for element in job.known_elements() if self.index in (NO_INDEX, element.index))
        if any(element.row >= 0 and state.tables.jobs.deferrals[element.row] for element in named):
            held |= {DEFERRAL}
        gone = tuple(hold for hold in self.holds if hold in held)
        if gone:
            draft.facts.append(JobReleased(job.id, gone, self.by, self.index))


class Requeue(JobCommand):
    """Let what runs run again later; its agent, where one has it, stops it first.

    With *ended* also what is over, where nothing runs; *hold* then keeps it in the queue.
    """

    def __init__(
        self, number: int, index: int, by: Actor, reason: str = "", ended: bool = False, hold: str = ""
    ) -> None:
        super().__init__(number, index, by, reason)
        self.ended, self.hold = ended, hold

    def check(self, state: State, draft: Draft) -> None:
        job = self.job(state, draft)
        active = [element for element in self.elements(job) if element.status.active]
        over = [element for element in self.elements(job) if element.over]
        if self.ended and over and not active:
            if not job.may_run_again:
                raise NotNow(f"job {job.id} was submitted as one that must not run again")
            draft.facts += [
                JobRequeued(job.id, element.index, element.attempt, self.by, self.reason) for element in over
            ]
            if self.hold:
                draft.facts.append(JobHeld(job.id, self.hold, self.by, self.reason, self.index))
            return
        if not active:
            raise does_not_run(job)
        if not job.may_run_again:
            raise NotNow(f"job {job.id} was submitted as one that must not run again")
        if any(element.stopping == "cancel" for element in active):
            raise NotNow(f"job {job.id} is being cancelled")
        for element in active:
            if element.nodes:
                draft.facts.append(JobStopping(job.id, element.index, "requeue", self.by, self.reason))
            else:
                fact = JobRequeued(job.id, element.index, element.attempt, self.by, self.reason)
                draft.facts.append(fact)


class Signal(JobCommand):
    """Send a signal to what runs; the answer is the elements that get it."""

    def __init__(self, number: int, index: int, by: Actor, signal: int) -> None:
        super().__init__(number, index, by)
        self.signal = signal

    def check(self, state: State, draft: Draft) -> list[Element]:
        if not 1 <= self.signal <= 64:
            raise BadValue("signal", self.signal, "from 1 to 64")
        job = self.job(state, draft)
        active = [element for element in self.elements(job) if element.status.active]
        if not active:
            raise does_not_run(job)
        draft.facts.append(CommandTaken(self.by, "signal", {"job": job.id, "signal": self.signal}))
        return active


_CHANGEABLE = frozenset(name for name, field in FIELDS.items() if field.altered)
_WHILE_WAITING = frozenset(name for name in _CHANGEABLE if not FIELDS[name].altered_late)


class Alter(JobCommand):
    """Change fields of the specification of a job that has not ended."""

    def __init__(self, number: int, by: Actor, changes: JobSpec, limits: Limits, operator: bool) -> None:
        super().__init__(number, NO_INDEX, by)
        self.changes: JobSpec = {**changes}
        self.limits, self.operator = limits, operator

    def check(self, state: State, draft: Draft) -> None:
        if draft.repeats_admission(state):
            raise RetryNextTurn
        job = self.job(state, draft)
        if job.over:
            raise HasEnded(f"job {job.id} has ended ({job.status})")
        for field in self.changes:
            if field not in _CHANGEABLE:
                raise BadValue("fields", field, "one of " + ", ".join(sorted(_CHANGEABLE)))
        runs = any(element.status.active for element in job.known_elements())
        late = sorted(_WHILE_WAITING & self.changes.keys())
        if runs and late:
            raise NotNow(f"job {job.id} runs; {', '.join(late)} can be changed only while it waits")
        if "resources" in self.changes:
            self.changes["resources"] = with_processors(self.changes["resources"])
        before = job.spec
        if "queue" in self.changes and self.changes["queue"] not in state.queues:
            raise BadValue("queue", self.changes["queue"], "one of " + ", ".join(state.queues))
        self._settle_queues(state, job, before)
        full: JobSpec = {**before, **self.changes}
        if "array" in self.changes:
            self.changes["array"] = _with_limit(job, self.changes["array"], self.limits)
            full = {**before, **self.changes}
        if "dependencies" in self.changes:
            full = with_elements(state, full)
            self.changes["dependencies"] = full["dependencies"]
            check_dependencies(state, job.user, full, self.limits)
            check_no_circle(state, job, full)
        if "divisible" in before:
            check_change(self.changes, state.queues[full["queue"]], draft.now)
        moved = full["queue"] != job.queue
        if moved:
            check_access(state, draft, job.user, state.queues[full["queue"]])
        check_texts(full, self.limits)
        check_numbers(full, self.limits)
        if not self.operator:
            check_priorities(full, before)
        if not self.operator and runs and full["estimate_s"] > job.estimate_s:
            raise Conflict("estimate_s", "only an operator may lengthen the estimate of a job that runs")
        check_possible(state, full, state.queues[full["queue"]])
        if "queue" in self.changes or "resources" in self.changes:
            check_counted(state, full, state.queues[full["queue"]])
        if not self.changes.keys().isdisjoint(("account", "group", "queue")):
            account_for(state.ledger, job.user, full, full["queue"])
        if "estimate_s" in self.changes:
            check_longer(state, draft, job, full["estimate_s"])
        if moved:
            draft.submitted.update(((full["queue"], job.user), (full["queue"], "")))
        draft.facts.append(JobAltered(job.id, {**self.changes}, self.by))

    def _settle_queues(self, state: State, job: Job, before: JobSpec) -> None:
        """Whoever names another queue names all of them."""
        if "further_queues" in self.changes:
            named: JobSpec = {"queue": self.changes.get("queue", job.queue)}
            named["further_queues"] = self.changes["further_queues"]
            open_ones = of_open_queues(state, named, job.user)
            self.changes["queue"] = open_ones["queue"]
            self.changes["further_queues"] = open_ones.get("further_queues", [])
        elif "queue" in self.changes and before.get("further_queues"):
            self.changes["further_queues"] = []


def _with_limit(job: Job, asked: ArraySpec, limits: Limits) -> ArraySpec:
    """The array of *job* with the limit of *asked*, the one thing of it that may change."""
    kept = job.spec.get("array")
    if kept is None:
        raise Conflict("array", f"job {job.id} is no array")
    made: ArraySpec = {**kept, "running_limit": asked.get("running_limit", 0)}
    if asked.keys() - {"running_limit"}:
        named: ArraySpec = {**asked}
        if named.get("indices"):
            # An answer has the progression beside the indices.
            named = {name: value for name, value in named.items() if name not in ("first", "last", "step")}  # type: ignore[assignment]
        if with_array({"array": named}, limits).get("array") != made:
            raise BadValue("array", "other indices", "the indices that it has: only running_limit changes")
    elif not 0 <= made["running_limit"] < 2**31:
        raise BadValue("array.running_limit", made["running_limit"], "zero or more")
    return made
