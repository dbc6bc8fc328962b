"""Conservative backfilling on several clusters: a reservation of processors in clusters for everybody.

The rules of ``conservative`` (Mu'alem and Feitelson 2001; Feitelson, JSSPP 2001) with a plan of every
cluster; which clusters a reservation takes is chosen as Bucur and Epema, JSSPP 2001, do, who look at FCFS
alone. A job starts where it was planned. Promises that a job starts no later than its first reservation,
and that a reservation never moves later, as long as jobs are killed at their estimates, communication
included. Jobs that wish for more than processors are refused: the plan counts processors.

The plan is kept from pass to pass and made anew from the tables when something ended early; then each
waiting job in queue order is taken out and put back at its earliest.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.cycle.verbs import because, refuse, reserve, start_planned, wake_at
from molokini.model.decisions import Refusal, Rule
from molokini.model.policy import Policy
from molokini.room.cluster_profile import (
    countable,
    earliest,
    has_planned_room,
    has_room,
    keep_planned,
    plan,
    profile_of_running,
    restore_planned,
)
from molokini.room.profile import forget_holes, forget_past
from molokini.shared.cluster_choice import PARAMETERS, take_choice
from molokini.tables.running import remaining_s
from molokini.tables.tables import NEVER, View

POLICY = Policy(
    name="conservative-worstfit",
    family="over several clusters",
    summary="conservative backfilling over clusters: a reservation in clusters for everybody",
    promise="no job starts later than its first reservation (jobs killed at their estimates)",
    source="Mu'alem and Feitelson, IEEE TPDS 12(6), 2001; placement: Bucur and Epema, JSSPP 2001",
    parameters=PARAMETERS,
)

_RESERVED_LATER = int(Rule.RESERVED_LATER)
_NEEDS_NODES = int(Refusal.NEEDS_NODES)
# Columns of a job's line of memory: its planned start, and whether it has one.
_START_S = 0
_PLANNED = 0
_OPEN, _IN_PLAN, _REFUSED = 0, 1, 2
# The global line: the next planned start; whether to look through the whole queue, processors planned for.
_NEXT_S = 0
_LOOK_THROUGH, _PROCESSORS = 0, 1


def begin(view: View, now: float) -> None:
    """Build the plan from the running jobs and the reservations in the tables.

    A reservation that no longer fits (a job runs over its estimate, a node is lost) is planned anew, in queue
    order; the others stay when they are, and where they are if that is known.
    """
    take_choice(view)
    profile_of_running(view, now)
    view.global_f[_NEXT_S] = NEVER
    for k in range(view.waiting_head, view.waiting_tail):
        row = view.waiting[k]
        if view.job_reserved_s[row] == NEVER or not countable(view, row):
            view.memory_i[row, _PLANNED] = _OPEN
            continue
        at_s, length_s = max(view.job_reserved_s[row], now), remaining_s(view, row)
        known = view.memory_i[row, _PLANNED] == _IN_PLAN and view.memory_f[row, _START_S] < NEVER
        if not (known and has_planned_room(view, row, length_s, at_s)) and not has_room(
            view, row, length_s, at_s
        ):
            at_s = earliest(view, row, length_s, now)
        view.memory_f[row, _START_S] = view.job_reserved_s[row]
        _put(view, row, at_s, now)
    view.global_i[_LOOK_THROUGH] = 1
    due = view.hole_count > 0 or 0 < view.global_i[_PROCESSORS] < view.processors
    forget_holes(view)
    if due:
        _compress(view, now)
    view.global_i[_PROCESSORS] = view.processors


def schedule(view: View, now: float) -> None:
    """Compress if somebody ended early, plan the arrivals, start who is due."""
    take_choice(view)
    forget_past(view, now)
    if view.hole_count > 0:
        _plan_anew(view, now)
        _compress(view, now)
    if view.arrived > 0 or view.global_i[_LOOK_THROUGH]:
        _plan_arrivals(view, now)
    if view.global_f[_NEXT_S] <= now:
        _start_due(view, now)
    if view.global_f[_NEXT_S] > now:
        wake_at(view, view.global_f[_NEXT_S])
    else:
        _wake_for_later(view, now)
    if view.explain:
        _explain(view)


@kernel
def _put(view: View, row: int, at_s: float, now: float) -> None:
    """Plan *row* at *at_s* on its ``planned_tasks``; NEVER when processors are lost."""
    # The tables do not know yet what this pass has promised before.
    promised = view.job_reserved_s[row] == at_s and view.memory_f[row, _START_S] == at_s
    view.memory_f[row, _START_S] = at_s
    view.memory_i[row, _PLANNED] = _IN_PLAN
    view.global_f[_NEXT_S] = min(view.global_f[_NEXT_S], at_s)
    if at_s < NEVER:
        plan(view, row, at_s, at_s + remaining_s(view, row), 1)
    # Who is due at once starts in this very pass and needs no promise.
    if at_s > now and not promised:
        reserve(view, row, at_s)


@kernel
def _plan_arrivals(view: View, now: float) -> None:
    # Arrivals stand at the end of the queue, but for jobs that were released or requeued.
    first, found = view.waiting_tail, 0
    wanted = view.arrived
    if view.global_i[_LOOK_THROUGH]:
        wanted = view.waiting_tail - view.waiting_head
        view.global_i[_LOOK_THROUGH] = 0
    while found < wanted and first > view.waiting_head:
        first -= 1
        if view.memory_i[view.waiting[first], _PLANNED] == _OPEN:
            found += 1
    for k in range(first, view.waiting_tail):
        row = view.waiting[k]
        if view.memory_i[row, _PLANNED] != _OPEN:
            continue
        if not countable(view, row):
            view.memory_i[row, _PLANNED] = _REFUSED
            view.memory_f[row, _START_S] = NEVER
            refuse(view, row, _NEEDS_NODES)
            continue
        _put(view, row, earliest(view, row, remaining_s(view, row), now), now)


@kernel
def _plan_anew(view: View, now: float) -> None:
    """Make the profile from the running jobs and the plan; a job that ended early is no longer in it."""
    seldom()
    profile_of_running(view, now)
    for k in range(view.waiting_head, view.waiting_tail):
        row = view.waiting[k]
        at_s = view.memory_f[row, _START_S]
        if view.memory_i[row, _PLANNED] == _IN_PLAN and at_s < NEVER:
            plan(view, row, at_s, at_s + remaining_s(view, row), 1)


@kernel
def _compress(view: View, now: float) -> None:
    """Every waiting job, in queue order, moves to its earliest, or stays."""
    for k in range(view.waiting_head, view.waiting_tail):
        row = view.waiting[k]
        start_s, length_s = view.memory_f[row, _START_S], remaining_s(view, row)
        if view.memory_i[row, _PLANNED] != _IN_PLAN or start_s <= now:
            continue
        if start_s < NEVER:
            plan(view, row, start_s, start_s + length_s, -1)
        keep_planned(view, row)
        at_s = earliest(view, row, length_s, now)
        if at_s >= start_s:
            # Also who asks for no time and so holds no room in the plan: a reservation never moves later.
            at_s = start_s
            restore_planned(view, row)
        _put(view, row, at_s, now)


@kernel
def _start_due(view: View, now: float) -> None:
    view.global_f[_NEXT_S] = NEVER
    for k in range(view.waiting_head, view.waiting_tail):
        row = view.waiting[k]
        start_s = view.memory_f[row, _START_S]
        due = start_s <= now and view.job_width[row] <= view.idle
        if not (due and start_planned(view, row)):
            view.global_f[_NEXT_S] = min(view.global_f[_NEXT_S], start_s)


@kernel
def _wake_for_later(view: View, now: float) -> None:
    """Somebody due has no room yet (estimates of 0 share an instant): the others must not oversleep."""
    seldom()
    for k in range(view.waiting_head, view.waiting_tail):
        start_s = view.memory_f[view.waiting[k], _START_S]
        if start_s > now:
            wake_at(view, start_s)


@kernel
def _explain(view: View) -> None:
    for k in range(view.waiting_head, view.waiting_tail):
        row = view.waiting[k]
        if view.memory_f[row, _START_S] > 0.0:
            because(view, row, _RESERVED_LATER, view.memory_f[row, _START_S], view.job_width[row], -1)
