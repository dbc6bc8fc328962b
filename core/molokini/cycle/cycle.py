"""One pass: the tables are made ready, and the policy writes its decisions to the buffer.

The engine and the server call ``begin_pass``, the policy and ``end_pass``, then apply the decisions in
order with ``apply_decided``; before that the server journals them.
"""

from molokini.availability.reserved import next_boundary
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import allows, apply_decision
from molokini.model.decisions import ENDS_TURN, IN_PLACE, PLACED, VACATES, Decision
from molokini.tables.allocations import change_processor_room, change_room
from molokini.tables.running import renew_overdue
from molokini.tables.tables import NEVER, Tables
from molokini.tables.waiting import close_queue


@inner
def begin_pass(t: Tables, now: float) -> None:
    """Make the tables ready for the policy."""
    t.machine.idle = t.machine.free
    t.cycle.decided = 0
    t.cycle.room_epoch += 1
    t.cycle.start_epoch += 1
    t.cycle.wake_s = NEVER
    if t.nodes.count > 0:
        t.placing.choice = t.placing.rules = 0
    if t.reservations.count > 0 or t.reservations.roll_s < NEVER:
        t.cycle.pass_s = now
        _wake_at_boundaries(t, now)
    if t.machine.overrun and renew_overdue(t, now):
        t.cycle.replan = 1


@kernel
def _wake_at_boundaries(t: Tables, now: float) -> None:
    """Ask for a pass where a reservation begins or ends: waiting jobs may find room then without an event."""
    seldom()
    if t.queue.head < t.queue.tail or t.queue.suspended_count > 0:
        t.cycle.wake_s = next_boundary(t, now)


@inner
def end_pass(t: Tables) -> None:
    """The policy has returned: forget what only this pass was to know; give back the room that it took."""
    t.holes.count = 0
    t.queue.arrived = 0
    t.cycle.replan = 0
    if t.reservations.count > 0:
        _forget_tries(t)
    if t.nodes.count > 0:
        t.placing.choice = t.placing.rules = 0
        # What the pass has found out about room holds no longer.
        t.cycle.start_epoch += 1
        _take_back(t)


@kernel
def _forget_tries(t: Tables) -> None:
    """No job is tried with another limit than its estimate."""
    seldom()
    for k in range(t.cycle.decided):
        if t.cycle.decisions[k, 0] == Decision.START:
            t.cycle.tried_s[t.cycle.decisions[k, 1]] = 0.0


@kernel
def _take_back(t: Tables) -> None:
    """Give back the room that the decisions of this pass have taken tentatively.

    After this the tables are as before the pass, but for the allocations that wait in
    ``jobs.entries``; the transition takes them for good.
    """
    seldom()
    for k in range(t.cycle.decided):
        kind, row = t.cycle.decisions[k, 0], t.cycle.decisions[k, 1]
        if stays_in_place(t, k):
            change_processor_room(t, row, 1.0 if kind == Decision.RESUME else -1.0)
        elif PLACED >> kind & 1:
            change_room(t, row, 1.0)
        elif VACATES >> kind & 1:
            change_room(t, row, -1.0)


@inner
def stays_in_place(t: Tables, k: int) -> bool:
    """Whether decision *k* suspends a job in place, or has one go on there: only processors change hands."""
    kind = t.cycle.decisions[k, 0]
    return bool((kind == Decision.SUSPEND or kind == Decision.RESUME) and t.cycle.decisions[k, 2] == IN_PLACE)


@inner
def is_legal(t: Tables, k: int) -> bool:
    """Whether the job of decision *k* is still in a state that allows this decision."""
    return allows(t.jobs.state[t.cycle.decisions[k, 1]], t.cycle.decisions[k, 0])


@inner
def ends_turn(t: Tables, k: int) -> bool:
    """Whether decision *k* puts its job into a state in which the pass can decide no more about it."""
    return bool(ENDS_TURN >> t.cycle.decisions[k, 0] & 1)


@inner
def apply_decided(t: Tables, k: int, now: float) -> None:
    """Decision *k* of the buffer has become a fact."""
    kind, row, argument, more = (
        t.cycle.decisions[k, 0],
        t.cycle.decisions[k, 1],
        t.cycle.decisions[k, 2],
        t.cycle.decisions[k, 3],
    )
    apply_decision(t, kind, row, argument, more, t.cycle.decision_time_s[k], now)


@inner
def close_pass(t: Tables) -> None:
    """All decisions are applied: close the gaps in the queue."""
    if t.queue.leaving > 0:
        close_queue(t)
