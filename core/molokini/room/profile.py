"""The availability profile: how many processors are planned to be free, from now on.

A step function in ``profile_time_s`` / ``profile_free``, segments [first, last): ``profile_free[k]``
processors are free from ``profile_time_s[k]`` up to the next segment's time, the last for ever.
Neighbouring segments differ. The window [first, last) is kept in the two integers at the end of the
policy's global line, so that a profile lives from pass to pass.
"""

from molokini.compiled.compilation import kernel
from molokini.tables.running import sort_running
from molokini.tables.tables import NEVER, PROFILE_FIRST, PROFILE_LAST, View

FIRST, LAST = PROFILE_FIRST, PROFILE_LAST


@kernel
def clear_profile(view: View, now: float, free: int) -> None:
    """A profile of one segment: *free* processors from *now* on."""
    view.profile_epoch += 1
    view.profile_time_s[0] = now
    view.profile_free[0] = free
    view.global_i[FIRST] = 0
    view.global_i[LAST] = 1


@kernel
def profile_of_running(view: View, now: float) -> None:
    """The profile in which only the running jobs are planned, each up to its expected end."""
    sort_running(view)
    clear_profile(view, now, view.free)
    last, free = 1, view.free
    for k in range(view.running_count):
        row = view.running[k]
        if view.job_held[row] == 0:
            continue
        free += view.job_held[row]
        if view.profile_time_s[last - 1] < view.job_expected_end_s[row]:
            view.profile_time_s[last] = view.job_expected_end_s[row]
            last += 1
        view.profile_free[last - 1] = free
    view.global_i[LAST] = last


@kernel
def forget_past(view: View, now: float) -> None:
    """Drop segments that have passed."""
    view.profile_epoch += 1
    first, last = view.global_i[FIRST], view.global_i[LAST]
    while first + 1 < last and view.profile_time_s[first + 1] <= now:
        first += 1
    view.profile_time_s[first] = max(view.profile_time_s[first], now)
    view.global_i[FIRST] = first


@kernel
def forget_holes(view: View) -> None:
    """The profile has been built anew from the running jobs: it has no holes to be filled."""
    view.hole_count = 0


@kernel
def segment_at(view: View, at_s: float) -> int:
    """The segment that holds *at_s* (the first where *at_s* lies before it)."""
    low, high = view.global_i[FIRST], view.global_i[LAST]
    while high - low > 1:
        middle = (low + high) >> 1
        if view.profile_time_s[middle] <= at_s:
            low = middle
        else:
            high = middle
    return int(low)


@kernel
def _split(view: View, at_s: float) -> int:
    """Make *at_s* a boundary; the segment that begins there."""
    k = segment_at(view, at_s)
    if view.profile_time_s[k] >= at_s:
        return k
    last = view.global_i[LAST]
    if last == view.profile_free.size:
        k -= _slide(view)
        last = view.global_i[LAST]
    for j in range(last, k + 1, -1):
        view.profile_time_s[j] = view.profile_time_s[j - 1]
        view.profile_free[j] = view.profile_free[j - 1]
    view.profile_time_s[k + 1] = at_s
    view.profile_free[k + 1] = view.profile_free[k]
    view.global_i[LAST] = last + 1
    return k + 1


@kernel
def _slide(view: View) -> int:
    """Move the window to the front of the arrays; by how much."""
    first, last = view.global_i[FIRST], view.global_i[LAST]
    for j in range(first, last):
        view.profile_time_s[j - first] = view.profile_time_s[j]
        view.profile_free[j - first] = view.profile_free[j]
    view.global_i[FIRST] = 0
    view.global_i[LAST] = last - first
    return int(first)


@kernel
def _merge(view: View, k: int) -> bool:
    """Join segment *k* to the one before it where they are alike."""
    first, last = view.global_i[FIRST], view.global_i[LAST]
    if k <= first or k >= last or view.profile_free[k] != view.profile_free[k - 1]:
        return False
    for j in range(k, last - 1):
        view.profile_time_s[j] = view.profile_time_s[j + 1]
        view.profile_free[j] = view.profile_free[j + 1]
    view.global_i[LAST] = last - 1
    return True


@kernel
def plan(view: View, from_s: float, until_s: float, width: int) -> None:
    """Take *width* processors out of the profile in [from, until); a negative width gives back."""
    if until_s <= from_s:
        return
    view.profile_epoch += 1
    begin = _split(view, from_s)
    if until_s < NEVER:
        size_before = view.global_i[FIRST]
        stop = _split(view, until_s)
        begin -= size_before - view.global_i[FIRST]
    else:
        stop = view.global_i[LAST]
    for k in range(begin, stop):
        view.profile_free[k] -= width
    _merge(view, stop)
    _merge(view, begin)


@kernel
def earliest(view: View, width: int, length_s: float, from_s: float) -> float:
    """The first instant from *from_s* on at which *width* processors stay free for *length_s*."""
    k = segment_at(view, from_s)
    last = view.global_i[LAST]
    candidate_s = from_s
    while k < last:
        if view.profile_free[k] < width:
            if k + 1 == last:
                return NEVER
            candidate_s = view.profile_time_s[k + 1]
        elif k + 1 == last or view.profile_time_s[k + 1] >= candidate_s + length_s:
            return candidate_s
        k += 1
    return candidate_s


@kernel
def earlier(view: View, width: int, length_s: float, now: float, start_s: float, limit_s: float) -> float:
    """An earlier start than *start_s* for a job whose reservation is in the profile, read-only.

    From *start_s* on the job's own room is enough, so only segments before it can block; no start
    at or after *limit_s* is looked for. *start_s* itself when there is none.
    """
    stop_s = min(start_s, limit_s)
    k = view.global_i[FIRST]
    last = view.global_i[LAST]
    candidate_s = now
    while k < last and view.profile_time_s[k] < start_s:
        if view.profile_free[k] < width:
            if k + 1 == last:
                return start_s
            candidate_s = view.profile_time_s[k + 1]
            if candidate_s >= stop_s:
                return start_s
        elif k + 1 < last and view.profile_time_s[k + 1] >= candidate_s + length_s:
            return candidate_s
        k += 1
    return min(candidate_s, start_s)


@kernel
def most_free(view: View, from_s: float, until_s: float) -> int:
    """The largest number of free processors in [from, until)."""
    k = segment_at(view, from_s)
    most = view.profile_free[k]
    k += 1
    while k < view.global_i[LAST] and view.profile_time_s[k] < until_s:
        most = max(most, view.profile_free[k])
        k += 1
    return int(most)


@kernel
def fits(view: View, width: int, length_s: float, at_s: float) -> bool:
    """Whether *width* processors stay free from *at_s* for *length_s*."""
    k = segment_at(view, at_s)
    while True:
        if view.profile_free[k] < width:
            return False
        k += 1
        if k >= view.global_i[LAST] or view.profile_time_s[k] >= at_s + length_s:
            return True
