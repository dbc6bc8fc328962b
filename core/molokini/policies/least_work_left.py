"""Least work left: each job goes to the host at which the least work waits and runs, by estimates.

A contrast for assignments that look at sizes (Crovella, JSSPP 2001, section 4.2): the processors are cut into
equal hosts, each first come first served; jobs wider than a host are refused. For serial jobs it is
what FCFS with one queue does, and the shortest expected delay that SITA-E is held against. Promises that a
job joins the host with the least work by estimates at its arrival, and stays there.
"""

from molokini.policy import Parameters, Policy, View, kernel, parameter
from molokini.shared.hosts import MOST, append, clear, lists, measure_room, newcomers, serve


class LeastWorkParameters(Parameters):
    """What the user chooses."""

    hosts: int = parameter(2, "equal hosts that the processors are cut into", unit="hosts", low=1, high=MOST)


parameters = LeastWorkParameters.of

POLICY = Policy(
    name="least-work-left",
    family="without reservations",
    summary="the host with the least work left by estimates, FCFS in each",
    promise="a job joins the host with the least work, by estimates, when it arrives",
    source="a contrast of Crovella, Harchol-Balter and Murta, 1998",
    parameters=LeastWorkParameters.declared(),
    counted_only=True,
)


def begin(view: View, now: float) -> None:
    """The lists are made again at the next pass."""
    clear(view)
    lists(view).listed = -1


def schedule(view: View, now: float) -> None:
    """Put newcomers into the queue with the least work, and serve the queues."""
    hosts = parameters(view).hosts
    first = newcomers(view)
    if first < 0:
        clear(view)
        measure_room(view, hosts)
        first = view.queue.head
        # Those that had a host keep it; others come behind them.
        for k in range(first, view.queue.tail):
            row = view.queue.waiting[k]
            if lists(view).host[row] > 0:
                append(view, row, lists(view).host[row] - 1)
    if first < view.queue.tail:
        _measure_running(view, now, hosts)
        for k in range(first, view.queue.tail):
            row = view.queue.waiting[k]
            if lists(view).host[row] == 0:
                append(view, row, _least(view, hosts))
    serve(view, hosts)


@kernel
def _measure_running(view: View, now: float, hosts: int) -> None:
    """The processor-seconds left of the running jobs of each host, by estimates, into ``left``."""
    for host in range(hosts):
        lists(view).left[host] = 0.0
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        left_s = max(0.0, view.jobs.expected_end_s[row] - now)
        lists(view).left[max(0, lists(view).host[row] - 1)] += left_s * view.jobs.held[row]


@kernel
def _least(view: View, hosts: int) -> int:
    best = 0
    for host in range(1, hosts):
        one = lists(view).left[host] + lists(view).queued[host]
        if one < lists(view).left[best] + lists(view).queued[best]:
            best = host
    return best
