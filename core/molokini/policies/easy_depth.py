"""EASY with depth: the first N of the queue have reservations, replanned at each pass.

Between EASY (depth 1: the same starts, unless estimates are 0) and conservative without its memory of
promises: at each pass the first *depth* waiting jobs are planned in queue order at their earliest, and a
later job starts only if it delays none of them. Maui calls the parameter RESERVATIONDEPTH (Jackson,
Snell, Clement, JSSPP 2001). Promises that no job that starts out of order delays one of the first
*depth* as planned at that pass.
"""

from molokini.availability.beside_reserved import earliest_beside, fits_beside, next_change
from molokini.availability.profile import free_until, least_free
from molokini.cycle.reasons import blocked_beside
from molokini.policy import (
    NEVER,
    Parameters,
    Policy,
    Rule,
    View,
    because,
    blocked,
    held_back,
    parameter,
    plan,
    profile_of_running,
    remaining_s,
    start,
)
from molokini.shared.backfilling import explain_beside


class EasyDepthParameters(Parameters):
    """What the user chooses."""

    depth: int = parameter(
        4,
        "how many jobs of the queue have a reservation",
        unit="jobs",
        low=1,
        high=1_000_000,
        source="Jackson, Snell and Clement, JSSPP 2001",
    )


parameters = EasyDepthParameters.of

POLICY = Policy(
    name="easy-depth",
    family="backfilling",
    summary="backfilling with reservations for the first N of the queue, replanned at each pass",
    promise="a job that overtakes delays none of the first N as planned at that pass",
    source="Jackson, Snell and Clement, JSSPP 2001 (RESERVATIONDEPTH); Chiang et al., JSSPP 2002",
    parameters=EasyDepthParameters.declared(),
    counted_only=True,
)


def schedule(view: View, now: float) -> None:
    """Plan the first jobs of the queue, then let others start where the plan leaves room."""
    if view.queue.head == view.queue.tail:
        return
    profile_of_running(view, now)
    reserved = 0
    for k in range(view.queue.head, view.queue.tail):
        if view.machine.idle == 0 and not view.cycle.explain:
            return
        row = view.queue.waiting[k]
        width, length_s = view.jobs.width[row], remaining_s(view, row)
        fits_now = width <= view.machine.idle and fits_beside(view, row, length_s, now)
        if fits_now and start(view, row):
            plan(view, now, now + length_s, width)
        elif reserved < parameters(view).depth:
            # Counting has room for the job now, and nodes have not: no earlier than the next change.
            from_s = next_change(view, now) if fits_now else now
            at_s = earliest_beside(view, row, length_s, from_s) if from_s < NEVER else NEVER
            reserved += 1
            if at_s < NEVER:
                plan(view, at_s, at_s + length_s, width)
            if at_s == NEVER:
                blocked(view, row, -1)
            elif not held_back(view, row, -1):
                because(view, row, Rule.RESERVED_LATER, at_s, width, -1)
        elif fits_now:
            blocked(view, row, -1)
        elif not view.cycle.explain:
            continue
        elif width > view.machine.idle:
            blocked_beside(view, row, -1, least_free(view, now, now + length_s))
        else:
            explain_beside(view, row, -1, now, free_until(view, width, now))
