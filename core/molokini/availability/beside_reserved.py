"""Room beside reservations: whether a job may start now or later, and when it could.

What ``reserved`` keeps from a job changes where a reservation begins or ends, and while it lasts with each
end of a job. Nothing is kept from a job while no reservation lasts that it may not use.
"""

from molokini.availability.lanes import earliest, fits
from molokini.availability.profile import segment_at
from molokini.availability.reservation_cache.minimum import least_of, less_than, note_least
from molokini.availability.reservation_cache.steps import blocked_for
from molokini.availability.reserved import begins, end_of_started, lasts, next_boundary, taken_off
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.tables.access import MOST_BITS, has_access, open_to
from molokini.tables.tables import NEVER, View


@kernel
def may_start(view: View, row: int) -> bool:
    """Whether *row*, on processors that are idle now, stays out of what is reserved for other jobs."""
    seldom()
    now, mask = view.cycle.pass_s, 0
    until_s = end_of_started(view, row)
    for r in range(view.reservations.count):
        from_s = max(now, view.reservations.from_s[r])
        reached = from_s < until_s or from_s <= now
        if not reached or view.reservations.until_s[r] <= now:
            continue
        # Room only grows until another reservation begins, so checks at the beginnings are enough, also at
        # that of one that is open to this job: what others use is counted in it from then on.
        if from_s <= now and has_access(view, row, r):
            continue
        mask = _without_access(view, row) if mask == 0 else mask
        if mask == 0:
            return True
        if view.jobs.width[row] > _idle_at(view, from_s) - blocked_for(view, row, mask, from_s):
            return False
    return True


@kernel
def first_conflict(view: View, row: int) -> tuple[int, int]:
    """The reservation that *row* would run into first if it started on processors that are idle now, and how
    many processors reservations leave it at least until its end. -1: none, as ``may_start`` says.
    """
    seldom()
    now, mask = view.cycle.pass_s, _without_access(view, row)
    until_s = end_of_started(view, row)
    first, first_s, least = -1, NEVER, view.machine.processors_in_all
    for r in range(view.reservations.count):
        from_s = max(now, view.reservations.from_s[r])
        if view.reservations.until_s[r] <= now or (from_s >= until_s and from_s > now) or mask == 0:
            continue
        if from_s <= now and has_access(view, row, r):
            continue
        left = _idle_at(view, from_s) - blocked_for(view, row, mask, from_s)
        least = min(least, left)
        if left < view.jobs.width[row] and from_s < first_s:
            first, first_s = r, from_s
    return first, least


@kernel
def _idle_at(view: View, at_s: float) -> int:
    """Processors idle at *at_s* if every job ends at its estimate and no other job starts."""
    idle = view.machine.idle
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        if view.jobs.expected_end_s[row] <= at_s and not taken_off(view, row):
            idle += view.jobs.held[row]
    for k in range(view.cycle.decided):
        if begins(view, k):
            row = view.cycle.decisions[k, 1]
            if end_of_started(view, row) <= at_s:
                idle += view.jobs.width[row]
    return int(idle)


@kernel
def fits_beside(view: View, row: int, length_s: float, at_s: float) -> bool:
    """As ``lanes.fits``, beside what is reserved for other jobs."""
    return fits(view, row, length_s, at_s) and stays_out(view, row, length_s, at_s)


@inner
def stays_out(view: View, row: int, length_s: float, at_s: float) -> bool:
    """Whether *row*, which the profile admits at *at_s*, stays out of what is reserved for other jobs."""
    return bool(view.reservations.count == 0 or _stays_out(view, row, length_s, at_s))


@kernel
def earliest_beside(view: View, row: int, length_s: float, from_s: float) -> float:
    """As ``lanes.earliest``, beside what is reserved for other jobs."""
    at_s = earliest(view, row, length_s, from_s)
    while view.reservations.count > 0 and at_s < NEVER:
        until_s = in_the_way_until(view, row, length_s, at_s)
        if until_s < 0.0:
            break
        at_s = earliest(view, row, length_s, until_s) if until_s < NEVER else NEVER
    return at_s


@kernel
def next_change(view: View, at_s: float) -> float:
    """The first instant after *at_s* at which the profile or a reservation changes; NEVER: none does."""
    k = segment_at(view, at_s) + 1
    changes_s = view.profile.time_s[k] if k < view.profile.last else NEVER
    return float(min(changes_s, next_boundary(view, at_s)))


@kernel
def in_the_way_until(view: View, row: int, length_s: float, at_s: float) -> float:
    """An instant up to which reservations keep *row*, which the profile admits, from starting, if they keep
    it from starting at *at_s*; else -1.
    """
    seldom()
    mask, until_s = _without_access(view, row), at_s + length_s
    if mask == 0:
        return -1.0
    segment, point_s = segment_at(view, at_s), at_s
    last = view.profile.last
    while True:
        if not _any_lasts(view, mask, point_s):
            # Nothing is kept before the next one begins, and the profile admits the job.
            point_s = _next_begin(view, mask, point_s)
            if point_s >= until_s:
                return -1.0
        while segment + 1 < last and view.profile.time_s[segment + 1] <= point_s:
            segment += 1
        kept = blocked_for(view, row, mask, point_s)
        too_few = view.profile.free[segment] - kept < view.jobs.width[row]
        change_s = _next_end(view, point_s, next_boundary(view, point_s))
        if segment + 1 < last:
            change_s = min(change_s, view.profile.time_s[segment + 1])
        if too_few:
            return float(change_s)
        point_s = change_s
        if point_s >= until_s:
            return -1.0


@kernel
def _stays_out(view: View, row: int, length_s: float, at_s: float) -> bool:
    """Whether reservations let *row*, which the profile admits, start at *at_s*.

    How much they leave is computed once, as far as calls need it, and remembered.
    """
    seldom()
    mask, until_s, width = _without_access(view, row), at_s + length_s, view.jobs.width[row]
    if mask == 0:
        return True
    k = least_of(view, mask, at_s) if length_s > 0.0 else -1
    if k >= 0 and less_than(view, k, width, until_s):
        return False
    last = view.profile.last
    while k >= 0 and view.least.reached_s[k] < until_s:
        point_s, segment = view.least.reached_s[k], view.least.segment[k]
        if not _any_lasts(view, mask, point_s):
            # Nothing is kept before the next one begins, and the profile admits the job.
            view.least.reached_s[k] = _next_begin(view, mask, point_s)
            continue
        while segment + 1 < last and view.profile.time_s[segment + 1] <= point_s:
            segment += 1
        left = view.profile.free[segment] - blocked_for(view, row, mask, point_s)
        change_s = _next_end(view, point_s, next_boundary(view, point_s))
        if segment + 1 < last:
            change_s = min(change_s, view.profile.time_s[segment + 1])
        if not note_least(view, k, point_s, left):
            k = -1
        else:
            view.least.reached_s[k], view.least.segment[k] = change_s, segment
            if left < width:
                return False
    return k >= 0 or in_the_way_until(view, row, length_s, at_s) < 0.0


@kernel
def _without_access(view: View, row: int) -> int:
    """Bits of the reservations that *row* may not use; -1: there are too many for bits."""
    if view.reservations.count > MOST_BITS:
        return -1
    return int(((1 << view.reservations.count) - 1) & ~open_to(view, row))


@kernel
def _any_lasts(view: View, mask: int, at_s: float) -> bool:
    """Whether one of these reservations lasts at *at_s*."""
    if mask < 0:
        return True
    for r in range(view.reservations.count):
        if (mask >> r) & 1 and lasts(view, r, at_s):
            return True
    return False


@kernel
def _next_begin(view: View, mask: int, at_s: float) -> float:
    """The first instant after *at_s* at which one of these reservations begins; NEVER: none does."""
    next_s = NEVER
    for r in range(view.reservations.count):
        if (mask >> r) & 1 and at_s < view.reservations.from_s[r] < next_s:
            next_s = view.reservations.from_s[r]
    return float(next_s)


@inner
def _next_end(view: View, at_s: float, before_s: float) -> float:
    """The first expected end, after *at_s*, of a job that runs or that this pass starts; at most *before_s*.

    The profile may have no step there: a planned job may take all that the end gives.
    """
    low, high = 0, view.queue.running_sorted
    while low < high:
        middle = (low + high) >> 1
        if view.jobs.expected_end_s[view.queue.running[middle]] <= at_s:
            low = middle + 1
        else:
            high = middle
    end_s = before_s
    if low < view.queue.running_sorted:
        end_s = min(end_s, view.jobs.expected_end_s[view.queue.running[low]])
    for k in range(view.queue.running_sorted, view.queue.running_count):
        if at_s < view.jobs.expected_end_s[view.queue.running[k]] < end_s:
            end_s = view.jobs.expected_end_s[view.queue.running[k]]
    for k in range(view.cycle.decided):
        if begins(view, k) and at_s < end_of_started(view, view.cycle.decisions[k, 1]) < end_s:
            end_s = end_of_started(view, view.cycle.decisions[k, 1])
    return float(end_s)
