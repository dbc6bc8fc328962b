"""Which jobs' tasks may go to which node, by a policy's rules: sharing, features, sets, partitions.

The policy writes down the rules of nodes and whose jobs are there (``nodes.rule``, ``nodes.holder``,
``nodes.jobs``), once a pass and with each start; placement reads them here. Of a future instant only the room
is known: a node that is empty then takes any job that its rule admits; for any other node the jobs count that
are there now. So a promised start may be later than it could be, never earlier.
"""

from enum import IntEnum

from molokini.availability.reserved import begins
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import FloatTable
from molokini.tables.tables import Tables


class NodeRule(IntEnum):
    """Which jobs may be on a node together; the stricter of the node's and the job's own holds."""

    SHARED = 0
    SHARED_ONLY = 1
    """As SHARED, and no job that wants nodes for itself."""
    SINGLE_JOB = 2
    SINGLE_TASK = 3
    SINGLE_USER = 4
    UNIQUE_USER = 5
    """One job of each user."""


class SetPolicy(IntEnum):
    """How a job's nodes are chosen out of sets."""

    NONE = 0
    ONE_OF = 1
    FIRST_OF = 2
    ANY_OF = 3


class SetOrder(IntEnum):
    """Which of several sets is taken."""

    BEST_FIT = 0
    """The smallest set that has room."""
    WORST_FIT = 1
    BEST_RESOURCE = 2
    """The fastest."""
    MIN_LOSS = 3
    """The set that wastes the least speed: a job is as fast as the slowest of its nodes."""


RULES, COUNTS, SETS, PARTITIONS = 1, 2, 4, 8
"""Bits of ``placing.rules``: rules; counts of the jobs of single users; sets; partitions."""
SEVERAL, CLOSED = -1, -2
"""``nodes.holder``: jobs of several users; a job that has the node for itself."""
MOST_SETS = 48

_NEARLY = 1.0 - 1e-9


@inner
def admits(t: Tables, room: FloatTable, node: int) -> bool:
    """Whether tasks of the job that is being placed may go to *node*, which has so much *room*.

    What the job's own earlier components take there counts as free: rules are about other jobs.
    """
    if t.placing.partition > 0 and t.nodes.partition[node] != t.placing.partition - 1:
        return False
    if t.placing.mask and not t.nodes.sets[node] & t.placing.mask:
        return False
    if t.placing.features & ~t.nodes.bits[node]:
        return False
    if t.placing.rule == NodeRule.SINGLE_JOB and t.nodes.rule[node] == NodeRule.SHARED_ONLY:
        return False
    return not _taken(t, room, node) or _admits_beside(t, node)


@inner
def may_use(t: Tables, row: int, partition: int) -> bool:
    """Whether the job of *row* may be in *partition*, where there are partitions."""
    return not (t.credentials.barred[t.jobs.credential[row]] >> partition) & 1


@inner
def partition_at(t: Tables, row: int, k: int) -> int:
    """The partition that *row* tries as number *k* of ``partitions`` + 1; -1: none that it may use.

    Its default comes first, then all in the order of their nodes.
    """
    first = t.credentials.first[t.jobs.credential[row]]
    partition = first if k == 0 else t.partitions.order[k - 1]
    if partition < 0 or (k > 0 and partition == first) or not may_use(t, row, partition):
        return -1
    return int(partition)


@kernel
def _taken(t: Tables, room: FloatTable, node: int) -> bool:
    for resource in range(room.shape[1]):
        left = room[node, resource]
        if t.placing.earlier > 0:
            left += _own(t, node, resource)
        # Amounts that were taken and given back may be off by a last digit.
        if left < t.nodes.total[node, resource] * _NEARLY:
            return True
    return False


@kernel
def _own(t: Tables, node: int, resource: int) -> float:
    """What earlier components of the job that is being placed take of *node*."""
    seldom()
    amount = 0.0
    for k in range(t.placing.earlier):
        if t.placing.node[k] == node:
            amount += t.placing.tasks[k] * t.components.need[t.placing.component[k], resource]
    return amount


@kernel
def has_own(t: Tables, node: int) -> bool:
    """Whether earlier components of the job that is being placed have tasks on *node*."""
    for k in range(t.placing.earlier):
        if t.placing.node[k] == node:
            return True
    return False


@kernel
def _admits_beside(t: Tables, node: int) -> bool:
    """Whether the job may go to a node that is not empty."""
    rule = t.nodes.rule[node]
    if t.nodes.holder[node] == CLOSED or t.placing.rule == NodeRule.SINGLE_JOB:
        return False
    if rule == NodeRule.SINGLE_JOB or rule == NodeRule.SINGLE_TASK:
        return False
    if rule == NodeRule.SINGLE_USER and t.nodes.holder[node] != t.placing.holder:
        return False
    if 0 < t.nodes.most[node] <= t.nodes.jobs[node]:
        return False
    return not (t.placing.rules & COUNTS and 0 < _most_of_one(t, node) <= t.nodes.own_jobs[node])


@inner
def _most_of_one(t: Tables, node: int) -> int:
    return 1 if t.nodes.rule[node] == NodeRule.UNIQUE_USER else int(t.nodes.most_of_one[node])


@inner
def at_most(t: Tables, node: int, tasks: int, each: float) -> int:
    """How many of *tasks*, of *each* processors, the rule of *node* and the job's credential let on it."""
    if t.placing.most > 0 and each > 0.0:
        most = float(t.placing.most)
        if t.placing.earlier > 0:
            most -= _own(t, node, 0)
        tasks = min(tasks, int(max(0.0, most) / each))
    if t.nodes.rule[node] != NodeRule.SINGLE_TASK:
        return tasks
    return 0 if has_own(t, node) else min(tasks, 1)


@kernel
def begin_placing(t: Tables, row: int) -> None:
    """Note which user's job is placed, and the rules that it brings along."""
    seldom()
    credential = t.jobs.credential[row]
    t.placing.holder = t.credentials.user[credential] + 1
    t.placing.rule = t.credentials.rule[credential]
    t.placing.features = t.credentials.bits[credential]
    t.placing.most = t.credentials.per_node[credential]
    if t.placing.rules & COUNTS and not t.placing.all_up:
        _count_of_one(t)


@kernel
def _count_of_one(t: Tables) -> None:
    """How many jobs of the same user are on each node, those included that this pass starts or resumes."""
    for node in range(t.nodes.count):
        t.nodes.own_jobs[node] = 0
    for k in range(t.queue.running_count):
        _add_of_one(t, t.queue.running[k])
    for k in range(t.cycle.decided):
        if begins(t, k):
            _add_of_one(t, t.cycle.decisions[k, 1])


@kernel
def _add_of_one(t: Tables, row: int) -> None:
    if t.credentials.user[t.jobs.credential[row]] + 1 != t.placing.holder:
        return
    entry = t.jobs.entries[row]
    while entry >= 0:
        if _first_there(t, row, entry):
            t.nodes.own_jobs[t.entries.node[entry]] += 1
        entry = t.entries.next[entry]


@inner
def _first_there(t: Tables, row: int, entry: int) -> bool:
    """Whether no earlier entry of *row*'s allocation is on the node of *entry*: it counts a node once."""
    earlier = t.jobs.entries[row]
    while t.entries.node[earlier] != t.entries.node[entry]:
        earlier = t.entries.next[earlier]
    return bool(earlier == entry)


@kernel
def count_holders(t: Tables) -> None:
    """Recount which jobs are on each node."""
    seldom()
    for node in range(t.nodes.count):
        t.nodes.jobs[node] = t.nodes.holder[node] = 0
    for k in range(t.queue.running_count):
        hold_nodes(t, t.queue.running[k])


@kernel
def hold_nodes(t: Tables, row: int) -> None:
    """Note for the rules that *row* is on the nodes of its allocation."""
    seldom()
    credential = t.jobs.credential[row]
    holder = t.credentials.user[credential] + 1
    entry = t.jobs.entries[row]
    while entry >= 0:
        if _first_there(t, row, entry):
            node = t.entries.node[entry]
            t.nodes.jobs[node] += 1
            if t.credentials.rule[credential] == NodeRule.SINGLE_JOB:
                t.nodes.holder[node] = CLOSED
            elif t.nodes.holder[node] == 0:
                t.nodes.holder[node] = holder
            elif t.nodes.holder[node] != holder and t.nodes.holder[node] != CLOSED:
                t.nodes.holder[node] = SEVERAL
        entry = t.entries.next[entry]
