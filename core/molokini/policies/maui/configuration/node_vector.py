"""``NodeSettings`` as rows of the policy's vector: DEFAULT's, then those of nodes by their numbers."""

from collections.abc import Sequence

from molokini.availability.node_rules import COUNTS, PARTITIONS, RULES, SETS, NodeRule, SetPolicy
from molokini.model.credentials import CredentialType
from molokini.model.site import NO_NODE, NOT_YET, NodeNumberOf
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSettings
from molokini.policies.maui.configuration.parameters import MauiParameters
from molokini.policies.maui.configuration.settings import DEFAULT, MauiSettings
from molokini.policies.maui.configuration.slots import NODE_ROW, Column, NodeColumn
from molokini.policies.maui.configuration.words import QosFlag, SetAttribute


def unknown_nodes(_name: str) -> int:
    """``NodeNumberOf`` where nodes have no names: only DEFAULT's line counts."""
    return NO_NODE


def node_rows(
    nodes: NodeSettings, number_of: NodeNumberOf, partitions: Sequence[str] = ()
) -> list[list[float]]:
    """The rows; nodes that do not exist have none."""
    default = nodes.lines.get(DEFAULT, NodeLine())
    by_speed = any(line.speed is not None for line in nodes.lines.values())
    numbered = {number_of(name): line for name, line in nodes.lines.items() if name != DEFAULT}
    known = [(number, numbered[number]) for number in sorted(numbered) if number >= 0]
    rows = [
        _row(default, default, -1, by_speed, nodes.features),
        *(_row(line, default, number, by_speed, nodes.features) for number, line in known),
    ]
    if partitions:
        for row, line in zip(rows, [default, *(line for _, line in known)], strict=True):
            row[NodeColumn.PARTITION] = float(partitions.index(partition_of(line, default)))
    return rows


def partition_of(line: NodeLine, default: NodeLine) -> str:
    """The partition of the nodes of *line*."""
    return line.partition or default.partition or DEFAULT


def awaited(nodes: NodeSettings, number_of: NodeNumberOf, partitions: Sequence[str]) -> int:
    """Bits of the *partitions* in which lines put nodes that have not registered yet."""
    default = nodes.lines.get(DEFAULT, NodeLine())
    names = {
        partition_of(line, default)
        for name, line in nodes.lines.items()
        if name != DEFAULT and number_of(name) == NOT_YET
    }
    return sum(1 << partitions.index(name) for name in names) if partitions else 0


def _row(
    line: NodeLine, default: NodeLine, number: int, by_speed: bool, features: Sequence[str]
) -> list[float]:
    row = [0.0] * NODE_ROW
    row[NodeColumn.NUMBER] = number
    row[NodeColumn.PRIORITY] = _first(line.priority, default.priority, 0.0)
    if by_speed:
        row[NodeColumn.SPEED] = _first(line.speed, default.speed, 1.0)
    else:
        row[NodeColumn.SPEED] = _first(line.processor_speed, default.processor_speed, 0.0)
    row[NodeColumn.PROCESSOR_SPEED] = _first(line.processor_speed, default.processor_speed, 0.0)
    row[NodeColumn.ACCESS] = _first(line.access, default.access, -1)
    row[NodeColumn.MOST_JOBS] = _first(line.most_jobs, default.most_jobs, 0)
    row[NodeColumn.MOST_JOBS_PER_USER] = _first(line.most_jobs_per_user, default.most_jobs_per_user, 0)
    row[NodeColumn.FEATURES] = _bits(line.features or default.features, features)
    function = line.function if line.function is not None else default.function
    row[NodeColumn.HAS_FUNCTION] = function is not None
    for term, weight in (function or {}).items():
        row[NodeColumn.TERMS + term] = weight
    return [float(number) for number in row]


def _first(own: float | None, default: float | None, otherwise: float) -> float:
    if own is not None:
        return own
    return otherwise if default is None else default


def set_numbers(nodes: NodeSettings) -> list[float]:
    """What makes each set: the place of its feature, or its value."""
    sets = nodes.sets
    if sets.attribute is SetAttribute.NONE:
        return []
    if sets.by_number:
        return [float(value) for value in sets.values]
    named = sets.values or [name for line in nodes.lines.values() for name in line.features]
    return [float(nodes.features.index(name)) for name in dict.fromkeys(named)]


def put_of_all_nodes(at: MauiParameters, settings: MauiSettings) -> None:
    """Put what is said of all nodes into the vector *at*."""
    sets = settings.nodes.sets
    at.node_rules = _rules(settings)
    at.set_count = len(set_numbers(settings.nodes))
    at.set_policy, at.set_attribute = sets.policy, sets.attribute
    at.set_insisted, at.set_tolerance, at.set_order = sets.insisted, sets.tolerance, sets.order
    at.feature_count = len(settings.nodes.features)


def put_features(
    rows: list[list[float]], settings: MauiSettings, kind: CredentialType, named: Sequence[str]
) -> None:
    """Put into the *rows* of QoSes, or of queues, what the nodes of their jobs must have.

    *named* are their names in the order of the rows, DEFAULT's first.
    """
    nodes = settings.nodes
    wanted = nodes.qos_features if kind is CredentialType.QOS else nodes.queue_features
    for row, name in zip(rows, named, strict=True):
        features = wanted.get(name, wanted.get(DEFAULT, ()))
        row[Column.NODE_FEATURES] = float(_bits(features, nodes.features))


def _rules(settings: MauiSettings) -> int:
    lines = settings.nodes.lines.values()
    rules = 0
    flags = [qos.flags for qos in settings.qos.values()]
    credentials = [one for kind in CredentialType for one in settings.credentials(kind).values()]
    credentials.append(settings.system)
    flags += [one.job_flags for one in credentials]
    dedicated = any(QosFlag.DEDICATED in one for one in flags)
    bounded = any(one.max_processors_per_node for one in credentials)
    wanted = settings.nodes.qos_features or settings.nodes.queue_features or dedicated or bounded
    if any(line.access or line.most_jobs for line in lines) or wanted:
        rules |= RULES
    if any(line.access is NodeRule.UNIQUE_USER or line.most_jobs_per_user for line in lines):
        rules |= RULES | COUNTS
    sets = settings.nodes.sets
    if sets.policy is not SetPolicy.NONE and sets.attribute is not SetAttribute.NONE:
        rules |= RULES | SETS
    if settings.partitions:
        rules |= PARTITIONS
    return rules


def _bits(names: Sequence[str], features: Sequence[str]) -> int:
    return sum(1 << features.index(name) for name in dict.fromkeys(names))
