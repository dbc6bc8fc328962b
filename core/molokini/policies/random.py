"""Random assignment: each job goes to any host with the same chance, whatever it asks for.

A contrast for assignments that look at sizes (Crovella, JSSPP 2001, section 4.2): the processors are cut into
equal hosts, each first come first served; jobs wider than a host are refused. The chance is a hash
of the job's number and of ``draw``, so that a run can be repeated, live as well. Promises that which host a
job has depends on its number alone.
"""

from molokini.policy import Parameters, Policy, View, kernel, parameter
from molokini.shared.hosts import MOST, append, clear, lists, newcomers, serve


class RandomParameters(Parameters):
    """What the user chooses."""

    hosts: int = parameter(2, "equal hosts that the processors are cut into", unit="hosts", low=1, high=MOST)
    draw: int = parameter(1, "which of the random assignments", low=0, high=1_000_000_000)


parameters = RandomParameters.of
_MASK = 0xFFFFFFFF

POLICY = Policy(
    name="random",
    family="without reservations",
    summary="any host with the same chance, FCFS in each",
    promise="jobs go to hosts by chance, whatever they ask for",
    source="a contrast of Crovella, Harchol-Balter and Murta, 1998",
    parameters=RandomParameters.declared(),
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
    # The last step of MurmurHash3, on 32 bits: neighbouring numbers are spread.
    x = (int(view.jobs.number[row]) + 2654435769 * parameters(view).draw) & _MASK
    x = ((x ^ (x >> 16)) * 2246822507) & _MASK
    x = ((x ^ (x >> 13)) * 3266489909) & _MASK
    return (x ^ (x >> 16)) % parameters(view).hosts
