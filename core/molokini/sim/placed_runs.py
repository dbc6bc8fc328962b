"""Jobs whose run time follows from their place: it is known as soon as they start."""

from molokini.applications.placed import COSTS
from molokini.compiled.compilation import kernel, seldom
from molokini.shared.placed_kernels import Place, run_s, together
from molokini.sim.agenda import Agenda
from molokini.tables.tables import Tables


@kernel
def set_run(a: Agenda, t: Tables, row: int, job: int) -> None:
    """*job* starts where its allocation lies: ``run_s`` becomes the time that it takes there.

    It is killed at its estimate, or as long after it as it may run on, all the same.
    """
    seldom()
    place = _place_of(t, row) if t.nodes.count > 0 else together(t.jobs.width[row])
    first = COSTS * job
    costs = (
        a.workload.costs_s[first],
        a.workload.costs_s[first + 1],
        a.workload.costs_s[first + 2],
        a.workload.costs_s[first + 3],
    )
    taken_s = run_s(a.workload.kind, a.workload.amount[job], place, costs)
    if a.workload.overrun_s.size > 0:
        taken_s = min(taken_s, t.jobs.estimate_s[row] + a.workload.overrun_s[job])
    a.workload.run_s[job] = taken_s if t.machine.overrun else min(taken_s, t.jobs.estimate_s[row])


@kernel
def _place_of(t: Tables, row: int) -> Place:
    """How the allocation of *row* lies over the clusters."""
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
    return Place(tasks, fewest, most)
