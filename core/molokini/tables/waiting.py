"""The queue: waiting rows in order of submit time, job number, array index.

A window of one array: the head leaves by moving the window's start, arrivals append at its end,
and the gap of a job that starts from the middle is closed from the side of the head, which costs no
more than the policy spent to look that far.
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.lowering import fetch_row
from molokini.model.states import JobState
from molokini.tables.tables import Tables

_SOON = 12
"""How many jobs ahead a row is fetched into the cache, which a row of a long queue left long ago."""


@kernel
def comes_before(t: Tables, one: int, other: int) -> bool:
    """Whether row *one* stands before row *other* in queue order."""
    if t.jobs.submit_s[one] != t.jobs.submit_s[other]:
        return bool(t.jobs.submit_s[one] < t.jobs.submit_s[other])
    if t.jobs.number[one] != t.jobs.number[other]:
        return bool(t.jobs.number[one] < t.jobs.number[other])
    return bool(t.jobs.index[one] < t.jobs.index[other])


@inner
def join_queue(t: Tables, row: int) -> None:
    """Put *row* at its place; a job that arrives in order of submission goes to the end at once."""
    if t.queue.tail == t.queue.waiting.size:
        _slide_to_front(t)
    place = t.queue.tail
    t.queue.tail += 1
    t.queue.arrived += 1
    if t.jobs.submit_s[row] > t.queue.latest_submit_s:
        t.queue.latest_submit_s = t.jobs.submit_s[row]
        t.queue.waiting[place] = row
        return
    while place > t.queue.head and comes_before(t, row, t.queue.waiting[place - 1]):
        t.queue.waiting[place] = t.queue.waiting[place - 1]
        place -= 1
    t.queue.waiting[place] = row


@kernel
def _slide_to_front(t: Tables) -> None:
    seldom()
    for k in range(t.queue.head, t.queue.tail):
        t.queue.waiting[k - t.queue.head] = t.queue.waiting[k]
    t.queue.tail -= t.queue.head
    t.queue.head = 0


@inner
def close_queue(t: Tables) -> None:
    """Take out the ``leaving`` rows that no longer wait."""
    while t.queue.leaving > 0 and t.jobs.state[t.queue.waiting[t.queue.head]] != JobState.WAITING:
        t.queue.head += 1
        t.queue.leaving -= 1
        soon = t.queue.head + _SOON
        if soon < t.queue.tail:
            fetch_row(t.jobs, t.queue.waiting[soon])
    if t.queue.leaving == 0:
        return
    last = t.queue.head
    while True:
        if t.jobs.state[t.queue.waiting[last]] != JobState.WAITING:
            t.queue.leaving -= 1
            if t.queue.leaving == 0:
                break
        last += 1
    write = last
    for read in range(last, t.queue.head - 1, -1):
        row = t.queue.waiting[read]
        if t.jobs.state[row] == JobState.WAITING:
            t.queue.waiting[write] = row
            write -= 1
    t.queue.head = write + 1
