"""What the jobs of a site's log ask of nodes."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from molokini.accounting.fields import counts_of
from molokini.model.machine import Machine
from molokini.model.requests import Component, Request
from molokini.model.resources import Resource
from molokini.workloads.workload import SWF_FIELDS, Floats, Workload

_MEMORY = SWF_FIELDS.index("requested_memory_kb")
_USED_MEMORY = SWF_FIELDS.index("used_memory_kb")


def requests_of(
    workload: Workload, machine: Machine, counted: Collection[str] = ()
) -> dict[int, Request] | None:
    """What the jobs of a site's log ask of the nodes of *machine*; None where only processors count.

    Each task is one processor, with its part of the memory; how many nodes a job wants is as recorded.
    *counted*: names of the licences that count.
    """
    told = workload.recorded
    if told is None or not machine.nodes:
        return None
    memory = any(node.capacity.get(Resource.MEMORY_KB) for node in machine.nodes)
    size_kb = np.maximum(workload.records[:, _MEMORY], 0.0) if memory else np.zeros(len(workload))
    held = _held_licenses(workload, counted)
    columns = (
        workload.processors,
        size_kb,
        told.least_nodes,
        told.most_nodes,
        told.alone,
        np.maximum(told.licenses, 0) if any(held) else np.zeros(len(workload), dtype=np.int64),
    )
    made: dict[tuple[Any, ...], Request] = {}
    found = {}
    for row, key in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        tasks, kb, least, most, alone, licenses = key
        if not (kb or least > 1 or most or alone or held[licenses]):
            continue
        if key not in made:
            need: Mapping[Resource, float] = {
                Resource.PROCESSORS: 1.0,
                **({Resource.MEMORY_KB: kb} if kb else {}),
            }
            made[key] = Request(
                (
                    Component(
                        int(tasks),
                        need,
                        least_nodes=int(least),
                        most_nodes=int(most),
                        alone=bool(alone),
                        licenses=held[licenses],
                    ),
                )
            )
        found[row] = made[key]
    return found or None


def license_numbers(workload: Workload) -> dict[str, int]:
    """The number of each kind of licences that a job of *workload* holds, by its name."""
    texts = workload.names.get("licenses", ())
    return {
        name: k for k, name in enumerate(sorted({name for text in texts for name in counts_of("", text)}))
    }


def _held_licenses(workload: Workload, counted: Collection[str]) -> list[tuple[tuple[int, int], ...]]:
    """By the number of what jobs hold: kinds that are *counted*, by their numbers, and how many of each."""
    numbers = license_numbers(workload)
    return [
        tuple(
            (numbers[name], count) for name, count in counts_of("", text).items() if count and name in counted
        )
        for text in workload.names.get("licenses", ()) or ("",)
    ]


def least_of(workload: Workload) -> Floats | None:
    """The shortest limit with which each job may be started, as recorded; None: no job asked for one."""
    told = workload.recorded
    return told.least_s if told is not None and bool((told.least_s > 0.0).any()) else None


def memory_of(workload: Workload) -> Floats:
    """Memory of each job for each processor, kB: what it requests, else what it used; 0: not known."""
    requested, used = workload.records[:, _MEMORY], workload.records[:, _USED_MEMORY]
    return np.maximum(np.where(requested > 0, requested, used), 0.0)
