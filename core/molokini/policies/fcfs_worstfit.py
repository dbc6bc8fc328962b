"""First come, first served on several clusters; Worst Fit chooses the cluster of each component.

Bucur and Epema, JSSPP 2001, section 2.5. Promises what FCFS does: no job starts before one that was submitted
earlier. Worst Fit leaves as much room as possible in every cluster for the components of the next jobs.
"""

from molokini.model.policy import Policy
from molokini.shared.cluster_choice import ClusterChoice, take_choice
from molokini.shared.queues import explain_blocked, start_in_order
from molokini.tables.tables import View

POLICY = Policy(
    name="fcfs-worstfit",
    family="over several clusters",
    summary="FCFS over clusters: components by Worst Fit, flexible requests on the fewest clusters",
    promise="no job starts before a job that was submitted earlier",
    source="Bucur and Epema, JSSPP 2001",
    parameters=ClusterChoice.declared(),
    in_order=True,
)


def schedule(view: View, now: float) -> None:
    """Start from the head of the queue until one does not fit."""
    take_choice(view)
    blocked = start_in_order(view)
    if view.cycle.explain:
        explain_blocked(view, blocked)
