"""The queue: waiting rows in order of submit time, job number, array index.

A window of one array: the head leaves by moving the window's start, arrivals append at its end,
and a job that starts from the middle is closed up from the side of the head, which costs no more
than the policy spent to look that far.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import fetch_row
from molokini.model.states import JobState
from molokini.tables.tables import Tables

_SOON = 12
"""How many jobs ahead a row is fetched into the cache: in a long queue it has left it long ago."""
_WAITING = int(JobState.WAITING)


@kernel
def comes_before(t: Tables, one: int, other: int) -> bool:
    """Whether row *one* stands before row *other* in queue order."""
    if t.job_submit_s[one] != t.job_submit_s[other]:
        return bool(t.job_submit_s[one] < t.job_submit_s[other])
    if t.job_number[one] != t.job_number[other]:
        return bool(t.job_number[one] < t.job_number[other])
    return bool(t.job_index[one] < t.job_index[other])


@inner
def join_queue(t: Tables, row: int) -> None:
    """Put *row* at its place; an arrival in order of submission goes to the end at once."""
    if t.waiting_tail == t.waiting.size:
        _slide_to_front(t)
    place = t.waiting_tail
    t.waiting_tail += 1
    t.arrived += 1
    if t.job_submit_s[row] > t.latest_submit_s:
        t.latest_submit_s = t.job_submit_s[row]
        t.waiting[place] = row
        return
    while place > t.waiting_head and comes_before(t, row, t.waiting[place - 1]):
        t.waiting[place] = t.waiting[place - 1]
        place -= 1
    t.waiting[place] = row


@kernel
def _slide_to_front(t: Tables) -> None:
    seldom()
    for k in range(t.waiting_head, t.waiting_tail):
        t.waiting[k - t.waiting_head] = t.waiting[k]
    t.waiting_tail -= t.waiting_head
    t.waiting_head = 0


@inner
def close_queue(t: Tables) -> None:
    """Take out the ``leaving`` rows that no longer wait."""
    while t.leaving > 0 and t.job_state[t.waiting[t.waiting_head]] != _WAITING:
        t.waiting_head += 1
        t.leaving -= 1
        soon = t.waiting_head + _SOON
        if soon < t.waiting_tail:
            fetch_row(t, t.waiting[soon])
    if t.leaving == 0:
        return
    last = t.waiting_head
    while True:
        if t.job_state[t.waiting[last]] != _WAITING:
            t.leaving -= 1
            if t.leaving == 0:
                break
        last += 1
    write = last
    for read in range(last, t.waiting_head - 1, -1):
        row = t.waiting[read]
        if t.job_state[row] == _WAITING:
            t.waiting[write] = row
            write -= 1
    t.waiting_head = write + 1
