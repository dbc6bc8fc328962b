"""Tables made, and made longer: how many elements each array has, and what a free row holds.

Every bound here is a theorem about the transitions: ``tables`` says what the columns mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.model.machine import Machine
from molokini.model.policy import COUNTED_MOST
from molokini.model.resources import WIDTH, Resource
from molokini.tables.tables import (
    DECISION_COLUMNS,
    FEW_KEYS,
    GLOBAL_WORDS,
    LEAST_STEPS,
    LIMIT_KINDS,
    LISTS_OF_ALL,
    MEMORY_COLUMNS,
    MOST_CLASSES,
    MOST_HELD,
    MOST_LEASTS,
    MOST_LISTS,
    MOST_PARTITIONS,
    MOST_STEPS,
    MOST_STRETCHES,
    NEVER,
    PROFILE_FIRST,
    PROFILE_LAST,
    SCOPE_LIMITS,
    SCOPES,
    USAGE_WINDOWS,
    Tables,
)
from molokini.tables.writable import BY_RULES


def make_tables(machine: Machine, parameters: Sequence[float] = (), rows: int = 64) -> Tables:
    """Empty tables for *machine* with room for *rows* jobs; ``grow`` makes more room."""
    clusters = 1 + max((node.group for node in machine.nodes), default=-1)
    sizes = _Sizes(rows, len(machine.nodes), len(parameters), machine.processors, clusters=clusters)
    plain = [name for name, kind in Tables.columns().items() if not kind.recorded]
    tables = Tables(**{name: empty(name, sizes) for name in plain})
    tables.lengthen_record(rows, **FREE_ROW)
    tables.processors = tables.free = tables.idle = machine.processors
    tables.processors_in_all = machine.processors
    tables.nodes, tables.clusters = len(machine.nodes), clusters
    tables.wake_s = tables.roll_s = NEVER
    tables.latest_submit_s = -NEVER
    tables.replan = 1
    tables.parameters[:] = parameters
    tables.planning = 1
    tables.free_rows = rows
    tables.free_row[:rows] = np.arange(rows)[::-1]
    for index, node in enumerate(machine.nodes):
        tables.node_group[index], tables.node_features[index] = node.group, node.features
        for resource, amount in node.capacity.items():
            tables.node_total[index, resource] = tables.node_free[index, resource] = amount
    add_up(tables)
    tables.component_need[0, Resource.PROCESSORS] = 1.0
    for name in CREDENTIALS:
        getattr(tables, f"credential_{name}")[0] = -1
    tables.usage_settled_s[:] = -NEVER
    tables.component_where[0] = tables.component_next[0] = -1
    _chain(tables.entry_next, 0)
    tables.component_free = -1
    more_components(tables, 1)
    return tables


def add_up(tables: Tables) -> None:
    """What all nodes have together."""
    totals = tables.node_total.sum(axis=0)
    tables.memory_in_all_kb = totals[Resource.MEMORY_KB]
    tables.swap_in_all_kb = totals[Resource.SWAP_KB]
    tables.disk_in_all_kb = totals[Resource.DISK_KB]


def grow(tables: Tables) -> None:
    """Make room for four times as many jobs and components (twice, once there are many); rows keep their
    numbers and contents.

    What holds for one pass only is not carried over, so that memory that nobody has touched stays so.
    """
    old = tables.job_state.size
    more = 4 if old < _MANY_ROWS else 2
    sizes = sizes_of(tables, more * old)
    spare = tables.free_row[: tables.free_rows]
    tables.lengthen_record(sizes.rows, **FREE_ROW)
    for name, kind in Tables.columns().items():
        if kind.recorded:
            continue
        array, bigger = getattr(tables, name), empty(name, sizes)
        if bigger.shape == array.shape:
            continue
        first, last = _in_use(tables, name)
        bigger[first:last] = array[first:last]
        tables.bind(name, bigger)
    # The rows that were free are taken first.
    new = sizes.rows - old
    tables.free_row[:new] = np.arange(old, sizes.rows)[::-1]
    tables.free_row[new : new + spare.size] = spare
    tables.free_rows = new + spare.size
    more_components(tables, old)


def _in_use(tables: Tables, name: str) -> tuple[int, int]:
    """Which part of an array must be carried over when it grows."""
    if name in ("order", "order_key", "free_row"):
        return 0, 0
    if name.startswith("decision"):
        return 0, tables.decided
    if name.startswith("hole"):
        return 0, tables.hole_count
    if name.startswith("profile"):
        return int(tables.global_i[PROFILE_FIRST]), int(tables.global_i[PROFILE_LAST])
    if name in ("memory_f", "memory_i", "planned_tasks") and not tables.planning:
        return 0, 0
    if name.startswith("reason") and not tables.explain:
        return 0, 0
    if name.startswith("lien") and not tables.liens:
        return 0, 0
    return 0, int(getattr(tables, name).shape[0])


def more_components(tables: Tables, first: int) -> None:
    """Put the components from *first* on into the chain of free ones."""
    _chain(tables.component_next, first)
    tables.component_next[-1] = tables.component_free
    tables.component_free = first
    tables.component_spare += tables.component_next.size - first


def _chain(following: NDArray[np.int64], first: int) -> None:
    following[first:] = np.arange(first + 1, following.size + 1)
    if following.size > first:
        following[-1] = -1


_MANY_ROWS = 50_000


@dataclass(frozen=True)
class _Sizes:
    rows: int
    nodes: int
    parameters: int
    processors: int
    credentials: int = 1
    shapes: int = 1
    applications: int = 1
    clusters: int = 0
    room: int = 8
    """Credentials that scopes and usage have room for."""
    reservations: int = 0
    admitted: int = 0
    hosted: int = 0
    accounts: int = 1

    @property
    def entries(self) -> int:
        """One a processor, and some a node for tasks that take none."""
        return self.processors + ENTRIES_PER_NODE * self.nodes if self.nodes else 0

    def of(self, name: str) -> int:
        """Elements of the array *name*; every bound is a theorem about the transitions."""
        if name in ("waiting",):
            return 2 * self.rows + 2
        if name.startswith("application"):
            return self.applications
        if name.startswith("reservation"):
            return self.reservations
        if name.startswith("access"):
            return self.admitted
        if name in ("kept_from_s", "kept_processors"):
            return MOST_STEPS
        if name.startswith("kept"):
            return MOST_STRETCHES
        if name.startswith("listed"):
            return LISTS_OF_ALL * self.hosted
        if name.startswith("list"):
            return MOST_LISTS
        if name.startswith("host"):
            return self.hosted
        if name.startswith("bank"):
            return self.accounts
        if name.startswith("decision"):
            # A pass decides at most three times about a job (mold, reserve and start; or
            # accrue, reserve and bypass).
            return 3 * self.rows + 8
        if name.startswith("hole"):
            return 2 * self.rows + 8
        if name.startswith("profile"):
            # Each job has two boundaries; the list is kept in a window that may move. Or one a processor.
            return 8 * self.rows + 64 + min(self.processors, COUNTED_MOST)
        if name.startswith("node"):
            return self.nodes
        if name.startswith("least"):
            return MOST_LEASTS
        if name.startswith("few"):
            return FEW_KEYS
        if name.startswith("class"):
            return MOST_CLASSES
        if name.startswith("partition_"):
            return MOST_PARTITIONS
        if name.startswith("cluster"):
            return max(1, self.clusters)
        if name.startswith(("entry", "placed")):
            return self.entries
        if name.startswith(BY_ROOM):
            return self.room
        if name.startswith("scope"):
            return scope_rows(self.room) * (2 if name == "scope_found" else 1)
        if name.startswith("credential"):
            return self.credentials
        if name.startswith("shape"):
            return self.shapes
        return {"parameters": self.parameters, "global_f": GLOBAL_WORDS, "global_i": GLOBAL_WORDS}.get(
            name, self.rows
        )


def sizes_of(tables: Tables, rows: int) -> _Sizes:
    """How many elements the arrays of *tables* have when there is room for *rows* jobs."""
    return _Sizes(
        rows,
        tables.nodes,
        tables.parameters.size,
        tables.processors_in_all,
        tables.credential_user.size,
        tables.shape_spoils.size,
        tables.application_send_s.size,
        tables.clusters,
        tables.usage_rate.size,
        tables.reservation_from_s.size,
        tables.access_kind.size,
        tables.host_node.size,
        tables.bank_number.size,
    )


BY_ROOM = (
    "usage",
    "credential_scope",
    "credential_base",
    "credential_weighed",
    "credential_past",
    "credential_open",
    *BY_RULES,
)
"""Beginnings of names of arrays that have room for so many credentials."""
CREDENTIALS = ("user", "group", "queue", "account", "qos")
"""What a credential is a combination of."""


def scope_rows(room: int) -> int:
    """Scopes that so many credentials can have, at most; scope 0 is nobody's. A power of 2."""
    return 1 << (room * SCOPES).bit_length()


FREE_ROW = {
    "job_start_s": NEVER,
    "job_expected_end_s": NEVER,
    "job_reserved_s": NEVER,
    "job_rate": 1.0,
    "job_entries": -1,
    "job_attempt": 1,
    "job_component_count": 1,
}
"""What a free row holds, but for zeros: a plain job that has not started."""

ENTRIES_PER_NODE = 64
"""Allocation entries a node for tasks that need no processor."""

_COLUMNS = {
    "decisions": DECISION_COLUMNS,
    "memory_f": MEMORY_COLUMNS,
    "partition_beside": MOST_HELD + 1,
    "node_hold": MOST_HELD * WIDTH,
    "node_spare": MOST_HELD * WIDTH,
    "memory_i": MEMORY_COLUMNS,
    "least_from_s": LEAST_STEPS,
    "least_free": LEAST_STEPS,
    "usage": USAGE_WINDOWS,
    "credential_scope": SCOPES,
    "scope_key": 4,
    "scope_limit": SCOPE_LIMITS,
    "scope_active": LIMIT_KINDS,
    "scope_idle": LIMIT_KINDS,
}


BY_CLUSTER = ("profile_clusters", "planned_tasks")
"""Tables with a column a cluster; a machine of counted processors is one cluster to them."""

_UNREAD = (
    "decision",
    "hole",
    "profile",
    "placed",
    "order",
    "rank",
    "waiting",
    "running",
    "suspended",
    "free_row",
)
"""Beginnings of names of arrays in which no element is read before it was written."""


def empty(name: str, sizes: _Sizes) -> NDArray[Any]:
    """The array *name* with nothing in it."""
    kind = Tables.columns()[name]
    columns = sizes.of("cluster") if name in BY_CLUSTER else _COLUMNS.get(name, WIDTH)
    shape = (sizes.of(name),) if kind.ndim == 1 else (sizes.of(name), columns)
    make = np.empty if name.startswith(_UNREAD) else np.zeros
    return make(shape, dtype=np.dtype(str(kind.dtype)))
