"""``diagnose -j``: every open job with what it asks for, why it waits, and warnings."""

from typing import Any

from molokini.model.errors import UnknownName
from molokini.model.resources import Resource
from molokini.model.states import JobState, NodeState
from molokini.reports.lines import allocation, job_line
from molokini.reports.partitions import holding, usable
from molokini.reports.queue import unseen
from molokini.reports.snapshot import ClusterSnapshot, ReportRequest, finite
from molokini.reports.waiting import in_order, reason
from molokini.tables.rows import work_by

_KB_A_MB = 1024.0
_SECOND = 1.0
"""A time is past by this much at least: sums of times are rounded."""


def diagnosed_jobs(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """All open jobs: active ones, waiting ones in the order in which they are to start, then the others.

    One *job* alone where the caller names it. Raises UnknownName.
    """
    active = [*p.running(), *p.suspended()]
    waiting = in_order(p)
    lines = [_line(p, row) for row in (*active, *waiting)] + [_unseen(one) for one in unseen(p)]
    if asked.job:
        known = [line["job"] for line in lines]
        lines = [line for line in lines if line["job"] == asked.job]
        if not lines:
            raise UnknownName("open job", asked.job, known)
    return {
        "jobs": lines,
        "totals": {
            "jobs": sum(line["count"] for line in lines),
            "jobs_active": sum(line["state"] in ("running", "suspended") for line in lines),
            "warnings": sum(len(line["warnings"]) for line in lines),
        },
    }


def _line(p: ClusterSnapshot, row: int) -> dict[str, Any]:
    t = p.tables
    waits = t.jobs.state[row] == JobState.WAITING
    found = {**job_line(p, row), "count": 1, **_asks_for(p, row), "nodes": allocation(p, row)}
    told: dict[str, Any] = dict.fromkeys(("rule", "limit", "value", "reason"))
    told |= {"what_would_help": [], "never": False}
    if waits:
        told = reason(p, row)
    warnings = _warnings(p, row, found) + (["never starts under the present limits"] if told["never"] else [])
    return {**found, **told, "warnings": warnings}


def _asks_for(p: ClusterSnapshot, row: int) -> dict[str, Any]:
    """Memory, swap and disk in all, MB (null: none), and the partitions that it is in or may use."""
    t, found = p.tables, dict.fromkeys(("memory_mb", "swap_mb", "disk_mb"), 0.0)
    component = int(t.jobs.components[row])
    for _ in range(int(t.jobs.component_count[row])):
        need = t.components.need[component] * max(1, int(t.components.tasks[component]))
        for name, kind in (
            ("memory_mb", Resource.MEMORY_KB),
            ("swap_mb", Resource.SWAP_KB),
            ("disk_mb", Resource.DISK_KB),
        ):
            found[name] += float(need[kind]) / _KB_A_MB
        component = int(t.components.next[component])
    return {
        **{name: finite(size) or None for name, size in found.items()},
        "partitions": (sorted(holding(p, row)) or usable(p, row)) if p.partitions else None,
    }


def _warnings(p: ClusterSnapshot, row: int, line: dict[str, Any]) -> list[str]:
    """Warnings for an administrator: states that contradict each other, deferrals, and earlier starts."""
    t, found = p.tables, list[str]()
    width, state = int(t.jobs.width[row]), JobState(int(t.jobs.state[row]))
    if state is JobState.RUNNING:
        done_s = work_by(t, row, p.now)
        if done_s >= float(t.jobs.estimate_s[row]) + _SECOND:
            found.append(f"runs past its limit by {done_s - float(t.jobs.estimate_s[row]):.0f} s")
        down = {
            node.name for number, node in enumerate(p.nodes) if t.nodes.state[number] == NodeState.DOWN
        } & set(line["nodes"])
        found += [f"runs on node {name}, which is down" for name in sorted(down)]
        held = int(t.jobs.held[row])
        if held not in (0, width):
            found.append(f"holds {held} processors of the {width} that it asked for")
    elif state is JobState.WAITING:
        if width > int(t.machine.processors):
            found.append(f"asks for {width} processors, and {int(t.machine.processors)} are in service")
        if (reserved_s := line["reserved_s"]) is not None and reserved_s < p.now - _SECOND:
            found.append(f"its reservation began {p.now - reserved_s:.0f} s ago")
    if line["deferrals"]:
        found.append(f"was deferred {_times(line['deferrals'])}")
    if (starts := int(t.jobs.attempt[row]) - 1) > 0:
        found.append(f"was started {_times(starts)} before")
    return found


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _unseen(line: dict[str, Any]) -> dict[str, Any]:
    """A job that the policy does not see, with the names of the other lines, null where nothing is known."""
    nothing = dict.fromkeys(
        ("start_s", "expected_end_s", "remaining_s", "queue_time_s", "expansion_factor", "priority")
    )
    nothing |= dict.fromkeys(("reserved_s", "deferred_until_s", "memory_mb", "swap_mb", "disk_mb"))
    nothing |= dict.fromkeys(("partitions", "limit", "value"))
    more = {"deferrals": 0, "nodes": {}, "what_would_help": [], "never": False, "warnings": []}
    return {**nothing, **more, **line}
