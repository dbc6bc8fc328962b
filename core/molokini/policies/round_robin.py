"""Round robin: the n-th job goes to host n modulo H, whatever it asks for.

A contrast for assignments that look at sizes (Crovella, JSSPP 2001, section 4.2): the processors are cut into
equal hosts, each first come first served; jobs wider than a host are refused. Jobs are counted by their
numbers, which rise by one in workloads that are made and live; a log may have gaps. Promises that which host
a job has depends on its number alone.
"""

from molokini.policy import Parameters, Policy, View, kernel, parameter
from molokini.shared.hosts import MOST, append, clear, lists, newcomers, serve


class RoundRobinParameters(Parameters):
    """What the user chooses."""

    hosts: int = parameter(2, "equal hosts that the processors are cut into", unit="hosts", low=1, high=MOST)


parameters = RoundRobinParameters.of

POLICY = Policy(
    name="round-robin",
    family="without reservations",
    summary="each host in turn, by job number, FCFS in each",
    promise="jobs go to hosts in turn, by their numbers",
    source="a contrast of Crovella, Harchol-Balter and Murta, 1998",
    parameters=RoundRobinParameters.declared(),
    counted_only=True,
)


def begin(view: View, now: float) -> None:
    """The lists are made again at the next pass."""
    clear(view)
    lists(view).listed = -1


def schedule(view: View, now: float) -> None:
    """Put newcomers into the queues of their hosts, and serve the queues."""
    first = newcomers(view)
    if first < 0:
        clear(view)
        first = view.queue.head
    for k in range(first, view.queue.tail):
        append(view, view.queue.waiting[k], _turn(view, view.queue.waiting[k]))
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        if lists(view).host[row] == 0:
            lists(view).host[row] = _turn(view, row) + 1
    serve(view, parameters(view).hosts)


@kernel
def _turn(view: View, row: int) -> int:
    return (int(view.jobs.number[row]) - 1) % parameters(view).hosts
