"""Features that jobs of a site's log ask of nodes (``a&b``): on which nodes of a machine the jobs may run."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from molokini.experiments.choosing import Chosen
from molokini.model.constrained import constrained
from molokini.model.constraints import constraint_of
from molokini.model.errors import BadInput
from molokini.model.machine import Machine
from molokini.model.requests import Component, Request
from molokini.workloads.workload import Workload

MOST_FEATURES = 62
"""Bits of a feature word."""


@dataclass(frozen=True)
class Features:
    """The features that jobs ask for, as bits."""

    texts: tuple[str, ...]
    """Expressions, by their numbers."""
    bits: Mapping[str, int]

    @cached_property
    def replayed(self) -> frozenset[str]:
        """The expressions of which nodes have all names."""
        return frozenset(text for text in self.texts if (names := _names(text)) and names <= self.bits.keys())

    def machine(self, plain: Machine) -> Machine:
        """The machine *plain* whose nodes have the bits of their features."""
        nodes = [
            replace(node, features=sum(self.bits.get(name, 0) for name in dict.fromkeys(names)))
            for node, names in zip(plain.nodes, plain.features, strict=True)
        ]
        return replace(plain, nodes=tuple(nodes))

    def request(self, number: int, whole: Component) -> Request | None:
        """*whole* on nodes that have what the expression *number* asks for; None: that cannot be said."""
        text = self.texts[number]
        if text not in self.replayed:
            return None
        try:
            made = constrained(text, _by_node(text, replace(whole, licenses=())), self.bits.__getitem__)
        except BadInput:
            return None
        first, *others = made.components
        return replace(made, components=(replace(first, licenses=whole.licenses), *others))


def features_of(workload: Workload, machine: Machine) -> Features | None:
    """What the jobs of *workload* ask of the nodes of *machine*; None: no job asks, or no node has any."""
    told = workload.recorded
    if told is None or not machine.features or not (told.constraint > 0).any():
        return None
    known = frozenset(name for names in machine.features for name in names)
    texts = workload.names["constraint"]
    # Those of an expression of which a node lacks one are of no use.
    asked = dict.fromkeys(
        name for text in texts if (names := _names(text)) <= known for name in sorted(names)
    )
    return Features(texts, {name: 1 << place for place, name in enumerate([*asked][:MOST_FEATURES])})


def heeded(chosen: Chosen, workload: Workload, machine: Machine) -> Features | None:
    """The same, as far as the policy heeds it: one that counts processors has no nodes to choose from."""
    counts = chosen.policy.declaration.counts(chosen.values)
    return None if counts else features_of(workload, machine)


def _names(text: str) -> frozenset[str]:
    """The features that an expression names; none where it cannot be read."""
    try:
        return constraint_of(text).names
    except BadInput:
        return frozenset()


def _by_node(text: str, whole: Component) -> Component:
    """*whole* as a task for each of its nodes, where the expression counts nodes or wants all alike, and
    where the processors are as many on each; else itself.
    """
    asked = constraint_of(text)
    if not (asked.counted or asked.one_of) or whole.alone:
        return whole
    nodes = whole.least_nodes if whole.least_nodes > 1 else asked.least_nodes
    if nodes < 1 or whole.tasks % nodes:
        return whole
    each = whole.tasks // nodes
    need = {one: amount * each for one, amount in whole.need.items()}
    return replace(whole, tasks=nodes, need=need, tasks_per_node=1, least_nodes=0, most_nodes=0)
