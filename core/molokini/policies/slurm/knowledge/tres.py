"""What a job takes of each trackable resource, and what that bills."""

from molokini.compiled.compilation import kernel, seldom
from molokini.model.resources import Resource
from molokini.policies.slurm.configuration.line_layout import TRES, Part
from molokini.policies.slurm.configuration.parameters import parameters
from molokini.policies.slurm.configuration.words import Tres
from molokini.policies.slurm.knowledge.who import part_row
from molokini.tables.requests import resource_of
from molokini.tables.tables import View

MAX_TRES, MAX_TRES_GRES = 1, 2
_KB = 1024.0


@kernel
def tres_of(view: View, row: int, part: int, tres: int, cpus: int, nodes: int) -> float:
    """What a job takes of one TRES where it has so many *cpus* and *nodes*; memory in MB."""
    if tres == Tres.BILLING:
        return float(int(billed(view, row, part, cpus, nodes)))
    return _taken(view, row, tres, cpus, nodes)


@kernel
def _taken(view: View, row: int, tres: int, cpus: int, nodes: int) -> float:
    """The same but for what is billed."""
    if tres == Tres.CPU:
        return float(cpus)
    if tres == Tres.NODE:
        return float(nodes)
    if tres == Tres.MEM:
        return resource_of(view, row, Resource.MEMORY_KB) / _KB
    return resource_of(view, row, Resource.GENERIC_0 + tres - Tres.GENERIC_0)


@kernel
def billed(view: View, row: int, part: int, cpus: int, nodes: int) -> float:
    """The billed TRES of a job: its CPUs, or what the weights of the partition make of all."""
    at = part_row(view, part)
    if view.parameters[at + Part.BILLED] == 0.0:
        return float(cpus)
    return _weighed(view, row, part, cpus, nodes)


@kernel
def _weighed(view: View, row: int, part: int, cpus: int, nodes: int) -> float:
    seldom()
    at, way = part_row(view, part) + Part.BILLING, parameters(view).max_tres
    most, total, generic = 0.0, 0.0, 0.0
    for tres in range(TRES):
        if tres == Tres.BILLING:
            continue
        amount = view.parameters[at + tres] * _taken(view, row, tres, cpus, nodes)
        total += amount
        if tres >= Tres.GENERIC_0:
            generic += amount
        if tres < Tres.GENERIC_0 or way == MAX_TRES:
            most = max(most, amount)
    if way == MAX_TRES:
        return most
    return most + generic if way == MAX_TRES_GRES else total
