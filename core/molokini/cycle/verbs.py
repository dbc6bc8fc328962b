"""Verbs: what a policy may say during a pass. Each writes decisions to the buffer; none changes the
tables, so a pass can be thrown away (``explain`` does).

``idle`` follows the decisions: processors still free in this pass. On a machine of nodes a verb also
finds the place, and says False when there is none.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import FloatTable
from molokini.model.decisions import Decision, Rule
from molokini.model.states import JobState
from molokini.room.beside_reserved import may_start
from molokini.room.clusters import place_as_planned
from molokini.room.hosts import bar, lift, place_outside_on
from molokini.room.node_classes import place_by_class
from molokini.tables.allocations import change_room, drop_entries, take_entries, write_entries
from molokini.tables.tables import View

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
_RESERVED_FOR_OTHERS = int(Rule.RESERVED_FOR_OTHERS)
_WAITING = int(JobState.WAITING)
_RUNNING = int(JobState.RUNNING)
_SUSPENDED = int(JobState.SUSPENDED)


@inner
def _decide(view: View, kind: int, row: int, argument: int, value: float) -> None:
    k = view.decided
    if k >= view.decision_time_s.size:
        complain(view, TOO_MUCH, row)
        return
    view.decisions[k, 0] = kind
    view.decisions[k, 1] = row
    view.decisions[k, 2] = argument
    view.decision_time_s[k] = value
    view.decided = k + 1


NOT_A_JOB = 1
NOT_IN_STATE = 2
NOT_ENOUGH = 3
TOO_MUCH = 4
COMPLAINTS = {
    NOT_A_JOB: "named row {row}, which is no row of the tables",
    NOT_IN_STATE: "asked for job {job} (row {row}) what its state does not allow, or asked twice",
    NOT_ENOUGH: "started job {job}, which needs {width} processors, where {idle} are idle",
    TOO_MUCH: "decided more often about row {row} than there can be a reason for",
}
"""What a policy can do wrong that would corrupt the tables; the pass is thrown away and the run stops."""


@kernel
def complain(view: View, complaint: int, row: int) -> None:
    """Note the first thing that this policy did wrong."""
    seldom()
    if view.complaint == 0:
        view.complaint = complaint
        view.complaint_row = row
        view.complaint_idle = view.idle


@inner
def _may(view: View, row: int, state: int) -> bool:
    """Whether *row* is a job in this state; a complaint where not."""
    if row < 0 or row >= view.job_state.size:
        complain(view, NOT_A_JOB, row)
        return False
    if view.job_state[row] != state:
        complain(view, NOT_IN_STATE, row)
        return False
    return True


@inner
def start(view: View, row: int) -> bool:
    """Start a waiting job now, on processors of its own.

    The caller has seen that it fits (``job_width`` <= ``idle``); False only where nodes decide, or where it
    would reach into what is reserved for others.
    """
    if not _may(view, row, _WAITING):
        return False
    if view.job_width[row] > view.idle:
        complain(view, NOT_ENOUGH, row)
        return False
    if view.reservations > 0 and not _reserved_for_it(view, row):
        return False
    if view.nodes > 0 and not _place_now(view, row):
        return False
    view.idle -= view.job_width[row]
    _decide(view, _START, row, 1, 1.0)
    return True


@kernel
def mold(view: View, row: int, width: int, estimate_s: float, rule: int) -> None:
    """Give a waiting divisible job *width* processors, on which, cut by *rule*, it takes *estimate_s*.

    ``start_molded`` starts it in the same pass; in later passes it is as wide as any other.
    """
    if _may(view, row, _WAITING):
        k = view.decided
        _decide(view, _MOLD, row, width, estimate_s)
        if view.decided > k:
            view.decisions[k, 3] = rule


@kernel
def start_molded(view: View, row: int, width: int) -> bool:
    """Start a waiting job that this pass has molded to *width*; otherwise as ``start``."""
    if not _may(view, row, _WAITING):
        return False
    if width > view.idle:
        complain(view, NOT_ENOUGH, row)
        return False
    if view.nodes > 0:
        view.molding = width
        placed = _place_now(view, row)
        view.molding = 0
        if not placed:
            return False
    view.idle -= width
    _decide(view, _START, row, 1, 1.0)
    return True


@kernel
def start_planned(view: View, row: int) -> bool:
    """Start a waiting job now where ``planned_tasks`` says; False where there is no room."""
    if not _may(view, row, _WAITING):
        return False
    if view.job_width[row] > view.idle:
        complain(view, NOT_ENOUGH, row)
        return False
    if view.reservations > 0 and not _reserved_for_it(view, row):
        return False
    if view.nodes > 0:
        if view.hosted > 0:
            bar(view, row)
        count = place_as_planned(view, view.node_free, row)
        lift(view)
        if count < 0 or not write_entries(view, row, count):
            return False
        take_entries(view, row)
        view.start_epoch += 1
    view.idle -= view.job_width[row]
    _decide(view, _START, row, 1, 1.0)
    return True


@kernel
def begin_within(view: View, row: int, room: FloatTable, verb: int) -> bool:
    """Start (or resume, by *verb*) *row* now, on no more of each node than there is in *room*.

    For machines of nodes; *room* is no more than what is free. False where there is no room.
    """
    if not _may(view, row, _WAITING if verb == _START else _SUSPENDED):
        return False
    if view.job_width[row] > view.idle:
        complain(view, NOT_ENOUGH, row)
        return False
    if view.reservations > 0 and not _reserved_for_it(view, row):
        return False
    count = place_outside_on(view, room, row)
    if count < 0 or not write_entries(view, row, count):
        return False
    take_entries(view, row)
    view.start_epoch += 1
    view.idle -= view.job_width[row]
    _decide(view, verb, row, 1, 1.0)
    return True


@kernel
def give_back(view: View, row: int, processors: int) -> None:
    """Have a running job give up so many of its processors, which have done their part; one stays at least.

    For machines of counted processors: which node is free would have to be said, too.
    """
    if not _may(view, row, _RUNNING):
        return
    if view.nodes > 0 or processors >= view.job_held[row]:
        complain(view, NOT_IN_STATE, row)
        return
    view.idle += processors
    _decide(view, _GIVE_BACK, row, processors, 0.0)


@kernel
def start_shared(view: View, row: int, rate: float) -> None:
    """Start a waiting job at *rate* on processors that it shares with others."""
    if _may(view, row, _WAITING):
        _decide(view, _START, row, 0, rate)


@kernel
def reserve(view: View, row: int, at_s: float) -> None:
    """Promise a waiting job a start at *at_s*."""
    if _may(view, row, _WAITING):
        _decide(view, _RESERVE, row, 0, at_s)


@kernel
def suspend(view: View, row: int) -> None:
    """Stop a running job; it keeps its work, and its processors are idle from now on."""
    _take_off(view, row, _SUSPEND, 0)


@kernel
def requeue(view: View, row: int) -> None:
    """Put a running job back into the queue, at the place of its submission: its work is lost, its processors
    are idle from now on, and a later pass may start it again.
    """
    _take_off(view, row, _REQUEUE, 0)


@kernel
def checkpoint(view: View, row: int) -> None:
    """As ``requeue``, but the job keeps its work, and goes on with the rest when it starts again."""
    _take_off(view, row, _REQUEUE, 1)


@kernel
def cancel(view: View, row: int) -> None:
    """End a running job for good; its processors are idle from now on."""
    _take_off(view, row, _CANCEL, 0)


@kernel
def never_mind(view: View, decided: int) -> None:
    """Take back every decision after the first *decided*, all of which have taken running jobs off."""
    seldom()
    for k in range(view.decided - 1, decided - 1, -1):
        row = view.decisions[k, 1]
        if view.nodes > 0:
            change_room(view, row, -1.0)
            view.start_epoch += 1
        view.idle -= view.job_held[row]
    view.decided = decided


@kernel
def _take_off(view: View, row: int, kind: int, argument: int) -> None:
    if not _may(view, row, _RUNNING):
        return
    if view.nodes > 0:
        change_room(view, row, 1.0)
        view.room_epoch += 1
        view.start_epoch += 1
    view.idle += view.job_held[row]
    _decide(view, kind, row, argument, 0.0)


@kernel
def resume(view: View, row: int) -> bool:
    """Let a suspended job go on, on processors of its own; False only where nodes decide."""
    if not _may(view, row, _SUSPENDED):
        return False
    if view.job_width[row] > view.idle:
        complain(view, NOT_ENOUGH, row)
        return False
    if view.reservations > 0 and not _reserved_for_it(view, row):
        return False
    if view.nodes > 0 and not _place_now(view, row):
        return False
    view.idle -= view.job_width[row]
    _decide(view, _RESUME, row, 1, 1.0)
    return True


@kernel
def migrate(view: View, row: int) -> bool:
    """Move a running job to where placement would put it now; False where there is no room."""
    if not _may(view, row, _RUNNING):
        return False
    if view.nodes > 0:
        # The old place stays taken until the decision is applied: a move needs both, as on real nodes.
        before = view.job_entries[row]
        if not _place_now(view, row):
            view.job_entries[row] = before
            return False
        _decide(view, _MIGRATE, row, before, 0.0)
        return True
    return True


@kernel
def set_share(view: View, row: int, rate: float) -> None:
    """Let a running job progress at *rate* seconds of work a second."""
    if _may(view, row, _RUNNING):
        _decide(view, _SET_SHARE, row, 0, rate)


@kernel
def refuse(view: View, row: int, refusal: int) -> None:
    """Refuse a waiting job that can never run under this policy (a ``Refusal``)."""
    refuse_over(view, row, refusal, 0, 0.0)


@kernel
def refuse_over(view: View, row: int, refusal: int, ceiling: int, limit: float) -> None:
    """Refuse a waiting job that is above *limit*, which the policy numbers *ceiling* (from 1 on)."""
    if _may(view, row, _WAITING):
        k = view.decided
        _decide(view, _REFUSE, row, refusal, limit)
        if view.decided > k:
            view.decisions[k, 3] = ceiling


@kernel
def refuse_deadline(view: View, row: int, refusal: int, earliest_s: float) -> None:
    """Refuse a waiting job for its deadline; the earliest that could be met is *earliest_s* (0: unknown)."""
    refuse_over(view, row, refusal, 0, earliest_s)


@kernel
def bypass(view: View, row: int, times: int) -> None:
    """Say that jobs of lower priority were backfilled past a waiting job, so many *times* in this pass."""
    if _may(view, row, _WAITING):
        _decide(view, _BYPASS, row, times, 0.0)


@kernel
def accrue(view: View, row: int, after_s: float) -> None:
    """Count the queue time of a waiting job from *after_s* after its submission on; NEVER: not for now."""
    if _may(view, row, _WAITING):
        _decide(view, _ACCRUE, row, 0, after_s)


@kernel
def pledge(view: View, row: int, account: int, price: float) -> None:
    """Have *account* set aside what a waiting job, which is about to start, costs at *price* a second."""
    if _may(view, row, _WAITING):
        _decide(view, _LIEN, row, account, price)


@kernel
def defer(view: View, row: int, rule: int, until_s: float) -> None:
    """Say that a waiting job, which *rule* (a ``Rule``) keeps from starting, is not to be looked at before
    *until_s*; counted, and asked for again by nobody but the policy: others look at all that wait.
    """
    if _may(view, row, _WAITING):
        _decide(view, _DEFER, row, rule, until_s)


@kernel
def hold(view: View, row: int, rule: int) -> None:
    """Take a waiting job, which *rule* (a ``Rule``) has kept from starting too often, out of the queue until
    an administrator releases it.
    """
    if _may(view, row, _WAITING):
        _decide(view, _HOLD, row, rule, 0.0)


@kernel
def wake_at(view: View, at_s: float) -> None:
    """Ask for a pass at *at_s* although nothing else may happen then; each pass asks anew."""
    view.wake_s = min(view.wake_s, at_s)


@kernel
def because(view: View, row: int, rule: int, limit: float, value: float, front: int) -> None:
    """Say why *row* waits: the rule, its limit, the job's value, the row in front (-1: none)."""
    if view.explain:
        _write_reason(view, row, rule, limit, value, front)


@kernel
def _write_reason(view: View, row: int, rule: int, limit: float, value: float, front: int) -> None:
    seldom()
    view.reason_rule[row] = rule
    view.reason_limit[row] = limit
    view.reason_value[row] = value
    view.reason_front[row] = front


@kernel
def _place_now(view: View, row: int) -> bool:
    seldom()
    # Rules may admit one job and not another of the same shape.
    shape = 0 if view.node_rules > 0 else view.job_shape[row]
    if shape > 0 and view.shape_without_room[shape] == view.room_epoch:
        # Room only shrinks until the epoch changes, so others of this shape need not look again.
        return False
    count = place_by_class(view, row)
    if count < 0 or not write_entries(view, row, count):
        if shape > 0 and view.hosted == 0:
            view.shape_without_room[shape] = view.room_epoch
        return False
    take_entries(view, row)
    view.start_epoch += 1
    return True


@kernel
def _reserved_for_it(view: View, row: int) -> bool:
    """Whether *row* stays out of what is reserved for others; the reason where not."""
    seldom()
    if may_start(view, row):
        return True
    because(view, row, _RESERVED_FOR_OTHERS, view.idle, view.job_width[row], -1)
    return False


@kernel
def take_back(view: View) -> None:
    """Give back the room that the decisions of this pass have taken tentatively.

    After this the tables are as before the pass, but for the allocations that wait in
    ``job_entries``; the transition takes them for good.
    """
    seldom()
    for k in range(view.decided):
        kind, row = view.decisions[k, 0], view.decisions[k, 1]
        if kind == _START or kind == _RESUME or kind == _MIGRATE:
            change_room(view, row, 1.0)
        elif kind == _SUSPEND or kind == _REQUEUE or kind == _CANCEL:
            change_room(view, row, -1.0)


@kernel
def forget(view: View) -> None:
    """Throw the decisions of this pass away: nothing has happened."""
    if view.nodes > 0:
        take_back(view)
        for k in range(view.decided):
            kind, row = view.decisions[k, 0], view.decisions[k, 1]
            if kind == _START or kind == _RESUME:
                drop_entries(view, row)
            elif kind == _MIGRATE:
                drop_entries(view, row)
                view.job_entries[row] = view.decisions[k, 2]
    view.decided = 0
