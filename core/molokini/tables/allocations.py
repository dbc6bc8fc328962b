"""Allocations: which node holds how many tasks of which component, as chains of entries.

A verb writes the chain when it places a job and takes the room from ``nodes.free`` at once, so that
the next verb of the pass sees it; the cycle takes all of it back before the decisions are applied, and
the transition takes it for good.
"""

from molokini.compiled.compilation import kernel, seldom
from molokini.model.resources import Resource
from molokini.model.states import JobState
from molokini.tables.tables import Tables


@kernel
def write_entries(t: Tables, row: int, count: int) -> bool:
    """Keep the first *count* placed (node, tasks, component) triples as the allocation of *row*.

    False, and nothing kept, when there are not enough entries.
    """
    t.jobs.entries[row] = -1
    for k in range(count):
        entry = t.entries.free
        if entry < 0:
            drop_entries(t, row)
            return False
        t.entries.free = t.entries.next[entry]
        t.entries.node[entry] = t.placing.node[k]
        t.entries.tasks[entry] = t.placing.tasks[k]
        t.entries.component[entry] = t.placing.component[k]
        t.entries.next[entry] = t.jobs.entries[row]
        t.jobs.entries[row] = entry
    return True


@kernel
def drop_entries(t: Tables, row: int) -> None:
    """Forget the allocation of *row*; the room is not touched."""
    entry = t.jobs.entries[row]
    while entry >= 0:
        following = t.entries.next[entry]
        t.entries.next[entry] = t.entries.free
        t.entries.free = entry
        entry = following
    t.jobs.entries[row] = -1


@kernel
def change_room(t: Tables, row: int, sign: float) -> None:
    """Add (+1) or take (-1) what the allocation of *row* needs to or from ``nodes.free``."""
    seldom()
    entry = t.jobs.entries[row]
    while entry >= 0:
        node, component = t.entries.node[entry], t.entries.component[entry]
        for resource in range(t.nodes.free.shape[1]):
            t.nodes.free[node, resource] += (
                sign * t.entries.tasks[entry] * t.components.need[component, resource]
            )
        entry = t.entries.next[entry]


@kernel
def change_processor_room(t: Tables, row: int, sign: float) -> None:
    """The same of processors alone: a job that is suspended in place keeps everything else that it has."""
    seldom()
    entry = t.jobs.entries[row]
    while entry >= 0:
        need = t.components.need[t.entries.component[entry], Resource.PROCESSORS]
        t.nodes.free[t.entries.node[entry], Resource.PROCESSORS] += sign * t.entries.tasks[entry] * need
        entry = t.entries.next[entry]


@kernel
def processors_of(t: Tables, row: int) -> int:
    """Processors of the allocation of *row*: at least those that it asks for; more where nodes give them out
    several together.
    """
    seldom()
    processors, entry = 0.0, t.jobs.entries[row]
    while entry >= 0:
        need = t.components.need[t.entries.component[entry], Resource.PROCESSORS]
        processors += t.entries.tasks[entry] * need
        entry = t.entries.next[entry]
    return max(int(processors), int(t.jobs.width[row]))


@kernel
def give_kept(t: Tables, row: int) -> None:
    """Give back what a job that is suspended in place has kept of its nodes; its allocation stays known."""
    change_room(t, row, 1.0)
    change_processor_room(t, row, -1.0)


@kernel
def is_in_place(t: Tables, row: int) -> bool:
    """Whether a job was suspended in place: it has nodes still, and on them all but processors."""
    if t.nodes.count == 0 or t.queue.suspended_count == 0 or row < 0 or row >= t.jobs.state.size:
        return False
    return bool(t.jobs.state[row] == JobState.SUSPENDED and t.jobs.entries[row] >= 0)


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
def give_place(t: Tables, row: int, in_place: bool) -> None:
    """The same, or, *in_place*, its processors become free, and nothing is forgotten."""
    if in_place:
        change_processor_room(t, row, 1.0)
    else:
        give_entries(t, row)


@kernel
def uses_node(t: Tables, row: int, node: int) -> bool:
    """Whether the allocation of *row* touches *node*."""
    entry = t.jobs.entries[row]
    while entry >= 0:
        if t.entries.node[entry] == node:
            return True
        entry = t.entries.next[entry]
    return False


def entries_of(t: Tables, row: int) -> tuple[tuple[int, int, int], ...]:
    """The allocation of *row* as (node, tasks, component), in the order in which it was placed."""
    found, entry = list[tuple[int, int, int]](), int(t.jobs.entries[row])
    while entry >= 0:
        found.append(
            (int(t.entries.node[entry]), int(t.entries.tasks[entry]), int(t.entries.component[entry]))
        )
        entry = int(t.entries.next[entry])
    return tuple(reversed(found))
