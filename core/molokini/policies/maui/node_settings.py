"""What an administrator can say about nodes: which ones a job gets, and what single nodes are (NODECFG)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from molokini.policies.maui.words import Allocation, NodeTerm


@dataclass(frozen=True)
class NodeLine:
    """One line of NODECFG; what is not said comes from DEFAULT's."""

    priority: float | None = None
    function: Mapping[NodeTerm, float] | None = None
    """PRIORITYF; none: the priority alone."""
    speed: float | None = None
    """SPEED: how fast the node is, compared with others."""
    processor_speed: float | None = None
    """PROCSPEED (MHz): where nobody has a SPEED."""


@dataclass(frozen=True)
class NodeSettings:
    """Which nodes a job gets, where nodes are not interchangeable."""

    allocation: Allocation = Allocation.LOCAL
    lines: Mapping[str, NodeLine] = field(default_factory=dict)
    """NODECFG by the name of the node; the name DEFAULT speaks for all."""
