"""Reserved processors: how many a reservation keeps, and from which jobs.

A job without access to a reservation finds, while it lasts, as many processors less as are reserved and not
in use by jobs with access. It may start only if that leaves it room for all of its estimate. A job with
access may use them, and any others. Where several reservations overlap, a job with access to more than one is
counted in the first that it wants (``Affinity``) and that has room; a job that wants none is counted outside
as long as there is room. Of a reservation that shares its processors with others only what it has beyond
theirs counts. A reservation on particular nodes keeps what is idle there; ``hosts`` keeps jobs off them. A
job on such nodes counts in the first as well, and what the first has no room for in the next: so that the end
of a job never takes room from others.
``beside_reserved`` uses this: for the verbs (so that no policy can start a job inside), and for policies that
plan. None of it is called where there are no reservations.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.decisions import BEGINS, VACATES
from molokini.model.reservations import Affinity
from molokini.model.states import NodeState
from molokini.tables.access import MOST_BITS, affinity_of, has_access, open_to
from molokini.tables.tables import NEVER, Tables, View


@kernel
def next_boundary(t: Tables, now: float) -> float:
    """The next instant at which a reservation begins, ends or is rolled; NEVER where none does."""
    seldom()
    at_s = t.reservations.roll_s if t.reservations.roll_s > now else NEVER
    for r in range(t.reservations.count):
        if t.reservations.from_s[r] > now:
            at_s = min(at_s, t.reservations.from_s[r])
        elif t.reservations.until_s[r] > now:
            at_s = min(at_s, t.reservations.until_s[r])
    return float(at_s)


@kernel
def blocked_at(view: View, row: int, at_s: float) -> int:
    """Processors that are reserved at *at_s*, not for *row*, and not in use by jobs with access."""
    seldom()
    count_use(view, at_s)
    kept, shared, h = 0, 0, 0
    while h < view.hosts.count:
        kept += max(0, min(kept_on_node(view, row, h, at_s), view.hosts.free[h]))
        h = next_node(view, h)
    for r in range(view.reservations.count):
        if not view.reservations.hosted[r] and lasts(view, r, at_s) and not has_access(view, row, r):
            unused = max(0, view.reservations.processors[r] - view.reservations.used[r])
            if view.reservations.shared[r]:
                shared = max(shared, unused)
            else:
                kept += unused
    return int(max(kept, shared))


@kernel
def kept_on_node(view: View, row: int, first: int, at_s: float) -> int:
    """What is kept from *row* of the node whose first element is *first*, as ``count_use`` has counted."""
    kept, shared = 0, 0
    for h in range(first, next_node(view, first)):
        r = view.hosts.reservation[h]
        if lasts(view, r, at_s) and not has_access(view, row, r):
            unused = max(0, view.hosts.processors[h] - view.hosts.used[h])
            if view.reservations.shared[r]:
                shared = max(shared, unused)
            else:
                kept += unused
    return int(max(kept, shared))


@kernel
def kept_of_mask(view: View, first: int, mask: int) -> int:
    """The same for the reservations of *mask*, all of which last at that instant."""
    kept, shared, h, node = 0, 0, first, view.hosts.node[first]
    while h < view.hosts.count and view.hosts.node[h] == node:
        r = view.hosts.reservation[h]
        if (mask >> r) & 1:
            unused = max(0, view.hosts.processors[h] - view.hosts.used[h])
            if view.reservations.shared[r]:
                shared = max(shared, unused)
            else:
                kept += unused
        h += 1
    return int(max(kept, shared))


@inner
def next_node(view: View, first: int) -> int:
    """Where the elements of the next node begin: those of a node stand together."""
    h = first + 1
    while h < view.hosts.count and view.hosts.node[h] == view.hosts.node[first]:
        h += 1
    return h


@kernel
def count_use(view: View, at_s: float) -> None:
    """Count what jobs with access use of each reservation at *at_s*, and what is idle on reserved nodes.

    Reservations that do not last at *at_s* are not counted. Where nodes decide, the last count holds until
    the pass starts a job, or takes one off.
    """
    if (
        view.nodes.count > 0
        and view.reservations.counted_epoch == view.cycle.start_epoch
        and view.reservations.counted_s == at_s
    ):
        return
    seldom()
    view.reservations.counted_epoch, view.reservations.counted_s = view.cycle.start_epoch, at_s
    present, numbered = 0, False
    view.hosts.several = 0
    for r in range(view.reservations.count):
        view.reservations.used[r] = 0
        if not lasts(view, r, at_s):
            continue
        if not view.reservations.hosted[r]:
            numbered = True
            continue
        present |= 1 << min(r, MOST_BITS)
        h = view.reservations.host[r]
        while h >= 0:
            node, first = view.hosts.node[h], view.hosts.first[h]
            view.hosts.used[h] = 0
            view.hosts.free[first] = (
                int(view.nodes.free[node, 0]) if view.nodes.state[node] == NodeState.UP else 0
            )
            h = view.hosts.next[h]
    view.hosts.present = present if view.reservations.count <= MOST_BITS else -1
    if present == 0 and not numbered:
        return
    outside = _count(view, at_s, 0, 0) if numbered else _count_on_hosts(view, at_s)
    if numbered and view.access.affinities:
        _count(view, at_s, 1, _unreserved(view, at_s) - outside)


@kernel
def _count_on_hosts(view: View, at_s: float) -> int:
    """As ``_count`` where only reservations on nodes last."""
    seldom()
    taking = takes_off(view)
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        if taking and taken_off(view, row):
            continue
        if view.jobs.expected_end_s[row] > at_s:
            _use_hosts(view, row, at_s)
        else:
            leave_hosts(view, row)
    for k in range(view.cycle.decided):
        if begins(view, k):
            row = view.cycle.decisions[k, 1]
            if end_of_started(view, row) > at_s:
                _use_hosts(view, row, at_s)
            else:
                leave_hosts(view, row)
    return 0


@inner
def begins(view: View, k: int) -> bool:
    """Whether decision *k* of this pass starts or resumes a job."""
    return bool(BEGINS >> view.cycle.decisions[k, 0] & 1)


@kernel
def takes_off(view: View) -> bool:
    """Whether this pass has taken any job off: few passes do, and the others need not check each job."""
    for k in range(view.cycle.decided):
        if VACATES >> view.cycle.decisions[k, 0] & 1:
            return True
    return False


@kernel
def _count(view: View, at_s: float, reluctant: int, room: int) -> int:
    """Count the jobs that are (or are not) *reluctant* to use what is reserved; how many of their processors
    are outside, where there is *room* for those of reluctant jobs.
    """
    outside = 0
    for k in range(view.queue.running_count):
        running = view.queue.running[k]
        if taken_off(view, running):
            continue
        if view.jobs.expected_end_s[running] > at_s:
            outside += _count_one(view, running, view.jobs.held[running], at_s, reluctant, room - outside)
        elif view.hosts.count > 0 and not reluctant:
            leave_hosts(view, running)
    for k in range(view.cycle.decided):
        if begins(view, k):
            started = view.cycle.decisions[k, 1]
            if end_of_started(view, started) > at_s:
                outside += _count_one(
                    view, started, view.jobs.width[started], at_s, reluctant, room - outside
                )
            elif view.hosts.count > 0 and not reluctant:
                leave_hosts(view, started)
    return outside


@kernel
def _count_one(view: View, row: int, width: int, at_s: float, reluctant: int, room: int) -> int:
    """Count *row*, which has *width* processors, if it is one of these; how many of them are outside."""
    if view.access.affinities and _is_reluctant(view, row, at_s) != reluctant:
        return 0
    left = _use(view, row, width, at_s)
    if not reluctant:
        return left
    outside = min(left, max(0, room))
    _use_wanted(view, row, left - outside, at_s, Affinity.NEGATIVE)
    return int(outside)


@kernel
def _is_reluctant(view: View, row: int, at_s: float) -> int:
    """1: there is a reservation of counted processors that *row* uses only where nothing else is left."""
    for r in range(view.reservations.count):
        if (
            not view.reservations.hosted[r]
            and lasts(view, r, at_s)
            and affinity_of(view, row, r) == Affinity.NEGATIVE
        ):
            return 1
    return 0


@kernel
def _unreserved(view: View, at_s: float) -> int:
    """Processors in service that no reservation keeps at *at_s*."""
    kept = 0
    for r in range(view.reservations.count):
        if lasts(view, r, at_s) and not view.reservations.shared[r]:
            kept += view.reservations.processors[r]
    return int(view.machine.processors - kept)


@kernel
def end_of_started(view: View, row: int) -> float:
    """When *row*, which this pass starts, ends if it runs to its estimate, or its limit (``try_within``)."""
    limit_s = view.cycle.tried_s[row] if view.cycle.tried_s[row] > 0.0 else view.jobs.estimate_s[row]
    return float(view.cycle.pass_s + limit_s - view.jobs.work_s[row])


@kernel
def taken_off(view: View, row: int) -> bool:
    """Whether this pass has suspended, requeued or cancelled *row*; ``idle`` has its processors already."""
    for k in range(view.cycle.decided):
        if view.cycle.decisions[k, 1] == row and VACATES >> view.cycle.decisions[k, 0] & 1:
            return True
    return False


@kernel
def lasts(view: View, r: int, at_s: float) -> bool:
    """Whether reservation *r* has begun and not ended at *at_s*."""
    return bool(view.reservations.from_s[r] <= at_s < view.reservations.until_s[r])


@kernel
def _use(view: View, row: int, width: int, at_s: float) -> int:
    """Count *width* processors of *row* in the reservations that it wants; how many are in none."""
    left = width - (_use_hosts(view, row, at_s) if view.hosts.count > 0 else 0)
    left = _use_wanted(view, row, left, at_s, Affinity.POSITIVE)
    return int(_use_wanted(view, row, left, at_s, Affinity.NEUTRAL) if view.access.affinities else left)


@kernel
def _use_wanted(view: View, row: int, width: int, at_s: float, affinity: int) -> int:
    """The same in the reservations that it wants with this *affinity*, as long as they have room."""
    left = width
    for r in range(view.reservations.count):
        if left <= 0 or view.reservations.hosted[r] or not lasts(view, r, at_s):
            continue
        if affinity_of(view, row, r) == affinity:
            taken = min(left, view.reservations.processors[r] - view.reservations.used[r])
            view.reservations.used[r] += taken
            if not view.reservations.shared[r]:
                left -= taken
    return int(left)


@inner
def _use_hosts(view: View, row: int, at_s: float) -> int:
    """Count the processors of *row* on reserved nodes that it may use; how many."""
    mask = view.hosts.present & open_to(view, row) if view.hosts.present >= 0 else -1
    return _use_masked(view, row, at_s, mask) if mask != 0 else 0


@kernel
def _use_masked(view: View, row: int, at_s: float, mask: int) -> int:
    """The same in the reservations of *mask*; -1: there are too many for bits."""
    used = 0
    entry = view.jobs.entries[row]
    while entry >= 0:
        node = view.entries.node[entry]
        h = view.nodes.hosted[node] - 1
        if h >= 0:
            taken = int(view.entries.tasks[entry] * view.components.need[view.entries.component[entry], 0])
            counted = _use_node(view, row, h, taken, at_s, mask)
            used += taken if counted else 0
        entry = view.entries.next[entry]
    return int(used)


@inner
def _use_node(view: View, row: int, first: int, taken: int, at_s: float, mask: int) -> bool:
    """Count *taken* processors of *row* on the node whose elements begin at *first*; whether any is open."""
    left, last, counted, node = taken, -1, False, view.hosts.node[first]
    h = first
    while h < view.hosts.count and view.hosts.node[h] == node:
        r = view.hosts.reservation[h]
        if _is_open(view, row, r, at_s, mask):
            counted = True
            if view.reservations.shared[r]:
                view.hosts.used[h] += taken
            else:
                left -= _fill(view, last, left) if last >= 0 else 0
                last = h
        h += 1
    if last >= 0:
        view.hosts.used[last] += left
    return counted


@inner
def _fill(view: View, h: int, left: int) -> int:
    """Count as many of *left* processors in element *h* as it has room for; how many. Another follows."""
    view.hosts.several = 1
    inside = min(left, max(0, view.hosts.processors[h] - view.hosts.used[h]))
    view.hosts.used[h] += inside
    return int(inside)


@inner
def _is_open(view: View, row: int, r: int, at_s: float, mask: int) -> bool:
    if mask >= 0:
        return bool((mask >> r) & 1)
    return bool(lasts(view, r, at_s) and has_access(view, row, r))


@kernel
def leave_hosts(view: View, row: int) -> None:
    """*row* has ended by then: what it holds of reserved nodes is idle."""
    entry = view.jobs.entries[row]
    while entry >= 0:
        node = view.entries.node[entry]
        h = view.nodes.hosted[node] - 1
        if h >= 0 and view.nodes.state[node] == NodeState.UP:
            view.hosts.free[h] += int(
                view.entries.tasks[entry] * view.components.need[view.entries.component[entry], 0]
            )
        entry = view.entries.next[entry]
