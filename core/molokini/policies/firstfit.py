"""First fit: whoever fits starts, in queue order, with no reservation for anybody.

The greedy extreme, called backfilling without a reservation in some simulators. Promises that no
processor is left idle that a waiting job could use now; wide jobs may starve.
"""

from molokini.cycle.verbs import because, start
from molokini.model.decisions import Rule
from molokini.model.policy import Policy
from molokini.tables.tables import View

POLICY = Policy(
    name="firstfit",
    family="without reservations",
    summary="whoever fits starts, in queue order; no reservations, wide jobs may starve",
    promise="no waiting job fits into what is left idle",
    source="the greedy extreme of backfilling (Feitelson and Weil, IPPS 1998, discuss its starvation)",
)

_NOT_ENOUGH_FREE = int(Rule.NOT_ENOUGH_FREE)


def schedule(view: View, now: float) -> None:
    """Walk the queue once and start what fits."""
    for k in range(view.waiting_head, view.waiting_tail):
        row = view.waiting[k]
        if view.idle == 0 and not view.explain:
            return
        if view.job_width[row] > view.idle or not start(view, row):
            because(view, row, _NOT_ENOUGH_FREE, view.idle, view.job_width[row], -1)
