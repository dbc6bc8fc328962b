"""What a job asks for: one or more components, and the job's shape.

A component is so many tasks; each needs one resource vector inside one node. The plain job of a
log has one component of one-processor tasks that may go anywhere; only such jobs can be placed by
counting, without a look at nodes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property

from molokini.model.errors import BadValue
from molokini.model.resources import Resource

MOST_CHOICES = 4
"""``Component.any_of`` has no more sets."""
MOST_LICENSES = 4
"""``Component.licenses`` has no more kinds."""
LICENSE_COUNT = 1 << 31
"""A kind of licence and a count are one number, by this: more of one kind no job can hold."""
ANYWHERE = -1
"""``Component.where`` of a component without a wish for a group of nodes."""


class Shape(IntEnum):
    """What a policy may choose about a job; BSP and PERIODIC are numbers kept for later."""

    RIGID = 0
    MOLDABLE = 1
    COMPONENTS = 2
    DIVISIBLE = 3
    BSP = 4
    PERIODIC = 5


class Spread(IntEnum):
    """How the tasks of one component may lie over the clusters of the machine (groups of nodes)."""

    NODES = 0
    """On any nodes: clusters do not matter."""
    ONE_CLUSTER = 1
    """All in one cluster, in which no other component of the job lies."""
    CLUSTERS = 2
    """Over the fewest clusters that have room."""


@dataclass(frozen=True)
class Component:
    """*tasks* tasks, each taking *need* of one node of group *where* (or ``ANYWHERE``)."""

    tasks: int
    need: Mapping[Resource, float] = field(default_factory=lambda: {Resource.PROCESSORS: 1.0})
    where: int = ANYWHERE
    tasks_per_node: int = 0
    """The most tasks on one node; 0 is no limit."""
    features: int = 0
    """Bits that a node must have."""
    spread: Spread = Spread.NODES
    least_nodes: int = 0
    """The fewest nodes on which the tasks may lie; 0 is any number."""
    most_nodes: int = 0
    """The most; 0 is no limit."""
    alone: bool = False
    """Whether no other job may be on its nodes. Only a policy that chooses nodes itself heeds these three."""
    any_of: tuple[int, ...] = ()
    """Of each of these sets of bits a node must have one or more; at most ``MOST_CHOICES``."""
    one_of: int = 0
    """Bits of which all nodes of the job must share one; 0: none."""
    apart: bool = False
    """Whether it has no node together with an earlier component of the job."""
    licenses: tuple[tuple[int, int], ...] = ()
    """The licences that the job holds while it runs: numbers of kinds, and how many of each; of its first
    component. Only a policy that counts licences heeds them."""

    def __post_init__(self) -> None:
        if self.tasks < 1:
            raise BadValue("tasks", self.tasks, "1 or more")
        if any(not amount >= 0 for amount in self.need.values()):
            raise BadValue("need", dict(self.need), "zero or more of each resource")
        if len(self.any_of) > MOST_CHOICES or not all(self.any_of):
            raise BadValue("any_of", self.any_of, f"at most {MOST_CHOICES} sets of bits, none of them empty")
        if len(self.licenses) > MOST_LICENSES:
            raise BadValue("licenses", len(self.licenses), f"at most {MOST_LICENSES} kinds")
        if any(not 0 < count < LICENSE_COUNT for _, count in self.licenses):
            raise BadValue("licenses", dict(self.licenses), "counts from 1 to 2^31 - 1")
        if self.need.get(Resource.PROCESSORS, 0) != int(self.need.get(Resource.PROCESSORS, 0)):
            raise BadValue("processors", self.need[Resource.PROCESSORS], "a whole number")

    @property
    def processors(self) -> int:
        """Processors of all tasks together."""
        return self.tasks * int(self.need.get(Resource.PROCESSORS, 0))

    @property
    def spreads_anywhere(self) -> bool:
        """Whether only the number of processors matters, not which ones the job gets."""
        wants = {resource for resource, amount in self.need.items() if amount > 0}
        one_each = self.need.get(Resource.PROCESSORS, 0) == 1
        return (
            wants <= {Resource.PROCESSORS}
            and one_each
            and self.where == ANYWHERE
            and not (self.tasks_per_node or self.features or self.spread)
            and not (self.any_of or self.one_of or self.apart)
            and not (self.least_nodes or self.most_nodes or self.alone or self.licenses)
        )

    @property
    def packed_licenses(self) -> list[int]:
        """``licenses``, a number each, and zeros up to ``MOST_LICENSES``."""
        made = [number * LICENSE_COUNT + count for number, count in self.licenses]
        return [*made, *[0] * (MOST_LICENSES - len(made))]


@dataclass(frozen=True)
class Request:
    """One or more components that start and end together."""

    components: tuple[Component, ...]
    shape: Shape = Shape.RIGID

    def __post_init__(self) -> None:
        if not self.components:
            raise BadValue("components", (), "one or more")
        if self.shape not in (Shape.RIGID, Shape.COMPONENTS):
            raise BadValue(
                "shape", self.shape.name.lower(), "rigid or components (others come with their policies)"
            )
        if len({component.spread for component in self.components}) > 1:
            raise BadValue(
                "spread", [c.spread.name.lower() for c in self.components], "one for all components"
            )
        if self.components[0].spread is Spread.ONE_CLUSTER:
            # Components bound to a cluster, then the largest: so they find room if any order does.
            object.__setattr__(self, "components", tuple(sorted(self.components, key=_hardest_first)))

    @cached_property
    def processors(self) -> int:
        """Processors of all components together."""
        return sum(component.processors for component in self.components)

    @cached_property
    def words(self) -> str:
        """The request in full; equal requests have equal words."""
        return repr(self)

    @cached_property
    def counted(self) -> bool:
        """Whether the request can be placed by counting processors alone."""
        return all(component.spreads_anywhere for component in self.components)


def _hardest_first(component: Component) -> tuple[bool, int]:
    return component.where == ANYWHERE, -component.processors


def plain(processors: int) -> Request:
    """The request of a log's job: so many processors, anywhere."""
    return Request((Component(processors),))
