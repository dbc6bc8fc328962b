"""Partitions: parts of the nodes that no job spans, and which jobs may use which: PARTITION, PLIST, PDEF.

Reference, sections 8 and 11. Lists of partitions count as those of QoSes do; without any list a job may use
all. Placement keeps to what is written down here (``molokini.availability.node_rules``).
"""

from molokini.availability.node_rules import PARTITIONS
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.credentials import CredentialType
from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.policies.maui.configuration.parameters import parameters
from molokini.policies.maui.configuration.slots import Column, NodeColumn
from molokini.policies.maui.configuration.words import ListRule
from molokini.policies.maui.knowledge.memory import mine
from molokini.policies.maui.nodes.node_rows import node_setting
from molokini.tables.tables import View

_IN_TURN = (
    int(CredentialType.USER),
    int(CredentialType.GROUP),
    int(CredentialType.ACCOUNT),
    int(CredentialType.QOS),
    int(CredentialType.QUEUE),
)
"""In which order the lists and defaults of credentials count; the system's come last."""
_LINES = len(_IN_TURN) + 1


@kernel
def find_partitions(view: View) -> None:
    """An iteration begins: find the partition of each node, and those that each credential may use."""
    seldom()
    if mine(view).nodes_new:
        mine(view).divided = 0
        view.partitions.awaited = parameters(view).partitions_awaited
        _divide_nodes(view)
    for credential in range(mine(view).divided, view.credentials.user.size):
        view.credentials.barred[credential] = ~_allowed(view, credential)
        view.credentials.first[credential] = _first_default(view, credential)
        view.credentials.widest[credential] = 0
    mine(view).divided = view.credentials.user.size
    _add_up_processors(view)


@kernel
def _divide_nodes(view: View) -> None:
    view.partitions.count = 0
    for node in range(view.nodes.count):
        partition = int(node_setting(view, node, NodeColumn.PARTITION))
        view.nodes.partition[node] = partition
        known = False
        for k in range(view.partitions.count):
            known = known or view.partitions.order[k] == partition
        if not known:
            view.partitions.order[view.partitions.count] = partition
            view.partitions.count += 1


@kernel
def _add_up_processors(view: View) -> None:
    """Processors in service in each partition, and the most in one partition that each credential may use."""
    for k in range(view.partitions.count):
        view.partitions.processors[view.partitions.order[k]] = 0
    for node in range(view.nodes.count):
        if view.nodes.state[node] == NodeState.UP:
            processors = int(view.nodes.total[node, Resource.PROCESSORS])
            view.partitions.processors[view.nodes.partition[node]] += processors
    for credential in range(view.credentials.user.size):
        most = 0
        for k in range(view.partitions.count):
            partition = view.partitions.order[k]
            if not (view.credentials.barred[credential] >> partition) & 1:
                most = max(most, view.partitions.processors[partition])
        view.credentials.most[credential] = most


@kernel
def _line(view: View, credential: int, k: int) -> int:
    """Where the settings of line *k* of those that count for *credential* begin; -1: it has none."""
    if k == len(_IN_TURN):
        return parameters(view).system
    return int(view.scopes.row[view.credentials.scope[credential, _IN_TURN[k]]])


@kernel
def _allowed(view: View, credential: int) -> int:
    """Bits of the partitions that jobs of *credential* may use."""
    listed, allowed = False, 0
    for k in range(_LINES):
        row = _line(view, credential, k)
        if row < 0:
            continue
        names = int(view.parameters[row + Column.PARTITION_LIST])
        if names >= 0 and view.parameters[row + Column.PARTITION_RULE] == ListRule.ALONE:
            return names
        if names >= 0:
            listed = True
            allowed |= names
        if view.parameters[row + Column.PARTITION_DEFAULT] >= 0.0:
            allowed |= 1 << int(view.parameters[row + Column.PARTITION_DEFAULT])
    if not listed:
        return -1
    for k in range(_LINES):
        row = _line(view, credential, k)
        if (
            row >= 0
            and view.parameters[row + Column.PARTITION_LIST] >= 0.0
            and view.parameters[row + Column.PARTITION_RULE] == ListRule.ALL
        ):
            allowed &= int(view.parameters[row + Column.PARTITION_LIST])
    return allowed


@kernel
def _first_default(view: View, credential: int) -> int:
    for k in range(_LINES):
        row = _line(view, credential, k)
        if row >= 0 and view.parameters[row + Column.PARTITION_DEFAULT] >= 0.0:
            return int(view.parameters[row + Column.PARTITION_DEFAULT])
    return -1


@inner
def too_wide_for_all(view: View, row: int) -> bool:
    """Whether no partition that *row* may use has enough processors in service."""
    return bool(
        view.placing.rules & PARTITIONS
        and view.jobs.width[row] > view.credentials.most[view.jobs.credential[row]]
    )


@kernel
def most_in_service(view: View, row: int) -> int:
    """The most processors in service in one partition that *row* may use."""
    return int(view.credentials.most[view.jobs.credential[row]])
