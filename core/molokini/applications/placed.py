"""How long a placed job runs: one call for the engine, the agents and the server's admission.

``run_s`` takes the kind of a job, how much it has to do, its place and its costs, and is the one function
that tells the kinds apart. A new kind is a number in ``kinds``, a file with its closed form, and a branch
here. All are plain functions of numbers: agents and server call them as they are, and
``shared/placed_kernels.py`` makes kernels of ``KERNELS`` for the engine and the policies. Arguments are not
checked.

| kind | amount | costs |
|---|---|---|
| rigid | seconds of work | none |
| divisible loads (``divisible``) | units of load | C_ms, C_ps, ST, SC: ``divisible.Costs.numbers`` |
| communicating tasks (``communicating``) | seconds of computation | a message inside a cluster, between two |
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from molokini.applications import communicating, divisible
from molokini.applications.divisible_chunks import Chunk
from molokini.applications.divisible_chunks import chunks as chunks_of_load
from molokini.applications.kinds import RULES, JobKind

Costs: TypeAlias = tuple[float, float, float, float]
"""Seconds; what each is depends on the kind, and those that a kind does not have are 0."""
FREE: Costs = (0.0, 0.0, 0.0, 0.0)
"""The costs of a job whose place does not matter."""
COSTS = len(FREE)


class Place(NamedTuple):
    """How the tasks of a job lie over clusters."""

    tasks: int
    """Tasks in all: the job's processors."""
    fewest: int
    """Tasks in the cluster that holds the fewest of them, but some."""
    most: int
    """Tasks in the cluster that holds the most."""


def together(tasks: int) -> Place:
    """The place of a job whose tasks all lie in one cluster, or on a machine without clusters."""
    return Place(tasks, tasks, tasks)


def over(parts: Sequence[int]) -> Place:
    """The place of a job with so many tasks in each of some clusters; one or more, each above 0."""
    return Place(sum(parts), min(parts), max(parts))


def run_s(kind: int, amount: float, place: Place, costs: Costs) -> float:
    """Seconds, at rate 1, from the start of a job to its end by itself."""
    if kind == JobKind.RIGID:
        return amount
    if kind == JobKind.OPR or kind == JobKind.EPR:
        return divisible.execution_s(kind, amount, place.tasks, costs[0], costs[1], costs[2], costs[3])
    return amount + communicating.extension_s(
        kind, amount, place.tasks, place.fewest, place.most, costs[0], costs[1]
    )


KERNELS = (*divisible.KERNELS, communicating.extension_s, together, run_s)
"""The functions that are compiled for policies and engine."""


def chunks(kind: int, amount: float, place: Place, costs: Costs) -> tuple[Chunk, ...]:
    """The parts of a job that are sent and computed one by one, in the order of sending; none for most kinds.

    Raises BadValue for an argument out of range.
    """
    rule = next((name for name, cut in RULES.items() if cut == kind), None)
    return () if rule is None else chunks_of_load(rule, amount, place.tasks, divisible.Costs(*costs))
