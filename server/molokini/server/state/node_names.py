"""Nodes, features and generic resources, as names and as the numbers that the tables hold."""

from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import Any

from molokini.model import actors
from molokini.model.actors import Actor
from molokini.model.errors import BadValue, UnknownName
from molokini.model.machine import Node
from molokini.model.resources import Resource
from molokini.server.state.kept import Kept

GENERIC = (Resource.GENERIC_0, Resource.GENERIC_1, Resource.GENERIC_2, Resource.GENERIC_3)
UNCOUNTED_KB = 2**53
"""Memory of a node that reports none: jobs may request any amount."""
MOST_FEATURES = 62
"""Bits of a feature word."""


class NodeStatus(StrEnum):
    """Whether a node takes work."""

    UP = "up"
    DRAINING = "draining"
    DOWN = "down"


class NodeRecord:
    """One node beside its row in the tables."""

    __slots__ = (
        "agent",
        "cluster",
        "drained",
        "features",
        "generic",
        "lost_by",
        "memory_kb",
        "name",
        "number",
        "processors",
        "real",
        "reason",
        "status",
    )

    def __init__(
        self,
        number: int,
        name: str,
        agent: str,
        processors: int,
        memory_kb: int,
        generic: dict[str, int],
        features: Sequence[str],
        cluster: str = "",
        real: bool = False,
    ) -> None:
        self.real = real
        """Whether real processes run there, which stay on their node."""
        self.number, self.name, self.agent = number, name, agent
        self.processors, self.memory_kb = processors, memory_kb
        self.generic, self.features, self.cluster = generic, tuple(features), cluster
        self.status, self.reason = NodeStatus.UP, ""
        self.lost_by: Actor = ""
        """Who or what has taken it out of service, while it is down."""
        self.drained: tuple[Actor, str] | None = None
        """Who has drained it, and why: it stays so when it is lost and returns, until it is resumed."""


def _kept(record: NodeRecord) -> list[Any]:
    """Its attributes as JSON has them."""
    values = {name: getattr(record, name) for name in NodeRecord.__slots__}
    values["lost_by"] = actors.written(record.lost_by)
    if record.drained is not None:
        by, why = record.drained
        values["drained"] = [actors.written(by), why]
    return list(values.values())


class Machine:
    """All nodes, and the numbers behind names."""

    def __init__(self) -> None:
        self.nodes: list[NodeRecord] = []
        self.by_name: dict[str, NodeRecord] = {}
        self.clusters: dict[str, int] = {}
        """Processors of each cluster by its name, all nodes counted; in the order in which they have joined,
        which is that of their numbers in the tables."""
        self._real = 0
        """Nodes that run real processes."""
        self._features: dict[str, int] = {}
        self._generic: dict[str, Resource] = {}

    def kept(self) -> Kept:
        """All of it as plain values, for a snapshot."""
        return {
            "nodes": [_kept(record) for record in self.nodes],
            "features": dict(self._features),
            "generic": {name: int(column) for name, column in self._generic.items()},
        }

    def restore(self, kept: Kept) -> None:
        """Become what was kept."""
        for values in kept["nodes"]:
            record = NodeRecord.__new__(NodeRecord)
            for name, value in zip(NodeRecord.__slots__, values, strict=True):
                setattr(record, name, value)
            record.features, record.status = tuple(record.features), NodeStatus(record.status)
            record.lost_by = actors.read(record.lost_by)
            if record.drained is not None:
                who, why = record.drained
                record.drained = (actors.read(who), why)
            self._take(record)
        self._features = kept["features"]
        self._generic = {name: Resource(column) for name, column in kept["generic"].items()}

    @property
    def all_real(self) -> bool:
        """Whether real processes run on all nodes, of which there are some."""
        return 0 < self._real == len(self.nodes)

    @property
    def mixed(self) -> bool:
        """Whether real processes run on some nodes, while others only pretend."""
        return 0 < self._real < len(self.nodes)

    def node(self, name: str) -> NodeRecord:
        """The node called *name*; UnknownName with the nearest."""
        if name not in self.by_name:
            raise UnknownName("node", name, self.by_name)
        return self.by_name[name]

    def add(self, record: NodeRecord) -> Node:
        """Take up *record*; what the tables are to hold of it."""
        self._take(record)
        capacity = {
            Resource.PROCESSORS: float(record.processors),
            Resource.MEMORY_KB: float(record.memory_kb or UNCOUNTED_KB),
        }
        # In the order in which a journal has them, so that a recovery gives each the same column.
        for name, amount in sorted(record.generic.items()):
            capacity[self.generic(name, make=True)] = float(amount)
        bits = 0
        for feature in record.features:
            bits |= self.feature(feature, make=True)
        return Node(capacity, self.cluster_number(record.cluster), bits)

    @property
    def emulated(self) -> bool:
        """Whether there are nodes and none of them runs real processes."""
        return bool(self.nodes) and not self._real

    def _take(self, record: NodeRecord) -> None:
        self.nodes.append(record)
        self._real += record.real
        self.by_name[record.name] = record
        self.clusters[record.cluster] = self.clusters.get(record.cluster, 0) + record.processors

    def cluster_number(self, name: str) -> int:
        """The number of the cluster called *name*, which has nodes."""
        return list(self.clusters).index(name)

    def processors_by_cluster(self, held: Iterable[tuple[int, int]]) -> tuple[int, ...]:
        """How many of *held*, which are (node number, processors), lie in each cluster that has some."""
        counts: dict[str, int] = {}
        for number, processors in held:
            name = self.nodes[number].cluster
            counts[name] = counts.get(name, 0) + processors
        return tuple(counts.values())

    def check_room(self, features: Collection[str], generic: Collection[str]) -> None:
        """BadValue where these, with those that there are, are more than the tables can hold."""
        for field, new, known, most in (
            ("features", features, self._features, MOST_FEATURES),
            ("generic", generic, self._generic, len(GENERIC)),
        ):
            if len(known.keys() | set(new)) > most:
                text = "features and queues with nodes" if field == "features" else "generic resources"
                raise BadValue(field, sorted(set(new) - known.keys())[0], f"at most {most} {text} in all")

    @property
    def features_left(self) -> int:
        """How many more there may be."""
        return MOST_FEATURES - len(self._features)

    def feature(self, name: str, make: bool = False) -> int:
        """The bit of a feature; UnknownName where no node has it."""
        if name not in self._features:
            if not make:
                raise UnknownName("feature", name, [n for n in self._features if ":" not in n])
            if len(self._features) == MOST_FEATURES:
                raise BadValue(
                    "features", name, f"one of at most {MOST_FEATURES} features and queues with nodes"
                )
            self._features[name] = 1 << len(self._features)
        return self._features[name]

    def generic(self, name: str, make: bool = False) -> Resource:
        """The column of a generic resource; UnknownName where no node has it."""
        if name not in self._generic:
            if not make:
                raise UnknownName("generic resource", name, self._generic)
            if len(self._generic) == len(GENERIC):
                raise BadValue("generic", name, f"one of at most {len(GENERIC)} generic resources")
            self._generic[name] = GENERIC[len(self._generic)]
        return self._generic[name]

    def generic_name(self, column: Resource) -> str:
        """The name of the generic resource in *column*."""
        return next(name for name, own in self._generic.items() if own is column)
