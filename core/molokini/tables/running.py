"""The running rows, sorted by expected end when a policy needs them so, and the suspended rows.

Many policies never need it, so ``running[:running_sorted]`` is sorted and the rows that started since stand
behind it as they came; ``sort_running`` sorts them in, and so does ``join_running`` before there are many.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.tables.allocations import change_processor_room, give_entries
from molokini.tables.rows import work_by
from molokini.tables.tables import Tables, View

_UNSORTED = 32
"""So many rows may stand unsorted: a search through them costs less than an order of them."""


@inner
def join_running(t: Tables, row: int) -> None:
    """*row* has begun to run; its expected end is set."""
    _put(t, t.queue.running_count, row)
    t.queue.running_count += 1
    if t.queue.running_count - t.queue.running_sorted > _UNSORTED:
        sort_running(t)


@inner
def _put(t: Tables, place: int, row: int) -> None:
    t.queue.running[place] = row
    t.jobs.place[row] = place


@kernel
def sort_running(t: Tables) -> None:
    """Put the rows that started since the last time at their places by expected end."""
    for k in range(t.queue.running_sorted, t.queue.running_count):
        row = t.queue.running[k]
        end_s = t.jobs.expected_end_s[row]
        place = k
        while place > 0 and t.jobs.expected_end_s[t.queue.running[place - 1]] > end_s:
            t.queue.running[place] = t.queue.running[place - 1]
            place -= 1
        t.queue.running[place] = row
    t.queue.running_sorted = t.queue.running_count


@inner
def leave_running(t: Tables, row: int) -> None:
    """*row* runs no longer; its expected end is still the one it was sorted by."""
    place = t.jobs.place[row]
    if place >= t.queue.running_count or t.queue.running[place] != row:
        place = _place(t, row)
    t.queue.running_count -= 1
    if place >= t.queue.running_sorted:
        _put(t, place, t.queue.running[t.queue.running_count])
        return
    t.queue.running_sorted -= 1
    for k in range(place, t.queue.running_count):
        t.queue.running[k] = t.queue.running[k + 1]


@kernel
def _place(t: Tables, row: int) -> int:
    """The place of *row*, which has moved since ``jobs.place`` was set."""
    place = t.queue.running_count - 1
    while place >= t.queue.running_sorted and t.queue.running[place] != row:
        place -= 1
    return place if place >= t.queue.running_sorted else _sorted_place(t, row)


@inner
def _sorted_place(t: Tables, row: int) -> int:
    """Where *row* stands in the sorted part."""
    end_s = t.jobs.expected_end_s[row]
    low, high = 0, t.queue.running_sorted
    while high - low > 32:
        middle = (low + high) >> 1
        if t.jobs.expected_end_s[t.queue.running[middle]] < end_s:
            low = middle
        else:
            high = middle
    while t.queue.running[low] != row:
        low += 1
    return low


@kernel
def join_suspended(t: Tables, row: int) -> None:
    """Put *row* at the end of the suspended rows."""
    t.queue.suspended[t.queue.suspended_count] = row
    t.queue.suspended_count += 1


@kernel
def leave_suspended(t: Tables, row: int) -> None:
    """Take *row* out of the suspended rows; their order is kept."""
    place = 0
    while t.queue.suspended[place] != row:
        place += 1
    t.queue.suspended_count -= 1
    for k in range(place, t.queue.suspended_count):
        t.queue.suspended[k] = t.queue.suspended[k + 1]


@kernel
def renew_overdue(t: Tables, now: float) -> bool:
    """Expect every job that has reached its estimate and runs on to end one second from *now*.

    Only with ``overrun`` 1; whether there was any such job. All of them stand among the rows that are
    expected to end within a second, so only that part of ``running`` is searched and sorted again.
    """
    seldom()
    sort_running(t)
    found, count = False, 0
    while count < t.queue.running_count and t.jobs.expected_end_s[t.queue.running[count]] <= now + 1.0:
        row = t.queue.running[count]
        done_s = work_by(t, row, now)
        if done_s >= t.jobs.estimate_s[row] or t.jobs.expected_end_s[row] <= now:
            t.jobs.expected_end_s[row] = now + 1.0
            found = True
        count += 1
    for k in range(1, count):
        row = t.queue.running[k]
        place = k
        while place > 0 and t.jobs.expected_end_s[t.queue.running[place - 1]] > t.jobs.expected_end_s[row]:
            t.queue.running[place] = t.queue.running[place - 1]
            place -= 1
        t.queue.running[place] = row
    return found


@kernel
def remaining_s(view: View, row: int) -> float:
    """Estimated work that is still to do, in seconds at rate 1."""
    return float(view.jobs.estimate_s[row] - view.jobs.work_s[row])


@kernel
def forget_suspended(t: Tables, row: int) -> None:
    """The suspended job of *row* goes, and leaves the nodes that it has kept, where it has."""
    leave_suspended(t, row)
    if t.nodes.count > 0 and t.jobs.entries[row] >= 0:
        change_processor_room(t, row, -1.0)
        give_entries(t, row)
