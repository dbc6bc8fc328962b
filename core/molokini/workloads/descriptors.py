"""Nodes and processors in the last field that a log has behind SWF's eighteen: ``frontier:excl:2500x112``.

The logs of Frontier of 2024 and 2025 have one, and fields 5 and 8 of theirs are now nodes and now cores; the
descriptor counts. Source: Maheshwari et al., Workload Traces from the Frontier Exascale Supercomputer (2026).
"""

import re
from collections.abc import Mapping
from dataclasses import replace
from math import prod

import numpy as np

from molokini.workloads.header import LARGEST_MACHINE, header_integer
from molokini.workloads.notes import MACHINE_OF_NODES, PROCESSORS_FROM_DESCRIPTOR
from molokini.workloads.records import Lines
from molokini.workloads.workload import SWF_FIELDS, Floats, Ints, Workload

_DESCRIPTOR = re.compile(rb"[^:\s]+:[^:\s]+:([0-9]{1,9})x([0-9]{1,9})")
_COUNTS = [SWF_FIELDS.index(name) for name in ("allocated_processors", "requested_processors")]


def nodes_and_each(text: bytes) -> tuple[int, int]:
    """Nodes, and processors of each, that a descriptor tells; zeros where *text* is none."""
    match = _DESCRIPTOR.fullmatch(text)
    if match is None or not 0 < int(match[1]) * int(match[2]) <= LARGEST_MACHINE:
        return 0, 0
    return int(match[1]), int(match[2])


Shapes = Mapping[int, tuple[int, int]]
"""Nodes and processors of each, by the line of a record that has a descriptor."""


def descriptors_of(found: Lines) -> Shapes:
    """What the descriptors tell that stand behind the last field of records."""
    shapes = {line: nodes_and_each(text) for line, text in found.extra.items()}
    return {line: shape for line, shape in shapes.items() if shape[0]}


def described(records: Floats, lines: Ints, shapes: Shapes) -> Floats:
    """*records*, which stand on *lines*, with the processors that their descriptors tell."""
    if not shapes:
        return records
    totals = np.array([prod(shapes.get(line, (0,))) for line in lines.tolist()], np.float64)
    told = totals > 0
    changed = records.copy()
    for column in _COUNTS:
        changed[told, column] = totals[told]
    return changed


def on_its_machine(workload: Workload, shapes: Shapes) -> Workload:
    """*workload* with the processors of its machine, where its header counts nodes and these are alike."""
    if not shapes:
        return workload
    notes = {**workload.notes, PROCESSORS_FROM_DESCRIPTOR: len(shapes)}
    nodes, each = header_integer(workload.header, "MaxNodes"), {each for _, each in shapes.values()}
    if nodes is None or workload.machine_processors != nodes or len(each) > 1:
        return replace(workload, notes=notes)
    machine = nodes * each.pop()
    wide = int((workload.processors > machine).sum())
    notes |= {MACHINE_OF_NODES: machine, "processors_above_machine": wide}
    return replace(
        workload, machine_processors=machine, notes={name: count for name, count in notes.items() if count}
    )
