"""A copy of tables that holds some of their jobs, for looking ahead where all of them cost too much.

Rows and components get new numbers, so the copy takes memory for the nodes and for the jobs that it holds.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.compiled.structs import Ints
from molokini.tables.declared import Axis, Leaf, Nature
from molokini.tables.making import more_components, sizes_by_jobs
from molokini.tables.tables import Tables

_TRUE = (Nature.TRUTH, Nature.TENTATIVE)
"""The columns that are true between passes. A policy recomputes everything else."""


def excerpt(t: Tables, waiting: Ints, spare: int = 0) -> Tables:
    """Tables with the rows *waiting* of the queue, in queue order, and all running and suspended jobs.

    The rows have the numbers from 0 on in this order: waiting, running, suspended. There is room for *spare*
    jobs more. The copy is to be made between passes; the memory of policies is empty in it, as it is after a
    recovery.
    """
    running = t.queue.running[: t.queue.running_count]
    suspended = t.queue.suspended[: t.queue.suspended_count]
    rows = np.concatenate([waiting, running, suspended])
    components = _components_of(t, rows)
    size = max(64, rows.size + spare, components.size + 1)
    twin = Tables.sized({**t.sizes(), **sizes_by_jobs(size, t.machine.processors_in_all)})
    for leaf in Tables.leaves():
        if not leaf.kind.recorded and leaf.column.nature in _TRUE:
            _take_over(leaf, leaf.of(t), leaf.of(twin), rows, components)
    twin.jobs.record[: rows.size] = t.jobs.record[rows]
    twin.copy_scalars(t)
    _begin_anew(twin)
    _list_rows(twin, waiting.size, running.size, suspended.size)
    _number_components(twin, components, rows.size, t.components.tasks.size)
    return twin


def _take_over(leaf: Leaf, old: NDArray[Any], new: NDArray[Any], rows: Ints, components: Ints) -> None:
    column = leaf.column
    if column.axis is Axis.COMPONENT:
        new[: components.size] = old[components]
    elif column.axis is not Axis.JOB:
        new[...] = old
    elif not column.used:
        # Lists of rows are rebuilt.
        new[: rows.size] = old[rows]


def _components_of(t: Tables, rows: Ints) -> Ints:
    """The components of these rows' requests, the one of plain jobs first."""
    found = [0]
    for row in rows[t.jobs.needs_placement[rows] > 0].tolist():
        component = int(t.jobs.components[row])
        while component > 0:
            found.append(component)
            component = int(t.components.next[component])
    return np.array(found, dtype=np.int64)


def _begin_anew(t: Tables) -> None:
    """Set what is to be as if no policy had had a pass over these tables yet."""
    t.cycle.replan = 1
    t.cycle.decided = t.holes.count = t.queue.leaving = t.cycle.explain = 0
    t.classes.room_epoch = t.classes.start_epoch = t.classes.scans = t.classes.count = 0
    t.shapes.spoil_head = t.partitions.counted = 0


def _list_rows(t: Tables, waiting: int, running: int, suspended: int) -> None:
    in_all, size = waiting + running + suspended, t.jobs.state.size
    t.queue.head, t.queue.tail = 0, waiting
    t.queue.waiting[:waiting] = np.arange(waiting)
    t.queue.running[:running] = np.arange(waiting, waiting + running)
    t.queue.suspended[:suspended] = np.arange(waiting + running, in_all)
    t.jobs.free_rows = size - in_all
    t.jobs.free_row[: t.jobs.free_rows] = np.arange(in_all, size)[::-1]


def _number_components(t: Tables, components: Ints, rows: int, numbers: int) -> None:
    """Give the components, and all references to them, their new numbers."""
    new = np.zeros(numbers, dtype=np.int64)
    new[components] = np.arange(components.size)
    t.jobs.components[:rows] = new[t.jobs.components[:rows]]
    following = t.components.next[: components.size]
    following[:] = np.where(following > 0, new[np.maximum(following, 0)], -1)
    t.entries.component[:] = new[t.entries.component]
    t.queue.wishing = int(np.count_nonzero(t.jobs.needs_placement[:rows]))
    t.components.free, t.components.spare = -1, 0
    more_components(t, components.size)
