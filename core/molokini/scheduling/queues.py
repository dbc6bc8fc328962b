"""What many policies do with the queue: start from its head, or in another order, until one is blocked."""

from molokini.model.decisions import Rule
from molokini.scheduling.compilation import kernel
from molokini.scheduling.order import build, take_first
from molokini.scheduling.tables import View
from molokini.scheduling.verbs import because, start

_NOT_ENOUGH_FREE = int(Rule.NOT_ENOUGH_FREE)
_BEHIND_THE_HEAD = int(Rule.BEHIND_THE_HEAD)


@kernel
def remaining_s(view: View, row: int) -> float:
    """Estimated work that is still to do, in seconds at rate 1."""
    return float(view.job_estimate_s[row] - view.job_work_s[row])


@kernel
def start_in_order(view: View) -> int:
    """Start jobs from the head of the queue until one does not fit; the place of that one."""
    k = view.waiting_head
    while k < view.waiting_tail:
        row = view.waiting[k]
        if view.job_width[row] > view.idle or not start(view, row):
            break
        k += 1
    return int(k)


@kernel
def start_by_estimate(view: View, sign: float) -> None:
    """Start waiting jobs by *sign* times their estimate, smallest first, until one does not fit."""
    count = 0
    for k in range(view.waiting_head, view.waiting_tail):
        row = view.waiting[k]
        view.order[count] = row
        view.order_key[row] = sign * view.job_estimate_s[row]
        count += 1
    build(view, count)
    front = -1
    while count > 0:
        row = view.order[0]
        if view.job_width[row] > view.idle or not start(view, row):
            break
        front = take_first(view, count)
        count -= 1
    if view.explain:
        _explain_order(view, count, front)


@kernel
def _explain_order(view: View, count: int, front: int) -> None:
    blocked = view.order[0]
    for k in range(count):
        row = view.order[k]
        if row == blocked:
            because(view, row, _NOT_ENOUGH_FREE, view.idle, view.job_width[row], front)
        else:
            because(view, row, _BEHIND_THE_HEAD, view.idle, view.job_width[row], blocked)


@kernel
def explain_blocked(view: View, blocked: int) -> None:
    """Say that the job at place *blocked* finds too little free, and that the others stand behind it."""
    for k in range(blocked, view.waiting_tail):
        row = view.waiting[k]
        rule = _NOT_ENOUGH_FREE if k == blocked else _BEHIND_THE_HEAD
        front = view.waiting[blocked] if k > blocked else -1
        because(view, row, rule, view.idle, view.job_width[row], front)
