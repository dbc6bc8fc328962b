"""Which jobs share a node, and which nodes belong together: NODEACCESSPOLICY, NODECFG, NODESET...

Reference, sections 10 and 11. The settings become rules for each node, which placement keeps
(``molokini.availability.node_rules``).
"""

from molokini.availability.node_rules import (
    COUNTS,
    MOST_SETS,
    PARTITIONS,
    RULES,
    SETS,
    NodeRule,
    count_holders,
    hold_nodes,
)
from molokini.availability.placement import could_ever_place
from molokini.compiled.compilation import inner, kernel, seldom
from molokini.model.credentials import CredentialType
from molokini.model.resources import Resource
from molokini.policies.maui.configuration.parameters import HEADER, parameters
from molokini.policies.maui.configuration.slots import Column, NodeColumn
from molokini.policies.maui.configuration.words import QosFlag, SetAttribute
from molokini.policies.maui.knowledge.memory import mine
from molokini.policies.maui.knowledge.scopes import setting
from molokini.policies.maui.nodes.allocation import counts_jobs
from molokini.policies.maui.nodes.node_rows import node_setting
from molokini.policies.maui.nodes.partitions import find_partitions
from molokini.tables.tables import View

_KB_A_MB = 1024.0


@inner
def set_rules(view: View) -> None:
    """An iteration begins: say which rules hold on which nodes, and count the jobs on them."""
    if view.nodes.count > 0:
        rules = _rules(view)
        if rules > 0:
            _set_rules(view, rules)
        if rules > 0 or counts_jobs(view):
            count_holders(view)


@inner
def note_placed(view: View, row: int) -> None:
    """*row* has been started."""
    if view.placing.rules > 0 or counts_jobs(view):
        hold_nodes(view, row)


@kernel
def could_ever_run(view: View, row: int) -> bool:
    """Whether the nodes, all of them up and empty, would take *row* under the rules.

    A plain job without rules of its own needs no check if a wider one has passed it. Where nodes of a
    partition that the job may use have not registered yet, it is not known, and the answer is yes.
    """
    seldom()
    credential, barred = view.jobs.credential[row], 0
    if view.placing.rules & PARTITIONS:
        barred = view.credentials.barred[credential]
        if view.partitions.awaited & ~barred:
            return True
    plain = view.jobs.needs_placement[row] == 0 and view.credentials.bits[credential] == 0
    plain = (
        plain
        and view.credentials.rule[credential] == NodeRule.SHARED
        and view.credentials.per_node[credential] == 0
    )
    widest = view.credentials.widest[credential] if barred else mine(view).widest
    if plain and view.jobs.width[row] <= widest:
        return True
    if not could_ever_place(view, row):
        return False
    if plain and barred:
        view.credentials.widest[credential] = view.jobs.width[row]
    elif plain:
        mine(view).widest = view.jobs.width[row]
    return True


@kernel
def _rules(view: View) -> int:
    rules = parameters(view).node_rules if view.parameters.size > HEADER else 0
    if parameters(view).node_access != NodeRule.SHARED:
        rules |= RULES
    if parameters(view).node_access == NodeRule.UNIQUE_USER:
        rules |= COUNTS
    return rules


@kernel
def _set_rules(view: View, rules: int) -> None:
    seldom()
    view.placing.rules = rules
    written = view.parameters.size > HEADER
    if mine(view).nodes_new:
        mine(view).widest = 0
        for node in range(view.nodes.count):
            own = int(node_setting(view, node, NodeColumn.ACCESS)) if written else -1
            view.nodes.rule[node] = own if own >= 0 else parameters(view).node_access
            view.nodes.most[node] = int(node_setting(view, node, NodeColumn.MOST_JOBS))
            view.nodes.most_of_one[node] = int(node_setting(view, node, NodeColumn.MOST_JOBS_PER_USER))
            view.nodes.bits[node] = int(node_setting(view, node, NodeColumn.FEATURES))
            view.nodes.speed[node] = node_setting(view, node, NodeColumn.SPEED)
        if rules & SETS:
            _find_sets(view)
        mine(view).ruled = 0
    for credential in range(mine(view).ruled, view.credentials.user.size):
        qos = view.credentials.scope[credential, CredentialType.QOS]
        queue = view.credentials.scope[credential, CredentialType.QUEUE]
        dedicated = (view.credentials.flags[credential] >> QosFlag.DEDICATED) & 1
        view.credentials.rule[credential] = NodeRule.SINGLE_JOB if dedicated else NodeRule.SHARED
        features = int(setting(view, qos, Column.NODE_FEATURES))
        features |= int(setting(view, queue, Column.NODE_FEATURES))
        view.credentials.bits[credential] = features
        view.credentials.per_node[credential] = _most_per_node(view, credential)
    mine(view).ruled = view.credentials.user.size
    if rules & PARTITIONS:
        find_partitions(view)


@kernel
def _most_per_node(view: View, credential: int) -> int:
    """The least that its members, and the system, let a job have on one node; 0: none of them bounds it."""
    least = 0.0
    if view.parameters.size > HEADER:
        least = view.parameters[parameters(view).system + Column.PER_NODE]
    for kind in range(CredentialType.QOS + 1):
        most = setting(view, view.credentials.scope[credential, kind], Column.PER_NODE)
        if most > 0.0 and (least == 0.0 or most < least):
            least = most
    return int(least)


@kernel
def _find_sets(view: View) -> None:
    """Which nodes are in which set."""
    seldom()
    view.placing.set_policy = parameters(view).set_policy
    view.placing.set_order = parameters(view).set_order
    view.placing.set_insisted = parameters(view).set_insisted
    view.placing.set_count = parameters(view).set_count
    for node in range(view.nodes.count):
        view.nodes.sets[node] = 0
    if view.placing.set_count > 0:
        for k in range(view.placing.set_count):
            _join_set(view, k, view.parameters[parameters(view).sets + k])
    elif parameters(view).set_attribute != SetAttribute.FEATURE:
        # Each value that a node has is a set, as long as there are not too many.
        for node in range(view.nodes.count):
            if view.placing.set_count < MOST_SETS and not _is_known(view, node):
                view.nodes.seen[view.placing.set_count] = node
                view.placing.set_count += 1
                _join_set(view, view.placing.set_count - 1, _value_of(view, node))


@kernel
def _is_known(view: View, node: int) -> bool:
    for k in range(view.placing.set_count):
        if _value_of(view, view.nodes.seen[k]) == _value_of(view, node):
            return True
    return False


@kernel
def _join_set(view: View, number: int, value: float) -> None:
    most = value
    if parameters(view).set_attribute != SetAttribute.MEMORY:
        most = value * (1.0 + parameters(view).set_tolerance)
    for node in range(view.nodes.count):
        if parameters(view).set_attribute == SetAttribute.FEATURE:
            inside = (view.nodes.bits[node] >> int(value)) & 1 == 1
        else:
            inside = value <= _value_of(view, node) <= most
        if inside:
            view.nodes.sets[node] |= 1 << number


@kernel
def _value_of(view: View, node: int) -> float:
    if parameters(view).set_attribute == SetAttribute.MEMORY:
        return float(view.nodes.total[node, Resource.MEMORY_KB] / _KB_A_MB)
    return node_setting(view, node, NodeColumn.PROCESSOR_SPEED)
