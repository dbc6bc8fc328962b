"""Capacity lost to communication as section 3.2 of Bucur and Epema words it, measured from a full queue.

The text defines the external loss as the processors that communicating jobs hold idle and that the job at
the head of the queue would take, and says that the division over clusters is what costs restrictive requests
more. So it is counted while the head is blocked though enough processors are idle in all: of the processors
that are held by jobs in their communication step those that the head would take beside the idle ones, as a
mean over the placements of its components that would be feasible with both. That mean is our reading; the
paper names no placement. It is a loss that is measured, not a difference of two utilizations.
"""

from heapq import heappop, heappush
from itertools import permutations

import numpy as np

from molokini.model.errors import BadValue
from molokini.model.requests import ANYWHERE, Spread
from molokini.sim.schedule import Schedule
from molokini.workloads.components import Components
from molokini.workloads.workload import Floats, Ints


def freed_share(schedule: Schedule, clusters: int, nodes: int) -> float:
    """The share of all processor-seconds, up to the last start, that the heads of the queue were denied.

    *schedule* is of a queue that is never empty (``full_queue``), FCFS by Worst Fit, of jobs that want a
    cluster for each component and begin with their one communication step, on *clusters* clusters of *nodes*
    processors each.
    """
    components = schedule.workload.components
    assert components is not None
    if (
        int(components.count.min()) != clusters
        or (components.spread[components.first] != Spread.ONE_CLUSTER).any()
    ):
        raise BadValue("workload", schedule.workload.name, "of jobs with a component for each cluster")
    where = placements(schedule, components, clusters, nodes)
    communicated_s = schedule.start_s + (schedule.run_s - schedule.workload.run_s)
    count = len(schedule.workload)
    # What changes at each event: processors held and processors in a communication step, by cluster.
    times = np.concatenate([schedule.start_s, communicated_s, schedule.end_s])
    held = np.concatenate([where, np.zeros_like(where), -where])
    stepping = np.concatenate([where, -where, np.zeros_like(where)])
    started = np.concatenate([np.ones(count, np.int64), np.zeros(2 * count, np.int64)])
    order = np.argsort(times, kind="stable")
    times = times[order]
    idle = nodes - np.cumsum(held[order], axis=0)
    stepping = np.cumsum(stepping[order], axis=0)
    head = np.cumsum(started[order])
    length = np.diff(times, append=times[-1])
    last = float(schedule.start_s.max())
    seen = (length > 0) & (times < last) & (head < count)
    width = schedule.workload.processors
    seen[seen] = idle[seen].sum(axis=1) >= width[head[seen]]
    denied = _denied(components, head[seen], idle[seen], stepping[seen])
    total = clusters * nodes * (last - float(schedule.start_s.min()))
    return float(denied @ length[seen]) / total


def placements(schedule: Schedule, components: Components, clusters: int, nodes: int) -> Ints:
    """Processors of each job in each cluster: Worst Fit, the components in their order.

    Found by placing every job again at its start, which therefore must be possible; a row a job.
    """
    found = np.zeros((len(schedule.workload), clusters), dtype=np.int64)
    idle = [nodes] * clusters
    ends: list[tuple[float, int]] = []
    for job in np.argsort(schedule.start_s, kind="stable").tolist():
        while ends and ends[0][0] <= schedule.start_s[job]:
            for cluster, tasks in enumerate(found[heappop(ends)[1]].tolist()):
                idle[cluster] += tasks
        first = int(components.first[job])
        for at in range(first, first + int(components.count[job])):
            tasks, wanted = int(components.tasks[at]), int(components.where[at])
            free = [k for k in range(clusters) if found[job, k] == 0 and wanted in (ANYWHERE, k)]
            cluster = max(free, key=lambda k: (idle[k], -k))
            assert idle[cluster] >= tasks, "the engine started what would not fit here"
            found[job, cluster] = tasks
        for cluster, tasks in enumerate(found[job].tolist()):
            idle[cluster] -= tasks
        heappush(ends, (float(schedule.end_s[job]), job))
    return found


def _denied(components: Components, heads: Ints, idle: Ints, stepping: Ints) -> Floats:
    """Processors in communication steps that each of *heads* would take, by the instant."""
    clusters = idle.shape[1]
    sizes = np.zeros((heads.size, clusters), dtype=np.int64)
    place = np.zeros((heads.size, clusters), dtype=np.int64)
    for k in range(clusters):
        at = components.first[heads] + k
        sizes[:, k], place[:, k] = components.tasks[at], components.where[at]
    fixed = place[:, 0] != ANYWHERE
    sums, ways = np.zeros(heads.size), np.zeros(heads.size)
    for order in permutations(range(clusters)):
        # Component k goes to cluster order[k]; where that is asked for, only as asked.
        wanted = np.zeros_like(sizes)
        wanted[:, order] = sizes
        allowed = ~fixed | (place == np.array(order)).all(axis=1)
        feasible = allowed & (wanted <= idle + stepping).all(axis=1)
        taken = np.maximum(wanted - idle, 0).sum(axis=1)
        sums += np.where(feasible, taken, 0)
        ways += feasible
    return sums / np.maximum(ways, 1)
