"""What the policies for divisible loads keep, and what their users choose: the three decisions, and more."""

from molokini.applications.kinds import RULES
from molokini.compiled.structs import RecordFloats, RecordInts
from molokini.tables.workspace import Choice, Parameters, Workspace, parameter

ORDERS = ("fifo", "edf", "mwf")
ASSIGNMENTS = ("mn", "an", "k")


class Plan(Workspace):
    """The plan, which is in the tables as well, and trials of another one."""

    admitted: RecordInts
    """1: the job is admitted."""
    nodes: RecordInts
    tried_nodes: RecordInts
    start_s: RecordFloats
    tried_start_s: RecordFloats
    """Nodes and start of an admitted job in the plan that holds, and in the one that is tried."""
    again: int
    """1: the plan may no longer hold."""
    trying: int
    """1 + the row for which a deadline is being tried; 0: none."""
    tried_deadline_s: float
    """The deadline that is tried."""
    next_deadline_s: float
    """The next deadline that is worth a try."""


mine = Plan.of


class DivisibleParameters(Parameters):
    """The name of a policy fixes the first three, and under OPR the fourth."""

    order: Choice = parameter("edf", "the order in which admitted jobs are planned", choices=ORDERS)
    rule: Choice = parameter("opr", "how a load is cut", choices=tuple(sorted(RULES, key=RULES.__getitem__)))
    assignment: Choice = parameter("mn", "how many nodes a job gets", choices=ASSIGNMENTS)
    release: Choice = parameter(
        "together",
        "whether nodes are free when the whole job has ended, or each with its own chunk",
        choices=("together", "each"),
        counted="each",
        source="together: section 4.2.2; each: beyond the paper",
    )
    port: Choice = parameter(
        "unlimited",
        "whether loads of several tasks are sent at the same time, or one after the other",
        choices=("unlimited", "shared"),
        source="unlimited: section 3; shared: beyond the paper",
    )
    take: Choice = parameter(
        "latest",
        "of the nodes that are free by its start, a task takes those released latest, or earliest",
        choices=("latest", "earliest"),
        source="figure 3 does not say; latest reproduces figure 4f",
    )
    k: int = parameter(
        4,
        "nodes that every task gets",
        unit="nodes",
        low=1,
        high=2**40,
        within_machine=True,
        source="section 5.2.2",
    )


parameters = DivisibleParameters.of
