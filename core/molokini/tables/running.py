"""The running rows, sorted by expected end when somebody asks, and the suspended rows.

Many policies never ask, so ``running[:running_sorted]`` is sorted and the rows that started since stand
behind it as they came; ``sort_running`` puts them in, and they are put in anyhow before there are many.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.tables.tables import Tables, View

_UNSORTED = 32
"""So many rows may stand unsorted: looking through them costs less than keeping them in order."""


@inner
def join_running(t: Tables, row: int) -> None:
    """*row* has begun to run; its expected end is set."""
    _put(t, t.running_count, row)
    t.running_count += 1
    if t.running_count - t.running_sorted > _UNSORTED:
        sort_running(t)


@inner
def _put(t: Tables, place: int, row: int) -> None:
    t.running[place] = row
    t.job_place[row] = place


@kernel
def sort_running(t: Tables) -> None:
    """Put the rows that started since the last time at their places by expected end."""
    for k in range(t.running_sorted, t.running_count):
        row = t.running[k]
        end_s = t.job_expected_end_s[row]
        place = k
        while place > 0 and t.job_expected_end_s[t.running[place - 1]] > end_s:
            t.running[place] = t.running[place - 1]
            place -= 1
        t.running[place] = row
    t.running_sorted = t.running_count


@inner
def leave_running(t: Tables, row: int) -> None:
    """*row* runs no longer; its expected end is still the one it was sorted by."""
    place = t.job_place[row]
    if place >= t.running_count or t.running[place] != row:
        place = _place(t, row)
    t.running_count -= 1
    if place >= t.running_sorted:
        _put(t, place, t.running[t.running_count])
        return
    t.running_sorted -= 1
    for k in range(place, t.running_count):
        t.running[k] = t.running[k + 1]


@kernel
def _place(t: Tables, row: int) -> int:
    """Where *row* stands, which has moved since it was put there."""
    place = t.running_count - 1
    while place >= t.running_sorted and t.running[place] != row:
        place -= 1
    return place if place >= t.running_sorted else _sorted_place(t, row)


@inner
def _sorted_place(t: Tables, row: int) -> int:
    """Where *row* stands in the sorted part."""
    end_s = t.job_expected_end_s[row]
    low, high = 0, t.running_sorted
    while high - low > 32:
        middle = (low + high) >> 1
        if t.job_expected_end_s[t.running[middle]] < end_s:
            low = middle
        else:
            high = middle
    while t.running[low] != row:
        low += 1
    return low


@kernel
def join_suspended(t: Tables, row: int) -> None:
    """Put *row* at the end of the suspended rows."""
    t.suspended[t.suspended_count] = row
    t.suspended_count += 1


@kernel
def leave_suspended(t: Tables, row: int) -> None:
    """Take *row* out of the suspended rows; their order is kept."""
    place = 0
    while t.suspended[place] != row:
        place += 1
    t.suspended_count -= 1
    for k in range(place, t.suspended_count):
        t.suspended[k] = t.suspended[k + 1]


@kernel
def renew_overdue(t: Tables, now: float) -> bool:
    """Expect every job that has reached its estimate and runs on to end one second from *now*.

    Only with ``overrun`` 1; whether there was any. All of them stand among the rows that are expected
    within a second, so only that part of ``running`` is looked at and sorted again.
    """
    seldom()
    sort_running(t)
    found, count = False, 0
    while count < t.running_count and t.job_expected_end_s[t.running[count]] <= now + 1.0:
        row = t.running[count]
        done_s = t.job_work_s[row] + t.job_rate[row] * (now - t.job_updated_s[row])
        if done_s >= t.job_estimate_s[row] or t.job_expected_end_s[row] <= now:
            t.job_expected_end_s[row] = now + 1.0
            found = True
        count += 1
    for k in range(1, count):
        row = t.running[k]
        place = k
        while place > 0 and t.job_expected_end_s[t.running[place - 1]] > t.job_expected_end_s[row]:
            t.running[place] = t.running[place - 1]
            place -= 1
        t.running[place] = row
    return found


@kernel
def remaining_s(view: View, row: int) -> float:
    """Estimated work that is still to do, in seconds at rate 1."""
    return float(view.job_estimate_s[row] - view.job_work_s[row])
