"""``showq`` and ``diagnose -q``: what runs, what may start next, and what may not, and why."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from molokini.model.credentials import CredentialType
from molokini.model.errors import BadValue
from molokini.model.resources import Resource
from molokini.model.states import NodeState
from molokini.reports.lines import allocation, job_line, name_of
from molokini.reports.partitions import concerns, holding, known_partition, members, usable_by
from molokini.reports.snapshot import Blocked, ClusterSnapshot, ReportRequest, finite
from molokini.reports.waiting import eligible, in_order, reason

_LISTS = ("active", "idle", "blocked")
_Whose = Mapping[CredentialType, str]


def queue(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """Active jobs by their expected ends, idle ones as they are to start, blocked ones with reasons.

    For a *partition* the jobs that run there or may, and its processors; for a *user*, *group*, *account*,
    *queue* or *qos* its jobs. With *by* there is the list of one kind alone. Raises UnknownName and BadValue.
    """
    partition = known_partition(p, asked.partition)
    if asked.by and asked.by not in _LISTS:
        raise BadValue("by", asked.by, "active, idle or blocked")
    whose = {kind: name for kind in CredentialType if (name := getattr(asked, kind.name.lower()))}
    found = _of_partition(p, partition, whose) if partition else _of_all(p, whose)
    # Lines are made of the reported jobs alone: ten thousand that wait take half a second.
    make: dict[str, Callable[[], list[dict[str, Any]]]] = {
        "active": lambda: [_active_line(p, row) for row in found.active],
        "idle": lambda: [job_line(p, row) for row in found.idle],
        "blocked": lambda: [*(_blocked_line(p, row) for row in found.blocked), *found.unseen],
    }
    kept = {name: make[name]() for name in _LISTS if asked.by in ("", name)}
    told = {"partition": partition} if partition else {}
    told |= {kind.name.lower(): name for kind, name in whose.items()}
    told |= {"by": asked.by} if asked.by else {}
    return {**told, **kept, "totals": found.totals}


@dataclass(frozen=True)
class _Jobs:
    """Rows by where their jobs stand, jobs that the policy does not see, and how many there are."""

    active: Sequence[int]
    idle: Sequence[int]
    blocked: Sequence[int]
    unseen: Sequence[dict[str, Any]]
    totals: dict[str, Any]


def _active_line(p: ClusterSnapshot, row: int) -> dict[str, Any]:
    """With where it runs; a suspended job is on no node."""
    inside = holding(p, row) if p.partitions else set()
    return {
        **job_line(p, row),
        "nodes": allocation(p, row),
        "partition": next(iter(inside)) if len(inside) == 1 else None,
    }


def _of_all(p: ClusterSnapshot, whose: _Whose) -> _Jobs:
    t = p.tables
    running = [row for row in p.running() if _is_of(p, row, whose)]
    rows = running + [row for row in p.suspended() if _is_of(p, row, whose)]
    waiting = [row for row in in_order(p) if _is_of(p, row, whose)]
    out = [_line(one) for one in p.blocked if _is_named(one, whose)]
    busy = {node for row in running for node in allocation(p, row)}
    totals = {
        "processors_active": sum(int(t.jobs.held[row]) for row in running),
        "processors": int(t.machine.processors),
        "nodes_active": len(busy) if p.nodes else None,
        "nodes": len(p.nodes) if p.nodes else None,
    }
    return _jobs(p, rows, waiting, out, totals)


def _jobs(
    p: ClusterSnapshot, active: list[int], waiting: list[int], out: list[dict[str, Any]], use: dict[str, Any]
) -> _Jobs:
    able = [eligible(p, row) for row in waiting]
    idle = [row for row, may in zip(waiting, able, strict=True) if may]
    blocked = [row for row, may in zip(waiting, able, strict=True) if not may]
    totals = {
        "active": len(active),
        "idle": len(idle),
        "blocked": len(blocked) + sum(one["count"] for one in out),
        **use,
    }
    return _Jobs(active, idle, blocked, out, totals)


def _is_of(p: ClusterSnapshot, row: int, whose: _Whose) -> bool:
    """Whether the job of *row* has all the credentials that are asked for."""
    credential = int(p.tables.jobs.credential[row])
    return all(name_of(p, credential, kind) == name for kind, name in whose.items())


def _is_named(one: Blocked, whose: _Whose) -> bool:
    """Whether a job that the policy does not see has all the credentials that are asked for."""
    return all(getattr(one, kind.name.lower()) == name for kind, name in whose.items())


def _of_partition(p: ClusterSnapshot, partition: str, whose: _Whose) -> _Jobs:
    t, numbers = p.tables, members(p, partition)
    names = {p.nodes[number].name for number in numbers}
    active = [row for row in (*p.running(), *p.suspended()) if _is_of(p, row, whose)]
    rows = [row for row in active if concerns(p, row, partition)]
    waiting = [row for row in in_order(p) if concerns(p, row, partition) and _is_of(p, row, whose)]
    out = [
        _line(one) for one in p.blocked if partition in usable_by(p, one.credential) and _is_named(one, whose)
    ]
    held = [allocation(p, row) for row in rows]
    up = [number for number in numbers if t.nodes.state[number] == NodeState.UP]
    totals = {
        "processors_active": sum(n for nodes in held for name, n in nodes.items() if name in names),
        "processors": sum(int(t.nodes.total[number, Resource.PROCESSORS]) for number in up),
        "nodes_active": len({name for nodes in held for name in nodes} & names),
        "nodes": len(numbers),
    }
    return _jobs(p, rows, waiting, out, totals)


def blocked(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """Jobs that could not start even if there were room, each with the first rule that keeps it out."""
    rows = [row for row in in_order(p) if not eligible(p, row)]
    return {"jobs": [_blocked_line(p, row) for row in rows] + unseen(p)}


def _blocked_line(p: ClusterSnapshot, row: int) -> dict[str, Any]:
    return {**job_line(p, row), **reason(p, row), "count": 1}


def unseen(p: ClusterSnapshot) -> list[dict[str, Any]]:
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
