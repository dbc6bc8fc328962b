"""What an administrator can set about nodes: which ones a job gets, and what single nodes are (NODECFG)."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from molokini.availability.node_rules import MOST_SETS, NodeRule, SetOrder, SetPolicy
from molokini.model.errors import BadValue
from molokini.policies.maui.configuration.words import Allocation, NodeTerm, SetAttribute


@dataclass(frozen=True)
class NodeLine:
    """One line of NODECFG; what it does not set comes from DEFAULT's."""

    priority: float | None = None
    function: Mapping[NodeTerm, float] | None = None
    """PRIORITYF; none: the priority alone."""
    speed: float | None = None
    """SPEED: how fast the node is, compared with others."""
    processor_speed: float | None = None
    """PROCSPEED (MHz), which counts where no node has a SPEED."""
    access: NodeRule | None = None
    """ACCESS; none: as NODEACCESSPOLICY says."""
    most_jobs: int | None = None
    """MAXJOB; 0: any number."""
    most_jobs_per_user: int | None = None
    """MAXJOBPERUSER; 0: any number."""
    features: tuple[str, ...] = ()
    """FEATURES and NETWORK."""
    partition: str = ""
    """PARTITION; empty: as DEFAULT's line says, else the partition DEFAULT."""


@dataclass(frozen=True)
class NodeSets:
    """Nodes that belong together, and how a job's nodes are chosen out of them (reference, section 10)."""

    policy: SetPolicy = SetPolicy.NONE
    attribute: SetAttribute = SetAttribute.NONE
    values: tuple[str, ...] = ()
    """NODESETLIST; empty: whatever values nodes have."""
    insisted: bool = False
    """NODESETDELAY beyond 0: a job waits rather than run outside a set."""
    tolerance: float = 0.0
    """Speeds of one set may differ by so much of the lowest."""
    order: SetOrder = SetOrder.MIN_LOSS

    def __post_init__(self) -> None:
        if len(self.values) > MOST_SETS:
            raise BadValue("NODESETLIST", len(self.values), f"at most {MOST_SETS} sets")
        if self.by_number:
            for value in self.values:
                _number(value)

    @property
    def by_number(self) -> bool:
        """Whether sets are by a value of their nodes."""
        return self.attribute in (SetAttribute.MEMORY, SetAttribute.PROCESSOR_SPEED)


@dataclass(frozen=True)
class NodeSettings:
    """Which nodes a job gets, where nodes are not interchangeable."""

    allocation: Allocation = Allocation.LOCAL
    access: NodeRule = NodeRule.SHARED
    """NODEACCESSPOLICY."""
    sets: NodeSets = NodeSets()
    qos_features: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """QOSFEATURES: what nodes of a QoS's jobs must have."""
    queue_features: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """DEFAULT.FEATURES of queues that have a line of settings: the same for their jobs."""
    lines: Mapping[str, NodeLine] = field(default_factory=dict)
    """NODECFG by the name of the node; the line DEFAULT counts for all nodes."""

    def __post_init__(self) -> None:
        if len(self.features) > MOST_SETS:
            raise BadValue("features of nodes", len(self.features), f"at most {MOST_SETS} of them")

    @property
    def features(self) -> tuple[str, ...]:
        """Every feature that the settings name, each once."""
        of_sets = self.sets.values if self.sets.attribute is SetAttribute.FEATURE else ()
        of_lines = [name for line in self.lines.values() for name in line.features]
        of_jobs = (*self.qos_features.values(), *self.queue_features.values())
        wanted = [name for names in of_jobs for name in names]
        return tuple(dict.fromkeys([*of_sets, *of_lines, *wanted]))


def _number(value: str) -> float:
    try:
        return float(value)
    except ValueError:
        raise BadValue("NODESETLIST", value, "numbers, where the attribute is a number") from None
