"""Partitions: parts of the nodes that no job spans, and who may be in which: PARTITION, PLIST, PDEF.

Reference, sections 8 and 11. Lists of partitions count as those of QoSes do; without any list all are free.
Placement keeps to what is written down here (``molokini.room.node_rules``).
"""

from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.policies.maui.memory import DIVIDED, NODES_NEW
from molokini.policies.maui.node_rows import node_setting
from molokini.policies.maui.slots import HEADER, Column, Directory, NodeColumn
from molokini.policies.maui.words import CredentialType, ListRule
from molokini.room.node_rules import PARTITIONS
from molokini.tables.tables import View

_AWAITED = HEADER + int(Directory.PARTITIONS_AWAITED)
_SYSTEM = HEADER + int(Directory.SYSTEM)
_PARTITION = int(NodeColumn.PARTITION)
_LIST = int(Column.PARTITION_LIST)
_RULE = int(Column.PARTITION_RULE)
_DEFAULT = int(Column.PARTITION_DEFAULT)
_ALL = int(ListRule.ALL)
_ALONE = int(ListRule.ALONE)
_IN_TURN = (
    int(CredentialType.USER),
    int(CredentialType.GROUP),
    int(CredentialType.ACCOUNT),
    int(CredentialType.QOS),
    int(CredentialType.QUEUE),
)
"""Whose list or default goes before whose; the system's comes last."""
_LINES = len(_IN_TURN) + 1
_PROCESSORS = int(Resource.PROCESSORS)
_UP = int(NodeState.UP)


@kernel
def find_partitions(view: View) -> None:
    """An iteration begins: say where each node is, and where each credential may be."""
    seldom()
    if view.global_i[NODES_NEW]:
        view.global_i[DIVIDED] = 0
        view.partitions_awaited = int(view.parameters[_AWAITED])
        _divide_nodes(view)
    for credential in range(view.global_i[DIVIDED], view.credential_user.size):
        view.credential_barred[credential] = ~_allowed(view, credential)
        view.credential_first[credential] = _first_default(view, credential)
        view.credential_widest[credential] = 0
    view.global_i[DIVIDED] = view.credential_user.size
    _add_up_processors(view)


@kernel
def _divide_nodes(view: View) -> None:
    view.partitions = 0
    for node in range(view.nodes):
        partition = int(node_setting(view, node, _PARTITION))
        view.node_partition[node] = partition
        known = False
        for k in range(view.partitions):
            known = known or view.partition_order[k] == partition
        if not known:
            view.partition_order[view.partitions] = partition
            view.partitions += 1


@kernel
def _add_up_processors(view: View) -> None:
    """What of each partition is in service, and the most of it that each credential may have."""
    for k in range(view.partitions):
        view.partition_processors[view.partition_order[k]] = 0
    for node in range(view.nodes):
        if view.node_state[node] == _UP:
            processors = int(view.node_total[node, _PROCESSORS])
            view.partition_processors[view.node_partition[node]] += processors
    for credential in range(view.credential_user.size):
        most = 0
        for k in range(view.partitions):
            partition = view.partition_order[k]
            if not (view.credential_barred[credential] >> partition) & 1:
                most = max(most, view.partition_processors[partition])
        view.credential_most[credential] = most


@kernel
def _line(view: View, credential: int, k: int) -> int:
    """Where the settings of line *k* of those that count for *credential* begin; -1: it has none."""
    if k == len(_IN_TURN):
        return int(view.parameters[_SYSTEM])
    return int(view.scope_row[view.credential_scope[credential, _IN_TURN[k]]])


@kernel
def _allowed(view: View, credential: int) -> int:
    """Bits of the partitions in which jobs of *credential* may be."""
    listed, allowed = False, 0
    for k in range(_LINES):
        row = _line(view, credential, k)
        if row < 0:
            continue
        names = int(view.parameters[row + _LIST])
        if names >= 0 and view.parameters[row + _RULE] == _ALONE:
            return names
        if names >= 0:
            listed = True
            allowed |= names
        if view.parameters[row + _DEFAULT] >= 0.0:
            allowed |= 1 << int(view.parameters[row + _DEFAULT])
    if not listed:
        return -1
    for k in range(_LINES):
        row = _line(view, credential, k)
        if row >= 0 and view.parameters[row + _LIST] >= 0.0 and view.parameters[row + _RULE] == _ALL:
            allowed &= int(view.parameters[row + _LIST])
    return allowed


@kernel
def _first_default(view: View, credential: int) -> int:
    for k in range(_LINES):
        row = _line(view, credential, k)
        if row >= 0 and view.parameters[row + _DEFAULT] >= 0.0:
            return int(view.parameters[row + _DEFAULT])
    return -1


@inner
def too_wide_for_all(view: View, row: int) -> bool:
    """Whether no partition that *row* may use has enough processors in service."""
    return bool(
        view.node_rules & PARTITIONS and view.job_width[row] > view.credential_most[view.job_credential[row]]
    )


@kernel
def most_in_service(view: View, row: int) -> int:
    """The most processors in service in one partition that *row* may use."""
    return int(view.credential_most[view.job_credential[row]])
