"""Room beside what is reserved for some: whether a job may start now or then, and when it could.

What ``reserved`` keeps from a job changes where a reservation begins or ends, and while it lasts with each
end of a job. Only while one lasts that the job may not use is there anything to ask.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.decisions import Decision
from molokini.room.kept_steps import blocked_for
from molokini.room.least_room import least_of, less_than, note_least
from molokini.room.profile import LAST, earliest, fits, segment_at
from molokini.room.reserved import end_of_started, lasts, next_boundary, taken_off
from molokini.tables.access import MOST_BITS, has_access, open_to
from molokini.tables.tables import NEVER, View

_START = int(Decision.START)
_RESUME = int(Decision.RESUME)


@kernel
def may_start(view: View, row: int) -> bool:
    """Whether *row*, on processors that are idle now, stays out of what is reserved for others."""
    seldom()
    now, mask = view.pass_s, 0
    until_s = now + view.job_estimate_s[row] - view.job_work_s[row]
    for r in range(view.reservations):
        from_s = max(now, view.reservation_from_s[r])
        reached = from_s < until_s or from_s <= now
        if not reached or view.reservation_until_s[r] <= now or has_access(view, row, r):
            continue
        # Room only grows until another reservation begins, so the beginnings are all there is to look at.
        mask = _without_access(view, row) if mask == 0 else mask
        if view.job_width[row] > _idle_at(view, from_s) - blocked_for(view, row, mask, from_s):
            return False
    return True


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
            if end_of_started(view, row) <= at_s:
                idle += view.job_width[row]
    return int(idle)


@kernel
def fits_beside(view: View, row: int, length_s: float, at_s: float) -> bool:
    """As ``profile.fits`` for *row*, beside what is reserved for others."""
    if not fits(view, view.job_width[row], length_s, at_s):
        return False
    return view.reservations == 0 or _stays_out(view, row, length_s, at_s)


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
    """Where reservations keep *row*, which the profile admits, from starting at *at_s*: an instant up to
    which they do; else -1.
    """
    seldom()
    mask, until_s = _without_access(view, row), at_s + length_s
    if mask == 0:
        return -1.0
    segment, point_s = segment_at(view, at_s), at_s
    last = view.global_i[LAST]
    while True:
        if not _any_lasts(view, mask, point_s):
            # Nothing is kept before the next begins, and the profile has been asked.
            point_s = _next_begin(view, mask, point_s)
            if point_s >= until_s:
                return -1.0
        while segment + 1 < last and view.profile_time_s[segment + 1] <= point_s:
            segment += 1
        kept = blocked_for(view, row, mask, point_s)
        too_few = view.profile_free[segment] - kept < view.job_width[row]
        change_s = _next_end(view, point_s, next_boundary(view, point_s))
        if segment + 1 < last:
            change_s = min(change_s, view.profile_time_s[segment + 1])
        if too_few:
            return float(change_s)
        point_s = change_s
        if point_s >= until_s:
            return -1.0


@kernel
def _stays_out(view: View, row: int, length_s: float, at_s: float) -> bool:
    """Whether reservations let *row*, which the profile admits, start at *at_s*.

    How much they leave is walked through once, as far as somebody asks, and remembered.
    """
    seldom()
    mask, until_s, width = _without_access(view, row), at_s + length_s, view.job_width[row]
    if mask == 0:
        return True
    k = least_of(view, mask, at_s) if length_s > 0.0 else -1
    if k >= 0 and less_than(view, k, width, until_s):
        return False
    last = view.global_i[LAST]
    while k >= 0 and view.least_reached_s[k] < until_s:
        point_s, segment = view.least_reached_s[k], view.least_segment[k]
        if not _any_lasts(view, mask, point_s):
            # Nothing is kept before the next begins, and the profile has been asked.
            view.least_reached_s[k] = _next_begin(view, mask, point_s)
            continue
        while segment + 1 < last and view.profile_time_s[segment + 1] <= point_s:
            segment += 1
        left = view.profile_free[segment] - blocked_for(view, row, mask, point_s)
        change_s = _next_end(view, point_s, next_boundary(view, point_s))
        if segment + 1 < last:
            change_s = min(change_s, view.profile_time_s[segment + 1])
        if not note_least(view, k, point_s, left):
            k = -1
        else:
            view.least_reached_s[k], view.least_segment[k] = change_s, segment
            if left < width:
                return False
    return k >= 0 or _in_the_way_until(view, row, length_s, at_s) < 0.0


@kernel
def _without_access(view: View, row: int) -> int:
    """Bits of the reservations that *row* may not use; -1: there are too many for bits."""
    if view.reservations > MOST_BITS:
        return -1
    return int(((1 << view.reservations) - 1) & ~open_to(view, row))


@kernel
def _any_lasts(view: View, mask: int, at_s: float) -> bool:
    """Whether one of these is there at *at_s*."""
    if mask < 0:
        return True
    for r in range(view.reservations):
        if (mask >> r) & 1 and lasts(view, r, at_s):
            return True
    return False


@kernel
def _next_begin(view: View, mask: int, at_s: float) -> float:
    """The first instant after *at_s* at which one of these begins; NEVER: none does."""
    next_s = NEVER
    for r in range(view.reservations):
        if (mask >> r) & 1 and at_s < view.reservation_from_s[r] < next_s:
            next_s = view.reservation_from_s[r]
    return float(next_s)


@inner
def _next_end(view: View, at_s: float, before_s: float) -> float:
    """The first expected end of a running job after *at_s*, or *before_s* where that is earlier."""
    low, high = 0, view.running_sorted
    while low < high:
        middle = (low + high) >> 1
        if view.job_expected_end_s[view.running[middle]] <= at_s:
            low = middle + 1
        else:
            high = middle
    end_s = before_s
    if low < view.running_sorted:
        end_s = min(end_s, view.job_expected_end_s[view.running[low]])
    for k in range(view.running_sorted, view.running_count):
        if at_s < view.job_expected_end_s[view.running[k]] < end_s:
            end_s = view.job_expected_end_s[view.running[k]]
    return float(end_s)
