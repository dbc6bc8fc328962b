"""``diagnose -n`` and ``checknode``: what each node has, what of it is free, and which jobs are on it."""

from typing import Any

import numpy as np

from molokini.model.errors import UnknownName
from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.reports.lines import allocation, job_line
from molokini.reports.reserved import of_administrators
from molokini.reports.snapshot import ClusterSnapshot, ReportRequest

_KB_A_MB = 1024.0
_RESOURCES = {"memory": Resource.MEMORY_KB, "swap": Resource.SWAP_KB, "disk": Resource.DISK_KB}
_UNCOUNTED_KB = 2.0**53


def nodes(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """All nodes, their totals, and warnings."""
    lines = [_line(p, number, jobs) for number, jobs in enumerate(_jobs(p))]
    t = p.tables
    return {
        "nodes": lines,
        "totals": {
            "nodes": len(lines) if lines else None,
            "nodes_up": sum(line["state"] not in ("down", "drained", "draining") for line in lines)
            if lines
            else None,
            "processors": int(t.machine.processors_in_all),
            "processors_up": int(t.machine.processors),
            "processors_free": int(t.machine.free),
        },
        "warnings": [
            f"node {line['node']} is {line['state']}" + (f": {line['reason']}" if line["reason"] else "")
            for line in lines
            if line["state"] in ("down", "drained", "draining")
        ],
    }


def one_node(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """One node with its jobs and the reservations of administrators on it. Raises UnknownName."""
    names = [node.name for node in p.nodes]
    if asked.node not in names:
        raise UnknownName("node", asked.node, names)
    number = names.index(asked.node)
    rows = _jobs(p)[number]
    return {
        **_line(p, number, rows),
        "running": [{**job_line(p, row), "processors_here": allocation(p, row)[asked.node]} for row in rows],
        "reservations": [
            one for one in of_administrators(p) if not one["nodes_named"] or asked.node in one["nodes_named"]
        ],
    }


def _jobs(p: ClusterSnapshot) -> list[list[int]]:
    """Rows of the jobs on each node, by the node's number."""
    numbers = {node.name: number for number, node in enumerate(p.nodes)}
    found: list[list[int]] = [[] for _ in p.nodes]
    for row in (*p.running(), *p.suspended()):
        for name in allocation(p, row):
            found[numbers[name]].append(row)
    return found


def _line(p: ClusterSnapshot, number: int, rows: list[int]) -> dict[str, Any]:
    t, text = p.tables, p.nodes[number]
    total, free = t.nodes.total[number], t.nodes.free[number]
    line: dict[str, Any] = {
        "node": text.name,
        "state": _state(p, number, bool(rows)),
        "reason": text.reason,
        "processors": int(total[Resource.PROCESSORS]),
        "processors_free": int(free[Resource.PROCESSORS]),
    }
    for name, column in _RESOURCES.items():
        counted = 0.0 < total[column] < _UNCOUNTED_KB
        line[f"{name}_mb"] = float(total[column] / _KB_A_MB) if counted else None
        line[f"{name}_free_mb"] = float(free[column] / _KB_A_MB) if counted else None
    loads = np.divide(free, total, out=np.ones(len(total)), where=total > 0)
    line["load"] = 1.0 - float(loads[Resource.PROCESSORS])
    line["partition"] = text.partition or None
    return {**line, "features": list(text.features), "jobs": [p.job(row) for row in rows]}


def _state(p: ClusterSnapshot, number: int, used: bool) -> str:
    """In Maui's words: idle, running (takes more), busy (full), draining, drained, down."""
    t = p.tables
    state = NodeState(int(t.nodes.state[number]))
    if state is NodeState.DOWN:
        return "down"
    if state is NodeState.DRAINING:
        return "draining" if used else "drained"
    if not used:
        return "idle"
    return "busy" if t.nodes.free[number][Resource.PROCESSORS] <= 0 else "running"
