"""Conservative backfilling: every job has a reservation from its arrival on.

Mu'alem and Feitelson 2001; Feitelson, JSSPP 2001. Promises that a job starts no later than its first
reservation, and that a reservation never moves later, as long as jobs are killed at their estimates.

At an instant: if any job ended before its estimate, one compression (each waiting job in queue order is
taken out of the plan and put back at its earliest); then arrivals are planned in order; then due
reservations start. The plan is the availability profile, kept from pass to pass; ``begin`` rebuilds it
from the tables.

With ``place=clusters`` each cluster is planned by itself, and a job starts where it was planned; the clusters
of a reservation are chosen as in Bucur and Epema, JSSPP 2001, a study of FCFS alone. Jobs that ask for more
than processors are refused: the plan counts processors. It is rebuilt when a job ended early.

Compression is where the time goes (queue length times profile length), and most jobs do not move. A
job can move only into room that has become free since it was last considered: the holes of jobs that
ended early, the room left by jobs that moved in this compression, and the room left by jobs behind it
that moved in the last one. So jobs that start before that room, or are wider than anything free in
it, are skipped, and for the others an earlier start is searched without a change of the plan. Clusters have
no such short cut: each waiting job is taken out of the plan and put back.
"""

from dataclasses import replace

from molokini.availability.beside_reserved import earliest_beside, fits_beside, stays_out
from molokini.availability.lanes import (
    countable,
    fits_as_planned,
    give,
    keep_planned,
    lanes_of_running,
    restore_planned,
    take,
)
from molokini.availability.node_capacity import draining_processors
from molokini.availability.profile import earlier, forget_holes, forget_past, most_free
from molokini.cycle.reasons import starts_now
from molokini.cycle.verbs import start_planned
from molokini.policy import (
    NEVER,
    Choice,
    Policy,
    RecordFloats,
    RecordInts,
    Refusal,
    Rule,
    View,
    Workspace,
    because,
    blocked,
    held_back,
    inner,
    kernel,
    parameter,
    plan,
    refuse,
    remaining_s,
    reserve,
    seldom,
    start,
    wake_at,
)
from molokini.shared.cluster_choice import ClusterChoice, among_others, take_choice
from molokini.tables.access import MOST_BITS, open_to


class ConservativeParameters(ClusterChoice):
    """What the user chooses."""

    place: Choice = parameter(
        "anywhere",
        "what is planned: processors anywhere on the machine, or processors of each cluster",
        choices=("anywhere", "clusters"),
        rare=True,
        source="clusters: Bucur and Epema, JSSPP 2001, section 2.5",
    )


parameters = ConservativeParameters.of

POLICY = Policy(
    name="conservative",
    family="backfilling",
    summary="conservative backfilling: a reservation for every job, from its arrival on",
    promise="no job starts later than its first reservation (jobs killed at their estimates)",
    source="Mu'alem and Feitelson, IEEE TPDS 12(6), 2001; Feitelson, JSSPP 2001",
    parameters=among_others(ConservativeParameters.declared()),
    counted_only=True,
    counted_unless=("place", "clusters"),
)

OVER_CLUSTERS = replace(
    POLICY,
    name="conservative-worstfit",
    family="over several clusters",
    summary="conservative backfilling over clusters: a reservation in clusters for every job",
    source="Mu'alem and Feitelson, IEEE TPDS 12(6), 2001; placement: Bucur and Epema, JSSPP 2001",
    parameters=ClusterChoice.declared(),
    # The place of ``place``.
    fixed_last=(1.0,),
    counted_only=False,
)
POLICIES = (POLICY, OVER_CLUSTERS)

_OPEN, _IN_PLAN, _REFUSED = 0, 1, 2


class Plan(Workspace):
    """The plan beside the profile."""

    start_s: RecordFloats
    """A waiting job's planned start."""
    planned: RecordInts
    """``_OPEN``: the job is yet to be planned; ``_IN_PLAN``; ``_REFUSED``."""
    next_s: float
    """The next planned start."""
    left_from_s: float
    left_until_s: float
    """Between them the jobs that the last compression moved have left room."""
    look_through: int
    """1: jobs that are not planned may stand anywhere in the queue."""
    processors: int
    """Processors that the plan is for."""
    draining: int
    """Processors of nodes that run their jobs to the end and take no other, as ``begin`` found them."""
    late: int
    """1: nodes or reservations keep a job that is due from starting, or did: the profile errs."""


mine = Plan.of


def begin(view: View, now: float) -> None:
    """Build the plan from the running jobs and the reservations in the tables.

    A reservation that no longer fits (a job runs over its estimate, a node is lost) is planned again, in
    queue order; the others keep their starts, and their clusters if these are known. Processors that return
    are room for a compression, and so is what a job leaves that needs nodes which are being drained.
    """
    if view.nodes.count > 0:
        take_choice(view)
    lanes_of_running(view, now, parameters(view).place == 1)
    mine(view).draining = draining_processors(view)
    in_service, leaves = view.machine.processors - mine(view).draining, False
    mine(view).late = 0
    mine(view).next_s = NEVER
    # It is not known which jobs were considered before: all room counts as new at the next compression.
    mine(view).left_from_s = now
    mine(view).left_until_s = NEVER
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if view.jobs.reserved_s[row] == NEVER or not _is_countable(view, row):
            mine(view).planned[row] = _OPEN
            continue
        at_s = max(view.jobs.reserved_s[row], now)
        if not _still_fits(view, row, at_s):
            at_s = _earliest(view, row, now)
            leaves = leaves or in_service < view.jobs.width[row] <= view.machine.processors
        mine(view).start_s[row] = view.jobs.reserved_s[row]
        _put(view, row, at_s, now)
    mine(view).look_through = 1
    # The profile has the jobs that ended early already; only the compression is due. Without a memory (0) it
    # is not known whether processors return; a needless compression would move jobs that stay in a server
    # that runs on.
    due = leaves or view.holes.count > 0 or 0 < mine(view).processors < view.machine.processors
    forget_holes(view)
    if due:
        _compress(view, now, True)
    mine(view).processors = view.machine.processors


def schedule(view: View, now: float) -> None:
    """Compress if a job ended early, plan the arrivals, start the jobs that are due."""
    if view.nodes.count > 0:
        take_choice(view)
    forget_past(view, now)
    rebuilt = _must_rebuild(view)
    if rebuilt:
        _rebuild(view, now)
    if view.holes.count > 0:
        _compress(view, now, rebuilt)
    if view.queue.arrived > 0 or mine(view).look_through:
        _plan_arrivals(view, now)
    if mine(view).next_s <= now:
        _start_due(view, now)
    if mine(view).next_s > now:
        wake_at(view, mine(view).next_s)
    else:
        _wake_for_later(view, now)
    if view.cycle.explain:
        _explain(view, now)


@kernel
def _is_countable(view: View, row: int) -> bool:
    """Whether the plan can tell when there is room for *row*; one of the whole machine has no other jobs."""
    return bool(parameters(view).place == 0 or countable(view, row))


@kernel
def _earliest(view: View, row: int, now: float) -> float:
    """When *row* finds room in the plan; NEVER also where only nodes that are being drained would do."""
    if view.jobs.width[row] > view.machine.processors - mine(view).draining:
        return NEVER
    return float(earliest_beside(view, row, remaining_s(view, row), now))


@kernel
def _still_fits(view: View, row: int, at_s: float) -> bool:
    """Whether *row* fits at *at_s*: on the clusters that it was planned on, where known, or on others."""
    length_s = remaining_s(view, row)
    if view.jobs.width[row] > view.machine.processors - mine(view).draining:
        return False
    if view.nodes.count > 0 and parameters(view).place == 1:
        known = mine(view).planned[row] == _IN_PLAN and mine(view).start_s[row] < NEVER
        if known and fits_as_planned(view, row, length_s, at_s):
            return bool(stays_out(view, row, length_s, at_s))
    return bool(fits_beside(view, row, length_s, at_s))


@kernel
def _put(view: View, row: int, at_s: float, now: float) -> None:
    """Plan *row* at *at_s*, which may be NEVER when processors are lost."""
    # The tables do not show yet what this pass has promised before.
    promised = view.jobs.reserved_s[row] == at_s and mine(view).start_s[row] == at_s
    mine(view).start_s[row] = at_s
    mine(view).planned[row] = _IN_PLAN
    mine(view).next_s = min(mine(view).next_s, at_s)
    if at_s < NEVER:
        take(view, row, at_s, at_s + remaining_s(view, row))
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
        if _is_countable(view, row):
            _put(view, row, _earliest(view, row, now), now)
        else:
            mine(view).planned[row] = _REFUSED
            mine(view).start_s[row] = NEVER
            refuse(view, row, Refusal.NEEDS_NODES)


@kernel
def _must_rebuild(view: View) -> bool:
    """Whether the profile errs in more than the holes that are known."""
    if view.nodes.count > 0 and parameters(view).place == 1 and view.holes.count > 0:
        return True
    # Without nodes and reservations nothing but a job of no length is in the way of one that is due.
    return bool(mine(view).late and (view.nodes.count > 0 or view.reservations.count > 0))


@kernel
def _rebuild(view: View, now: float) -> None:
    """Make the profile from the running jobs and the plan.

    A job that ended early is no longer in it, nor one that was due, could not start, and then was held.
    A job that started late is in it up to its end.
    """
    seldom()
    mine(view).late = 0
    lanes_of_running(view, now, parameters(view).place == 1)
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        at_s = mine(view).start_s[row]
        if mine(view).planned[row] == _IN_PLAN and at_s < NEVER:
            take(view, row, max(at_s, now), at_s + remaining_s(view, row))


@kernel
def _compress(view: View, now: float, rebuilt: bool) -> None:
    """One compression: every waiting job, in queue order, moves to its earliest.

    *rebuilt*: the holes are room in the profile already.
    """
    if view.nodes.count > 0 and parameters(view).place == 1:
        _compress_clusters(view, now)
        return
    from_s, until_s = mine(view).left_from_s, mine(view).left_until_s
    for k in range(view.holes.count):
        begin_s = max(view.holes.from_s[k], now)
        if not rebuilt:
            plan(view, begin_s, view.holes.until_s[k], -view.holes.width[k])
        if until_s <= from_s:
            from_s, until_s = begin_s, view.holes.until_s[k]
        from_s = min(from_s, begin_s)
        until_s = max(until_s, view.holes.until_s[k])
    from_s = max(from_s, now)
    mine(view).left_from_s, mine(view).left_until_s = 0.0, 0.0
    if view.reservations.count > 0 and _some_use_what_is_reserved(view):
        # What they use is kept from other jobs no longer: that is room, too, and no hole.
        from_s, until_s = now, NEVER
    most = min(most_free(view, from_s, until_s), view.machine.processors - mine(view).draining)
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        start_s = mine(view).start_s[row]
        width = view.jobs.width[row]
        if width > most or start_s <= from_s or mine(view).planned[row] == _OPEN:
            continue
        length_s = remaining_s(view, row)
        if view.reservations.count > 0:
            at_s = _earlier_beside(view, row, length_s, start_s, now)
        else:
            at_s = earlier(view, width, length_s, now, start_s, until_s)
        if at_s >= start_s:
            continue
        if start_s < NEVER:
            give(view, row, start_s, start_s + length_s)
            until_s = max(until_s, start_s + length_s)
            _remember_left(view, start_s, start_s + length_s)
        _put(view, row, at_s, now)
        most = min(most_free(view, from_s, until_s), view.machine.processors - mine(view).draining)


@kernel
def _some_use_what_is_reserved(view: View) -> bool:
    """Whether a job runs that has access to a reservation."""
    seldom()
    if view.reservations.count > MOST_BITS:
        return True
    for k in range(view.queue.running_count):
        if open_to(view, view.queue.running[k]) != 0:
            return True
    return False


@kernel
def _compress_clusters(view: View, now: float) -> None:
    """The same where lanes are clusters."""
    seldom()
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        start_s, length_s = mine(view).start_s[row], remaining_s(view, row)
        if mine(view).planned[row] != _IN_PLAN or start_s <= now:
            continue
        if start_s < NEVER:
            give(view, row, start_s, start_s + length_s)
        keep_planned(view, row)
        at_s = _earliest(view, row, now)
        if at_s >= start_s:
            # Also a job with an estimate of 0, which holds no room in the plan: no reservation moves later.
            at_s = start_s
            restore_planned(view, row)
        _put(view, row, at_s, now)


@kernel
def _earlier_beside(view: View, row: int, length_s: float, start_s: float, now: float) -> float:
    """An earlier start for a job whose reservation at *start_s* is in the plan, beside other reservations."""
    seldom()
    if start_s < NEVER:
        give(view, row, start_s, start_s + length_s)
    at_s = min(start_s, _earliest(view, row, now))
    if start_s < NEVER:
        take(view, row, start_s, start_s + length_s)
    return at_s


@kernel
def _remember_left(view: View, from_s: float, until_s: float) -> None:
    if mine(view).left_until_s <= mine(view).left_from_s:
        mine(view).left_from_s, mine(view).left_until_s = from_s, until_s
    mine(view).left_from_s = min(mine(view).left_from_s, from_s)
    mine(view).left_until_s = max(mine(view).left_until_s, until_s)


@kernel
def _start_due(view: View, now: float) -> None:
    mine(view).next_s = NEVER
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        start_s = mine(view).start_s[row]
        due = start_s <= now and view.jobs.width[row] <= view.machine.idle
        if not (due and _start(view, row)):
            mine(view).next_s = min(mine(view).next_s, start_s)
        elif start_s < now:
            mine(view).late = 1
    if mine(view).next_s <= now:
        mine(view).late = 1


@inner
def _start(view: View, row: int) -> bool:
    """Start *row*, where it was planned if lanes are clusters."""
    if view.nodes.count > 0 and parameters(view).place == 1:
        return bool(start_planned(view, row))
    return bool(start(view, row))


@kernel
def _wake_for_later(view: View, now: float) -> None:
    """A job that is due has no room yet (estimates of 0 share an instant): wake for the later ones, too."""
    seldom()
    for k in range(view.queue.head, view.queue.tail):
        start_s = mine(view).start_s[view.queue.waiting[k]]
        if start_s > now:
            wake_at(view, start_s)


@kernel
def _explain(view: View, now: float) -> None:
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if starts_now(view, row) or held_back(view, row, -1):
            continue
        if mine(view).start_s[row] <= now:
            # Its time has come, and nodes have no room: the plan counts processors.
            blocked(view, row, -1)
        else:
            because(view, row, Rule.RESERVED_LATER, mine(view).start_s[row], view.jobs.width[row], -1)
