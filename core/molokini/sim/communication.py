"""Communicating jobs in the engine: their run time is known as soon as their place is."""

from molokini.applications import communicating
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.sim.agenda import Agenda
from molokini.tables.tables import Tables

_extension_s = inner(communicating.extension_s)


@kernel
def communicate(a: Agenda, t: Tables, row: int, job: int) -> None:
    """*job* starts where its allocation lies: ``run_s`` becomes the time that it will take there.

    It is killed at its estimate, or as long after it as it may run on, all the same.
    """
    seldom()
    tasks = fewest = most = t.jobs.width[row]
    if t.nodes.count > 0:
        tasks, fewest, most = _parts(t, row)
    alone_s = a.alone_s[job]
    inside_s, between_s = a.inside_s[job], a.between_s[job]
    run_s = alone_s + _extension_s(a.pattern, alone_s, tasks, fewest, most, inside_s, between_s)
    if a.overrun_s.size > 0:
        run_s = min(run_s, t.jobs.estimate_s[row] + a.overrun_s[job])
    a.run_s[job] = run_s if t.machine.overrun else min(run_s, t.jobs.estimate_s[row])


@kernel
def _parts(t: Tables, row: int) -> tuple[int, int, int]:
    """(tasks, fewest of a cluster, most of a cluster) of the allocation of *row*."""
    for cluster in range(t.clusters.count):
        t.clusters.tasks[cluster] = 0
    entry = t.jobs.entries[row]
    while entry >= 0:
        t.clusters.tasks[t.nodes.group[t.entries.node[entry]]] += t.entries.tasks[entry]
        entry = t.entries.next[entry]
    tasks = most = fewest = 0
    for cluster in range(t.clusters.count):
        here = t.clusters.tasks[cluster]
        tasks += here
        most = max(most, here)
        if here > 0 and (fewest == 0 or here < fewest):
            fewest = here
    return tasks, fewest, most
