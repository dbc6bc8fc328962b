"""What the jobs of a site's log ask of nodes."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from molokini.model.machine import Machine
from molokini.model.requests import Component, Request
from molokini.model.resources import Resource
from molokini.workloads.workload import SWF_FIELDS, Floats, Workload

_MEMORY = SWF_FIELDS.index("requested_memory_kb")
_USED_MEMORY = SWF_FIELDS.index("used_memory_kb")


def requests_of(workload: Workload, machine: Machine) -> dict[int, Request] | None:
    """What the jobs of a site's log ask of the nodes of *machine*; None where only processors count.

    Each task is one processor, with its part of the memory; how many nodes a job wants is as recorded.
    """
    told = workload.recorded
    if told is None or not machine.nodes:
        return None
    memory = any(node.capacity.get(Resource.MEMORY_KB) for node in machine.nodes)
    size_kb = np.maximum(workload.records[:, _MEMORY], 0.0) if memory else np.zeros(len(workload))
    columns = (workload.processors, size_kb, told.least_nodes, told.most_nodes, told.alone)
    made: dict[tuple[Any, ...], Request] = {}
    found = {}
    for row, key in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        tasks, kb, least, most, alone = key
        if not (kb or least > 1 or most or alone):
            continue
        if key not in made:
            need: Mapping[Resource, float] = {
                Resource.PROCESSORS: 1.0,
                **({Resource.MEMORY_KB: kb} if kb else {}),
            }
            made[key] = Request(
                (
                    Component(
                        int(tasks), need, least_nodes=int(least), most_nodes=int(most), alone=bool(alone)
                    ),
                )
            )
        found[row] = made[key]
    return found or None


def memory_of(workload: Workload) -> Floats:
    """Memory of each job for each processor, kB: what it requests, else what it used; 0: not known."""
    requested, used = workload.records[:, _MEMORY], workload.records[:, _USED_MEMORY]
    return np.maximum(np.where(requested > 0, requested, used), 0.0)
