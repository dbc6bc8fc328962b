"""The tables: struct-of-arrays, the only mutable truth of a scheduler.

One row a job that is waiting, running or suspended; a row is reused after its job is gone. The
engine and the server change tables through the transitions alone; policies read them as a view.
Times are seconds of the scheduling clock, work is seconds at rate 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from molokini.model.errors import BadValue
from molokini.model.resources import WIDTH, Resource
from molokini.scheduling.structs import Floats, FloatTable, Ints, IntTable, Struct

MEMORY_COLUMNS = 4
"""Columns of a policy's memory a job row."""
GLOBAL_WORDS = 64
"""Length of a policy's global line of memory."""
DECISION_COLUMNS = 4
"""kind, row, argument, first allocation entry."""
NEVER = np.inf
"""The instant that does not come."""


class Tables(Struct):
    """All that a pass may look at; *view* to a policy, which must not write to it but by verbs.

    Lists are the first so many elements of their array: ``waiting[waiting_head:waiting_tail]`` in
    queue order, ``running[:running_count]`` by expected end, ``suspended[:suspended_count]``.
    """

    # The machine. With nodes == 0 its processors are interchangeable and only counted.
    processors: int
    """Processors in service."""
    processors_in_all: int
    """Processors of the machine with every node up; a wider job is refused."""
    free: int
    idle: int
    """Processors still free in this pass, after the decisions so far."""
    nodes: int
    placement: int
    """How tasks are put on nodes, one of ``molokini.scheduling.placement``."""
    wishing: int
    """Jobs in the tables that wish for nodes, memory or features, so that counting is not enough."""
    overrun: int
    """0: a job is killed at its estimate. 1: it may run on."""

    # Lists and their ends.
    waiting_head: int
    waiting_tail: int
    leaving: int
    """Jobs in ``waiting`` that no longer wait; taken out after the decisions of a pass."""
    arrived: int
    """Jobs that joined the queue since the last pass."""
    running_count: int
    suspended_count: int
    free_rows: int
    free_row_first: int
    """Where the ring of free rows begins; its length, and so the number of rows, is a power of two."""
    planning: int
    """1: the policy plans ahead (it has a ``begin``), so its memory and the holes in its plan are kept."""
    decided: int
    """Decisions in the buffer."""
    hole_count: int
    """Intervals that were planned as busy and became free since the last pass."""
    replan: int
    """1 when something happened that a policy's own plan cannot follow: ``begin`` runs again."""
    wake_s: float
    """The instant at which the policy wants a pass although nothing happens."""
    explain: int
    """1: write reasons."""
    entry_free: int
    component_free: int

    # Jobs, one row each.
    job_state: Ints
    job_serial: Ints
    """Whose row it is, to the owner of the tables (the engine: row of the workload)."""
    job_number: Ints
    job_index: Ints
    job_submit_s: Floats
    job_estimate_s: Floats
    job_width: Ints
    job_wishes: Ints
    """1 where counting processors is not enough to place the job."""
    job_user: Ints
    job_group: Ints
    job_queue: Ints
    job_attempt: Ints
    job_start_s: Floats
    """Start of the present attempt; NEVER before."""
    job_expected_end_s: Floats
    """When the job ends if it runs on as now to its estimate; NEVER unless it is running."""
    job_reserved_s: Floats
    """Start of its reservation; NEVER without one."""
    job_work_s: Floats
    """Work done at ``job_updated_s``."""
    job_updated_s: Floats
    job_rate: Floats
    job_held: Ints
    """Processors taken out of ``free``: its width, or 0 while suspended or sharing."""
    job_components: Ints
    """First component; the next ``job_component_count`` rows are its components."""
    job_component_count: Ints
    job_entries: Ints
    """First entry of its allocation, -1 without one."""
    reason_rule: Ints
    reason_limit: Floats
    reason_value: Floats
    reason_front: Ints

    # Components of requests. Row r belongs to job row r; longer requests have rows behind those.
    component_tasks: Ints
    component_where: Ints
    component_per_node: Ints
    component_features: Ints
    component_need: FloatTable
    component_next: Ints

    # Nodes and allocations (chains of entries).
    node_state: Ints
    node_group: Ints
    node_features: Ints
    node_total: FloatTable
    node_free: FloatTable
    """Free of each resource, less what this pass has already decided."""
    node_scratch: FloatTable
    entry_node: Ints
    entry_tasks: Ints
    entry_component: Ints
    entry_next: Ints
    placed_node: Ints
    placed_tasks: Ints
    placed_component: Ints

    # Lists.
    waiting: Ints
    running: Ints
    suspended: Ints
    free_row: Ints
    order: Ints
    """Room for a policy to sort rows in; its contents last for one pass only."""
    order_key: Floats

    # What a policy says, plans and remembers.
    decisions: IntTable
    decision_time_s: Floats
    """Argument of a decision that is a time or a share."""
    hole_from_s: Floats
    hole_until_s: Floats
    hole_width: Ints
    parameters: Floats
    memory_f: FloatTable
    memory_i: IntTable
    global_f: Floats
    global_i: Ints
    profile_time_s: Floats
    profile_free: Ints


View: TypeAlias = Tables
"""What a policy is given: the tables, with arrays that refuse to be written in interpreted runs."""

WRITABLE_IN_VIEW = frozenset(
    {
        "decisions",
        "decision_time_s",
        "memory_f",
        "memory_i",
        "global_f",
        "global_i",
        "profile_time_s",
        "profile_free",
        "order",
        "order_key",
        "node_free",
        "node_scratch",
        "job_entries",
        "entry_node",
        "entry_tasks",
        "entry_component",
        "entry_next",
        "placed_node",
        "placed_tasks",
        "placed_component",
        "reason_rule",
        "reason_limit",
        "reason_value",
        "reason_front",
    }
)
"""Arrays that verbs and a policy's plan write to during a pass."""


@dataclass(frozen=True)
class Node:
    """A kind of node: what one of them offers, its group (cluster, node set) and feature bits."""

    capacity: Mapping[Resource, float]
    group: int = 0
    features: int = 0


@dataclass(frozen=True)
class Machine:
    """The machine: interchangeable processors, or a list of nodes."""

    processors: int
    nodes: tuple[Node, ...] = ()

    @staticmethod
    def counted(processors: int) -> "Machine":
        """A machine of so many interchangeable processors."""
        if not 1 <= processors <= 2**40:
            raise BadValue("processors", processors, "a whole number from 1 to 2^40")
        return Machine(processors)

    @staticmethod
    def of_nodes(nodes: Sequence[Node]) -> "Machine":
        """A machine of these nodes."""
        if not nodes:
            raise BadValue("nodes", 0, "one node or more")
        processors = sum(int(node.capacity.get(Resource.PROCESSORS, 0)) for node in nodes)
        return Machine(processors, tuple(nodes))

    @staticmethod
    def uniform(nodes: int, processors_per_node: int) -> "Machine":
        """A machine of equal nodes with nothing but processors."""
        if nodes < 1 or processors_per_node < 1:
            raise BadValue("nodes x processors per node", (nodes, processors_per_node), "1 or more each")
        return Machine.of_nodes([Node({Resource.PROCESSORS: float(processors_per_node)})] * nodes)


def make_tables(machine: Machine, parameters: Sequence[float] = (), rows: int = 64) -> Tables:
    """Empty tables for *machine* with room for *rows* jobs (a power of two); ``grow`` makes more room."""
    assert rows & (rows - 1) == 0
    sizes = _Sizes(rows, len(machine.nodes), len(parameters))
    tables = Tables(**{name: _empty(name, sizes) for name in Tables.columns()})
    _ready(tables, 0)
    tables.processors = tables.free = tables.idle = machine.processors
    tables.processors_in_all = machine.processors
    tables.nodes = len(machine.nodes)
    tables.wake_s = NEVER
    tables.replan = 1
    tables.parameters[:] = parameters
    tables.planning = 1
    tables.free_rows = rows
    tables.free_row[:rows] = np.arange(rows)[::-1]
    for index, node in enumerate(machine.nodes):
        tables.node_group[index], tables.node_features[index] = node.group, node.features
        for resource, amount in node.capacity.items():
            tables.node_total[index, resource] = tables.node_free[index, resource] = amount
    _chain(tables.entry_next, 0)
    _chain(tables.component_next, rows)
    tables.component_free = rows
    return tables


def grow(tables: Tables) -> None:
    """Double the room for jobs when all rows are taken; rows keep their numbers and contents."""
    old = tables.job_state.size
    assert tables.free_rows == 0
    sizes = _Sizes(2 * old, tables.nodes, tables.parameters.size)
    spare_components = _relocate_components(tables, old)
    for name in Tables.columns():
        array, bigger = getattr(tables, name), _empty(name, sizes)
        if name.startswith("component"):
            tables.bind(name, _moved(array, bigger, old))
        elif bigger.shape != array.shape:
            bigger[: array.shape[0]] = array
            tables.bind(name, bigger)
    _ready(tables, old)
    # Grown only when no row is free: the ring begins anew.
    tables.free_row[:old] = np.arange(old, 2 * old)[::-1]
    tables.free_row_first, tables.free_rows = 0, old
    _chain_more(tables, old, spare_components)


def _relocate_components(tables: Tables, old: int) -> int:
    """Shift references to component rows behind the jobs' own by the growth; returns the old length."""
    used = tables.job_components >= old
    tables.job_components[used] += old
    behind = tables.component_next[old:]
    behind[behind >= 0] += old
    if tables.component_free >= 0:
        tables.component_free += old
    return int(tables.component_tasks.size)


def _moved(array: NDArray[Any], bigger: NDArray[Any], old: int) -> NDArray[Any]:
    bigger[:old] = array[:old]
    bigger[2 * old : old + array.shape[0]] = array[old:]
    return bigger


def _chain_more(tables: Tables, old: int, components: int) -> None:
    """Put new component rows and allocation entries on their free chains."""
    first = components + old
    fresh = tables.component_next[first:]
    fresh[:] = np.arange(first + 1, first + 1 + fresh.size)
    if fresh.size:
        fresh[-1] = tables.component_free
        tables.component_free = first


def _chain(following: NDArray[np.int64], first: int) -> None:
    following[first:] = np.arange(first + 1, following.size + 1)
    if following.size > first:
        following[-1] = -1


@dataclass(frozen=True)
class _Sizes:
    rows: int
    nodes: int
    parameters: int

    def of(self, name: str) -> int:
        """Elements of the array *name*; every bound is a theorem about the transitions."""
        if name in ("waiting",):
            return 2 * self.rows + 2
        if name.startswith("decision"):
            # A pass decides at most twice about a job (start and reserve, suspend and refuse).
            return 3 * self.rows + 8
        if name.startswith("hole"):
            return 2 * self.rows + 8
        if name.startswith("profile"):
            # Each job has two boundaries; the list is kept in a window that may move.
            return 8 * self.rows + 64
        if name.startswith("component"):
            return 2 * self.rows
        if name.startswith("node"):
            return self.nodes
        if name.startswith(("entry", "placed")):
            return ENTRIES_PER_NODE * self.nodes
        return {"parameters": self.parameters, "global_f": GLOBAL_WORDS, "global_i": GLOBAL_WORDS}.get(
            name, self.rows
        )


ENTRIES_PER_NODE = 64
"""Allocation entries kept a node: that many (job, component) pairs can share one."""

_COLUMNS = {
    "decisions": DECISION_COLUMNS,
    "memory_f": MEMORY_COLUMNS,
    "memory_i": MEMORY_COLUMNS,
}


def _empty(name: str, sizes: _Sizes) -> NDArray[Any]:
    kind = Tables.columns()[name]
    shape = (sizes.of(name),) if kind.ndim == 1 else (sizes.of(name), _COLUMNS.get(name, WIDTH))
    array = np.zeros(shape, dtype=np.dtype(str(kind.dtype)))
    if name == "component_where":
        array[:] = -1
    elif name == "component_need":
        array[:, Resource.PROCESSORS] = 1.0
    return array


def _ready(tables: Tables, first: int) -> None:
    """Let the rows from *first* on hold what a free row holds: a plain job that has not started."""
    for column in (tables.job_start_s, tables.job_expected_end_s, tables.job_reserved_s):
        column[first:] = NEVER
    tables.job_entries[first:] = -1
    tables.job_components[first:] = np.arange(first, tables.job_state.size)
    tables.job_component_count[first:] = 1
