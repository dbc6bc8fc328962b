"""What many policies do with the queue: start from its head, or in another order, until one is blocked."""

from molokini.compiled.compilation import inner, kernel, seldom
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
def _explain_order(view: View, blocked: int, front: int) -> None:
    seldom()
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if row == blocked:
            because(view, row, Rule.NOT_ENOUGH_FREE, view.machine.idle, view.jobs.width[row], front)
        elif view.cycle.order_key[row] < NEVER:
            because(view, row, Rule.BEHIND_THE_HEAD, view.machine.idle, view.jobs.width[row], blocked)


@kernel
def explain_blocked(view: View, blocked: int) -> None:
    """Say that the job at place *blocked* finds too little free, and that the others stand behind it."""
    seldom()
    for k in range(blocked, view.queue.tail):
        row = view.queue.waiting[k]
        rule = Rule.NOT_ENOUGH_FREE if k == blocked else Rule.BEHIND_THE_HEAD
        front = view.queue.waiting[blocked] if k > blocked else -1
        because(view, row, rule, view.machine.idle, view.jobs.width[row], front)
