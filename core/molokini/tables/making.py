"""Make tables, and make them longer. Each bound follows from the transitions; ``columns`` declares them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from molokini.model.machine import Machine
from molokini.model.policy import COUNTED_MOST
from molokini.model.resources import Resource
from molokini.tables.declared import Axis
from molokini.tables.sizes import NEVER, SCOPES
from molokini.tables.tables import Tables

CREDENTIALS = ("user", "group", "queue", "account", "qos")
"""What a credential is a combination of."""
ENTRIES_PER_NODE = 64
"""Allocation entries for each node for tasks that need no processor."""
_ROOM = 8
"""Credentials that scopes and usage have room for at first."""
_MANY_ROWS = 50_000
_BY_JOBS = frozenset({Axis.JOB, Axis.COMPONENT, Axis.STEP})


def make_tables(machine: Machine, parameters: Sequence[float] = (), rows: int = 64) -> Tables:
    """Empty tables for *machine* with room for *rows* jobs; ``grow`` makes more room."""
    nodes, clusters = len(machine.nodes), 1 + max((node.group for node in machine.nodes), default=-1)
    sizes = {
        **dict.fromkeys(Axis, 1),
        **dict.fromkeys((Axis.RESERVATION, Axis.ADMISSION, Axis.HOST), 0),
        **sizes_by_jobs(rows, machine.processors),
        Axis.NODE: nodes,
        Axis.CLUSTER: max(1, clusters),
        # One for each processor, and some for each node for tasks that take none.
        Axis.ENTRY: machine.processors + ENTRIES_PER_NODE * nodes if nodes else 0,
        Axis.MEMBER: _ROOM,
        Axis.SCOPE: scope_rows(_ROOM),
        Axis.PARAMETER: len(parameters),
    }
    tables = Tables.sized(sizes)
    tables.machine.processors = tables.machine.free = tables.machine.idle = machine.processors
    tables.machine.processors_in_all = machine.processors
    tables.nodes.count, tables.clusters.count = nodes, clusters
    tables.cycle.wake_s = tables.reservations.roll_s = NEVER
    tables.queue.latest_submit_s = -NEVER
    tables.cycle.replan = tables.cycle.planning = 1
    tables.parameters[:] = parameters
    tables.jobs.free_rows = rows
    tables.jobs.free_row[:rows] = np.arange(rows)[::-1]
    for index, node in enumerate(machine.nodes):
        tables.nodes.group[index], tables.nodes.features[index] = node.group, node.features
        for resource, amount in node.capacity.items():
            tables.nodes.total[index, resource] = tables.nodes.free[index, resource] = amount
    add_up(tables)
    tables.components.need[0, Resource.PROCESSORS] = 1.0
    for name in CREDENTIALS:
        getattr(tables.credentials, name)[0] = -1
    tables.components.where[0] = tables.components.next[0] = -1
    _chain(tables.entries.next, 0)
    tables.components.free = -1
    more_components(tables, 1)
    return tables


def set_parameters(tables: Tables, parameters: Sequence[float]) -> None:
    """Give the policy these parameters; what it has counted stays beside as many as there were."""
    tables.bind("parameters", np.array(parameters, dtype=np.float64))
    before = tables.site.tallies
    if before.size != len(parameters):
        counted, kept = np.zeros(len(parameters)), min(before.size, len(parameters))
        counted[:kept] = before[:kept]
        tables.site.bind("tallies", counted)


def sizes_by_jobs(rows: int, processors: int) -> dict[Axis, int]:
    """The sizes that follow from room for so many jobs on a machine of so many processors."""
    # Each job has two boundaries; the list is kept in a window that may move. Or one for each processor.
    steps = 8 * rows + 64 + min(processors, COUNTED_MOST)
    return {Axis.JOB: rows, Axis.COMPONENT: rows, Axis.STEP: steps}


def add_up(tables: Tables) -> None:
    """What all nodes have together."""
    totals = tables.nodes.total.sum(axis=0)
    tables.machine.memory_in_all_kb = totals[Resource.MEMORY_KB]
    tables.machine.swap_in_all_kb = totals[Resource.SWAP_KB]
    tables.machine.disk_in_all_kb = totals[Resource.DISK_KB]


def grow(tables: Tables) -> None:
    """Make room for four times as many jobs and components (twice, once there are many); rows keep their
    numbers and contents.
    """
    old = tables.jobs.state.size
    rows = old * (4 if old < _MANY_ROWS else 2)
    spare = tables.jobs.free_row[: tables.jobs.free_rows]
    sizes = {**tables.sizes(), **sizes_by_jobs(rows, tables.machine.processors_in_all)}
    tables.grow(_BY_JOBS, sizes)
    # The rows that were free before are taken first.
    new = rows - old
    tables.jobs.free_row[:new] = np.arange(old, rows)[::-1]
    tables.jobs.free_row[new : new + spare.size] = spare
    tables.jobs.free_rows = new + spare.size
    more_components(tables, old)


def more_components(tables: Tables, first: int) -> None:
    """Put the components from *first* on into the chain of free ones."""
    _chain(tables.components.next, first)
    tables.components.next[-1] = tables.components.free
    tables.components.free = first
    tables.components.spare += tables.components.next.size - first


def _chain(following: NDArray[np.int64], first: int) -> None:
    following[first:] = np.arange(first + 1, following.size + 1)
    if following.size > first:
        following[-1] = -1


def scope_rows(room: int) -> int:
    """Scopes that so many credentials can have, at most, with scope 0, which none has. A power of 2."""
    return 1 << (room * SCOPES).bit_length()
