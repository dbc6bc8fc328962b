"""Shortest remaining processing time: at each pass the jobs with least left to do have the machine.

Harchol-Balter, Bansal, Schroeder, Agrawal (JSSPP 2001) for one server; here for parallel jobs: in order
of remaining estimate each unfinished job that fits gets its processors, the others are passed over, and
running jobs that are left out are suspended. Promises that no job runs or starts while a job with less
left, that would fit in its place, stands still.
"""

from molokini.policy import (
    JobState,
    Policy,
    Rule,
    View,
    because,
    blocked,
    held_back,
    kernel,
    resume,
    start,
    suspend,
)
from molokini.shared.order import build, take_first

POLICY = Policy(
    name="srpt",
    family="sharing and preemption",
    summary="preemptive: least remaining estimate first; the others are suspended",
    promise="processors go to unfinished jobs in order of remaining estimate, all a job needs or none",
    source="Harchol-Balter et al., SRPT Scheduling for Web Servers, JSSPP 2001",
    counted_only=True,
    moves=True,
)


def schedule(view: View, now: float) -> None:
    """Give processors by remaining estimate; suspend first, so that there is room for jobs that start."""
    count = _gather(view, now)
    left = view.machine.processors
    chosen = 0
    total = count
    build(view, count)
    while count > 0 and left > 0:
        row = take_first(view, count)
        count -= 1
        # The place that the heap has just given up keeps the row: taken rows stand behind it.
        view.cycle.order[count] = row
        if view.jobs.width[row] <= left:
            left -= view.jobs.width[row]
            view.cycle.order_key[row] = -1.0
            chosen += 1
    _suspend_others(view, total)
    for k in range(total - 1, -1, -1):
        row = view.cycle.order[k]
        if view.cycle.order_key[row] < 0.0:
            _let_run(view, row)
        elif not held_back(view, row, -1):
            because(view, row, Rule.OUTRANKED, left, view.jobs.width[row], -1)


@kernel
def _gather(view: View, now: float) -> int:
    count = 0
    for k in range(view.queue.head, view.queue.tail):
        count = _add(view, view.queue.waiting[k], count, 0.0)
    for k in range(view.queue.suspended_count):
        count = _add(view, view.queue.suspended[k], count, 0.0)
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        count = _add(view, row, count, now - view.jobs.updated_s[row])
    return count


@kernel
def _add(view: View, row: int, count: int, since_s: float) -> int:
    view.cycle.order[count] = row
    # A job past its estimate (overrun 1) has nothing left by estimate: it stays in front.
    view.cycle.order_key[row] = max(
        0.0, view.jobs.estimate_s[row] - view.jobs.work_s[row] - since_s * view.jobs.rate[row]
    )
    return count + 1


@kernel
def _suspend_others(view: View, total: int) -> None:
    for k in range(total):
        row = view.cycle.order[k]
        if view.jobs.state[row] == JobState.RUNNING and view.cycle.order_key[row] >= 0.0:
            suspend(view, row)


@kernel
def _let_run(view: View, row: int) -> None:
    if view.jobs.state[row] == JobState.WAITING:
        if not start(view, row):
            blocked(view, row, -1)
    elif view.jobs.state[row] != JobState.RUNNING:
        resume(view, row)
