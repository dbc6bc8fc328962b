"""The engine's side of communicating jobs: their run time is known when their place is."""

from molokini.applications import communicating
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.sim.agenda import Agenda
from molokini.tables.tables import Tables

_extension_s = inner(communicating.extension_s)


@kernel
def communicate(a: Agenda, t: Tables, row: int, job: int) -> None:
    """*job* starts where its allocation lies: ``run_s`` becomes what it will take there.

    A job is killed at its estimate, or so long after it, all the same.
    """
    seldom()
    tasks = fewest = most = t.job_width[row]
    if t.nodes > 0:
        tasks, fewest, most = _parts(t, row)
    alone_s = a.alone_s[job]
    inside_s, between_s = a.inside_s[job], a.between_s[job]
    run_s = alone_s + _extension_s(a.pattern, alone_s, tasks, fewest, most, inside_s, between_s)
    if a.overrun_s.size > 0:
        run_s = min(run_s, t.job_estimate_s[row] + a.overrun_s[job])
    a.run_s[job] = run_s if t.overrun else min(run_s, t.job_estimate_s[row])


@kernel
def _parts(t: Tables, row: int) -> tuple[int, int, int]:
    """(tasks, fewest of a cluster, most of a cluster) of the allocation of *row*."""
    for cluster in range(t.clusters):
        t.cluster_tasks[cluster] = 0
    entry = t.job_entries[row]
    while entry >= 0:
        t.cluster_tasks[t.node_group[t.entry_node[entry]]] += t.entry_tasks[entry]
        entry = t.entry_next[entry]
    tasks = most = fewest = 0
    for cluster in range(t.clusters):
        here = t.cluster_tasks[cluster]
        tasks += here
        most = max(most, here)
        if here > 0 and (fewest == 0 or here < fewest):
            fewest = here
    return tasks, fewest, most
