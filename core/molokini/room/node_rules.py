"""Whose tasks may go to which node, where a policy has rules about that: sharing, features, sets, partitions.

The policy writes down the rules of nodes and who is there (``node_rule``, ``node_holder``, ``node_jobs``),
once a pass and with each start; placement asks here. Of a future instant only the room is known: a node that
is empty then takes anybody whom its rule admits, one that is not is judged by who is there now. So a promised
start may be later than it could be, never earlier.
"""

from enum import IntEnum

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.compiled.structs import FloatTable
from molokini.model.decisions import Decision
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
    """The smallest that does."""
    WORST_FIT = 1
    BEST_RESOURCE = 2
    """The fastest."""
    MIN_LOSS = 3
    """That in which the least speed is wasted: a job is as fast as the slowest of its nodes."""


RULES, COUNTS, SETS, PARTITIONS = 1, 2, 4, 8
"""Bits of ``node_rules``: there are rules; jobs of single users are counted; there are sets, partitions."""
SEVERAL, CLOSED = -1, -2
"""``node_holder``: jobs of several users; a job that has the node for itself."""
MOST_SETS = 48

_SHARED_ONLY = int(NodeRule.SHARED_ONLY)
_SINGLE_JOB = int(NodeRule.SINGLE_JOB)
_SINGLE_TASK = int(NodeRule.SINGLE_TASK)
_SINGLE_USER = int(NodeRule.SINGLE_USER)
_UNIQUE_USER = int(NodeRule.UNIQUE_USER)
_START = int(Decision.START)
_NEARLY = 1.0 - 1e-9


@inner
def admits(t: Tables, room: FloatTable, node: int) -> bool:
    """Whether tasks of the job that is being placed may go to *node*, which has so much *room*."""
    if t.partition_now > 0 and t.node_partition[node] != t.partition_now - 1:
        return False
    if t.node_mask and not t.node_sets[node] & t.node_mask:
        return False
    if t.placed_features & ~t.node_bits[node]:
        return False
    if t.placed_rule == _SINGLE_JOB and t.node_rule[node] == _SHARED_ONLY:
        return False
    return not _taken(t, room, node) or _admits_beside(t, node)


@inner
def may_use(t: Tables, row: int, partition: int) -> bool:
    """Whether the job of *row* may be in *partition*, where there are any."""
    return not (t.credential_barred[t.job_credential[row]] >> partition) & 1


@inner
def partition_at(t: Tables, row: int, k: int) -> int:
    """The partition that *row* tries as number *k* of ``partitions`` + 1; -1: none that it may use.

    Its own comes first, then all in the order of their nodes.
    """
    first = t.credential_first[t.job_credential[row]]
    partition = first if k == 0 else t.partition_order[k - 1]
    if partition < 0 or (k > 0 and partition == first) or not may_use(t, row, partition):
        return -1
    return int(partition)


@kernel
def _taken(t: Tables, room: FloatTable, node: int) -> bool:
    for resource in range(room.shape[1]):
        # Amounts that were taken and given back may be off by a last digit.
        if room[node, resource] < t.node_total[node, resource] * _NEARLY:
            return True
    return False


@kernel
def _admits_beside(t: Tables, node: int) -> bool:
    """Whether the job may go to a node on which others are."""
    rule = t.node_rule[node]
    if t.node_holder[node] == CLOSED or t.placed_rule == _SINGLE_JOB:
        return False
    if rule == _SINGLE_JOB or rule == _SINGLE_TASK:
        return False
    if rule == _SINGLE_USER and t.node_holder[node] != t.placed_holder:
        return False
    if 0 < t.node_most[node] <= t.node_jobs[node]:
        return False
    return not (t.node_rules & COUNTS and 0 < _most_of_one(t, node) <= t.node_own_jobs[node])


@inner
def _most_of_one(t: Tables, node: int) -> int:
    return 1 if t.node_rule[node] == _UNIQUE_USER else int(t.node_most_of_one[node])


@inner
def at_most(t: Tables, node: int, tasks: int, each: float) -> int:
    """So many of *tasks* of *each* processors as the rule of *node*, and whoever's job it is, let on it."""
    if t.placed_most > 0 and each > 0.0:
        tasks = min(tasks, int(t.placed_most / each))
    return min(tasks, 1) if t.node_rule[node] == _SINGLE_TASK else tasks


@kernel
def begin_placing(t: Tables, row: int) -> None:
    """Say whose job is placed."""
    seldom()
    credential = t.job_credential[row]
    t.placed_holder = t.credential_user[credential] + 1
    t.placed_rule = t.credential_rule[credential]
    t.placed_features = t.credential_bits[credential]
    t.placed_most = t.credential_per_node[credential]
    if t.node_rules & COUNTS and not t.all_up:
        _count_of_one(t)


@kernel
def _count_of_one(t: Tables) -> None:
    """How many jobs of the same user are on each node, those that this pass has started included."""
    for node in range(t.nodes):
        t.node_own_jobs[node] = 0
    for k in range(t.running_count):
        _add_of_one(t, t.running[k])
    for k in range(t.decided):
        if t.decisions[k, 0] == _START:
            _add_of_one(t, t.decisions[k, 1])


@kernel
def _add_of_one(t: Tables, row: int) -> None:
    if t.credential_user[t.job_credential[row]] + 1 != t.placed_holder:
        return
    first = t.job_entries[row]
    entry = first
    while entry >= 0:
        node, earlier = t.entry_node[entry], first
        while earlier != entry and t.entry_node[earlier] != node:
            earlier = t.entry_next[earlier]
        if earlier == entry:
            t.node_own_jobs[node] += 1
        entry = t.entry_next[entry]


@kernel
def count_holders(t: Tables) -> None:
    """Find out anew who is on which node."""
    seldom()
    for node in range(t.nodes):
        t.node_jobs[node] = t.node_holder[node] = 0
    for k in range(t.running_count):
        hold_nodes(t, t.running[k])


@kernel
def hold_nodes(t: Tables, row: int) -> None:
    """*row* is on the nodes of its allocation, as far as rules look at that."""
    seldom()
    credential = t.job_credential[row]
    holder = t.credential_user[credential] + 1
    first = t.job_entries[row]
    entry = first
    while entry >= 0:
        node, earlier = t.entry_node[entry], first
        while earlier != entry and t.entry_node[earlier] != node:
            earlier = t.entry_next[earlier]
        if earlier == entry:
            t.node_jobs[node] += 1
            if t.credential_rule[credential] == _SINGLE_JOB:
                t.node_holder[node] = CLOSED
            elif t.node_holder[node] == 0:
                t.node_holder[node] = holder
            elif t.node_holder[node] != holder and t.node_holder[node] != CLOSED:
                t.node_holder[node] = SEVERAL
        entry = t.entry_next[entry]
