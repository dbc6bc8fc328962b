"""What the configuration says of nodes, as the policy ``maui`` takes it."""

from molokini.maui.model import MauiConfig
from molokini.maui.sections.nodes import Node
from molokini.policies.maui.node_settings import NodeLine, NodeSettings
from molokini.policies.maui.words import Allocation, NodeTerm

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
        lines={name: _line(one) for name, one in config.node.items()},
    )


def _line(one: Node) -> NodeLine:
    function: dict[NodeTerm, float] = {}
    for weight, term in one.priority_function or ():
        function[NodeTerm[term]] = function.get(NodeTerm[term], 0.0) + weight
    return NodeLine(
        priority=one.priority,
        function=function if one.priority_function is not None else None,
        speed=one.speed,
        processor_speed=None if one.processor_speed is None else float(one.processor_speed),
    )
