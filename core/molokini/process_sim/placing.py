"""Placing jobs first come, first served, at most so many processes on a CPU.

No two processes of a job share a CPU while there is another. They fill the CPUs of a node before they go to
the next, nodes with the fewest processes first; or they spread over as many nodes as there are. A job for
which there is no room waits, and all that came later with it.
"""

from enum import IntEnum

from molokini.compiled.compilation import inner, kernel
from molokini.process_sim.tables import World
from molokini.process_sim.verbs import admit, drop, head_of, keep, put
from molokini.process_sim.words import Kind


class Placing(IntEnum):
    """Columns of ``own.cpus`` that placing needs: a policy's own begin behind them."""

    NODE = 0
    """The first CPU of the CPU's node."""
    HERE = 1
    """Processes of the job that is being placed, on this CPU, ..."""
    ON_NODE = 2
    """... and, in the row of a node's first CPU, on the node."""
    LOAD = 3
    """In the same row: processes of all jobs on the node."""
    END = 4


@kernel
def prepare_placing(w: World) -> None:
    """Before the first job: which CPUs are of one node."""
    for cpu in range(w.cpus.key.size):
        w.own.cpus[cpu, Placing.NODE] = cpu
        if cpu > 0 and w.cpus.node[cpu] == w.cpus.node[cpu - 1]:
            w.own.cpus[cpu, Placing.NODE] = w.own.cpus[cpu - 1, Placing.NODE]


@kernel
def place_or_keep(w: World, job: int, most: int, spread: int) -> int:
    """Place *job* and return 1 if it is its turn and there is room; else keep it and return 0.

    *most*: processes on a CPU; 0: no limit. *spread*: 0: over as few nodes as can be, 1: over as many.
    """
    if head_of(w, Kind.BE) < 0 and _place(w, job, most, spread):
        return 1
    keep(w, job)
    return 0


@kernel
def place_waiting(w: World, most: int, spread: int) -> None:
    """Place the jobs that wait, in their order, until there is no room for one."""
    job = head_of(w, Kind.BE)
    while job >= 0 and _place(w, job, most, spread):
        drop(w, job)
        job = head_of(w, Kind.BE)


@kernel
def _place(w: World, job: int, most: int, spread: int) -> bool:
    first, count = w.jobs.first[job], w.jobs.count[job]
    if not w.jobs.fixed[job] and most > 0 and _room(w, most) < count:
        return False
    for cpu in range(w.cpus.key.size):
        w.own.cpus[cpu, Placing.HERE] = 0
        w.own.cpus[cpu, Placing.ON_NODE] = 0
        w.own.cpus[cpu, Placing.LOAD] = 0
        w.own.cpus[w.own.cpus[cpu, Placing.NODE], Placing.LOAD] += w.cpus.best_effort[cpu]
    for p in range(first, first + count):
        cpu = w.procs.cpu[p]
        if not w.jobs.fixed[job]:
            cpu = _emptiest(w, most, spread)
        put(w, p, cpu)
        w.own.cpus[cpu, Placing.HERE] += 1
        w.own.cpus[w.own.cpus[cpu, Placing.NODE], Placing.ON_NODE] += 1
        w.own.cpus[w.own.cpus[cpu, Placing.NODE], Placing.LOAD] += 1
    admit(w, job)
    return True


@kernel
def _room(w: World, most: int) -> int:
    """For how many more processes there is room."""
    room = 0
    for cpu in range(w.cpus.key.size):
        room += max(0, most - w.cpus.best_effort[cpu])
    return room


@kernel
def _emptiest(w: World, most: int, spread: int) -> int:
    """The next CPU for a process of the job, of those with room."""
    best = -1
    for cpu in range(w.cpus.key.size):
        if most > 0 and w.cpus.best_effort[cpu] >= most:
            continue
        if best < 0 or _goes_before(w, cpu, best, spread):
            best = cpu
    return best


@inner
def _goes_before(w: World, cpu: int, other: int, spread: int) -> bool:
    here, there = w.own.cpus[cpu, Placing.HERE], w.own.cpus[other, Placing.HERE]
    if here != there:
        return bool(here < there)
    node, another = w.own.cpus[cpu, Placing.NODE], w.own.cpus[other, Placing.NODE]
    mine, others = w.own.cpus[node, Placing.ON_NODE], w.own.cpus[another, Placing.ON_NODE]
    if not spread:
        if (mine > 0) != (others > 0):
            return bool(mine > 0)
        if w.own.cpus[node, Placing.LOAD] != w.own.cpus[another, Placing.LOAD]:
            return bool(w.own.cpus[node, Placing.LOAD] < w.own.cpus[another, Placing.LOAD])
    if w.cpus.best_effort[cpu] != w.cpus.best_effort[other]:
        return bool(w.cpus.best_effort[cpu] < w.cpus.best_effort[other])
    return bool(mine < others)
