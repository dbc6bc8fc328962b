"""The running rows, kept sorted by expected end (then by row), and the suspended rows."""

from molokini.scheduling.compilation import inner, kernel, seldom
from molokini.scheduling.tables import Tables


@inner
def join_running(t: Tables, row: int) -> None:
    """Put *row* at its place by its expected end."""
    end_s = t.job_expected_end_s[row]
    place = t.running_count
    while place > 0 and t.job_expected_end_s[t.running[place - 1]] > end_s:
        t.running[place] = t.running[place - 1]
        place -= 1
    t.running[place] = row
    t.running_count += 1


@inner
def leave_running(t: Tables, row: int) -> None:
    """Take *row* out, found by its expected end."""
    end_s = t.job_expected_end_s[row]
    low, high = 0, t.running_count
    while high - low > 32:
        middle = (low + high) >> 1
        if t.job_expected_end_s[t.running[middle]] < end_s:
            low = middle
        else:
            high = middle
    while t.running[low] != row:
        low += 1
    t.running_count -= 1
    for k in range(low, t.running_count):
        t.running[k] = t.running[k + 1]


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
