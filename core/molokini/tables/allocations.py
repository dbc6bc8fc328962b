"""Allocations: which node holds how many tasks of which component, as chains of entries.

A verb writes the chain when it places a job and takes the room from ``node_free`` at once, so that
the next verb of the pass sees it; the cycle takes all of it back before the decisions are applied, and
the transition takes it for good.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.tables.tables import Tables


@kernel
def write_entries(t: Tables, row: int, count: int) -> bool:
    """Keep the first *count* placed (node, tasks, component) triples as the allocation of *row*.

    False, and nothing kept, when there are not enough entries.
    """
    t.job_entries[row] = -1
    for k in range(count):
        entry = t.entry_free
        if entry < 0:
            drop_entries(t, row)
            return False
        t.entry_free = t.entry_next[entry]
        t.entry_node[entry] = t.placed_node[k]
        t.entry_tasks[entry] = t.placed_tasks[k]
        t.entry_component[entry] = t.placed_component[k]
        t.entry_next[entry] = t.job_entries[row]
        t.job_entries[row] = entry
    return True


@kernel
def drop_entries(t: Tables, row: int) -> None:
    """Forget the allocation of *row*; the room is not touched."""
    entry = t.job_entries[row]
    while entry >= 0:
        following = t.entry_next[entry]
        t.entry_next[entry] = t.entry_free
        t.entry_free = entry
        entry = following
    t.job_entries[row] = -1


@kernel
def change_room(t: Tables, row: int, sign: float) -> None:
    """Add (+1) or take (-1) what the allocation of *row* needs to or from ``node_free``."""
    seldom()
    entry = t.job_entries[row]
    while entry >= 0:
        node, component = t.entry_node[entry], t.entry_component[entry]
        for resource in range(t.node_free.shape[1]):
            t.node_free[node, resource] += sign * t.entry_tasks[entry] * t.component_need[component, resource]
        entry = t.entry_next[entry]


@kernel
def take_entries(t: Tables, row: int) -> None:
    """The allocation of *row* becomes busy."""
    change_room(t, row, -1.0)


@kernel
def give_entries(t: Tables, row: int) -> None:
    """The allocation of *row* becomes free and is forgotten."""
    seldom()
    change_room(t, row, 1.0)
    drop_entries(t, row)


@kernel
def uses_node(t: Tables, row: int, node: int) -> bool:
    """Whether the allocation of *row* touches *node*."""
    entry = t.job_entries[row]
    while entry >= 0:
        if t.entry_node[entry] == node:
            return True
        entry = t.entry_next[entry]
    return False
