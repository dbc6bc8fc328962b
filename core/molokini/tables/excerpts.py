"""A copy of tables that holds some of their jobs, for whoever looks ahead and cannot afford all of them.

Rows and components get new numbers, so the copy takes memory for the nodes and for the jobs that it holds.
"""

import numpy as np
from numpy.typing import NDArray

from molokini.compiled.structs import Ints
from molokini.tables.making import FREE_ROW, empty, more_components, sizes_of
from molokini.tables.tables import Tables
from molokini.tables.writable import WRITABLE_IN_VIEW

_LISTS = frozenset({"waiting", "running", "suspended", "free_row"})
_TRUE = frozenset({"node_free", "entry_node", "entry_tasks", "entry_component", "entry_next"})
"""What passes write to, and what is yet true between them. A policy finds everything else anew."""
_BY_JOB = ("job_", "lien_")


def excerpt(t: Tables, waiting: Ints, spare: int = 0) -> Tables:
    """Tables with the rows *waiting* of the queue, in queue order, and all that runs or is suspended.

    The rows have the numbers from 0 on in this order: waiting, running, suspended. There is room for *spare*
    jobs more. The copy is to be made between passes; what policies remember is empty in it, as it is after a
    recovery.
    """
    running, suspended = t.running[: t.running_count], t.suspended[: t.suspended_count]
    rows = np.concatenate([waiting, running, suspended])
    components = _components_of(t, rows)
    size = max(64, rows.size + spare, components.size + 1)
    sizes, smaller = sizes_of(t, size), sizes_of(t, size - 1)
    arrays: dict[str, NDArray[np.generic]] = {}
    for name, kind in Tables.columns().items():
        if kind.recorded:
            continue
        old = getattr(t, name)
        if sizes.of(name) != smaller.of(name):
            arrays[name] = empty(name, sizes)
            if name.startswith(_BY_JOB):
                arrays[name][: rows.size] = old[rows]
            elif name.startswith("component"):
                arrays[name][: components.size] = old[components]
        else:
            known = name not in WRITABLE_IN_VIEW or name in _TRUE
            arrays[name] = old.copy() if known else np.zeros_like(old)
    twin = Tables(**arrays)
    twin.lengthen_record(size, **FREE_ROW)
    twin.record[: rows.size] = t.record[rows]
    twin.copy_scalars(t)
    _begin_anew(twin)
    _list_rows(twin, waiting.size, running.size, suspended.size)
    _number_components(twin, components, rows.size, t.component_tasks.size)
    return twin


def _components_of(t: Tables, rows: Ints) -> Ints:
    """The components of these rows' requests, the one of plain jobs first."""
    found = [0]
    for row in rows[t.job_wishes[rows] > 0].tolist():
        component = int(t.job_components[row])
        while component > 0:
            found.append(component)
            component = int(t.component_next[component])
    return np.array(found, dtype=np.int64)


def _begin_anew(t: Tables) -> None:
    """No policy has looked at these tables yet."""
    t.replan = 1
    t.decided = t.hole_count = t.leaving = t.explain = 0
    t.class_room_epoch = t.class_start_epoch = t.class_scans = t.class_count = 0
    t.spoil_head = t.partitions_counted = 0
    t.shape_without_room[:] = t.shape_spoils[:] = 0


def _list_rows(t: Tables, waiting: int, running: int, suspended: int) -> None:
    in_all, size = waiting + running + suspended, t.job_state.size
    t.waiting_head, t.waiting_tail = 0, waiting
    t.waiting[:waiting] = np.arange(waiting)
    t.running[:running] = np.arange(waiting, waiting + running)
    t.suspended[:suspended] = np.arange(waiting + running, in_all)
    t.free_rows = size - in_all
    t.free_row[: t.free_rows] = np.arange(in_all, size)[::-1]


def _number_components(t: Tables, components: Ints, rows: int, numbers: int) -> None:
    """Give the components, which have been taken over with their old numbers in them, the new ones."""
    new = np.zeros(numbers, dtype=np.int64)
    new[components] = np.arange(components.size)
    t.job_components[:rows] = new[t.job_components[:rows]]
    following = t.component_next[: components.size]
    following[:] = np.where(following > 0, new[np.maximum(following, 0)], -1)
    t.entry_component[:] = new[t.entry_component]
    t.wishing = int(np.count_nonzero(t.job_wishes[:rows]))
    t.component_free, t.component_spare = -1, 0
    more_components(t, components.size)
