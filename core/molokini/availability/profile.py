"""The availability profile: how many processors are planned to be free, from now on.

A step function in ``profile.time_s`` and ``profile.free``, segments [first, last): ``free[k]`` processors
are free from ``time_s[k]`` up to the next segment's time, the last without end. Neighbouring segments differ.

The machine is one lane, or each cluster is a lane of its own (``profile.lane_count``): ``profile.lanes`` then
says how many processors of each are free, and ``free`` is their sum. The functions here are about processors
of any lane, those of ``room.lanes`` about jobs. Code for several lanes stays out of line: one costs a branch.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.tables.running import sort_running
from molokini.tables.tables import NEVER, View


@kernel
def clear_profile(view: View, now: float, free: int) -> None:
    """A profile of one segment: *free* processors from *now* on."""
    view.profile.epoch += 1
    if view.nodes.count > 0:
        view.profile.lane_count = 0
    view.profile.time_s[0] = now
    view.profile.free[0] = free
    view.profile.first = 0
    view.profile.last = 1


@kernel
def profile_of_running(view: View, now: float) -> None:
    """The profile in which only the running jobs are planned, each up to its expected end."""
    sort_running(view)
    clear_profile(view, now, view.machine.free)
    last, free = 1, view.machine.free
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        if view.jobs.held[row] == 0:
            continue
        free += view.jobs.held[row]
        if view.profile.time_s[last - 1] < view.jobs.expected_end_s[row]:
            view.profile.time_s[last] = view.jobs.expected_end_s[row]
            last += 1
        view.profile.free[last - 1] = free
    view.profile.last = last


@kernel
def forget_past(view: View, now: float) -> None:
    """Drop segments that have passed."""
    view.profile.epoch += 1
    first, last = view.profile.first, view.profile.last
    while first + 1 < last and view.profile.time_s[first + 1] <= now:
        first += 1
    view.profile.time_s[first] = max(view.profile.time_s[first], now)
    view.profile.first = first


@kernel
def forget_holes(view: View) -> None:
    """The profile has been rebuilt from the running jobs: it has no holes to be filled."""
    view.holes.count = 0


@kernel
def segment_at(view: View, at_s: float) -> int:
    """The segment that holds *at_s* (the first where *at_s* lies before it)."""
    low, high = view.profile.first, view.profile.last
    while high - low > 1:
        middle = (low + high) >> 1
        if view.profile.time_s[middle] <= at_s:
            low = middle
        else:
            high = middle
    return int(low)


@kernel
def _split(view: View, at_s: float) -> int:
    """Make *at_s* a boundary; the segment that begins there."""
    k = segment_at(view, at_s)
    if view.profile.time_s[k] >= at_s:
        return k
    last = view.profile.last
    if last == view.profile.free.size:
        k -= _slide(view)
        last = view.profile.last
    for j in range(last, k + 1, -1):
        view.profile.time_s[j] = view.profile.time_s[j - 1]
        view.profile.free[j] = view.profile.free[j - 1]
    view.profile.time_s[k + 1] = at_s
    view.profile.free[k + 1] = view.profile.free[k]
    if view.nodes.count > 0 and view.profile.lane_count > 0:
        _move_lanes(view, k, last, 1)
    view.profile.last = last + 1
    return k + 1


@kernel
def _slide(view: View) -> int:
    """Move the window to the front of the arrays; by how much."""
    first, last = view.profile.first, view.profile.last
    for j in range(first, last):
        view.profile.time_s[j - first] = view.profile.time_s[j]
        view.profile.free[j - first] = view.profile.free[j]
    if view.nodes.count > 0 and view.profile.lane_count > 0:
        _move_lanes(view, first, last, -first)
    view.profile.first = 0
    view.profile.last = last - first
    return int(first)


@kernel
def _merge(view: View, k: int) -> bool:
    """Join segment *k* to the one before it where they are alike."""
    first, last = view.profile.first, view.profile.last
    if k <= first or k >= last or view.profile.free[k] != view.profile.free[k - 1]:
        return False
    if view.nodes.count > 0 and view.profile.lane_count > 0:
        if not _alike(view, k):
            return False
        _move_lanes(view, k + 1, last, -1)
    for j in range(k, last - 1):
        view.profile.time_s[j] = view.profile.time_s[j + 1]
        view.profile.free[j] = view.profile.free[j + 1]
    view.profile.last = last - 1
    return True


@kernel
def _move_lanes(view: View, begin: int, stop: int, by: int) -> None:
    """Move what lanes have free in segments [begin, stop) by so many places."""
    seldom()
    for k in range(stop - begin):
        j = stop - 1 - k if by > 0 else begin + k
        for lane in range(view.profile.lane_count):
            view.profile.lanes[j + by, lane] = view.profile.lanes[j, lane]


@kernel
def _alike(view: View, k: int) -> bool:
    """Whether each lane has as much in segment *k* as in the one before it."""
    seldom()
    for lane in range(view.profile.lane_count):
        if view.profile.lanes[k, lane] != view.profile.lanes[k - 1, lane]:
            return False
    return True


@kernel
def plan(view: View, from_s: float, until_s: float, width: int) -> None:
    """Take *width* processors out of the one lane in [from, until); a negative width gives back."""
    if until_s <= from_s:
        return
    begin, stop = cut(view, from_s, until_s)
    for k in range(begin, stop):
        view.profile.free[k] -= width
    join(view, begin, stop)


@kernel
def keep_at_most(view: View, from_s: float, until_s: float, most: int) -> None:
    """No more than *most* processors of the one lane stay free in [from, until)."""
    if until_s <= from_s:
        return
    begin, stop = cut(view, from_s, until_s)
    for k in range(begin, stop):
        view.profile.free[k] = min(view.profile.free[k], most)
    for k in range(stop, begin - 1, -1):
        _merge(view, k)


@inner
def cut(view: View, from_s: float, until_s: float) -> tuple[int, int]:
    """Make both instants boundaries: the segments in between are to change. ``join`` follows the change."""
    view.profile.epoch += 1
    begin = _split(view, from_s)
    if until_s < NEVER:
        size_before = view.profile.first
        stop = _split(view, until_s)
        begin -= size_before - view.profile.first
    else:
        stop = view.profile.last
    return begin, int(stop)


@inner
def join(view: View, begin: int, stop: int) -> None:
    """Join the segments at either end of what has changed to their neighbours where they are alike now."""
    _merge(view, stop)
    _merge(view, begin)


@kernel
def earliest(view: View, width: int, length_s: float, from_s: float) -> float:
    """The first instant from *from_s* on at which *width* processors stay free for *length_s*."""
    k = segment_at(view, from_s)
    last = view.profile.last
    candidate_s = from_s
    while k < last:
        if view.profile.free[k] < width:
            if k + 1 == last:
                return NEVER
            candidate_s = view.profile.time_s[k + 1]
        elif k + 1 == last or view.profile.time_s[k + 1] >= candidate_s + length_s:
            return candidate_s
        k += 1
    return candidate_s


@kernel
def earlier(view: View, width: int, length_s: float, now: float, start_s: float, limit_s: float) -> float:
    """An earlier start than *start_s* for a job whose reservation is in the profile, read-only.

    From *start_s* on the job's own room is enough, so only segments before it can block; the search ends
    at *limit_s*. *start_s* itself when there is none.
    """
    stop_s = min(start_s, limit_s)
    k = view.profile.first
    last = view.profile.last
    candidate_s = now
    while k < last and view.profile.time_s[k] < start_s:
        if view.profile.free[k] < width:
            if k + 1 == last:
                return start_s
            candidate_s = view.profile.time_s[k + 1]
            if candidate_s >= stop_s:
                return start_s
        elif k + 1 < last and view.profile.time_s[k + 1] >= candidate_s + length_s:
            return candidate_s
        k += 1
    return min(candidate_s, start_s)


@kernel
def most_free(view: View, from_s: float, until_s: float) -> int:
    """The largest number of free processors in [from, until)."""
    k = segment_at(view, from_s)
    most = view.profile.free[k]
    k += 1
    while k < view.profile.last and view.profile.time_s[k] < until_s:
        most = max(most, view.profile.free[k])
        k += 1
    return int(most)


@kernel
def least_free(view: View, from_s: float, until_s: float) -> int:
    """The smallest number of free processors in [from, until)."""
    k = segment_at(view, from_s)
    least = view.profile.free[k]
    k += 1
    while k < view.profile.last and view.profile.time_s[k] < until_s:
        least = min(least, view.profile.free[k])
        k += 1
    return int(least)


@kernel
def free_until(view: View, width: int, at_s: float) -> float:
    """The first instant from *at_s* on at which fewer than *width* processors are free; NEVER: none."""
    k = segment_at(view, at_s)
    while k < view.profile.last:
        if view.profile.free[k] < width:
            return float(max(at_s, view.profile.time_s[k]))
        k += 1
    return NEVER


@kernel
def fits(view: View, width: int, length_s: float, at_s: float) -> bool:
    """Whether *width* processors stay free from *at_s* for *length_s*."""
    k = segment_at(view, at_s)
    while True:
        if view.profile.free[k] < width:
            return False
        k += 1
        if k >= view.profile.last or view.profile.time_s[k] >= at_s + length_s:
            return True
