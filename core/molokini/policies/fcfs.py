"""First come, first served: jobs start in queue order, and no job overtakes another.

The base line of every study (Feitelson, JSSPP 2001, among many). Promises that no job starts before
one that was submitted earlier; promises nothing about the room that this leaves empty.
"""

from molokini.model.policy import Policy
from molokini.shared.queues import explain_blocked, start_in_order
from molokini.tables.tables import View

POLICY = Policy(
    name="fcfs",
    family="without reservations",
    summary="first come, first served; no job overtakes another",
    promise="no job starts before a job that was submitted earlier",
    source="the usual base line (Feitelson, JSSPP 2001)",
    in_order=True,
)


def schedule(view: View, now: float) -> None:
    """Start from the head of the queue until one does not fit."""
    blocked = start_in_order(view)
    if view.cycle.explain:
        explain_blocked(view, blocked)
