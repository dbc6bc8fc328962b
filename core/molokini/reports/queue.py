"""``showq`` and ``diagnose -q``: what runs, what may start next, and what may not, and why."""

from typing import Any

from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.reports.lines import allocation, job_line
from molokini.reports.partitions import concerns, known_partition, members
from molokini.reports.picture import Asked, Blocked, Picture, finite
from molokini.reports.waiting import eligible, in_order, reason


def queue(p: Picture, asked: Asked) -> dict[str, Any]:
    """Active jobs by their expected ends, idle ones as they are to start, blocked ones with reasons.

    Of a partition those that run there or may, and its processors. Raises UnknownName.
    """
    t, partition = p.tables, known_partition(p, asked.partition)
    if partition:
        return _of_partition(p, partition)
    used = sum(int(t.job_held[row]) for row in p.running())
    busy = {node for row in p.running() for node in allocation(p, row)}
    active = [job_line(p, row) for row in (*p.running(), *p.suspended())]
    idle = [job_line(p, row) for row in in_order(p) if eligible(p, row)]
    out = blocked(p, asked)["jobs"]
    return {
        "active": active,
        "idle": idle,
        "blocked": out,
        "totals": {
            "active": len(active),
            "idle": len(idle),
            "blocked": sum(one["count"] for one in out),
            "processors_active": used,
            "processors": int(t.processors),
            "nodes_active": len(busy) if p.nodes else None,
            "nodes": len(p.nodes) if p.nodes else None,
        },
    }


def _of_partition(p: Picture, partition: str) -> dict[str, Any]:
    t, numbers = p.tables, members(p, partition)
    names = {p.nodes[number].name for number in numbers}
    rows = [row for row in (*p.running(), *p.suspended()) if concerns(p, row, partition)]
    waiting = [row for row in in_order(p) if concerns(p, row, partition)]
    out = [_blocked_line(p, row) for row in waiting if not eligible(p, row)]
    held = [allocation(p, row) for row in rows]
    up = [number for number in numbers if t.node_state[number] == NodeState.UP]
    idle = [job_line(p, row) for row in waiting if eligible(p, row)]
    return {
        "partition": partition,
        "active": [job_line(p, row) for row in rows],
        "idle": idle,
        "blocked": out,
        "totals": {
            "active": len(rows),
            "idle": len(idle),
            "blocked": len(out),
            "processors_active": sum(n for nodes in held for name, n in nodes.items() if name in names),
            "processors": sum(int(t.node_total[number, Resource.PROCESSORS]) for number in up),
            "nodes_active": len({name for nodes in held for name in nodes} & names),
            "nodes": len(numbers),
        },
    }


def blocked(p: Picture, asked: Asked) -> dict[str, Any]:
    """Jobs that nothing can start as things are, each with the first rule that keeps it out."""
    rows = [row for row in in_order(p) if not eligible(p, row)]
    return {"jobs": [_blocked_line(p, row) for row in rows] + _unseen(p)}


def _blocked_line(p: Picture, row: int) -> dict[str, Any]:
    return {**job_line(p, row), **reason(p, row), "count": 1}


def _unseen(p: Picture) -> list[dict[str, Any]]:
    return [_line(one) for one in p.blocked]


def _line(one: Blocked) -> dict[str, Any]:
    return {
        "job": one.job,
        "state": one.state,
        "user": one.user,
        "group": one.group,
        "account": one.account,
        "queue": one.queue,
        "qos": one.qos,
        "processors": one.processors,
        "estimate_s": finite(one.estimate_s),
        "submitted_s": one.submit_s,
        "rule": one.state,
        "reason": one.reason,
        "count": one.count,
    }
