"""``NodeSettings`` as rows of the policy's vector: DEFAULT's, then those of nodes by their numbers."""

from collections.abc import Callable

from molokini.policies.maui.node_settings import NodeLine, NodeSettings
from molokini.policies.maui.settings import DEFAULT
from molokini.policies.maui.slots import NODE_ROW, NodeColumn

NodeNumberOf = Callable[[str], int]
"""The number of a node by its name, from 0; below 0: there is none."""


def unknown_nodes(_name: str) -> int:
    """``NodeNumberOf`` where nodes have no names: only what is said of DEFAULT counts."""
    return -1


def node_rows(nodes: NodeSettings, number_of: NodeNumberOf) -> list[list[float]]:
    """The rows; nodes that do not exist have none."""
    default = nodes.lines.get(DEFAULT, NodeLine())
    by_speed = any(line.speed is not None for line in nodes.lines.values())
    numbered = {number_of(name): line for name, line in nodes.lines.items() if name != DEFAULT}
    known = sorted((number, line) for number, line in numbered.items() if number >= 0)
    return [
        _row(default, default, -1, by_speed),
        *(_row(line, default, number, by_speed) for number, line in known),
    ]


def _row(line: NodeLine, default: NodeLine, number: int, by_speed: bool) -> list[float]:
    row = [0.0] * NODE_ROW
    row[NodeColumn.NUMBER] = number
    row[NodeColumn.PRIORITY] = _first(line.priority, default.priority, 0.0)
    if by_speed:
        row[NodeColumn.SPEED] = _first(line.speed, default.speed, 1.0)
    else:
        row[NodeColumn.SPEED] = _first(line.processor_speed, default.processor_speed, 0.0)
    function = line.function if line.function is not None else default.function
    row[NodeColumn.HAS_FUNCTION] = function is not None
    for term, weight in (function or {}).items():
        row[NodeColumn.TERMS + term] = weight
    return [float(number) for number in row]


def _first(own: float | None, default: float | None, otherwise: float) -> float:
    if own is not None:
        return own
    return otherwise if default is None else default
