"""One pass: the tables are made ready, the policy speaks, and what it said stands in the buffer.

The engine and the server call ``begin_pass``, the policy and ``end_pass``, then apply the decisions in
order with ``apply_decision``; between the two the server journals them.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.verbs import take_back
from molokini.model.decisions import Decision
from molokini.model.states import JobState
from molokini.room.reserved import next_boundary
from molokini.tables import transitions
from molokini.tables.allocations import give_entries, take_entries
from molokini.tables.bank import lien_for, place_lien
from molokini.tables.running import renew_overdue
from molokini.tables.tables import NEVER, Tables
from molokini.tables.waiting import close_queue

_START = int(Decision.START)
_RESERVE = int(Decision.RESERVE)
_SUSPEND = int(Decision.SUSPEND)
_RESUME = int(Decision.RESUME)
_MIGRATE = int(Decision.MIGRATE)
_SET_SHARE = int(Decision.SET_SHARE)
_REFUSE = int(Decision.REFUSE)
_MOLD = int(Decision.MOLD)
_REQUEUE = int(Decision.REQUEUE)
_CANCEL = int(Decision.CANCEL)
_GIVE_BACK = int(Decision.GIVE_BACK)
_BYPASS = int(Decision.BYPASS)
_ACCRUE = int(Decision.ACCRUE)
_LIEN = int(Decision.LIEN)
_DEFER = int(Decision.DEFER)
_HOLD = int(Decision.HOLD)
_WAITING = int(JobState.WAITING)
_RUNNING = int(JobState.RUNNING)
_SUSPENDED = int(JobState.SUSPENDED)


@inner
def begin_pass(t: Tables, now: float) -> None:
    """Make the tables ready for the policy."""
    t.idle = t.free
    t.decided = 0
    t.room_epoch += 1
    t.start_epoch += 1
    t.wake_s = NEVER
    if t.nodes > 0:
        t.node_choice = t.node_rules = 0
    if t.reservations > 0 or t.roll_s < NEVER:
        t.pass_s = now
        _wake_at_boundaries(t, now)
    if t.overrun and renew_overdue(t, now):
        t.replan = 1


@kernel
def _wake_at_boundaries(t: Tables, now: float) -> None:
    """Where a reservation begins or ends, those who wait may find room that nothing else tells of."""
    seldom()
    if t.waiting_head < t.waiting_tail or t.suspended_count > 0:
        t.wake_s = next_boundary(t, now)


@inner
def end_pass(t: Tables) -> None:
    """The policy has spoken: what it was told once is told, what it took is given back."""
    t.hole_count = 0
    t.arrived = 0
    t.replan = 0
    if t.nodes > 0:
        t.node_choice = t.node_rules = 0
        # What the pass has found out about its own room holds no longer.
        t.start_epoch += 1
        take_back(t)


@inner
def is_legal(t: Tables, k: int) -> bool:
    """Whether decision *k* still finds its job as the verb found it: a job is decided about once."""
    kind, state = t.decisions[k, 0], t.job_state[t.decisions[k, 1]]
    if kind == _START or kind == _REFUSE or kind == _RESERVE or kind == _MOLD:
        return bool(state == _WAITING)
    if kind == _BYPASS or kind == _ACCRUE or kind == _LIEN or kind == _DEFER or kind == _HOLD:
        return bool(state == _WAITING)
    if kind == _RESUME:
        return bool(state == _SUSPENDED)
    return bool(state == _RUNNING)


@inner
def changes_state(t: Tables, k: int) -> bool:
    """Whether decision *k* leaves its job in another state, in which nothing more can be decided about it."""
    kind = t.decisions[k, 0]
    if kind == _BYPASS or kind == _ACCRUE or kind == _LIEN or kind == _DEFER:
        return False
    return not (kind == _RESERVE or kind == _MOLD or kind == _SET_SHARE or kind == _MIGRATE)


@kernel
def apply_decision(t: Tables, k: int, now: float) -> None:
    """Decision *k* of the buffer has become a fact."""
    if t.decisions[k, 0] == _START:
        transitions.start(t, t.decisions[k, 1], now, t.decision_time_s[k], t.decisions[k, 2] == 1)
    else:
        apply_other_decision(t, k, now)


@kernel
def apply_other_decision(t: Tables, k: int, now: float) -> None:
    """Decision *k*, which is no start, has become a fact."""
    kind, row = t.decisions[k, 0], t.decisions[k, 1]
    argument, value = t.decisions[k, 2], t.decision_time_s[k]
    if kind == _RESERVE:
        transitions.reserve(t, row, value)
    elif kind == _MOLD:
        transitions.mold(t, row, argument, value)
    elif kind == _GIVE_BACK:
        transitions.give_back(t, row, argument)
    elif kind == _SUSPEND:
        transitions.suspend(t, row, now)
    elif kind == _RESUME:
        transitions.resume(t, row, now, value, argument == 1)
    elif kind == _SET_SHARE:
        transitions.set_share(t, row, now, value)
    elif kind == _MIGRATE:
        _move(t, row, argument)
    elif kind == _REFUSE:
        transitions.withdraw(t, row)
    elif kind == _REQUEUE:
        transitions.requeue(t, row, now, argument == 1)
    elif kind == _CANCEL:
        transitions.cancel(t, row, now)
    elif kind == _BYPASS:
        transitions.bypass(t, row, argument)
    elif kind == _ACCRUE:
        transitions.accrue(t, row, value)
    elif kind == _LIEN:
        place_lien(t, row, argument, value, lien_for(t, row, value))
    elif kind == _DEFER:
        transitions.defer(t, row, argument, value)
    elif kind == _HOLD:
        transitions.hold(t, row)


@kernel
def _move(t: Tables, row: int, before: int) -> None:
    seldom()
    after = t.job_entries[row]
    t.job_entries[row] = before
    give_entries(t, row)
    t.job_entries[row] = after
    take_entries(t, row)


@inner
def close_pass(t: Tables) -> None:
    """All decisions are applied; the queue closes up."""
    if t.leaving > 0:
        close_queue(t)
