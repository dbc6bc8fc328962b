"""What policies of rows share: their parameters, and the queue of those that start jobs in its order."""

from collections.abc import Mapping

from molokini.compiled.compilation import inner, kernel
from molokini.cycle.reasons import held_back
from molokini.cycle.verbs import because, refuse
from molokini.matrix.columns import best_row, memory_of
from molokini.matrix.row_pass import put, put_in_emptiest
from molokini.model.decisions import Refusal, Rule
from molokini.model.errors import BadValue
from molokini.model.policy import Value
from molokini.tables.sizes import MOST_ROWS
from molokini.tables.tables import View
from molokini.tables.workspace import Choice, Parameters, parameter

SOURCE = "Zhang, Franke, Moreira, Sivasubramaniam, JSSPP 2001"
MOST_TASKS = 1e9


class Rows(Parameters, separator="_"):
    """How many rows there are, and how they take turns."""

    mpl: int = parameter(
        5, "rows of the matrix: how many jobs may share a processor", low=1, high=MOST_ROWS, source=SOURCE
    )
    quantum_s: float = parameter(
        200.0, "how long a row holds the processors", unit="s", low=0.001, high=1e9, source=SOURCE
    )
    context_switch: float = parameter(
        0.0, "the part of a quantum that is lost to the context switch", low=0.0, high=0.99, source=SOURCE
    )
    mode: Choice = parameter(
        "rate",
        "rate: jobs progress evenly by their share of the rows; exact: in quanta of a fixed grid",
        choices=("rate", "exact"),
    )
    switch: Choice = parameter(
        "every",
        "which slices lose the context switch: every one, or those in which other jobs ran before (changed)",
        choices=("every", "changed"),
    )
    columns: Choice = parameter(
        "lowest",
        "which free columns of its row a new job gets: the lowest, or those used in the fewest other rows",
        choices=("lowest", "emptiest"),
    )
    packing: Choice = parameter(
        "columns",
        "which row a new job gets: the one with the fewest free columns, or with the least memory in all",
        choices=("columns", "memory"),
        source="memory: Suh, Rudolph, Devadas, JSSPP 2001, section 4.1",
    )


class RowsOfMemory(Rows, separator="_"):
    """The same, and how much memory a row has."""

    memory_gb: float = parameter(
        0.0,
        "memory that the jobs of a row may have in all; a job that finds no such row waits; 0: any",
        unit="GB",
        low=0.0,
        high=1e9,
        source="Batat, Feitelson 2000, as Suh et al. tell it",
    )


parameters = Rows.of


def check_memory(values: Mapping[str, Value]) -> None:
    """Refuse a memory of rows that are not chosen by it."""
    if values["memory_gb"] != 0 and values["packing"] != "memory":
        raise BadValue("memory_gb", values["memory_gb"], "0, unless packing is memory")


migration_cost = parameter(
    10.0, "how long it takes to migrate a job", unit="s", low=0.0, high=1e9, source=SOURCE
)
migrated_tasks = parameter(64, "how many tasks may migrate in a slice", low=0, high=MOST_TASKS, source=SOURCE)
migrated_are: Choice = parameter(
    "all",
    "which tasks count as migrated: all of a job that migrates, or those that change columns (moved)",
    choices=("all", "moved"),
)
migrated_in: Choice = parameter(
    "slice",
    "where migrated_tasks may migrate: in a slice, or at each event",
    choices=("slice", "event"),
)


class Migrating(Rows, separator="_"):
    """What migration costs, and how much of it there may be."""

    migration_cost: float = migration_cost
    migrated_tasks: int = migrated_tasks
    migrated_are: Choice = migrated_are
    migrated_in: Choice = migrated_in


def check_cost(values: Mapping[str, Value]) -> None:
    """Refuse a migration that takes longer than a quantum."""
    cost_s, quantum_s = values["migration_cost"], values["quantum_s"]
    assert isinstance(cost_s, int | float)
    assert isinstance(quantum_s, int | float)
    if cost_s > quantum_s:
        raise BadValue("migration_cost", cost_s, f"a number from 0 to quantum_s, {quantum_s:,.15g}")


@inner
def put_new(view: View, row: int, r: int) -> None:
    """Put job *row*, which waits, into row *r*, in the free columns there that are to be taken."""
    if parameters(view).columns == 1:
        put_in_emptiest(view, row, r)
    else:
        put(view, row, r)


@kernel
def start_in_order(view: View, first: int) -> int:
    """Put waiting jobs, from place *first* of the queue on, into the rows that they fit best (Schedule).

    The place of the first for which no row has room.
    """
    for k in range(first, view.queue.tail):
        row = view.queue.waiting[k]
        if view.matrix.memory_kb > 0.0 and memory_of(view, row) > view.matrix.memory_kb:
            refuse(view, row, Refusal.NEVER_PLACEABLE)
            continue
        r = best_row(view, row)
        if r < 0:
            return k
        put_new(view, row, r)
    return int(view.queue.tail)


@kernel
def explain_order(view: View, blocked: int) -> None:
    """Say why jobs wait, from place *blocked* of the queue on."""
    most = 0
    for r in range(view.matrix.count):
        most = max(most, view.matrix.free[r])
    for k in range(blocked, view.queue.tail):
        row, head = view.queue.waiting[k], view.queue.waiting[blocked]
        if k == blocked:
            if not held_back(view, row, -1):
                because(view, row, Rule.NOT_ENOUGH_FREE, most, view.jobs.width[row], -1)
                view.reasons.narrower[row] = most
        else:
            because(view, row, Rule.BEHIND_THE_HEAD, most, view.jobs.width[row], head)
