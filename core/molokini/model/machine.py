"""The machine that tables are made for: interchangeable processors, or a list of nodes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from molokini.model.errors import BadValue
from molokini.model.platforms import Platform
from molokini.model.resources import Resource


@dataclass(frozen=True)
class Node:
    """A kind of node: what one of them offers, its group (cluster, node set) and feature bits."""

    capacity: Mapping[Resource, float]
    group: int = 0
    features: int = 0


@dataclass(frozen=True)
class Machine:
    """The machine: interchangeable processors, or a list of nodes."""

    processors: int
    nodes: tuple[Node, ...] = ()
    names: tuple[str, ...] = ()
    """Of the nodes, in their order, where they have names of their own."""
    generic: tuple[str, ...] = ()
    """What ``Resource.GENERIC_0`` and those after it are called, as far as nodes have them."""
    features: tuple[tuple[str, ...], ...] = ()
    """Names of those of each node, where some have any; a replay gives bits to those that jobs ask for."""

    @staticmethod
    def counted(processors: int) -> "Machine":
        """A machine of so many interchangeable processors."""
        if not 1 <= processors <= 2**40:
            raise BadValue("processors", processors, "a whole number from 1 to 2^40")
        return Machine(processors)

    @staticmethod
    def of_nodes(nodes: Sequence[Node], names: Sequence[str] = (), generic: Sequence[str] = ()) -> "Machine":
        """A machine of these nodes, which may have *names* of their own, and *generic* resources."""
        if not nodes:
            raise BadValue("nodes", 0, "one node or more")
        processors = sum(int(node.capacity.get(Resource.PROCESSORS, 0)) for node in nodes)
        return Machine(processors, tuple(nodes), tuple(names), tuple(generic))

    @staticmethod
    def uniform(nodes: int, processors_per_node: int) -> "Machine":
        """A machine of equal nodes with nothing but processors."""
        if nodes < 1 or processors_per_node < 1:
            raise BadValue("nodes x processors per node", (nodes, processors_per_node), "1 or more each")
        return Machine.of_nodes([Node({Resource.PROCESSORS: float(processors_per_node)})] * nodes)

    @staticmethod
    def of_platform(platform: Platform) -> "Machine":
        """A machine of the nodes of all clusters; those of each cluster are a group."""
        return Machine.of_nodes(
            [
                Node({Resource.PROCESSORS: float(cluster.processors_per_node)}, group=group)
                for group, cluster in enumerate(platform.clusters)
                for _ in range(cluster.nodes)
            ]
        )
