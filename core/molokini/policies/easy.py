"""EASY backfilling: the head of the queue has a promise, everybody else may fill holes.

Lifka 1995; Mu'alem and Feitelson 2001. Promises that the head starts no later than its shadow time,
computed from estimates at the last pass, as long as jobs are killed at their estimates. Promises
nothing to the second in the queue.
"""

from molokini.compiled.compilation import kernel
from molokini.cycle.verbs import because
from molokini.model.decisions import Rule
from molokini.model.policy import Kind, Parameter, Policy
from molokini.room.shadow import shadow_of
from molokini.shared.backfilling import AS_QUEUED, backfill_beside, order_candidates, try_behind
from molokini.shared.order import take_first
from molokini.shared.queues import start_in_order
from molokini.tables.tables import View

POLICY = Policy(
    name="easy",
    family="backfilling",
    summary="aggressive backfilling: one reservation, for the head of the queue",
    promise="the head starts no later than its shadow time (jobs killed at their estimates)",
    source="Lifka, JSSPP 1995; Mu'alem and Feitelson, IEEE TPDS 12(6), 2001",
    parameters=(
        Parameter(
            "order",
            "queue",
            "how candidates for backfilling are ordered: as they queue, by estimate, or widest first",
            kind=Kind.CHOICE,
            choices=("queue", "shortest", "best-fit"),
            source="queue: Lifka 1995; shortest: Tsafrir et al. 2007 (SJBF)",
        ),
    ),
)

_NOT_ENOUGH_FREE = int(Rule.NOT_ENOUGH_FREE)


def schedule(view: View, now: float) -> None:
    """Start in queue order; then let others pass a blocked head if they spare its shadow time."""
    first = start_in_order(view)
    if first >= view.waiting_tail:
        return
    head = view.waiting[first]
    if view.explain:
        because(view, head, _NOT_ENOUGH_FREE, view.idle, view.job_width[head], -1)
    elif view.idle == 0 or first + 1 == view.waiting_tail:
        return
    if view.reservations > 0:
        backfill_beside(view, first, now, int(view.parameters[0]))
        return
    shadow_s, extra = shadow_of(view, head, now)
    if view.parameters[0] == AS_QUEUED:
        for k in range(first + 1, view.waiting_tail):
            if view.idle == 0 and not view.explain:
                return
            row = view.waiting[k]
            # Most candidates are too wide: in a long queue this is the loop that counts.
            if view.job_width[row] <= view.idle or view.explain:
                extra -= try_behind(view, row, head, now, shadow_s, extra)
    else:
        _in_other_order(view, first + 1, head, now, shadow_s, extra)


@kernel
def _in_other_order(view: View, first: int, head: int, now: float, shadow_s: float, extra: int) -> None:
    count = order_candidates(view, first, int(view.parameters[0]))
    while count > 0 and (view.idle > 0 or view.explain):
        row = take_first(view, count)
        count -= 1
        extra -= try_behind(view, row, head, now, shadow_s, extra)
