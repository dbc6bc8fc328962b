"""Verbs: what a policy may decide during a pass. Each writes decisions to the buffer; none changes the
tables, so a pass can be thrown away (``explain`` does). Last stands ``apply_decision``, which changes them.
It is long because verbs stand together, as policies find them.

``idle`` follows the decisions: processors still free in this pass. On a machine of nodes a verb also
finds the place, and returns False when there is none.
"""

from molokini.availability.beside_reserved import may_start
from molokini.availability.clusters import place_as_planned
from molokini.availability.hosts import mask_nodes, place_outside_on, unmask
from molokini.availability.node_classes import place_by_class
from molokini.availability.placement import all_tasks_placed, take_placed
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import FloatTable
from molokini.cycle.complaints import (
    NOT_A_JOB,
    NOT_ENOUGH,
    NOT_IN_ROWS,
    NOT_IN_STATE,
    TOO_MUCH,
    UNRESERVABLE,
    complain,
)
from molokini.cycle.reasons import blocked, write_reason
from molokini.model.decisions import (
    ENDS_TURN,
    IN_PLACE,
    IN_ROWS,
    LIMITED,
    OF_ALL,
    OF_RUNNING,
    OF_SUSPENDED,
    OF_WAITING,
    Decision,
)
from molokini.model.states import JobState
from molokini.tables import transitions
from molokini.tables.allocations import (
    change_processor_room,
    change_room,
    is_in_place,
    processors_of,
    take_entries,
    write_entries,
)
from molokini.tables.bank_changes import lien_for, place_lien
from molokini.tables.job_limits import limit
from molokini.tables.rows import how_many, is_at_home, rate_there
from molokini.tables.tables import Tables, View


@inner
def _decide(view: View, kind: int, row: int, argument: int, value: float) -> None:
    k = view.cycle.decided
    if k >= view.cycle.decision_time_s.size:
        complain(view, TOO_MUCH, row)
        return
    view.cycle.decisions[k, 0] = kind
    view.cycle.decisions[k, 1] = row
    view.cycle.decisions[k, 2] = argument
    view.cycle.decision_time_s[k] = value
    view.cycle.decided = k + 1


@kernel
def _decide_with(view: View, kind: int, row: int, argument: int, value: float, more: int) -> None:
    """The same, with a second argument."""
    k = view.cycle.decided
    _decide(view, kind, row, argument, value)
    if view.cycle.decided > k:
        view.cycle.decisions[k, 3] = more


@inner
def allows(state: int, kind: int) -> bool:
    """Whether this kind of decision can be made about a job in this state."""
    if state == JobState.WAITING:
        return bool(OF_WAITING >> kind & 1)
    if state == JobState.RUNNING:
        return bool(OF_RUNNING >> kind & 1)
    return bool(state == JobState.SUSPENDED and OF_SUSPENDED >> kind & 1)


@inner
def _may(view: View, row: int, kind: int) -> bool:
    """Whether this kind of decision can be made about *row*; a complaint where not."""
    if row < 0 or row >= view.jobs.state.size:
        complain(view, NOT_A_JOB, row)
        return False
    state = view.jobs.state[row]
    # What does not run and has a place was placed by this pass: a second place would lose the first.
    placed = view.nodes.count > 0 and state != JobState.RUNNING and view.jobs.entries[row] >= 0
    if placed or not allows(state, kind):
        complain(view, NOT_IN_STATE, row)
        return False
    return True


@inner
def _may_begin(view: View, row: int, kind: int) -> bool:
    """The same for a decision that takes processors, which must be idle and not reserved for other jobs."""
    if not _may(view, row, kind):
        return False
    if view.jobs.width[row] > view.machine.idle:
        complain(view, NOT_ENOUGH, row)
        return False
    if view.reservations.count > 0:
        return _reserved_for_it(view, row)
    return True


@kernel
def _may_begin_unreserved(view: View, row: int) -> bool:
    """Whether a waiting job may start in a way that reservations are not held against; none must be there."""
    if view.reservations.count > 0:
        complain(view, UNRESERVABLE, row)
        return False
    return _may(view, row, Decision.START)


@inner
def start(view: View, row: int) -> bool:
    """Start a waiting job now, on processors of its own.

    The caller has checked that it fits (``jobs.width`` <= ``idle``); False only where nodes decide, or where
    it would reach into what is reserved for other jobs.
    """
    return _begin(view, row, Decision.START)


@inner
def _begin(view: View, row: int, kind: int) -> bool:
    if not _may_begin(view, row, kind):
        return False
    if view.nodes.count > 0 and not _place_now(view, row):
        return False
    view.machine.idle -= view.jobs.width[row]
    _decide(view, kind, row, 1, 1.0)
    return True


@kernel
def mold(view: View, row: int, width: int, estimate_s: float, kind: int) -> None:
    """Give a waiting job *width* processors, on which, run as *kind*, it takes *estimate_s*.

    *kind* is one of ``applications.kinds.JobKind``.

    ``start_molded`` starts it in the same pass; in later passes the job has this width.
    """
    if _may(view, row, Decision.MOLD):
        _decide_with(view, Decision.MOLD, row, width, estimate_s, kind)


@kernel
def start_molded(view: View, row: int, width: int) -> bool:
    """Start a waiting job that this pass has molded to *width*; otherwise as ``start``.

    For policies that are not ``reservable``: the width and the end of such a start are not in the tables yet,
    by which reservations are held.
    """
    if not _may_begin_unreserved(view, row):
        return False
    if width > view.machine.idle:
        complain(view, NOT_ENOUGH, row)
        return False
    if view.nodes.count > 0:
        view.placing.molding = width
        placed = _place_now(view, row)
        view.placing.molding = 0
        if not placed:
            return False
    view.machine.idle -= width
    _decide(view, Decision.START, row, 1, 1.0)
    return True


@kernel
def start_planned(view: View, row: int) -> bool:
    """Start a waiting job now where ``planned_tasks`` says; False where there is no room."""
    if not _may_begin(view, row, Decision.START):
        return False
    if view.nodes.count > 0:
        if view.hosts.count > 0:
            mask_nodes(view, row)
        count = place_as_planned(view, view.nodes.free, row)
        unmask(view)
        if count < 0 or not write_entries(view, row, count):
            return False
        take_entries(view, row)
        view.cycle.start_epoch += 1
    view.machine.idle -= view.jobs.width[row]
    _decide(view, Decision.START, row, 1, 1.0)
    return True


@kernel
def begin_within(view: View, row: int, room: FloatTable, verb: int) -> bool:
    """Start (or resume, by *verb*) *row* now, on no more of each node than there is in *room*.

    For machines of nodes; *room* is no more than what is free. False where there is no room. A job that was
    suspended in place goes on there, whatever *room* says.
    """
    if verb == Decision.RESUME and is_in_place(view, row):
        return resume_in_place(view, row)
    if not _may_begin(view, row, verb):
        return False
    count = place_outside_on(view, room, row)
    if count < 0 or not write_entries(view, row, count):
        return False
    take_entries(view, row)
    view.cycle.start_epoch += 1
    view.machine.idle -= view.jobs.width[row]
    _decide(view, verb, row, 1, 1.0)
    return True


@kernel
def start_placed(view: View, row: int, count: int, beside: int = 0) -> bool:
    """Start a waiting job now where the first *count* elements of ``placing``, the policy's choice, say.

    So many processors, as tasks of component 0, are *beside* its tasks: it holds them, and does not ask for
    them. For machines of nodes. False where there is not so much free, or where it is reserved for others.
    """
    if not _may_begin(view, row, Decision.START):
        return False
    take_placed(view, view.nodes.free, count, -1.0)
    fits = all_tasks_placed(view, row, count, beside)
    for k in range(count):
        for resource in range(view.nodes.free.shape[1]):
            fits = fits and view.nodes.free[view.placing.node[k], resource] >= 0.0
    if not (fits and write_entries(view, row, count)):
        take_placed(view, view.nodes.free, count, 1.0)
        return False
    view.cycle.start_epoch += 1
    view.machine.idle -= view.jobs.width[row] + beside
    _decide(view, Decision.START, row, 1, 1.0)
    return True


@kernel
def tell_start(view: View, by: int, priority: float, queue: int) -> None:
    """Say of the start that was decided last by which pass it came, the priority that records keep, and the
    number of the queue in which the job starts, which counts where the job names several.

    For policies that declare that they tell; results of replays have all three.
    """
    k = view.cycle.decided - 1
    row = view.cycle.decisions[k, 1]
    view.cycle.decisions[k, 3] = by
    view.cycle.rank_key[row] = priority
    view.cycle.starts_in[row] = queue


@kernel
def try_within(view: View, row: int, limit_s: float) -> None:
    """Try to start *row* as a job of *limit_s* of work, for which verbs keep clear of what is reserved; 0: of
    its estimate. A job that starts so needs ``limit_start``.
    """
    view.cycle.limiting = 1
    view.cycle.tried_s[row] = limit_s


@kernel
def limit_start(view: View, limit_s: float) -> None:
    """Have the job whose start was decided last end after *limit_s* of work, in place of its estimate.

    It holds for this attempt. At least what the job accepts (``jobs.least_s``), at most its estimate.
    """
    seldom()
    k = view.cycle.decided - 1
    row = view.cycle.decisions[max(k, 0), 1]
    asked_s = view.jobs.estimate_s[row]
    accepted_s = min(view.jobs.least_s[row], asked_s) if view.jobs.least_s[row] > 0.0 else asked_s
    own = k >= 0 and view.cycle.decisions[k, 0] == Decision.START and view.cycle.decisions[k, 2] == 1
    if not own or not accepted_s <= limit_s <= asked_s:
        complain(view, NOT_IN_STATE, row)
        return
    view.cycle.decisions[k, 2], view.cycle.decision_time_s[k] = LIMITED, limit_s


@kernel
def give_back(view: View, row: int, processors: int) -> None:
    """Have a running job give up so many of its processors, which have done their part; at least one stays.

    For machines of counted processors: elsewhere the verb would have to name the nodes, too.
    """
    if not _may(view, row, Decision.GIVE_BACK):
        return
    if view.nodes.count > 0 or processors >= view.jobs.held[row]:
        complain(view, NOT_IN_STATE, row)
        return
    view.machine.idle += processors
    _decide(view, Decision.GIVE_BACK, row, processors, 0.0)


@kernel
def start_shared(view: View, row: int, rate: float) -> None:
    """Start a waiting job at *rate* on processors that it shares with other jobs.

    For policies that are not ``reservable``: such a job holds no processors.
    """
    if _may_begin_unreserved(view, row):
        _decide(view, Decision.START, row, 0, rate)


@kernel
def reserve(view: View, row: int, at_s: float) -> None:
    """Promise a waiting job a start at *at_s*."""
    if _may(view, row, Decision.RESERVE):
        _decide(view, Decision.RESERVE, row, 0, at_s)


@kernel
def suspend(view: View, row: int) -> None:
    """Stop a running job; it keeps its work, and its processors are idle from now on."""
    _take_off(view, row, Decision.SUSPEND, 0)


@kernel
def suspend_in_place(view: View, row: int) -> None:
    """Stop a running job, which keeps its nodes, and there everything but its processors: they are idle from
    now on.
    """
    if not _may(view, row, Decision.SUSPEND):
        return
    if view.nodes.count > 0:
        change_processor_room(view, row, 1.0)
        view.cycle.room_epoch += 1
        view.cycle.start_epoch += 1
    view.machine.idle += view.jobs.held[row]
    _decide(view, Decision.SUSPEND, row, IN_PLACE, 0.0)


@kernel
def requeue(view: View, row: int) -> None:
    """Put a running job back into the queue, at the place of its submission: its work is lost, its processors
    are idle from now on, and a later pass may start it again.
    """
    _take_off(view, row, Decision.REQUEUE, 0)


@kernel
def checkpoint(view: View, row: int) -> None:
    """As ``requeue``, but the job keeps its work, and goes on with the rest when it starts again."""
    _take_off(view, row, Decision.REQUEUE, 1)


@kernel
def cancel(view: View, row: int) -> None:
    """End a running job for good; its processors are idle from now on."""
    _take_off(view, row, Decision.CANCEL, 0)


@kernel
def never_mind(view: View, decided: int) -> None:
    """Take back every decision after the first *decided*, all of which have taken running jobs off."""
    seldom()
    for k in range(view.cycle.decided - 1, decided - 1, -1):
        row = view.cycle.decisions[k, 1]
        if view.nodes.count > 0:
            if view.cycle.decisions[k, 0] == Decision.SUSPEND and view.cycle.decisions[k, 2] == IN_PLACE:
                change_processor_room(view, row, -1.0)
            else:
                change_room(view, row, -1.0)
            view.cycle.start_epoch += 1
        view.machine.idle -= view.jobs.held[row]
    view.cycle.decided = decided


@kernel
def _take_off(view: View, row: int, kind: int, argument: int) -> None:
    if not _may(view, row, kind):
        return
    if view.nodes.count > 0:
        change_room(view, row, 1.0)
        view.cycle.room_epoch += 1
        view.cycle.start_epoch += 1
    view.machine.idle += view.jobs.held[row]
    _decide(view, kind, row, argument, 0.0)


@kernel
def resume(view: View, row: int) -> bool:
    """Let a suspended job go on, on processors of its own; False only where nodes decide."""
    if is_in_place(view, row):
        return resume_in_place(view, row)
    return _begin(view, row, Decision.RESUME)


@kernel
def resume_in_place(view: View, row: int) -> bool:
    """Let a job that was suspended in place go on there; False while others have the processors, or have them
    reserved.
    """
    if not is_in_place(view, row) or _is_decided(view, row):
        complain(view, NOT_IN_STATE, row)
        return False
    if view.reservations.count > 0 and not _reserved_for_it(view, row):
        return False
    change_processor_room(view, row, -1.0)
    if not _has_processors(view, row):
        change_processor_room(view, row, 1.0)
        return False
    view.cycle.start_epoch += 1
    view.machine.idle -= processors_of(view, row)
    _decide(view, Decision.RESUME, row, IN_PLACE, 1.0)
    return True


@kernel
def _is_decided(view: View, row: int) -> bool:
    """Whether this pass has let a suspended job go on already."""
    for k in range(view.cycle.decided):
        if view.cycle.decisions[k, 1] == row and view.cycle.decisions[k, 0] == Decision.RESUME:
            return True
    return False


@kernel
def _has_processors(view: View, row: int) -> bool:
    """Whether no node of a job has given more processors than it has."""
    entry = view.jobs.entries[row]
    while entry >= 0:
        if view.nodes.free[view.entries.node[entry], 0] < 0.0:
            return False
        entry = view.entries.next[entry]
    return True


@kernel
def resume_shared(view: View, row: int, rate: float) -> None:
    """Let a suspended job go on at *rate* on shared processors; for whom, as ``start_shared``."""
    if is_in_place(view, row):
        # What another policy has suspended so shares no processors.
        resume_in_place(view, row)
    elif view.reservations.count > 0:
        complain(view, UNRESERVABLE, row)
    elif _may(view, row, Decision.RESUME):
        _decide(view, Decision.RESUME, row, 0, rate)


@kernel
def migrate(view: View, row: int) -> bool:
    """Move a running job to where placement would put it now, once in a pass; False: there is no room."""
    if not _may(view, row, Decision.MIGRATE):
        return False
    for k in range(view.cycle.decided):
        kind = view.cycle.decisions[k, 0]
        if view.cycle.decisions[k, 1] == row and (kind == Decision.MIGRATE or ENDS_TURN >> kind & 1):
            # Only the first and the last of its places would be known, or one that it has left.
            complain(view, NOT_IN_STATE, row)
            return False
    if view.nodes.count > 0:
        # The old place stays taken until the decision is applied: a move needs both, as on real nodes.
        before = view.jobs.entries[row]
        if not _place_now(view, row):
            view.jobs.entries[row] = before
            return False
        _decide(view, Decision.MIGRATE, row, before, 0.0)
        return True
    return True


@kernel
def set_share(view: View, row: int, rate: float) -> None:
    """Let a running job progress at *rate* seconds of work a second."""
    if _may(view, row, Decision.SET_SHARE):
        _decide(view, Decision.SET_SHARE, row, 0, rate)


@kernel
def share_all(view: View, rate: float) -> None:
    """Let all running jobs progress at *rate* seconds of work a second; those that do already are left alone.

    As ``set_share`` for each of them, at the cost of one decision where the driver takes it for all of them.
    """
    if not view.cycle.together:
        for k in range(view.queue.running_count):
            if view.jobs.rate[view.queue.running[k]] != rate:
                set_share(view, view.queue.running[k], rate)
    elif view.queue.running_count > 0:
        _decide(view, Decision.SET_SHARE, view.queue.running[0], OF_ALL, rate)


@kernel
def start_in_rows(view: View, row: int) -> None:
    """Start a waiting job where ``matrix.to_home``, ``to_rows`` and ``to_bits`` put it in the matrix.

    For policies that are not ``reservable``: such a job holds no processors of its own.
    """
    if _may_begin_unreserved(view, row) and _may_stand(view, row):
        _decide(view, Decision.START, row, IN_ROWS, rate_there(view, row))


@kernel
def set_rows(view: View, row: int) -> None:
    """Let a running job of the matrix go on where ``matrix.to_home``, ``to_rows`` and ``to_bits`` put it.

    It loses ``matrix.to_stall_s`` of its next slices to its migration.
    """
    if _may(view, row, Decision.SET_ROWS) and _may_stand(view, row):
        _decide(view, Decision.SET_ROWS, row, 0, view.matrix.to_stall_s[row])


@kernel
def _may_stand(view: View, row: int) -> bool:
    """Whether a job stands in its home row and has as many columns as it is wide; a complaint where not."""
    columns = 0
    for word in range(view.matrix.numbers):
        columns += how_many(view.matrix.to_bits[row, word])
    if not is_at_home(view, row) or columns != view.jobs.width[row]:
        complain(view, NOT_IN_ROWS, row)
        return False
    return True


@kernel
def refuse(view: View, row: int, refusal: int) -> None:
    """Refuse a waiting job that can never run under this policy (a ``Refusal``)."""
    refuse_over(view, row, refusal, 0, 0.0)


@kernel
def refuse_over(view: View, row: int, refusal: int, ceiling: int, limit: float) -> None:
    """Refuse a waiting job that is above *limit*, which the policy numbers *ceiling* (from 1 on)."""
    if _may(view, row, Decision.REFUSE):
        _decide_with(view, Decision.REFUSE, row, refusal, limit, ceiling)


@kernel
def refuse_deadline(view: View, row: int, refusal: int, earliest_s: float) -> None:
    """Refuse a waiting job for its deadline; the earliest that could be met is *earliest_s* (0: unknown)."""
    refuse_over(view, row, refusal, 0, earliest_s)


@kernel
def bypass(view: View, row: int, times: int) -> None:
    """Say that jobs of lower priority were backfilled past a waiting job, so many *times* in this pass."""
    if _may(view, row, Decision.BYPASS):
        _decide(view, Decision.BYPASS, row, times, 0.0)


@kernel
def accrue(view: View, row: int, after_s: float) -> None:
    """Count the queue time of a waiting job from *after_s* after its submission on; NEVER: not for now."""
    if _may(view, row, Decision.ACCRUE):
        _decide(view, Decision.ACCRUE, row, 0, after_s)


@kernel
def pledge(view: View, row: int, account: int, price: float) -> None:
    """Have *account* set aside what a waiting job, which is about to start, costs at *price* a second."""
    if _may(view, row, Decision.LIEN):
        _decide_with(view, Decision.LIEN, row, account, price, lien_for(view, row, price))


@kernel
def defer(view: View, row: int, rule: int, until_s: float) -> None:
    """Put a waiting job, which *rule* (a ``Rule``) keeps from starting, off until *until_s*, and count that.
    Only a policy that reads ``jobs.deferred_s`` heeds it: other policies consider all jobs that wait.
    """
    if _may(view, row, Decision.DEFER):
        _decide(view, Decision.DEFER, row, rule, until_s)


@kernel
def hold(view: View, row: int, rule: int) -> None:
    """Take a waiting job, which *rule* (a ``Rule``) has kept from starting too often, out of the queue until
    an administrator releases it.
    """
    if _may(view, row, Decision.HOLD):
        _decide(view, Decision.HOLD, row, rule, 0.0)


@kernel
def wake_at(view: View, at_s: float) -> None:
    """Ask for a pass at *at_s* although nothing else may happen then; each pass has to ask again."""
    view.cycle.wake_s = min(view.cycle.wake_s, at_s)


@kernel
def because(view: View, row: int, rule: int, limit: float, value: float, front: int) -> None:
    """Say why *row* waits: the rule, its limit, the job's value, the row in front (-1: none)."""
    if view.cycle.explain:
        write_reason(view, row, rule, limit, value, front)


@kernel
def _place_now(view: View, row: int) -> bool:
    seldom()
    # Rules may admit one job and not another of the same shape.
    shape = 0 if view.placing.rules > 0 else view.jobs.shape[row]
    if shape > 0 and view.shapes.without_room[shape] == view.cycle.room_epoch:
        # Room only shrinks until the epoch changes, so other jobs of this shape need not be tried.
        return False
    count = place_by_class(view, row)
    if count < 0 or not write_entries(view, row, count):
        if shape > 0 and view.hosts.count == 0:
            view.shapes.without_room[shape] = view.cycle.room_epoch
        return False
    take_entries(view, row)
    view.cycle.start_epoch += 1
    return True


@kernel
def _reserved_for_it(view: View, row: int) -> bool:
    """Whether *row* stays out of what is reserved for other jobs; where not, that is the reason."""
    seldom()
    if may_start(view, row):
        return True
    blocked(view, row, -1)
    return False


@inner
def apply_decision(
    t: Tables, kind: int, row: int, argument: int, more: int, value: float, now: float
) -> None:
    """A decision about *row* has become a fact; *argument*, *more* and *value* are as its verb wrote them."""
    if kind == Decision.START:
        if t.matrix.count > 0 and argument == IN_ROWS:
            transitions.start_in_rows(t, row, now)
        elif argument == LIMITED:
            _start_limited(t, row, now, value)
        else:
            transitions.start(t, row, now, value, argument == 1)
    else:
        apply_other(t, kind, row, argument, more, value, now)


@kernel
def _start_limited(t: Tables, row: int, now: float, limit_s: float) -> None:
    """A waiting job begins an attempt on processors of its own, with this limit in place of its estimate."""
    seldom()
    limit(t, row, limit_s)
    transitions.start(t, row, now, 1.0, True)


@kernel
def apply_other(t: Tables, kind: int, row: int, argument: int, more: int, value: float, now: float) -> None:
    """The same of a decision that is no start."""
    if kind == Decision.RESERVE:
        transitions.reserve(t, row, value)
    elif kind == Decision.MOLD:
        transitions.mold(t, row, argument, value)
    elif kind == Decision.GIVE_BACK:
        transitions.give_back(t, row, argument)
    elif kind == Decision.SUSPEND:
        transitions.suspend(t, row, now, argument == IN_PLACE)
    elif kind == Decision.RESUME:
        own = argument == 1 or argument == IN_PLACE
        transitions.resume(t, row, now, value, own, argument == IN_PLACE)
    elif kind == Decision.SET_SHARE:
        if argument == OF_ALL:
            transitions.share_all(t, now, value)
        else:
            transitions.set_share(t, row, now, value)
    elif kind == Decision.MIGRATE:
        transitions.move(t, row, argument)
    elif kind == Decision.REFUSE:
        transitions.withdraw(t, row)
    elif kind == Decision.REQUEUE:
        transitions.requeue(t, row, now, argument == 1)
    elif kind == Decision.CANCEL:
        transitions.cancel(t, row, now)
    elif kind == Decision.BYPASS:
        transitions.bypass(t, row, argument)
    elif kind == Decision.ACCRUE:
        transitions.accrue(t, row, value)
    elif kind == Decision.LIEN:
        place_lien(t, row, argument, value, more)
    elif kind == Decision.DEFER:
        transitions.defer(t, row, argument, value)
    elif kind == Decision.HOLD:
        transitions.hold(t, row)
    elif kind == Decision.SET_ROWS:
        transitions.set_rows(t, row, now, value)
