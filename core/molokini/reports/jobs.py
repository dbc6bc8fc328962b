"""``checkjob``: all that is known of one open job, and why it does not run."""

from typing import Any

from molokini.model.states import JobState
from molokini.policies.maui.explaining import explained
from molokini.reports.balances import paying
from molokini.reports.lines import DEFERRED, allocation, job_line
from molokini.reports.node_classes import by_node_class
from molokini.reports.partitions import by_partition, usable
from molokini.reports.picture import Asked, Picture
from molokini.reports.queue import blocked
from molokini.reports.room import row_of
from molokini.reports.waiting import in_order, reason
from molokini.tables.requests import processor_equivalents


def one_job(p: Picture, asked: Asked) -> dict[str, Any]:
    """Whose it is, what it needs, where it stands, its priority by parts. Raises UnknownName."""
    for line in blocked(p, asked)["jobs"]:
        if line["job"] == asked.job and line["state"] not in ("waiting", DEFERRED):
            return {**line, "nodes": {}, "priority_parts": []}
    row = row_of(p, asked.job)
    t = p.tables
    found = {
        **job_line(p, row),
        "nodes": allocation(p, row),
        "work_s": float(t.job_work_s[row]),
        "attempt": int(t.job_attempt[row]),
        "bypassed": int(t.job_bypassed[row]),
        "processor_equivalents": float(processor_equivalents(t, row)),
        "idle_processors": int(t.free),
        "partitions": usable(p, row) if p.partitions else None,
        "by_partition": [],
        "by_node_class": [],
        "priority_parts": [],
    }
    if t.banking:
        found["bank"] = paying(p, row)
    if t.job_state[row] != JobState.WAITING:
        return found
    order = in_order(p)
    found["by_node_class"] = by_node_class(p, row)
    found |= {**reason(p, row), "in_front": order.index(row) if row in order else None}
    if p.partitions:
        found["by_partition"] = by_partition(p, row)
    if p.is_maui:
        told = explained(t.copy(), row, p.now)
        found["priority"] = told.priority
        found["priority_parts"] = [
            {
                "component": part.component,
                "component_weight": part.component_weight,
                "subcomponent": part.subcomponent,
                "weight": part.weight,
                "factor": part.factor,
                "product": part.product,
            }
            for part in told.parts
        ]
    return found
