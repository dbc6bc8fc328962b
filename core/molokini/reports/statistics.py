"""``showstats``: the jobs that have finished, how long they waited, and the work that is still to do."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.model.credentials import CredentialType
from molokini.model.errors import BadValue
from molokini.reports.lines import name_of
from molokini.reports.snapshot import ClusterSnapshot, Finished, ReportRequest
from molokini.reports.waiting import eligible
from molokini.tables.running import remaining_s
from molokini.workloads.ended import EndedJobs, ended_statistics

_HOUR_S = 3600.0


def statistics(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """Totals; with ``by`` also a line for each user, group, account, queue or QoS, the most work first.

    Over the jobs in memory: finished jobs leave the server's memory after a time. Raises BadValue.
    """
    kinds = {kind.name.lower(): kind for kind in CredentialType}
    if asked.by and asked.by not in kinds:
        raise BadValue("by", asked.by, "one of " + ", ".join(kinds))
    found: dict[str, Any] = {"totals": _totals(p)}
    if asked.by:
        found["credentials"] = _by(p, kinds[asked.by])
    return found


def _totals(p: ClusterSnapshot) -> dict[str, Any]:
    t, done = p.tables, p.finished
    waiting, running = p.waiting(), p.running()
    to_do = sum(int(t.jobs.width[row]) * float(remaining_s(t, row)) for row in waiting)
    to_do += sum(
        int(t.jobs.held[row]) * max(0.0, float(t.jobs.expected_end_s[row]) - p.now) for row in running
    )
    able = sum(eligible(p, row) for row in waiting)
    begin_s = done.since_s
    if begin_s is None and len(done.submit_s):
        begin_s = float(done.submit_s.min())
    return {
        "since_s": begin_s,
        "jobs_idle": able,
        "jobs_active": len(running) + len(p.suspended()),
        "jobs_blocked": len(waiting) - able + sum(one.count for one in p.blocked),
        **_of(done, np.ones(len(done.end_s), dtype=bool)),
        "processors": int(t.machine.processors),
        "processors_active": sum(int(t.jobs.held[row]) for row in running),
        "backlog_hours": to_do / t.machine.processors / _HOUR_S if t.machine.processors else None,
    }


def _of(done: Finished, chosen: NDArray[np.bool_]) -> dict[str, Any]:
    """Statistics of the finished jobs that are *chosen*; null where none of them has started."""
    run_s, wait_s = done.end_s - done.start_s, done.start_s - done.submit_s
    well = done.well[chosen].astype(bool)
    jobs = EndedJobs(wait_s[chosen], run_s[chosen], done.processors[chosen], done.estimate_s[chosen], well)
    return ended_statistics(jobs)


def _by(p: ClusterSnapshot, kind: CredentialType) -> list[dict[str, Any]]:
    t, done = p.tables, p.finished
    theirs = np.array([names[kind] for names in done.whose], dtype=object)
    active: dict[str, list[int]] = {}
    for row in p.running():
        active.setdefault(name_of(p, int(t.jobs.credential[row]), kind), []).append(row)
    lines = []
    for name in sorted({*theirs.tolist(), *active}):
        rows = active.get(name, [])
        left_s = sum(
            int(t.jobs.held[row]) * max(0.0, float(t.jobs.expected_end_s[row]) - p.now) for row in rows
        )
        lines.append(
            {
                "name": name,
                "jobs_active": len(rows),
                "processors_active": sum(int(t.jobs.held[row]) for row in rows),
                "outstanding_processor_hours": left_s / _HOUR_S,
                **_of(done, theirs == name if len(theirs) else np.zeros(0, dtype=bool)),
                "fairshare_target": _target(p, kind, name),
            }
        )
    return sorted(lines, key=lambda line: (-line["dedicated_processor_hours"], line["name"]))


def _target(p: ClusterSnapshot, kind: CredentialType, name: str) -> float | None:
    for credential in range(p.tables.credentials.user.size):
        if name and name_of(p, credential, kind) == name:
            target, _ = p.insight.target(p.tables, credential, kind)
            return target if target > 0.0 else None
    return None
