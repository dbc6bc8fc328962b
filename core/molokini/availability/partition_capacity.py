"""Room in partitions by counting: plain jobs, where partitions are the only rule of nodes.

A task of a plain job takes one processor of any node of a partition, so numbers of processors tell whether
the job has room there. They are counted once for each state of the nodes, so that most jobs of a long queue
need no look at every node.
"""

from molokini.availability.node_rules import PARTITIONS, may_use, partition_at
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import FloatTable
from molokini.model.states import NodeState
from molokini.tables.tables import View


@inner
def counting_does(view: View, row: int) -> bool:
    """Whether counting alone tells where *row* has room."""
    return bool(view.hosts.count == 0 and counting_bounds(view, row))


@inner
def counting_bounds(view: View, row: int) -> bool:
    """Whether *row* surely has no room where counting finds none; nodes may be reserved besides."""
    return bool(view.placing.rules == PARTITIONS and view.jobs.needs_placement[row] == 0)


@kernel
def partition_with_room(view: View, row: int) -> int:
    """The partition in which *row*, for which counting does, would be placed now; -1: none has room."""
    _count(view)
    for k in range(view.partitions.count + 1):
        partition = partition_at(view, row, k)
        if partition >= 0 and view.partitions.free[partition] >= view.jobs.width[row]:
            return partition
    return -1


@kernel
def spares_by_count(view: View, row: int, head: int) -> bool:
    """As ``shadow.spares_head`` without taking anything, where counting does for *row* and for *head*."""
    taken = partition_with_room(view, row)
    if taken < 0:
        return False
    for k in range(view.partitions.count):
        partition = view.partitions.order[k]
        left = view.partitions.later[partition] - (view.jobs.width[row] if partition == taken else 0)
        if may_use(view, head, partition) and left >= view.jobs.width[head]:
            return True
    return False


@kernel
def may_have_room(view: View, room: FloatTable, row: int) -> bool:
    """False where *row*, which counting bounds, surely finds no partition in such a *room* of each node."""
    seldom()
    for k in range(view.partitions.count):
        partition, left = view.partitions.order[k], view.jobs.width[row]
        if not may_use(view, row, partition):
            continue
        for node in range(view.nodes.count):
            if view.nodes.partition[node] == partition and view.nodes.state[node] == NodeState.UP:
                left -= max(0, int(room[node, 0]))
                if left <= 0:
                    return True
    return False


@kernel
def _count(view: View) -> None:
    if view.partitions.counted == view.cycle.start_epoch:
        return
    seldom()
    view.partitions.counted = view.cycle.start_epoch
    for k in range(view.partitions.count):
        view.partitions.free[view.partitions.order[k]] = view.partitions.later[view.partitions.order[k]] = 0
    for node in range(view.nodes.count):
        if view.nodes.state[node] == NodeState.UP:
            view.partitions.free[view.nodes.partition[node]] += int(view.nodes.free[node, 0])
            view.partitions.later[view.nodes.partition[node]] += int(view.nodes.scratch[node, 0])


@kernel
def most_free(view: View, row: int) -> int:
    """The most idle processors of one partition that *row* may use."""
    _count(view)
    most = 0
    for k in range(view.partitions.count):
        partition = view.partitions.order[k]
        if may_use(view, row, partition):
            most = max(most, view.partitions.free[partition])
    return int(most)
