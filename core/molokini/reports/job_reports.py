"""``checkjob``: one open job in full, and why it does not run."""

from dataclasses import asdict
from typing import Any

from molokini.model.states import JobState
from molokini.reports.balances import paying
from molokini.reports.lines import allocation, job_line
from molokini.reports.node_classes import by_node_class
from molokini.reports.partitions import by_partition, usable
from molokini.reports.queue import unseen
from molokini.reports.snapshot import ClusterSnapshot, ReportRequest
from molokini.reports.waiting import in_order, reason
from molokini.reports.windows_now import row_of
from molokini.tables.requests import processor_equivalents
from molokini.tables.rows import work_by


def one_job(p: ClusterSnapshot, asked: ReportRequest) -> dict[str, Any]:
    """Its credentials, needs and state, and its priority by parts. Raises UnknownName."""
    for line in unseen(p):
        if line["job"] == asked.job:
            return {**line, "nodes": {}, "priority_parts": []}
    row = row_of(p, asked.job)
    t = p.tables
    runs = t.jobs.state[row] == JobState.RUNNING
    found = {
        **job_line(p, row),
        "nodes": allocation(p, row),
        "work_s": work_by(t, row, p.now) if runs else float(t.jobs.work_s[row]),
        "attempt": int(t.jobs.attempt[row]),
        "bypassed": int(t.jobs.bypassed[row]),
        "processor_equivalents": float(processor_equivalents(t, row)),
        "idle_processors": int(t.machine.free),
        "partitions": usable(p, row) if p.partitions else None,
        "by_partition": [],
        "by_node_class": [],
        "priority_parts": [],
    }
    if t.bank.on:
        found["bank"] = paying(p, row)
    if t.jobs.state[row] != JobState.WAITING:
        return found
    order = in_order(p)
    found["by_node_class"] = by_node_class(p, row)
    found |= {**reason(p, row), "in_front": order.index(row) if row in order else None}
    if p.partitions:
        found["by_partition"] = by_partition(p, row)
    for told in p.insight.explained(t.copy(), [row], p.now):
        found["priority"] = told.priority
        found["priority_parts"] = [{**asdict(part), "product": part.product} for part in told.parts]
    return found
