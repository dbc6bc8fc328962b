"""What follows by itself from what has happened: begin times, dependencies, elements of arrays."""

from molokini.model.actors import Origin
from molokini.model.facts import (
    NO_INDEX,
    Cause,
    ElementsReady,
    Ending,
    Fact,
    JobEligible,
    JobEnded,
    ReservationsRolled,
)
from molokini.model.reservations import StandingReservation
from molokini.server.state.dependencies import IN_WORDS, hopeless, met
from molokini.server.state.jobs import Job
from molokini.server.state.state import State
from molokini.server.turn.banking import openings
from molokini.server.turn.standing import configured_reservations

LEAST_READY = 64
"""Eligible elements of an array that are rows at least, if there are so many."""


def following(state: State, now: float) -> list[Fact]:
    """The facts that are due now; applying them may make more due."""
    facts: list[Fact] = [*configured_reservations(state), *openings(state)]
    if state.tables.reservations.roll_s <= now:
        facts.append(_rolled(state, now))
    for number in sorted(state.to_look_at):
        job = state.open_jobs.get(number)
        if job is not None:
            facts.extend(_look(state, job, now))
    state.to_look_at.clear()
    due = sorted(number for number, begin_s in state.timed.items() if begin_s <= now)
    facts.extend(JobEligible(n) for n in due if _dependencies_met(state, state.jobs[n]))
    for number in due:
        state.timed.pop(number)
    for job in list(state.arrays.values()):
        facts.extend(_elements(state, job))
    return facts


def _look(state: State, job: Job, now: float) -> list[Fact]:
    for one in job.spec.get("dependencies", ()):
        other = state.known(one.get("job_id", 0))
        if one["kind"] != "SINGLETON" and hopeless(one["kind"], other):
            reason = f"dependency on job {one['job_id']} ({IN_WORDS[one['kind']]}) can never be met"
            cause = Cause.DEPENDENCY_NEVER_MET
            ended = (job.id, NO_INDEX, 0, Ending.CANCELLED, now)
            return [JobEnded(*ended, by=Origin.SYSTEM, reason=reason, cause=cause)]
    if state.claims.waits(job) and state.claims.room(job) > 0 and not _barred(state, job):
        return [JobEligible(job.id)]
    if not job.waits_for or not _dependencies_met(state, job) or job.id in state.timed:
        return []
    return [JobEligible(job.id)]


def _barred(state: State, job: Job) -> bool:
    return bool(job.holds or job.waits_for or job.id in state.timed or job.id in state.unplaced)


def _dependencies_met(state: State, job: Job) -> bool:
    dependencies = job.spec.get("dependencies", ())
    singleton = any(one["kind"] == "SINGLETON" for one in dependencies)
    named = [one for one in dependencies if one["kind"] != "SINGLETON"]
    return all(met(one["kind"], state.known(one["job_id"])) for one in named) and not (
        singleton and any(not state.jobs[n].over for n in job.waits_for if n in state.jobs)
    )


def _elements(state: State, job: Job) -> list[Fact]:
    array = job.array
    assert array is not None
    wanted = max(LEAST_READY, state.tables.machine.free) - array.waiting_rows
    if array.limit:
        wanted = min(wanted, array.limit - array.open_rows)
    wanted = min(wanted, state.claims.room(job))
    indices = array.indices(wanted) if wanted > 0 else ()
    return [ElementsReady(job.id, indices)] if indices else []


def _rolled(state: State, now: float) -> ReservationsRolled:
    standing = [one for one in state.reservations.values() if isinstance(one, StandingReservation)]
    return ReservationsRolled(tuple(each.as_json() for one in standing for each in one.instances(now)))


def next_timer(state: State) -> float:
    """The next begin time; infinity where none waits.

    Reservations are rolled in time where a job waits, and with whatever happens next otherwise.
    """
    t = state.tables
    roll_s = t.reservations.roll_s if t.queue.head < t.queue.tail else float("inf")
    return min(roll_s, min(state.timed.values(), default=roll_s))
