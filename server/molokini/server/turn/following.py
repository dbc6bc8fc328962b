"""What follows by itself from what has happened: begin times, dependencies, elements of arrays."""

from itertools import chain, islice
from math import inf

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
from molokini.server.state.dependencies import IN_WORDS, Found, Outlook, found_of
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
    state.to_look_at.update(number for number, at_s in state.waking.items() if at_s <= now)
    for number in sorted(state.to_look_at):
        job = state.open_jobs.get(number)
        if job is not None:
            facts.extend(_look(state, job, now))
    state.to_look_at.clear()
    due = sorted(number for number, begin_s in state.timed.items() if begin_s <= now)
    facts.extend(JobEligible(n) for n in due if _all_met(state, state.jobs[n], now))
    for number in due:
        state.timed.pop(number)
    for job in list(state.arrays.values()):
        facts.extend(_elements(state, job, now))
    return facts


def _all_met(state: State, job: Job, now: float) -> bool:
    return not job.waits_for or found_of(state, job, now).outlook is Outlook.MET


def _look(state: State, job: Job, now: float) -> list[Fact]:
    state.waking.pop(job.id, None)
    if job.waits_for:
        return _look_at_others(state, job, now)
    if job.array is not None and job.array.elementwise:
        return _hopeless_elements(state, job, now)
    if state.claims.waits(job) and state.claims.room(job) > 0 and not _barred(state, job):
        return [JobEligible(job.id)]
    return []


def _look_at_others(state: State, job: Job, now: float) -> list[Fact]:
    """What becomes of a job that waits for others."""
    found = found_of(state, job, now)
    if found.outlook is Outlook.NEVER and not job.spec.get("keep_if_never_met"):
        return [_never_met(job, NO_INDEX, found, now)]
    if found.outlook is Outlook.MET and job.id not in state.timed:
        return [JobEligible(job.id)]
    if found.due_s < inf:
        state.waking[job.id] = found.due_s
    return []


def _never_met(job: Job, index: int, found: Found, now: float) -> JobEnded:
    one = found.hopeless
    assert one is not None
    reason = f"dependency on job {one.get('job_id', 0)} ({IN_WORDS[one['kind']]}) can never be met"
    ended = (job.id, index, 0, Ending.CANCELLED, now)
    return JobEnded(*ended, by=Origin.SYSTEM, reason=reason, cause=Cause.DEPENDENCY_NEVER_MET)


def _hopeless_elements(state: State, job: Job, now: float) -> list[Fact]:
    """The ends of elements whose own conditions can never be met."""
    assert job.array is not None
    if job.eligible_s is None or job.spec.get("keep_if_never_met"):
        return []
    found = ((index, found_of(state, job, now, index)) for index in job.array.fresh())
    return [_never_met(job, index, one, now) for index, one in found if one.outlook is Outlook.NEVER]


def _barred(state: State, job: Job) -> bool:
    return bool(job.holds or job.waits_for or job.id in state.timed or job.id in state.unplaced)


def _elements(state: State, job: Job, now: float) -> list[Fact]:
    array = job.array
    assert array is not None
    wanted = max(LEAST_READY, state.tables.machine.free) - array.waiting_rows
    if array.limit:
        wanted = min(wanted, array.limit - array.open_rows)
    wanted = min(wanted, state.claims.room(job))
    if wanted <= 0:
        return []
    indices = _indices_met(state, job, wanted, now) if array.elementwise else array.indices(wanted)
    return [ElementsReady(job.id, indices)] if indices else []


def _indices_met(state: State, job: Job, count: int, now: float) -> tuple[int, ...]:
    """The next *count* elements whose own conditions are met."""
    assert job.array is not None
    fresh = job.array.fresh()
    met = (index for index in fresh if found_of(state, job, now, index).outlook is Outlook.MET)
    return tuple(islice(chain(sorted(job.array.back), met), count))


def _rolled(state: State, now: float) -> ReservationsRolled:
    standing = [one for one in state.reservations.values() if isinstance(one, StandingReservation)]
    return ReservationsRolled(tuple(each.as_json() for one in standing for each in one.instances(now)))


def next_timer(state: State) -> float:
    """The next begin time; infinity where none waits.

    Reservations are rolled in time where a job waits, and with whatever happens next otherwise.
    """
    t = state.tables
    roll_s = t.reservations.roll_s if t.queue.head < t.queue.tail else float("inf")
    timers = (state.timed.values(), state.waking.values())
    return min([roll_s, *(min(each, default=roll_s) for each in timers)])
