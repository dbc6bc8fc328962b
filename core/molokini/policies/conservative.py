"""Conservative backfilling: everybody has a reservation from arrival on.

Mu'alem and Feitelson 2001; Feitelson, JSSPP 2001. Promises that a job starts no later than its first
reservation, and that a reservation never moves later, as long as jobs are killed at their estimates.

At an instant: if any job ended before its estimate, one compression (each waiting job in queue order is
taken out of the plan and put back at its earliest); then arrivals are planned in order; then due
reservations start. The plan is the availability profile, kept from pass to pass; ``begin`` builds it
anew from the tables.

Compression is where the time goes (queue length times profile length), and most jobs do not move. A
job can move only into room that has become free since it was last looked at: the holes of jobs that
ended early, the room left by jobs that moved in this compression, and the room left by jobs behind it
that moved in the last one. So jobs that start before that room, or are wider than anything free in
it, are passed over, and the others look for an earlier start without touching the plan.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.cycle.verbs import because, reserve, start, wake_at
from molokini.model.decisions import Rule
from molokini.model.policy import Policy
from molokini.room.beside_reserved import earliest_beside, fits_beside
from molokini.room.profile import earlier, forget_holes, forget_past, most_free, plan, profile_of_running
from molokini.tables.running import remaining_s
from molokini.tables.tables import NEVER, View

POLICY = Policy(
    name="conservative",
    family="backfilling",
    summary="conservative backfilling: a reservation for everybody, from arrival on",
    promise="no job starts later than its first reservation (jobs killed at their estimates)",
    source="Mu'alem and Feitelson, IEEE TPDS 12(6), 2001; Feitelson, JSSPP 2001",
    counted_only=True,
)

_RESERVED_LATER = int(Rule.RESERVED_LATER)
# Columns of a job's line of memory: its planned start, and whether it has one.
_START_S = 0
_PLANNED = 0
# The global line: the next planned start, and the room that moved jobs left in the last compression.
_NEXT_S, _LEFT_FROM_S, _LEFT_UNTIL_S = 0, 1, 2
# And whether the whole queue is to be looked through for unplanned jobs, and the processors planned for.
_LOOK_THROUGH, _PROCESSORS = 0, 1


def begin(view: View, now: float) -> None:
    """Build the plan from the running jobs and the reservations in the tables.

    A reservation that no longer fits (a job runs over its estimate, a node is lost) is planned anew, in
    queue order; the others stay where they are. Processors that return are room for a compression.
    """
    profile_of_running(view, now)
    view.global_f[_NEXT_S] = NEVER
    # Nothing is known of what was looked at before: all room counts as new at the next compression.
    view.global_f[_LEFT_FROM_S] = now
    view.global_f[_LEFT_UNTIL_S] = NEVER
    for k in range(view.waiting_head, view.waiting_tail):
        row = view.waiting[k]
        if view.job_reserved_s[row] == NEVER:
            view.memory_i[row, _PLANNED] = 0
            continue
        view.memory_f[row, _START_S] = view.job_reserved_s[row]
        at_s = max(view.job_reserved_s[row], now)
        if not fits_beside(view, row, remaining_s(view, row), at_s):
            at_s = earliest_beside(view, row, remaining_s(view, row), now)
        _put(view, row, at_s, now)
    view.global_i[_LOOK_THROUGH] = 1
    # The profile knows already what ended early; only the compression is due. Without a memory (0) nothing is
    # known of processors that return; a compression too many would move who stays in a life without end.
    due = view.hole_count > 0 or 0 < view.global_i[_PROCESSORS] < view.processors
    forget_holes(view)
    if due:
        _compress(view, now)
    view.global_i[_PROCESSORS] = view.processors


def schedule(view: View, now: float) -> None:
    """Compress if somebody ended early, plan the arrivals, start who is due."""
    forget_past(view, now)
    if view.hole_count > 0:
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
    """Plan *row* at *at_s*, which may be NEVER when processors are lost."""
    # The tables do not know yet what this pass has promised before.
    promised = view.job_reserved_s[row] == at_s and view.memory_f[row, _START_S] == at_s
    view.memory_f[row, _START_S] = at_s
    view.memory_i[row, _PLANNED] = 1
    view.global_f[_NEXT_S] = min(view.global_f[_NEXT_S], at_s)
    if at_s < NEVER:
        plan(view, at_s, at_s + remaining_s(view, row), view.job_width[row])
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
        if view.memory_i[view.waiting[first], _PLANNED] == 0:
            found += 1
    for k in range(first, view.waiting_tail):
        row = view.waiting[k]
        if view.memory_i[row, _PLANNED] == 0:
            _put(view, row, earliest_beside(view, row, remaining_s(view, row), now), now)


@kernel
def _compress(view: View, now: float) -> None:
    """One compression: every waiting job, in queue order, moves to its earliest."""
    from_s, until_s = view.global_f[_LEFT_FROM_S], view.global_f[_LEFT_UNTIL_S]
    for k in range(view.hole_count):
        begin_s = max(view.hole_from_s[k], now)
        plan(view, begin_s, view.hole_until_s[k], -view.hole_width[k])
        if until_s <= from_s:
            from_s, until_s = begin_s, view.hole_until_s[k]
        from_s = min(from_s, begin_s)
        until_s = max(until_s, view.hole_until_s[k])
    from_s = max(from_s, now)
    view.global_f[_LEFT_FROM_S], view.global_f[_LEFT_UNTIL_S] = 0.0, 0.0
    most = most_free(view, from_s, until_s)
    for k in range(view.waiting_head, view.waiting_tail):
        row = view.waiting[k]
        start_s = view.memory_f[row, _START_S]
        width = view.job_width[row]
        if width > most or start_s <= from_s or view.memory_i[row, _PLANNED] == 0:
            continue
        length_s = remaining_s(view, row)
        if view.reservations > 0:
            at_s = _earlier_beside(view, row, length_s, start_s, now)
        else:
            at_s = earlier(view, width, length_s, now, start_s, until_s)
        if at_s >= start_s:
            continue
        if start_s < NEVER:
            plan(view, start_s, start_s + length_s, -width)
            until_s = max(until_s, start_s + length_s)
            _remember_left(view, start_s, start_s + length_s)
        _put(view, row, at_s, now)
        most = most_free(view, from_s, until_s)


@kernel
def _earlier_beside(view: View, row: int, length_s: float, start_s: float, now: float) -> float:
    """An earlier start for a job whose reservation at *start_s* is in the plan, beside what others have."""
    seldom()
    width = view.job_width[row]
    if start_s < NEVER:
        plan(view, start_s, start_s + length_s, -width)
    at_s = min(start_s, earliest_beside(view, row, length_s, now))
    if start_s < NEVER:
        plan(view, start_s, start_s + length_s, width)
    return at_s


@kernel
def _remember_left(view: View, from_s: float, until_s: float) -> None:
    if view.global_f[_LEFT_UNTIL_S] <= view.global_f[_LEFT_FROM_S]:
        view.global_f[_LEFT_FROM_S], view.global_f[_LEFT_UNTIL_S] = from_s, until_s
    view.global_f[_LEFT_FROM_S] = min(view.global_f[_LEFT_FROM_S], from_s)
    view.global_f[_LEFT_UNTIL_S] = max(view.global_f[_LEFT_UNTIL_S], until_s)


@kernel
def _start_due(view: View, now: float) -> None:
    view.global_f[_NEXT_S] = NEVER
    for k in range(view.waiting_head, view.waiting_tail):
        row = view.waiting[k]
        start_s = view.memory_f[row, _START_S]
        if not (start_s <= now and view.job_width[row] <= view.idle and start(view, row)):
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
