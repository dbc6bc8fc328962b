"""First fit: each job that fits starts, in queue order; no job has a reservation.

The greedy extreme, called backfilling without a reservation in some simulators. Promises that no
processor is left idle that a waiting job could use now; wide jobs may starve.
"""

from molokini.policy import Policy, View, blocked, start

POLICY = Policy(
    name="firstfit",
    family="without reservations",
    summary="each job that fits starts, in queue order; no reservations, wide jobs may starve",
    promise="no waiting job fits into the idle processors",
    source="the greedy extreme of backfilling (Feitelson and Weil, IPPS 1998, discuss its starvation)",
)


def schedule(view: View, now: float) -> None:
    """Walk the queue once and start the jobs that fit."""
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        if view.machine.idle == 0 and not view.cycle.explain:
            return
        if view.jobs.width[row] > view.machine.idle or not start(view, row):
            blocked(view, row, -1)
