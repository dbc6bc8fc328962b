"""What many policies do with the queue: start from its head, or in another order, until one is blocked."""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.cycle.reasons import blocked
from molokini.cycle.verbs import because, start
from molokini.model.decisions import Rule
from molokini.tables.tables import NEVER, View


@inner
def start_in_order(view: View) -> int:
    """Start jobs from the head of the queue until one does not fit; the place of that one."""
    k = view.queue.head
    while k < view.queue.tail:
        row = view.queue.waiting[k]
        if view.jobs.width[row] > view.machine.idle or not start(view, row):
            break
        k += 1
    return int(k)


@kernel
def start_by_estimate(view: View, sign: float) -> None:
    """Start waiting jobs by *sign* times their estimate, smallest first, until one does not fit.

    One walk of the queue for each job that starts, and one more: a pass seldom starts many jobs, and a heap
    of a long queue costs several walks.
    """
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        view.cycle.order_key[row] = sign * view.jobs.estimate_s[row]
    front = -1
    row = _first_by_key(view)
    while row >= 0 and view.jobs.width[row] <= view.machine.idle and start(view, row):
        view.cycle.order_key[row] = NEVER
        front = row
        row = _first_by_key(view)
    if view.cycle.explain and row >= 0:
        _explain_order(view, row, front)


@kernel
def _first_by_key(view: View) -> int:
    """The waiting row of the smallest key, the first in the queue where keys are equal; -1: none."""
    first, smallest = -1, NEVER
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if view.cycle.order_key[row] < smallest:
            first, smallest = row, view.cycle.order_key[row]
    return int(first)


@kernel
def _explain_order(view: View, first: int, front: int) -> None:
    seldom()
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if row == first:
            blocked(view, row, front)
        elif view.cycle.order_key[row] < NEVER:
            because(view, row, Rule.BEHIND_THE_HEAD, view.machine.idle, view.jobs.width[row], first)


@kernel
def explain_blocked(view: View, first: int) -> None:
    """Say why the job at place *first* does not start, and that the others stand behind it."""
    seldom()
    if first >= view.queue.tail:
        return
    head = view.queue.waiting[first]
    blocked(view, head, -1)
    for k in range(first + 1, view.queue.tail):
        row = view.queue.waiting[k]
        because(view, row, Rule.BEHIND_THE_HEAD, view.machine.idle, view.jobs.width[row], head)
