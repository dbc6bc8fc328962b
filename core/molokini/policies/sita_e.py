"""SITA-E, size-interval task assignment with equal load: short and long jobs on machines of their own.

Crovella, Harchol-Balter, Murta 1998; Crovella, JSSPP 2001. The processors are cut into equal
partitions, one for each interval of sizes; a job goes to the partition whose interval holds its estimate,
and partitions are FCFS inside. Where the processors cannot be shared out equally, those left over, fewer
than there are partitions, are never used. Jobs wider than a partition are refused. ``molokini workload info
--sita H`` computes cutoffs that give H partitions equal work. Promises that a job waits only for jobs of its
own interval.
"""

from collections.abc import Mapping

from molokini.policy import (
    Numbers,
    Parameters,
    Policy,
    Refusal,
    Rule,
    SomeFloats,
    Value,
    View,
    Workspace,
    because,
    held_back,
    kernel,
    parameter,
    refuse,
    several,
    start,
)

_MOST_CUTOFFS = 60


def _unused(values: Mapping[str, Value], processors: int) -> str:
    """A remark on the processors that are left over where the partitions cannot be equal."""
    cutoffs = values["cutoffs"]
    assert isinstance(cutoffs, tuple)
    partitions = len(cutoffs) + 1
    size, left = divmod(processors, partitions)
    if not left:
        return ""
    return (
        f"sita-e: {partitions} equal partitions of {size:,} processors each; "
        f"{left:,} of the {processors:,} processors are never used"
    )


class SitaEParameters(Parameters):
    """What the user chooses."""

    cutoffs: Numbers = parameter(
        (3600.0,),
        "upper ends of the intervals of estimates; one partition more than cutoffs, the last one open",
        unit="s",
        low=0.0,
        high=1e12,
        most=_MOST_CUTOFFS,
        source="computed from a log by: molokini workload info LOG --sita H",
    )


class Room(Workspace):
    """What the partitions have left in this pass."""

    left: SomeFloats = several(_MOST_CUTOFFS + 1)
    """Processors that are free in each; -1: a job waits for room there."""


parameters, mine = SitaEParameters.of, Room.of

POLICY = Policy(
    name="sita-e",
    family="without reservations",
    summary="size-interval task assignment: equal partitions by estimate, FCFS in each; wider jobs refused; "
    "P mod h processors are never used",
    promise="a job waits only for jobs whose estimates lie in its own interval",
    source="Crovella, Harchol-Balter and Murta, 1998; Crovella, JSSPP 2001",
    parameters=SitaEParameters.declared(),
    counted_only=True,
    remark=_unused,
)


def schedule(view: View, now: float) -> None:
    """FCFS in every partition, in one walk of the queue."""
    partitions = parameters(view).cutoffs.size + 1
    size = view.machine.processors // partitions
    # A job that does not fit even when every node is up is refused; one that does not fit today waits.
    widest = view.machine.processors_in_all // partitions
    for p in range(partitions):
        mine(view).left[p] = size
    for k in range(view.queue.running_count):
        row = view.queue.running[k]
        mine(view).left[_partition(view, row)] -= view.jobs.held[row]
    # A blocked partition has room for no further job: that is FCFS inside it.
    for k in range(view.queue.head, view.queue.tail):
        row = view.queue.waiting[k]
        p, width = _partition(view, row), view.jobs.width[row]
        if width > widest:
            refuse(view, row, Refusal.WIDER_THAN_PARTITION)
        elif width <= mine(view).left[p] and width <= view.machine.idle and start(view, row):
            mine(view).left[p] -= width
        else:
            if not held_back(view, row, -1):
                because(view, row, Rule.PARTITION_FULL, max(0.0, mine(view).left[p]), width, -1)
            mine(view).left[p] = -1.0


@kernel
def _partition(view: View, row: int) -> int:
    p = 0
    while p < parameters(view).cutoffs.size and view.jobs.estimate_s[row] > parameters(view).cutoffs[p]:
        p += 1
    return p
