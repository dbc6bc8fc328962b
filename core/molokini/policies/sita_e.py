"""SITA-E, size-interval task assignment with equal load: short and long jobs on machines of their own.

Crovella, Harchol-Balter, Murta 1998; Crovella, JSSPP 2001. The processors are cut into equal
partitions, one an interval of sizes; a job goes to the partition whose interval holds its estimate, and
partitions are FCFS inside. Where the processors cannot be shared out equally, those left over, fewer than
there are partitions, are never used. Jobs wider than a partition are refused. ``molokini workload info
--sita H`` computes cutoffs that give H partitions equal work. Promises that a job waits only for jobs of its
own interval.
"""

from collections.abc import Mapping

from molokini.compiled.compilation import kernel
from molokini.cycle.verbs import because, refuse, start
from molokini.model.decisions import Refusal, Rule
from molokini.model.policy import Kind, Parameter, Policy, Value
from molokini.tables.tables import View


def _unused(values: Mapping[str, Value], processors: int) -> str:
    """What is left over where the partitions cannot be equal."""
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


POLICY = Policy(
    name="sita-e",
    family="without reservations",
    summary="size-interval task assignment: equal partitions by estimate, FCFS inside; wider refused; "
    "P mod h processors are never used",
    promise="a job waits only for jobs whose estimates lie in its own interval",
    source="Crovella, Harchol-Balter and Murta, 1998; Crovella, JSSPP 2001",
    parameters=(
        Parameter(
            "cutoffs",
            (3600.0,),
            "upper ends of the intervals of estimates; one partition more than cutoffs, the last one open",
            kind=Kind.LIST,
            unit="s",
            low=0.0,
            high=1e12,
            most=60,
            source="computed from a log by: molokini workload info LOG --sita H",
        ),
    ),
    counted_only=True,
    remark=_unused,
)

_WIDER = int(Refusal.WIDER_THAN_PARTITION)
_PARTITION_FULL = int(Rule.PARTITION_FULL)


def schedule(view: View, now: float) -> None:
    """FCFS in every partition, in one walk of the queue."""
    partitions = view.parameters.size + 1
    size = view.processors // partitions
    # Refused is what never fits, also when every node is up; what does not fit today waits.
    widest = view.processors_in_all // partitions
    for p in range(partitions):
        view.global_f[p] = size
    for k in range(view.running_count):
        row = view.running[k]
        view.global_f[_partition(view, row)] -= view.job_held[row]
    # A blocked partition has room for nobody: that is FCFS inside it.
    for k in range(view.waiting_head, view.waiting_tail):
        row = view.waiting[k]
        p, width = _partition(view, row), view.job_width[row]
        if width > widest:
            refuse(view, row, _WIDER)
        elif width <= view.global_f[p] and width <= view.idle and start(view, row):
            view.global_f[p] -= width
        else:
            because(view, row, _PARTITION_FULL, max(0.0, view.global_f[p]), width, -1)
            view.global_f[p] = -1.0


@kernel
def _partition(view: View, row: int) -> int:
    p = 0
    while p < view.parameters.size and view.job_estimate_s[row] > view.parameters[p]:
        p += 1
    return p
