"""Conservative backfilling on several clusters: a reservation of processors in clusters for every job.

The rules of ``conservative`` (Mu'alem and Feitelson 2001; Feitelson, JSSPP 2001) with a plan of every
cluster; the clusters of a reservation are chosen as in Bucur and Epema, JSSPP 2001, a study of FCFS alone.
A job starts where it was planned. Promises that a job starts no later than its first reservation,
and that a reservation never moves later, as long as jobs are killed at their estimates, communication
included. Jobs that wish for more than processors are refused: the plan counts processors.

The plan is kept from pass to pass and made anew from the tables when a job ended early; then each
waiting job in queue order is taken out and put back at its earliest.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.compiled.structs import RecordFloats, RecordInts
from molokini.cycle.verbs import because, refuse, reserve, start_planned, wake_at
from molokini.model.decisions import Refusal, Rule
from molokini.model.policy import Policy
from molokini.room.cluster_profile import (
    countable,
    earliest_beside,
    has_planned_room,
    has_room,
    keep_planned,
    plan,
    profile_of_running,
    restore_planned,
    stays_out,
)
from molokini.room.profile import forget_holes, forget_past
from molokini.shared.cluster_choice import ClusterChoice, take_choice
from molokini.tables.running import remaining_s
from molokini.tables.tables import NEVER, View
from molokini.tables.workspace import Workspace

POLICY = Policy(
    name="conservative-worstfit",
    family="over several clusters",
    summary="conservative backfilling over clusters: a reservation in clusters for every job",
    promise="no job starts later than its first reservation (jobs killed at their estimates)",
    source="Mu'alem and Feitelson, IEEE TPDS 12(6), 2001; placement: Bucur and Epema, JSSPP 2001",
    parameters=ClusterChoice.declared(),
)

_RESERVED_LATER = int(Rule.RESERVED_LATER)
_NEEDS_NODES = int(Refusal.NEEDS_NODES)
_OPEN, _IN_PLAN, _REFUSED = 0, 1, 2


class Plan(Workspace):
    """The plan beside the profile of the clusters."""

    start_s: RecordFloats
    """A waiting job's planned start."""
    planned: RecordInts
    """``_OPEN``: the job is yet to be planned; ``_IN_PLAN``; ``_REFUSED``."""
    next_s: float
    """The next planned start."""
    look_through: int
    """1: jobs that are not planned may stand anywhere in the queue."""
    processors: int
    """Processors that the plan is for."""


mine = Plan.of


def begin(view: View, now: float) -> None:
    """Build the plan from the running jobs and the reservations in the tables.

    A reservation that no longer fits (a job runs over its estimate, a node is lost) is planned anew, in queue
    order; the others keep their starts, and their clusters if these are known.
    """
    take_choice(view)
    profile_of_running(view, now)
    mine(view).next_s = NEVER
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if view.jobs.reserved_s[row] == NEVER or not countable(view, row):
            mine(view).planned[row] = _OPEN
            continue
        at_s, length_s = max(view.jobs.reserved_s[row], now), remaining_s(view, row)
        known = mine(view).planned[row] == _IN_PLAN and mine(view).start_s[row] < NEVER
        kept = known and has_planned_room(view, row, length_s, at_s)
        fits = kept or has_room(view, row, length_s, at_s)
        if not fits or not stays_out(view, row, length_s, at_s):
            at_s = earliest_beside(view, row, length_s, now)
        mine(view).start_s[row] = view.jobs.reserved_s[row]
        _put(view, row, at_s, now)
    mine(view).look_through = 1
    due = view.holes.count > 0 or 0 < mine(view).processors < view.machine.processors
    forget_holes(view)
    if due:
        _compress(view, now)
    mine(view).processors = view.machine.processors


def schedule(view: View, now: float) -> None:
    """Compress if a job ended early, plan the arrivals, start the jobs that are due."""
    take_choice(view)
    forget_past(view, now)
    if view.holes.count > 0:
        _plan_anew(view, now)
        _compress(view, now)
    if view.queue.arrived > 0 or mine(view).look_through:
        _plan_arrivals(view, now)
    if mine(view).next_s <= now:
        _start_due(view, now)
    if mine(view).next_s > now:
        wake_at(view, mine(view).next_s)
    else:
        _wake_for_later(view, now)
    if view.cycle.explain:
        _explain(view)


@kernel
def _put(view: View, row: int, at_s: float, now: float) -> None:
    """Plan *row* at *at_s* on its ``planned_tasks``; NEVER when processors are lost."""
    # The tables do not show yet what this pass has promised before.
    promised = view.jobs.reserved_s[row] == at_s and mine(view).start_s[row] == at_s
    mine(view).start_s[row] = at_s
    mine(view).planned[row] = _IN_PLAN
    mine(view).next_s = min(mine(view).next_s, at_s)
    if at_s < NEVER:
        plan(view, row, at_s, at_s + remaining_s(view, row), 1)
    # A job that is due at once starts in this very pass and needs no promise.
    if at_s > now and not promised:
        reserve(view, row, at_s)


@kernel
def _plan_arrivals(view: View, now: float) -> None:
    # Arrivals stand at the end of the queue, but for jobs that were released or requeued.
    first, found = view.queue.tail, 0
    wanted = view.queue.arrived
    if mine(view).look_through:
        wanted = view.queue.tail - view.queue.head
        mine(view).look_through = 0
    while found < wanted and first > view.queue.head:
        first -= 1
        if mine(view).planned[view.queue.waiting[first]] == _OPEN:
            found += 1
    for k in range(first, view.queue.tail):
        row = view.queue.waiting[k]
        if mine(view).planned[row] != _OPEN:
            continue
        if not countable(view, row):
            mine(view).planned[row] = _REFUSED
            mine(view).start_s[row] = NEVER
            refuse(view, row, _NEEDS_NODES)
            continue
        _put(view, row, earliest_beside(view, row, remaining_s(view, row), now), now)


@kernel
def _plan_anew(view: View, now: float) -> None:
    """Make the profile from the running jobs and the plan; a job that ended early is no longer in it."""
    seldom()
    profile_of_running(view, now)
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        at_s = mine(view).start_s[row]
        if mine(view).planned[row] == _IN_PLAN and at_s < NEVER:
            plan(view, row, at_s, at_s + remaining_s(view, row), 1)


@kernel
def _compress(view: View, now: float) -> None:
    """Every waiting job, in queue order, moves to its earliest, or stays."""
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        start_s, length_s = mine(view).start_s[row], remaining_s(view, row)
        if mine(view).planned[row] != _IN_PLAN or start_s <= now:
            continue
        if start_s < NEVER:
            plan(view, row, start_s, start_s + length_s, -1)
        keep_planned(view, row)
        at_s = earliest_beside(view, row, length_s, now)
        if at_s >= start_s:
            # Also a job with an estimate of 0, which holds no room in the plan: no reservation moves later.
            at_s = start_s
            restore_planned(view, row)
        _put(view, row, at_s, now)


@kernel
def _start_due(view: View, now: float) -> None:
    mine(view).next_s = NEVER
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        start_s = mine(view).start_s[row]
        due = start_s <= now and view.jobs.width[row] <= view.machine.idle
        if not (due and start_planned(view, row)):
            mine(view).next_s = min(mine(view).next_s, start_s)


@kernel
def _wake_for_later(view: View, now: float) -> None:
    """A job that is due has no room yet (estimates of 0 share an instant): wake for the later ones, too."""
    seldom()
    for k in range(view.queue.head, view.queue.tail):
        start_s = mine(view).start_s[view.queue.waiting[k]]
        if start_s > now:
            wake_at(view, start_s)


@kernel
def _explain(view: View) -> None:
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if mine(view).start_s[row] > 0.0:
            because(view, row, _RESERVED_LATER, mine(view).start_s[row], view.jobs.width[row], -1)
