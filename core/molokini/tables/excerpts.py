"""A copy of tables that holds some of their jobs, for looking ahead where all of them cost too much.

Rows and components get new numbers, so the copy takes memory for the nodes and for the jobs that it holds.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.compiled.structs import Ints
from molokini.tables.declared import Axis, Column, Nature
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
    rows = rows_of(t, waiting)
    components = _components_of(t, rows)
    size = max(64, rows.size + spare, components.size + 1)
    twin = Tables.sized({**t.sizes(), **sizes_by_jobs(size, t.machine.processors_in_all)})
    _fill(twin, t, waiting.size, rows, components)
    return twin


def excerpt_into(twin: Tables, t: Tables, waiting: Ints) -> None:
    """The same in *twin*, blank tables of the sizes of *t* with room for as many jobs and components."""
    rows = rows_of(t, waiting)
    _fill(twin, t, waiting.size, rows, _components_of(t, rows))


def rows_of(t: Tables, waiting: Ints) -> Ints:
    """The rows that an excerpt holds, in its order."""
    running = t.queue.running[: t.queue.running_count]
    return np.concatenate([waiting, running, t.queue.suspended[: t.queue.suspended_count]])


def room_for(t: Tables, rows: Ints) -> int:
    """How many rows tables must have to take an excerpt of *rows*."""
    return max(rows.size, _components_of(t, rows).size + 1)


def _filled() -> Iterator[tuple[str, list[tuple[str, Column]]]]:
    """The arrays that an excerpt takes over, by the part of the tables that has them."""
    found = dict[str, list[tuple[str, Column]]]()
    for leaf in Tables.leaves():
        # A list of rows is made anew.
        listed = leaf.column.axis is Axis.JOB and leaf.column.used
        if not leaf.kind.recorded and leaf.column.nature in _TRUE and not listed:
            found.setdefault(".".join(leaf.struct), []).append((leaf.name, leaf.column))
    yield from found.items()


_FILLED = tuple(_filled())


def _fill(twin: Tables, t: Tables, waiting: int, rows: Ints, components: Ints) -> None:
    for part, columns in _FILLED:
        old, new = (getattr(t, part), getattr(twin, part)) if part else (t, twin)
        for name, column in columns:
            _take_over(column, getattr(old, name), getattr(new, name), rows, components)
    twin.jobs.record[: rows.size] = t.jobs.record[rows]
    twin.copy_scalars(t)
    _begin_anew(twin)
    _list_rows(twin, waiting, t.queue.running_count, t.queue.suspended_count)
    _number_components(twin, components, rows.size, t.components.tasks.size)


def _take_over(column: Column, old: NDArray[Any], new: NDArray[Any], rows: Ints, components: Ints) -> None:
    if column.axis is Axis.COMPONENT:
        new[: components.size] = old[components]
    elif column.axis is not Axis.JOB:
        if old.size:
            new[...] = old
    else:
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
