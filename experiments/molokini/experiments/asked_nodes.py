"""What the jobs of a site's log ask of nodes."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from math import floor, gcd
from typing import Any

import numpy as np

from molokini.accounting.fields import counts_of
from molokini.experiments.asked_features import Features, heeded
from molokini.experiments.choosing import Chosen
from molokini.model.machine import Machine
from molokini.model.requests import Component, Request
from molokini.model.resources import Resource
from molokini.workloads.histories import CONSTRAINED
from molokini.workloads.workload import SWF_FIELDS, Floats, Workload

_MEMORY = SWF_FIELDS.index("requested_memory_kb")
_USED_MEMORY = SWF_FIELDS.index("used_memory_kb")
_STEPS = 1 << 20
_SHOWN = 3


def requests_of(
    workload: Workload, machine: Machine, counted: Collection[str] = (), features: Features | None = None
) -> dict[int, Request] | None:
    """What the jobs of a site's log ask of the nodes of *machine*; None where only processors count.

    Each task is one processor, with its part of the memory; how many nodes a job wants is as recorded.
    *counted*: names of the licences that count. Generic resources count that the machine has. *features*:
    what constraints of jobs ask of nodes, if that counts.
    """
    return _asked(workload, machine, counted, features)[0] or None


def settled(workload: Workload, machine: Machine, policies: Iterable[Chosen]) -> tuple[Workload, list[str]]:
    """*workload* whose notes count the jobs that none of *policies* keeps to nodes with the features that
    they ask for, and a line that names what these ask for.
    """
    features = next(filter(None, (heeded(one, workload, machine) for one in policies)), None)
    if features is None:
        return workload, []
    left = _asked(workload, machine, (), features)[1]
    notes = {name: count for name, count in workload.notes.items() if name != CONSTRAINED}
    if not left:
        return replace(workload, notes=notes), []
    jobs, texts = left.total(), [features.texts[number] for number, _ in left.most_common()]
    more = f" and {len(texts) - _SHOWN:,} more" if len(texts) > _SHOWN else ""
    line = f"{workload.name}: constraint {', '.join(texts[:_SHOWN])}{more} ({jobs:,} jobs)"
    line += " cannot be met by nodes of the configuration: replayed on any"
    return replace(workload, notes={**notes, CONSTRAINED: jobs}), [line]


def _asked(
    workload: Workload, machine: Machine, counted: Collection[str], features: Features | None
) -> tuple[dict[int, Request], Counter[int]]:
    """The requests by rows; and how many jobs run on any nodes, by the numbers of their constraints."""
    left = Counter[int]()
    told = workload.recorded
    if told is None or not machine.nodes:
        return {}, left
    memory = any(node.capacity.get(Resource.MEMORY_KB) for node in machine.nodes)
    size_kb = np.maximum(workload.records[:, _MEMORY], 0.0) if memory else np.zeros(len(workload))
    held, generic = _held_licenses(workload, counted), _generic(workload, machine)
    nothing = np.zeros(len(workload), dtype=np.int64)
    columns = (
        workload.processors,
        size_kb,
        told.least_nodes,
        told.most_nodes,
        told.alone,
        np.maximum(told.licenses, 0) if any(held) else nothing,
        np.maximum(told.generic, 0) if any(generic) else nothing,
        np.maximum(told.constraint, 0) if features is not None else nothing,
    )
    made: dict[tuple[Any, ...], tuple[Request | None, bool]] = {}
    found = {}
    for row, key in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        processors, kb, least, most, alone, licenses, kind, asked = key
        if not (kb or least > 1 or most or alone or held[licenses] or generic[kind] or asked):
            continue
        if key not in made:
            tasks, need = _task(machine, int(processors), kb, max(1, int(least)), generic[kind])
            one = Component(
                tasks,
                need,
                least_nodes=int(least),
                most_nodes=int(most),
                alone=bool(alone),
                licenses=held[licenses],
            )
            made[key] = _request(one, asked, features)
        request, on_any = made[key]
        if request is not None:
            found[row] = request
        if on_any:
            left[asked] += 1
    return found, left


def _request(one: Component, asked: int, features: Features | None) -> tuple[Request | None, bool]:
    """The request of a job that is *one*, on nodes with the features that it has *asked* for (None:
    processors are all that counts), and whether it is on any nodes all the same.
    """
    if features is None or not asked:
        return Request((one,)), False
    found = features.request(asked, one)
    made = Request((one,)) if found is None else found
    return None if made.counted else made, found is None


def _task(
    machine: Machine, processors: int, kb: float, nodes: int, generic: Mapping[Resource, int]
) -> tuple[int, Mapping[Resource, float]]:
    """How many tasks a job is, and what each of them needs; *kb* of memory are for a processor.

    A job with generic resources is as few tasks as may be, one for each of its nodes at least, of whole parts
    that a node can give; where there are none each processor has its part, in steps that add up to no more.
    """
    memory = {Resource.MEMORY_KB: kb} if kb else {}
    if not generic:
        return processors, {Resource.PROCESSORS: 1.0, **memory}
    most = gcd(processors, *generic.values())
    for tasks in (tasks for tasks in range(nodes, most + 1) if most % tasks == 0):
        need = {one: float(amount // tasks) for one, amount in generic.items()}
        need |= {one: amount * (processors // tasks) for one, amount in memory.items()}
        need[Resource.PROCESSORS] = float(processors // tasks)
        if any(_can_give(node.capacity, need) for node in machine.nodes):
            return tasks, need
    parts = {one: floor(amount / processors * _STEPS) / _STEPS for one, amount in generic.items()}
    return processors, {Resource.PROCESSORS: 1.0, **memory, **parts}


def _can_give(capacity: Mapping[Resource, float], need: Mapping[Resource, float]) -> bool:
    return all(capacity.get(one, 0.0) >= amount for one, amount in need.items())


def _generic(workload: Workload, machine: Machine) -> list[dict[Resource, int]]:
    """By the number of what jobs asked for: how much of each generic resource that *machine* has."""
    places = {name: Resource(Resource.GENERIC_0 + place) for place, name in enumerate(machine.generic)}
    return [
        {places[name]: count for name, count in counts_of("", text).items() if count and name in places}
        for text in workload.names.get("generic", ()) or ("",)
    ]


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
