"""A machine of several clusters: how many nodes each has, and how long messages inside and between take."""

import math
from dataclasses import dataclass

from molokini.model.errors import BadValue

MOST_NODES = 1_000_000


@dataclass(frozen=True)
class Cluster:
    """Equal nodes behind one fast network."""

    nodes: int
    processors_per_node: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.nodes <= MOST_NODES:
            raise BadValue("nodes", self.nodes, f"a whole number from 1 to {MOST_NODES:,}")
        if not 1 <= self.processors_per_node <= MOST_NODES:
            raise BadValue(
                "processors per node", self.processors_per_node, f"a whole number from 1 to {MOST_NODES:,}"
            )

    @property
    def processors(self) -> int:
        """Processors of all nodes."""
        return self.nodes * self.processors_per_node


@dataclass(frozen=True)
class Platform:
    """Clusters in their order; a message takes ``inside_s`` in a cluster and ``between_s`` between two."""

    clusters: tuple[Cluster, ...]
    inside_s: float = 0.0
    between_s: float = 0.0

    def __post_init__(self) -> None:
        if not self.clusters:
            raise BadValue("clusters", 0, "one or more")
        if sum(cluster.nodes for cluster in self.clusters) > MOST_NODES:
            raise BadValue("clusters", len(self.clusters), f"at most {MOST_NODES:,} nodes in all")
        if not (math.isfinite(self.inside_s) and self.inside_s >= 0):
            raise BadValue("message time", self.inside_s, "a number of seconds, 0 or more")
        if not (math.isfinite(self.between_s) and self.between_s >= self.inside_s):
            raise BadValue(
                "message time between clusters",
                self.between_s,
                f"at least that inside one, {self.inside_s:g} s",
            )

    @property
    def processors(self) -> int:
        """Processors of all clusters."""
        return sum(cluster.processors for cluster in self.clusters)
