"""SITA-U, size-interval task assignment with unequal loads: cutoffs of the least mean slowdown.

Crovella, Harchol-Balter and Murta 1998; Crovella, JSSPP 2001: short jobs have a partition with less load than
that of long jobs, so that most of them wait less. The processors are cut into equal partitions, one for each
interval of estimates, each first come first served. Without ``cutoffs`` a simulation takes those of the least
mean slowdown (waiting over size) for the workload at hand, by the formula of ``molokini theory sita`` over
its jobs; a live server, which knows no jobs beforehand, has to be given them. Promises that a job waits only
for jobs of its own interval.
"""

from collections.abc import Mapping

from molokini.policy import Numbers, Parameters, Policy, Value, View, kernel, parameter
from molokini.shared.hosts import MOST, append, clear, lists, newcomers, serve


def _unused(values: Mapping[str, Value], processors: int) -> str:
    cutoffs = values["cutoffs"]
    assert isinstance(cutoffs, tuple)
    if not cutoffs:
        return ""
    size, left = divmod(processors, len(cutoffs) + 1)
    each = f"sita-u: {len(cutoffs) + 1} equal partitions of {size:,} processors each"
    return f"{each}; {left:,} of the {processors:,} processors are never used" if left else ""


class SitaUParameters(Parameters):
    """What the user chooses."""

    hosts: int = parameter(
        2, "partitions to compute cutoffs for, where none are given", unit="partitions", low=1, high=MOST
    )
    cutoffs: Numbers = parameter(
        (),
        "upper ends of the intervals of estimates; left out, a simulation computes them",
        unit="s",
        low=0.0,
        high=1e12,
        most=MOST - 1,
        source="molokini theory sita",
    )


parameters = SitaUParameters.of

POLICY = Policy(
    name="sita-u",
    family="without reservations",
    summary="size-interval task assignment: equal partitions by estimate, cutoffs of the least slowdown",
    promise="a job waits only for jobs whose estimates lie in its own interval",
    source="Crovella, Harchol-Balter and Murta, 1998; Crovella, JSSPP 2001",
    parameters=SitaUParameters.declared(),
    counted_only=True,
    remark=_unused,
    computed="cutoffs",
)


def begin(view: View, now: float) -> None:
    """The lists are made again at the next pass."""
    clear(view)
    lists(view).listed = -1


def schedule(view: View, now: float) -> None:
    """Put newcomers into the queue of their interval, and serve the queues."""
    first = newcomers(view)
    if first < 0:
        clear(view)
        first = view.queue.head
    for k in range(first, view.queue.tail):
        append(view, view.queue.waiting[k], _interval(view, view.queue.waiting[k]))
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        if lists(view).host[row] == 0:
            lists(view).host[row] = _interval(view, row) + 1
    serve(view, parameters(view).cutoffs.size + 1)


@kernel
def _interval(view: View, row: int) -> int:
    place = 0
    while (
        place < parameters(view).cutoffs.size and view.jobs.estimate_s[row] > parameters(view).cutoffs[place]
    ):
        place += 1
    return place
