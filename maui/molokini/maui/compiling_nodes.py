"""What the configuration says of nodes, as the policy ``maui`` takes it."""

from molokini.maui.model import MauiConfig
from molokini.maui.sections.nodes import Node, NodeSets
from molokini.policies.maui.configuration.node_settings import NodeLine, NodeSettings
from molokini.policies.maui.configuration.node_settings import NodeSets as Sets
from molokini.policies.maui.configuration.words import Allocation, NodeTerm, SetAttribute

# Three names that only Maui's source has, and no guide explains.
_SIMILAR = {
    "MINLOCAL": Allocation.MINRESOURCE,
    "MINGLOBAL": Allocation.MINRESOURCE,
    "FIRSTSET": Allocation.FIRSTAVAILABLE,
}


def node_settings(config: MauiConfig) -> NodeSettings:
    """Which nodes a job gets."""
    allocation = config.nodes.allocation
    return NodeSettings(
        allocation=_SIMILAR[allocation] if allocation in _SIMILAR else Allocation[allocation],
        access=config.nodes.access,
        sets=_sets(config.node_sets),
        qos_features=dict(config.nodes.qos_features),
        queue_features={
            name: one.default_features for name, one in config.classes.items() if one.default_features
        },
        lines={name: _line(one) for name, one in config.node.items()},
    )


def _line(one: Node) -> NodeLine:
    function: dict[NodeTerm, float] = {}
    for weight, term in one.priority_function or ():
        function[term] = function.get(term, 0.0) + weight
    return NodeLine(
        priority=one.priority,
        function=function if one.priority_function is not None else None,
        access=one.access,
        most_jobs=one.most_jobs,
        most_jobs_per_user=one.most_jobs_per_user,
        features=(*one.features, *one.network),
        partition=one.partition or "",
        speed=one.speed,
        processor_speed=None if one.processor_speed is None else float(one.processor_speed),
    )


def _sets(one: NodeSets) -> Sets:
    return Sets(
        policy=one.policy,
        attribute=SetAttribute.FEATURE if one.attribute is SetAttribute.NETWORK else one.attribute,
        values=one.values,
        insisted=one.delay_s > 0,
        tolerance=one.tolerance,
        order=one.order,
    )
