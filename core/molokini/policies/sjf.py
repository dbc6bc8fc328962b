"""Shortest job first: the waiting job with the shortest estimate starts first, and no job overtakes it.

Space-shared and not preemptive. Promises that no pass starts a job while a job with a shorter estimate
waits; equal estimates go in queue order.
"""

from molokini.policy import Policy, View, start_by_estimate

POLICY = Policy(
    name="sjf",
    family="without reservations",
    summary="shortest estimate first; no job overtakes another",
    promise="at every pass the jobs that start are the ones with the shortest estimates",
    source="classical; Krueger, Lai and Dixit-Radiya, IEEE TPDS 5(5), 1994, on space-shared machines",
)


def schedule(view: View, now: float) -> None:
    """Start by estimate until one does not fit."""
    start_by_estimate(view, 1.0)
