"""A request on nodes that have the features of an expression, as bits."""

from collections.abc import Callable
from dataclasses import replace

from molokini.model.constraints import Clauses, constraint_of
from molokini.model.errors import BadValue
from molokini.model.requests import MOST_CHOICES, Component, Request, Shape

MOST_PARTS = 16
"""Components of a job that counts nodes by their features."""


def constrained(text: str, whole: Component, bit_of: Callable[[str], int]) -> Request:
    """The request of a job that would be *whole* without its constraint *text*: a component for each number
    of nodes. *bit_of* has the bit of each feature. Raises BadValue, and what *bit_of* raises.
    """
    asked = constraint_of(text)
    if not asked.counted:
        return Request((_on_nodes_with(asked.every, asked.one_of, whole, text, bit_of),))
    if not whole.tasks_per_node:
        raise BadValue("constraint", text[:60], "a number of nodes (*) only where nodes are asked for, too")
    counted = asked.counted
    if len(counted) == 1:
        # More than all nodes are all nodes, as Slurm has it.
        counted = ((counted[0][0], min(counted[0][1], whole.tasks)),)
    elif asked.least_nodes > whole.tasks:
        raise BadValue("constraint", text[:60], f"no more than the job's {whole.tasks:,} nodes")
    parts = [
        replace(_on_nodes_with((*asked.every, *clauses), asked.one_of, whole, text, bit_of), tasks=count)
        for clauses, count in counted
    ]
    if rest := whole.tasks - sum(count for _, count in counted):
        parts.append(replace(_on_nodes_with(asked.every, asked.one_of, whole, text, bit_of), tasks=rest))
    if len(parts) > MOST_PARTS:
        raise BadValue("constraint", text[:60], f"at most {MOST_PARTS - 1} numbers of nodes")
    return Request(
        tuple(replace(part, apart=True) for part in parts),
        Shape.COMPONENTS if len(parts) > 1 else Shape.RIGID,
    )


def _on_nodes_with(
    clauses: Clauses, one_of: tuple[str, ...], whole: Component, text: str, bit_of: Callable[[str], int]
) -> Component:
    """*whole* on nodes that have a feature of each clause."""
    bits, choices = whole.features, list[int]()
    for names in clauses:
        mask = sum(bit_of(name) for name in sorted(names))
        if len(names) == 1:
            bits |= mask
        else:
            choices.append(mask)
    if len(choices) > MOST_CHOICES:
        allowed = f"at most {MOST_CHOICES} alternatives once it is written as (a|b)&(c|d)"
        raise BadValue("constraint", text[:60], allowed)
    shared = sum(bit_of(name) for name in one_of)
    return replace(whole, features=bits, any_of=tuple(sorted(choices)), one_of=shared)
