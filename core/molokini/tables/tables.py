"""The tables: struct-of-arrays, the only mutable truth of a scheduler.

Each job that is waiting, running or suspended has a row; a row is reused after its job is gone. The
engine and the server change tables through the transitions alone; policies read them as a view.
Times are seconds of the scheduling clock, work is seconds at rate 1. ``columns`` says what each column
means, by subject.
"""

from typing import TYPE_CHECKING, Any, TypeAlias

from molokini.compiled.structs import Floats, FloatTable, Ints, IntTable
from molokini.tables.columns.bank import Bank, Liens
from molokini.tables.columns.credentials import Credentials, Scopes, Usage
from molokini.tables.columns.cycle import Holes, Pass, Profile, Reasons
from molokini.tables.columns.jobs import Applications, Components, Jobs, Shapes
from molokini.tables.columns.kept import KeptLists, KeptSteps, LaterRoom, LeastRoom
from molokini.tables.columns.machine import Clusters, Entries, MachineCounts, NodeClasses, Nodes, Partitions
from molokini.tables.columns.matrix import Blocks, Matrix, Plans
from molokini.tables.columns.node_plans import Site
from molokini.tables.columns.placing import Barred, Placing, Rounds
from molokini.tables.columns.queue import Queue
from molokini.tables.columns.reservations import Access, Hosts, Reservations
from molokini.tables.declared import Axis, Declared, Nature, per
from molokini.tables.sizes import GLOBAL_WORDS, MEMORY_COLUMNS, NEVER


class Tables(Declared):
    """All that a pass may read; *view* to a policy, which must write to it by verbs alone."""

    machine: MachineCounts
    nodes: Nodes
    entries: Entries
    clusters: Clusters
    partitions: Partitions
    classes: NodeClasses
    queue: Queue
    jobs: Jobs
    components: Components
    shapes: Shapes
    applications: Applications
    cycle: Pass
    holes: Holes
    reasons: Reasons
    profile: Profile
    matrix: Matrix
    blocks: Blocks
    plans: Plans
    placing: Placing
    rounds: Rounds
    barred: Barred
    reservations: Reservations
    access: Access
    hosts: Hosts
    kept: KeptSteps
    lists: KeptLists
    least: LeastRoom
    later: LaterRoom
    credentials: Credentials
    scopes: Scopes
    usage: Usage
    bank: Bank
    liens: Liens

    # What a policy plans and remembers.
    parameters: Floats = per(Axis.PARAMETER)
    site: Site
    memory_f: FloatTable = per(Axis.JOB, MEMORY_COLUMNS, nature=Nature.WORK)
    memory_i: IntTable = per(Axis.JOB, MEMORY_COLUMNS, nature=Nature.WORK)
    global_f: Floats = per(GLOBAL_WORDS, nature=Nature.WORK)
    global_i: Ints = per(GLOBAL_WORDS, nature=Nature.WORK)
    planned_tasks: IntTable = per(Axis.JOB, Axis.CLUSTER, nature=Nature.WORK)
    """Processors that a waiting job's planned start takes, a column a cluster."""

    if not TYPE_CHECKING:
        # Type checkers look at the parts, and need no hint.

        def __getattr__(self, name: str) -> Any:
            """There is no such field; the error names fields of parts that may be meant."""
            if name.startswith("_"):
                # numba looks up private names in each argument of each call.
                raise AttributeError(name)
            raise AttributeError(_no_such(name))

        def __setattr__(self, name: str, value: Any) -> None:
            """Refuse new attributes: a number under a wrong name would be set where no code reads it."""
            if not name.startswith("_") and name != "address":
                raise AttributeError(_no_such(name))
            object.__setattr__(self, name, value)

    def sizes(self) -> dict[Axis, int]:
        """How long each axis is."""
        return {axis: len(leaf.of(self)) for axis, leaf in _MEASURES.items()}


_MEASURES = {
    leaf.column.axis: leaf
    for leaf in reversed([*Tables.leaves()])
    if isinstance(leaf.column.axis, Axis) and (leaf.column.times, leaf.column.plus) == (1, 0)
}
"""For each axis the first array that is as long as it."""
_PATHS = [f"{part}.{name}" for part, struct in Tables.children.items() for name in struct.layout]


def _no_such(name: str) -> str:
    meant = [path for path in _PATHS if name in _flat_names(path)]
    hint = f"; did you mean {' or '.join(f'view.{path}' for path in meant)}?" if meant else ""
    return f"the view has no {name}{hint}"


def _flat_names(path: str) -> tuple[str, ...]:
    """Names that a policy may use for a field if its author does not know of parts."""
    part, _, name = path.partition(".")
    return (
        name,
        f"{part}_{name}",
        f"{part.removesuffix('s')}_{name}",
        f"waiting_{name}" if part == "queue" else "",
    )


WRITABLE_IN_VIEW = frozenset(leaf.path for leaf in Tables.leaves() if leaf.column.nature is not Nature.TRUTH)
"""Arrays to which verbs and a policy's plan write during a pass."""

__all__ = ["NEVER", "WRITABLE_IN_VIEW", "Tables", "View"]

View: TypeAlias = Tables
"""What a policy is given: the tables, with arrays that refuse to be written in interpreted runs."""
