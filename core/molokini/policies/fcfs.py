"""First come, first served: jobs start in queue order, and no job overtakes another.

The base line of every study (Feitelson, JSSPP 2001, among many). Promises that no job starts before
one that was submitted earlier; promises nothing about the room that this leaves empty. On several clusters
Worst Fit (Bucur and Epema, JSSPP 2001, section 2.5) leaves as much room as possible in every cluster for the
components of the next jobs.
"""

from dataclasses import replace

from molokini.policy import Policy, View, explain_blocked, start_in_order
from molokini.shared.cluster_choice import ClusterChoice, among_others, take_choice

POLICY = Policy(
    name="fcfs",
    family="without reservations",
    summary="first come, first served; no job overtakes another",
    promise="no job starts before a job that was submitted earlier",
    source="the usual base line (Feitelson, JSSPP 2001)",
    parameters=among_others(ClusterChoice.declared()),
    in_order=True,
)

OVER_CLUSTERS = replace(
    POLICY,
    name="fcfs-worstfit",
    family="over several clusters",
    summary="FCFS over clusters: components by Worst Fit, flexible requests on the fewest clusters",
    source="Bucur and Epema, JSSPP 2001",
    parameters=ClusterChoice.declared(),
)
POLICIES = (POLICY, OVER_CLUSTERS)


def schedule(view: View, now: float) -> None:
    """Start from the head of the queue until one does not fit."""
    if view.nodes.count > 0:
        take_choice(view)
    blocked = start_in_order(view)
    if view.cycle.explain:
        explain_blocked(view, blocked)
