"""Processors that are reserved for some: who may use them, and when there is room beside them.

A job without access to a reservation finds, while it lasts, as many processors less as are reserved and not
in use by those who have access. It may start only if that leaves it room for all of its estimate. A job with
access may use them, and any others. Where several reservations overlap, a job with access to more than one is
counted in the first that it wants (``Affinity``) and that has room; one that wants none is counted outside
as long as there is room. Of a reservation that shares its processors with others only what it has
beyond theirs counts. One on particular nodes keeps what is idle there; ``hosts`` keeps jobs off them. Asked
at the verbs (so that no policy can start a job inside), and by policies that plan. Nothing of this is called
where there are no reservations.
"""

from molokini.model.decisions import Decision
from molokini.model.reservations import Affinity, Credential
from molokini.model.states import JobState, NodeState
from molokini.scheduling.compilation import kernel, seldom
from molokini.scheduling.profile import LAST, earliest, fits, segment_at
from molokini.scheduling.tables import NEVER, Tables, View

_START = int(Decision.START)
_RESUME = int(Decision.RESUME)
_SUSPEND = int(Decision.SUSPEND)
_REQUEUE = int(Decision.REQUEUE)
_CANCEL = int(Decision.CANCEL)
_RUNNING = int(JobState.RUNNING)
_UP = int(NodeState.UP)
_USER = int(Credential.USER)
_GROUP = int(Credential.GROUP)
_ACCOUNT = int(Credential.ACCOUNT)
_QUEUE = int(Credential.QUEUE)
_QOS = int(Credential.QOS)
_SERVICE = int(Credential.SERVICE)
_POSITIVE, _NEUTRAL, _NEGATIVE = int(Affinity.POSITIVE), int(Affinity.NEUTRAL), int(Affinity.NEGATIVE)
NO_ACCESS = 0
ADMITS, DENIES, REQUIRES = 0, 1, 2
"""What an element of a reservation's access list does."""


@kernel
def next_boundary(t: Tables, now: float) -> float:
    """The next instant at which a reservation begins, ends or is rolled; NEVER where none does."""
    seldom()
    at_s = t.roll_s if t.roll_s > now else NEVER
    for r in range(t.reservations):
        if t.reservation_from_s[r] > now:
            at_s = min(at_s, t.reservation_from_s[r])
        elif t.reservation_until_s[r] > now:
            at_s = min(at_s, t.reservation_until_s[r])
    return float(at_s)


@kernel
def has_access(view: View, row: int, r: int) -> bool:
    """Whether *row* may use reservation *r*: one of those admitted, if any is, and not kept out."""
    return affinity_of(view, row, r) > NO_ACCESS


@kernel
def affinity_of(view: View, row: int, r: int) -> int:
    """How much *row* wants what reservation *r* keeps, by what fits best; NO_ACCESS: it may not have it."""
    admitted, listed, required, best = False, False, False, NO_ACCESS
    for k in range(view.access_kind.size):
        if view.access_reservation[k] != r:
            continue
        rule = view.access_rule[k]
        if rule == ADMITS:
            listed = True
            if _fits(view, row, view.access_kind[k], view.access_number[k]):
                admitted = True
                best = max(best, view.access_affinity[k])
        elif _fits(view, row, view.access_kind[k], view.access_number[k]) != (rule == REQUIRES):
            return NO_ACCESS
        elif rule == REQUIRES:
            required = True
            best = max(best, view.access_affinity[k])
    return best if admitted or (required and not listed) else NO_ACCESS


@kernel
def _fits(view: View, row: int, kind: int, number: int) -> bool:
    """Whether *row* is of this credential."""
    credential = view.job_credential[row]
    own = -1
    if kind == _USER:
        own = view.credential_user[credential]
    elif kind == _GROUP:
        own = view.credential_group[credential]
    elif kind == _ACCOUNT:
        own = view.credential_account[credential]
    elif kind == _QUEUE:
        own = view.credential_queue[credential]
    elif kind == _QOS:
        own = view.credential_qos[credential]
    elif kind == _SERVICE:
        own = view.scope_key[view.credential_scope[credential, _QOS], 1]
    else:
        return bool(view.job_estimate_s[row] <= number)
    return bool(own == number)


@kernel
def may_start(view: View, row: int) -> bool:
    """Whether *row*, on processors that are idle now, stays out of what is reserved for others."""
    seldom()
    now = view.pass_s
    until_s = now + view.job_estimate_s[row] - view.job_work_s[row]
    for r in range(view.reservations):
        from_s = max(now, view.reservation_from_s[r])
        reached = from_s < until_s or from_s <= now
        if not reached or view.reservation_until_s[r] <= now or has_access(view, row, r):
            continue
        # Room only grows until another reservation begins, so the beginnings are all there is to look at.
        if view.job_width[row] > _idle_at(view, from_s) - blocked_at(view, row, from_s):
            return False
    return True


@kernel
def blocked_at(view: View, row: int, at_s: float) -> int:
    """Processors that are reserved at *at_s*, not for *row*, and not in use by those who have access."""
    count_use(view, at_s)
    kept, shared, h = 0, 0, 0
    while h < view.hosted:
        kept += max(0, min(kept_on_node(view, row, h, at_s), view.host_free[h]))
        h = next_node(view, h)
    for r in range(view.reservations):
        if not view.reservation_hosted[r] and lasts(view, r, at_s) and not has_access(view, row, r):
            unused = max(0, view.reservation_processors[r] - view.reservation_used[r])
            if view.reservation_shared[r]:
                shared = max(shared, unused)
            else:
                kept += unused
    return int(max(kept, shared))


@kernel
def kept_on_node(view: View, row: int, first: int, at_s: float) -> int:
    """What is kept from *row* of the node of element *first*, its first one, as ``count_use`` has counted."""
    kept, shared = 0, 0
    for h in range(first, next_node(view, first)):
        r = view.host_reservation[h]
        if lasts(view, r, at_s) and not has_access(view, row, r):
            unused = max(0, view.host_processors[h] - view.host_used[h])
            if view.reservation_shared[r]:
                shared = max(shared, unused)
            else:
                kept += unused
    return int(max(kept, shared))


@kernel
def next_node(view: View, first: int) -> int:
    """Where the elements of the next node begin: those of a node stand together."""
    h = first + 1
    while h < view.hosted and view.host_node[h] == view.host_node[first]:
        h += 1
    return h


@kernel
def count_use(view: View, at_s: float) -> None:
    """Count what those with access use of each reservation at *at_s*, and what is idle on reserved nodes."""
    for r in range(view.reservations):
        view.reservation_used[r] = 0
    for h in range(view.hosted):
        node = view.host_node[h]
        view.host_used[h] = 0
        view.host_free[h] = int(view.node_free[node, 0]) if view.node_state[node] == _UP else 0
    outside = _count(view, at_s, 0, 0)
    if view.affinities:
        _count(view, at_s, 1, _unreserved(view, at_s) - outside)


@kernel
def _count(view: View, at_s: float, reluctant: int, room: int) -> int:
    """Count the jobs that are (or are not) *reluctant* to use what is reserved; so much of them is outside.

    Outside has *room* for those who are.
    """
    outside = 0
    for k in range(view.running_count):
        running = view.running[k]
        if taken_off(view, running):
            continue
        if view.job_expected_end_s[running] > at_s:
            outside += _count_one(view, running, view.job_held[running], at_s, reluctant, room - outside)
        elif view.hosted > 0 and not reluctant:
            _leave_hosts(view, running)
    for k in range(view.decided):
        if view.decisions[k, 0] == _START or view.decisions[k, 0] == _RESUME:
            started = view.decisions[k, 1]
            if _end_of_started(view, started) > at_s:
                outside += _count_one(view, started, view.job_width[started], at_s, reluctant, room - outside)
            elif view.hosted > 0 and not reluctant:
                _leave_hosts(view, started)
    return outside


@kernel
def _count_one(view: View, row: int, width: int, at_s: float, reluctant: int, room: int) -> int:
    """Count *row*, which has so many processors, where it is one of these; how many of them are outside."""
    if view.affinities and _is_reluctant(view, row, at_s) != reluctant:
        return 0
    left = _use(view, row, width, at_s)
    if not reluctant:
        return left
    outside = min(left, max(0, room))
    _use_wanted(view, row, left - outside, at_s, _NEGATIVE)
    return int(outside)


@kernel
def _is_reluctant(view: View, row: int, at_s: float) -> int:
    """1: there is a reservation anywhere that *row* uses only where nothing else is left."""
    for r in range(view.reservations):
        if not view.reservation_hosted[r] and lasts(view, r, at_s) and affinity_of(view, row, r) == _NEGATIVE:
            return 1
    return 0


@kernel
def _unreserved(view: View, at_s: float) -> int:
    """Processors in service of which no reservation keeps any at *at_s*."""
    kept = 0
    for r in range(view.reservations):
        if lasts(view, r, at_s) and not view.reservation_shared[r]:
            kept += view.reservation_processors[r]
    return int(view.processors - kept)


@kernel
def _idle_at(view: View, at_s: float) -> int:
    """Processors idle at *at_s* if everybody ends at the estimate and nobody else starts."""
    idle = view.idle
    for k in range(view.running_count):
        row = view.running[k]
        if view.job_expected_end_s[row] <= at_s and not taken_off(view, row):
            idle += view.job_held[row]
    for k in range(view.decided):
        if view.decisions[k, 0] == _START or view.decisions[k, 0] == _RESUME:
            row = view.decisions[k, 1]
            if _end_of_started(view, row) <= at_s:
                idle += view.job_width[row]
    return int(idle)


@kernel
def _end_of_started(view: View, row: int) -> float:
    return float(view.pass_s + view.job_estimate_s[row] - view.job_work_s[row])


@kernel
def taken_off(view: View, row: int) -> bool:
    """Whether this pass has suspended, requeued or cancelled *row*, which ``idle`` knows already."""
    for k in range(view.decided):
        kind = view.decisions[k, 0]
        if view.decisions[k, 1] == row and (kind == _SUSPEND or kind == _REQUEUE or kind == _CANCEL):
            return True
    return False


@kernel
def lasts(view: View, r: int, at_s: float) -> bool:
    """Whether *r* is there at *at_s*."""
    return bool(view.reservation_from_s[r] <= at_s < view.reservation_until_s[r])


@kernel
def _use(view: View, row: int, width: int, at_s: float) -> int:
    """Count *width* processors of *row* in the reservations that it wants; how many are in none."""
    left = width - (_use_hosts(view, row, at_s) if view.hosted > 0 else 0)
    left = _use_wanted(view, row, left, at_s, _POSITIVE)
    return int(_use_wanted(view, row, left, at_s, _NEUTRAL) if view.affinities else left)


@kernel
def _use_wanted(view: View, row: int, width: int, at_s: float, affinity: int) -> int:
    """The same in those that it wants so much, as long as they have room."""
    left = width
    for r in range(view.reservations):
        if left <= 0 or view.reservation_hosted[r] or not lasts(view, r, at_s):
            continue
        if affinity_of(view, row, r) == affinity:
            taken = min(left, view.reservation_processors[r] - view.reservation_used[r])
            view.reservation_used[r] += taken
            if not view.reservation_shared[r]:
                left -= taken
    return int(left)


@kernel
def _use_hosts(view: View, row: int, at_s: float) -> int:
    """Count the processors of *row* on reserved nodes that it may use; how many."""
    used = 0
    entry = view.job_entries[row]
    while entry >= 0:
        node = view.entry_node[entry]
        taken = int(view.entry_tasks[entry] * view.component_need[view.entry_component[entry], 0])
        counted = False
        for h in range(view.hosted):
            r = view.host_reservation[h]
            if view.host_node[h] == node and lasts(view, r, at_s) and has_access(view, row, r):
                view.host_used[h] += taken
                counted = True
        used += taken if counted else 0
        entry = view.entry_next[entry]
    return int(used)


@kernel
def _leave_hosts(view: View, row: int) -> None:
    """*row* is over then: what it holds of reserved nodes is idle."""
    entry = view.job_entries[row]
    while entry >= 0:
        for h in range(view.hosted):
            if view.host_node[h] == view.entry_node[entry] and view.node_state[view.host_node[h]] == _UP:
                need = view.component_need[view.entry_component[entry], 0]
                view.host_free[h] += int(view.entry_tasks[entry] * need)
        entry = view.entry_next[entry]


@kernel
def fits_beside(view: View, row: int, length_s: float, at_s: float) -> bool:
    """As ``profile.fits`` for *row*, beside what is reserved for others."""
    if not fits(view, view.job_width[row], length_s, at_s):
        return False
    return view.reservations == 0 or _in_the_way_until(view, row, length_s, at_s) < 0.0


@kernel
def earliest_beside(view: View, row: int, length_s: float, from_s: float) -> float:
    """As ``profile.earliest`` for *row*, beside what is reserved for others."""
    width = view.job_width[row]
    at_s = earliest(view, width, length_s, from_s)
    while view.reservations > 0 and at_s < NEVER:
        until_s = _in_the_way_until(view, row, length_s, at_s)
        if until_s < 0.0:
            break
        at_s = earliest(view, width, length_s, until_s) if until_s < NEVER else NEVER
    return at_s


@kernel
def _in_the_way_until(view: View, row: int, length_s: float, at_s: float) -> float:
    """Where reservations keep *row* from starting at *at_s*: an instant up to which they do; else -1."""
    seldom()
    last, until_s = view.global_i[LAST], at_s + length_s
    segment = segment_at(view, at_s)
    point_s = at_s
    while True:
        change_s = next_boundary(view, point_s)
        for k in range(view.running_count):
            end_s = view.job_expected_end_s[view.running[k]]
            if end_s > point_s:
                change_s = min(change_s, end_s)
        while segment + 1 < last and view.profile_time_s[segment + 1] <= point_s:
            segment += 1
        if segment + 1 < last:
            change_s = min(change_s, view.profile_time_s[segment + 1])
        if view.profile_free[segment] - blocked_at(view, row, point_s) < view.job_width[row]:
            return float(change_s)
        point_s = change_s
        if point_s >= until_s:
            return -1.0
