"""Why a waiting job does not run, by classes of nodes that are alike: the room for its tasks on each."""

from collections import Counter
from typing import Any

import numpy as np

from molokini.availability.node_capacity import has_features, tasks_that_fit
from molokini.availability.node_rules import begin_placing
from molokini.compiled.structs import Floats
from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.reports.partitions import usable
from molokini.reports.snapshot import ClusterSnapshot

_KB_A_MB = 1024.0
_UNCOUNTED_KB = 2.0**53
_NAMES: dict[int, str] = {
    Resource.PROCESSORS: "few processors",
    Resource.MEMORY_KB: "little memory",
    Resource.SWAP_KB: "little swap",
    Resource.DISK_KB: "little disk",
}


def by_node_class(p: ClusterSnapshot, row: int) -> list[dict[str, Any]]:
    """For each component of *row* and each class of nodes: how many nodes take no task now, by reason.

    Nodes are of one class where partition, features and resources are the same. Empty where processors are
    only counted.
    """
    t, found = p.tables, list[dict[str, Any]]()
    if t.placing.rules > 0:
        # Rules of access depend on the user of the job that is being placed.
        begin_placing(t, row)
    barred = {node.partition for node in p.nodes if node.partition} - set(usable(p, row))
    component = int(t.jobs.components[row])
    for number in range(int(t.jobs.component_count[row]) if p.nodes else 0):
        for nodes in _classes(p):
            closed = p.nodes[nodes[0]].partition in barred
            fits = [0 if closed else int(tasks_that_fit(t, t.nodes.free, node, component)) for node in nodes]
            reasons = Counter(
                "the job may not use the partition" if closed else _reason(p, node, component)
                for node, tasks in zip(nodes, fits, strict=True)
                if not tasks
            )
            found.append(
                {
                    "component": number + 1,
                    **_described(p, nodes[0]),
                    "nodes": len(nodes),
                    "nodes_with_room": sum(tasks > 0 for tasks in fits),
                    "tasks_now": sum(fits),
                    "reasons": dict(sorted(reasons.items(), key=lambda one: (-one[1], one[0]))),
                }
            )
        component = int(t.components.next[component])
    return found


def _classes(p: ClusterSnapshot) -> list[list[int]]:
    """The numbers of the nodes of each class, in the order of their first nodes."""
    classes: dict[tuple[object, ...], list[int]] = {}
    for number, node in enumerate(p.nodes):
        alike = (node.partition, node.features, p.tables.nodes.total[number].tobytes())
        classes.setdefault(alike, []).append(number)
    return list(classes.values())


def _described(p: ClusterSnapshot, node: int) -> dict[str, Any]:
    total, text = p.tables.nodes.total[node], p.nodes[node]
    memory = float(total[Resource.MEMORY_KB])
    return {
        "partition": text.partition or None,
        "features": list(text.features),
        "processors_each": int(total[Resource.PROCESSORS]),
        "memory_mb_each": memory / _KB_A_MB if 0.0 < memory < _UNCOUNTED_KB else None,
    }


def _reason(p: ClusterSnapshot, node: int, component: int) -> str:
    """Why *node* takes no task of *component* now; reasons that time cannot change come first."""
    t = p.tables
    if 0 <= t.components.where[component] != t.nodes.group[node]:
        return "the job asks for another cluster"
    if not has_features(t, node, component):
        return "the node lacks a feature that the job asks for"
    if short := _short(t.nodes.total[node], t.components.need[component]):
        return f"too {short} for a task"
    state = NodeState(int(t.nodes.state[node]))
    if state is not NodeState.UP:
        return "down" if state is NodeState.DOWN else "draining"
    if short := _short(t.nodes.free[node], t.components.need[component]):
        return f"too {short} free now"
    return "an access rule keeps the job off the free room"


def _short(room: Floats, need: Floats) -> str:
    """The first resource of which *room* is less than a task needs; empty: none."""
    short = np.flatnonzero((need > 0.0) & (need > room))
    if not short.size:
        return ""
    return _NAMES.get(int(short[0]), "little of a generic resource")
