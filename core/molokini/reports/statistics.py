"""``showstats``: what has been finished, how long it waited, and what is still to do."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.model.errors import BadValue
from molokini.policies.maui.scopes import setting
from molokini.policies.maui.slots import Column
from molokini.policies.maui.words import CredentialType
from molokini.reports.lines import name_of, whose
from molokini.reports.picture import Asked, Finished, Picture
from molokini.reports.waiting import eligible
from molokini.tables.running import remaining_s
from molokini.workloads.ended import Ended, ended_statistics

_HOUR_S = 3600.0


def statistics(p: Picture, asked: Asked) -> dict[str, Any]:
    """Totals; with ``by`` also a line a user, group, account, queue or QoS, those with the most work first.

    Of the jobs that are known: the server's finished jobs leave its memory after a while. Raises BadValue.
    """
    kinds = {kind.name.lower(): kind for kind in CredentialType}
    if asked.by and asked.by not in kinds:
        raise BadValue("by", asked.by, "one of " + ", ".join(kinds))
    found: dict[str, Any] = {"totals": _totals(p)}
    if asked.by:
        found["credentials"] = _by(p, kinds[asked.by])
    return found


def _totals(p: Picture) -> dict[str, Any]:
    t, done = p.tables, p.finished
    waiting, running = p.waiting(), p.running()
    to_do = sum(int(t.job_width[row]) * float(remaining_s(t, row)) for row in waiting)
    to_do += sum(int(t.job_held[row]) * max(0.0, float(t.job_expected_end_s[row]) - p.now) for row in running)
    able = sum(eligible(p, row) for row in waiting)
    begin_s = float(done.submit_s.min()) if len(done.submit_s) else None
    return {
        "since_s": begin_s,
        "jobs_idle": able,
        "jobs_active": len(running) + len(p.suspended()),
        "jobs_blocked": len(waiting) - able + sum(one.count for one in p.blocked),
        **_of(done, np.ones(len(done.end_s), dtype=bool)),
        "processors": int(t.processors),
        "processors_active": sum(int(t.job_held[row]) for row in running),
        "backlog_hours": to_do / t.processors / _HOUR_S if t.processors else None,
    }


def _of(done: Finished, chosen: NDArray[np.bool_]) -> dict[str, Any]:
    """Statistics of the finished jobs that are *chosen*; null where none of them has started."""
    run_s, wait_s = done.end_s - done.start_s, done.start_s - done.submit_s
    well = done.well[chosen].astype(bool)
    jobs = Ended(wait_s[chosen], run_s[chosen], done.processors[chosen], done.estimate_s[chosen], well)
    return ended_statistics(jobs)


def _by(p: Picture, kind: CredentialType) -> list[dict[str, Any]]:
    t, done = p.tables, p.finished
    theirs = np.array([names[kind] for names in done.whose], dtype=object)
    active: dict[str, list[int]] = {}
    for row in p.running():
        active.setdefault(name_of(p, int(t.job_credential[row]), kind), []).append(row)
    lines = []
    for name in sorted({*theirs.tolist(), *active}):
        rows = active.get(name, [])
        left_s = sum(
            int(t.job_held[row]) * max(0.0, float(t.job_expected_end_s[row]) - p.now) for row in rows
        )
        lines.append(
            {
                "name": name,
                "jobs_active": len(rows),
                "processors_active": sum(int(t.job_held[row]) for row in rows),
                "outstanding_processor_hours": left_s / _HOUR_S,
                **_of(done, theirs == name if len(theirs) else np.zeros(0, dtype=bool)),
                "fairshare_target": _target(p, kind, name),
            }
        )
    return sorted(lines, key=lambda line: (-line["dedicated_processor_hours"], line["name"]))


def _target(p: Picture, kind: CredentialType, name: str) -> float | None:
    if not p.is_maui:
        return None
    t = p.tables
    for credential in range(t.credential_user.size):
        if whose(p, credential)[kind.name.lower()] == name and name:
            target = float(setting(t, int(t.credential_scope[credential, kind]), int(Column.TARGET)))
            return target if target > 0.0 else None
    return None
