"""``showq`` and ``diagnose -q``: what runs, what may start next, and what may not, and why."""

from typing import Any

from molokini.model.credentials import CredentialType
from molokini.model.errors import BadValue
from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.reports.lines import allocation, job_line, name_of
from molokini.reports.partitions import concerns, known_partition, members
from molokini.reports.picture import Asked, Blocked, Picture, finite
from molokini.reports.waiting import eligible, in_order, reason

_LISTS = ("active", "idle", "blocked")


def queue(p: Picture, asked: Asked) -> dict[str, Any]:
    """Active jobs by their expected ends, idle ones as they are to start, blocked ones with reasons.

    For a *partition* the jobs that run there or may, and its processors; for a *user* that user's jobs. With
    *by* there is the list of one kind alone. Raises UnknownName and BadValue.
    """
    partition = known_partition(p, asked.partition)
    if asked.by and asked.by not in _LISTS:
        raise BadValue("by", asked.by, "active, idle or blocked")
    found = _of_partition(p, partition, asked.user) if partition else _of_all(p, asked.user)
    kept = {name: found[name] for name in _LISTS if asked.by in ("", name)}
    told = {"partition": partition} if partition else {}
    told |= {"user": asked.user} if asked.user else {}
    told |= {"by": asked.by} if asked.by else {}
    return {**told, **kept, "totals": found["totals"]}


def _of_all(p: Picture, user: str) -> dict[str, Any]:
    t = p.tables
    running = [row for row in p.running() if _is_of(p, row, user)]
    rows = running + [row for row in p.suspended() if _is_of(p, row, user)]
    waiting = [row for row in in_order(p) if _is_of(p, row, user)]
    busy = {node for row in running for node in allocation(p, row)}
    idle = [job_line(p, row) for row in waiting if eligible(p, row)]
    out = [_blocked_line(p, row) for row in waiting if not eligible(p, row)]
    out += [one for one in unseen(p) if user in ("", one["user"])]
    return {
        "active": [job_line(p, row) for row in rows],
        "idle": idle,
        "blocked": out,
        "totals": {
            "active": len(rows),
            "idle": len(idle),
            "blocked": sum(one["count"] for one in out),
            "processors_active": sum(int(t.jobs.held[row]) for row in running),
            "processors": int(t.machine.processors),
            "nodes_active": len(busy) if p.nodes else None,
            "nodes": len(p.nodes) if p.nodes else None,
        },
    }


def _is_of(p: Picture, row: int, user: str) -> bool:
    return not user or name_of(p, int(p.tables.jobs.credential[row]), CredentialType.USER) == user


def _of_partition(p: Picture, partition: str, user: str) -> dict[str, Any]:
    t, numbers = p.tables, members(p, partition)
    names = {p.nodes[number].name for number in numbers}
    active = [row for row in (*p.running(), *p.suspended()) if _is_of(p, row, user)]
    rows = [row for row in active if concerns(p, row, partition)]
    waiting = [row for row in in_order(p) if concerns(p, row, partition) and _is_of(p, row, user)]
    out = [_blocked_line(p, row) for row in waiting if not eligible(p, row)]
    held = [allocation(p, row) for row in rows]
    up = [number for number in numbers if t.nodes.state[number] == NodeState.UP]
    idle = [job_line(p, row) for row in waiting if eligible(p, row)]
    return {
        "active": [job_line(p, row) for row in rows],
        "idle": idle,
        "blocked": out,
        "totals": {
            "active": len(rows),
            "idle": len(idle),
            "blocked": len(out),
            "processors_active": sum(n for nodes in held for name, n in nodes.items() if name in names),
            "processors": sum(int(t.nodes.total[number, Resource.PROCESSORS]) for number in up),
            "nodes_active": len({name for nodes in held for name in nodes} & names),
            "nodes": len(numbers),
        },
    }


def blocked(p: Picture, asked: Asked) -> dict[str, Any]:
    """Jobs that could not start even if there were room, each with the first rule that keeps it out."""
    rows = [row for row in in_order(p) if not eligible(p, row)]
    return {"jobs": [_blocked_line(p, row) for row in rows] + unseen(p)}


def _blocked_line(p: Picture, row: int) -> dict[str, Any]:
    return {**job_line(p, row), **reason(p, row), "count": 1}


def unseen(p: Picture) -> list[dict[str, Any]]:
    """The jobs that the policy does not see, each with why."""
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
