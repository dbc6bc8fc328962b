"""``showres`` and ``diagnose -r``: what jobs have, what they are promised, and what administrators keep."""

from typing import Any

from molokini.model.credentials import CredentialType
from molokini.model.states import JobState
from molokini.reports.lines import allocation, name_of, promised_s
from molokini.reports.snapshot import ClusterSnapshot, ReportRequest, finite
from molokini.tables.running import remaining_s
from molokini.tables.tables import NEVER


def reservations(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """Reservations of active jobs, of waiting jobs that have one, and of administrators, by their begin."""
    lines = [_of_job(p, row) for row in (*p.running(), *p.suspended(), *_promised(p))]
    lines += of_administrators(p)
    lines.sort(key=lambda line: (line["start_s"], line["reservation"]))
    return {"reservations": lines}


def of_administrators(p: ClusterSnapshot) -> list[dict[str, Any]]:
    """Reservations of administrators, each instance of a standing one for itself."""
    return [
        {
            "reservation": one.name,
            "type": "user",
            "state": "active" if one.start_s <= p.now else "idle",
            "start_s": one.start_s,
            "end_s": finite(one.end_s),
            "duration_s": finite(one.end_s - one.start_s),
            "processors": one.processors,
            "nodes": dict(sorted(one.terms.hosts.items())),
            "nodes_named": sorted(one.terms.hosts),
            "user": "",
            "access": {kind: list(names) for kind, names in sorted(one.access.items())},
        }
        for one in p.reservations
        if one.end_s > p.now
    ]


def _promised(p: ClusterSnapshot) -> list[int]:
    return [row for row in p.waiting() if promised_s(p, row) < NEVER]


def _held(p: ClusterSnapshot, row: int) -> dict[str, int]:
    """The nodes on which the reservation of a waiting job is, where nodes decide."""
    return {p.nodes[node].name: count for node, count in p.insight.held_nodes(p.tables, row).items()}


def _of_job(p: ClusterSnapshot, row: int) -> dict[str, Any]:
    t = p.tables
    state = JobState(int(t.jobs.state[row]))
    waits = state is JobState.WAITING
    start_s = promised_s(p, row) if waits else float(t.jobs.start_s[row])
    end_s = start_s + float(remaining_s(t, row)) if waits else float(t.jobs.expected_end_s[row])
    return {
        "reservation": p.job(row),
        "type": "job",
        "state": {JobState.WAITING: "idle", JobState.RUNNING: "running"}.get(state, "suspended"),
        "start_s": start_s,
        "end_s": finite(end_s),
        "duration_s": finite(end_s - start_s),
        "processors": int(t.jobs.width[row]),
        "nodes": _held(p, row) if waits else allocation(p, row),
        "nodes_named": [],
        "user": name_of(p, int(t.jobs.credential[row]), CredentialType.USER),
        "access": {"job": [p.job(row)]},
    }
