"""Jobs as ``sacct --json`` writes them: the names and kinds of values of Slurm 22.05 (v0.0.38)."""

from __future__ import annotations

import json

from molokini.compat._types import Any, Row, Sequence
from molokini.compat.slurm.envelopes import enveloped


def document(rows: list[Row], words: Sequence[str]) -> str:
    """All jobs of *rows*, each with its steps."""
    jobs: list[dict[str, Any]] = []
    for row in rows:
        if row.step and jobs:
            jobs[-1]["steps"].append(_step(row))
        elif not row.step:
            jobs.append(_job(row))
    return json.dumps(enveloped("sacct", words, {"jobs": jobs}), indent=2)


def _time(row: Row) -> dict[str, Any]:
    return {
        "elapsed": int(row.view.elapsed_s),
        "end": int(row.end_s or 0),
        "start": int(row.start_s or 0),
        "suspended": int(row.view.suspended_s),
        "system": {"seconds": 0, "microseconds": 0},
        "total": _seconds(row),
        "user": {"seconds": 0, "microseconds": 0},
    }


def _seconds(row: Row) -> dict[str, int]:
    return {"seconds": int(row.used_s), "microseconds": int(row.used_s % 1 * 1_000_000)}


def _code(row: Row) -> dict[str, Any]:
    code, _, signal = row.exit_code.partition(":")
    made: dict[str, Any] = {
        "status": "SUCCESS" if row.exit_code == "0:0" else "ERROR",
        "return_code": int(code),
    }
    if signal != "0":
        made |= {"status": "SIGNALED", "signal": {"signal_id": int(signal)}}
    return made


def _job(row: Row) -> dict[str, Any]:
    view, asked = row.view, row.view.job
    return {
        "account": asked.account,
        "comment": {"administrator": None, "job": asked.comment, "system": None},
        "allocation_nodes": len(view.allocated),
        "array": {
            "job_id": view.job.id if asked.array is not None else 0,
            "task_id": view.job.index,
            "task": view.pending or None,
        },
        "cluster": view.cluster,
        "constraints": "" if view.features == "(null)" else view.features,
        "derived_exit_code": _code(row),
        "time": {
            **_time(row),
            "eligible": int(view.job.eligible_s or 0),
            "submission": int(view.job.submitted_s),
            "limit": int(view.job.limit_s // 60),
        },
        "exit_code": _code(row),
        "group": view.group,
        "job_id": int(view.raw_id),
        "name": view.name,
        "nodes": view.nodes or "None assigned",
        "partition": view.partition,
        "priority": view.priority,
        "qos": view.qos,
        "required": {"CPUs": view.job.processors, "memory": view.memory_kb // 1024},
        "kill_request_user": row.canceller if view.state == "CANCELLED" else None,
        "reservation": {"id": 0, "name": view.detail("reservation", "") or 0},
        "state": {"current": view.state, "reason": view.reason},
        "steps": [],
        "tres": {
            "allocated": _tres(row, view.processors) if view.allocated else [],
            "requested": _tres(row, view.job.processors),
        },
        "user": view.user,
        "wckey": {"wckey": view.detail("wckey", ""), "flags": []},
        "working_directory": view.directory,
    }


def _tres(row: Row, processors: int) -> list[dict[str, Any]]:
    view = row.view
    made = [("cpu", "", processors), ("mem", "", view.memory_kb * view.node_count // 1024)]
    made += [("node", "", view.node_count), ("billing", "", processors)]
    made += [("gres", name, count * view.node_count) for name, count in view.job.generic.items()]
    made += [("license", name, count) for name, count in view.job.licenses.items()]
    return [{"type": kind, "name": name or None, "count": count} for kind, name, count in made if count]


def _step(row: Row) -> dict[str, Any]:
    view = row.view
    return {
        "time": _time(row),
        "exit_code": _code(row),
        "nodes": {
            "list": [name for name, _ in view.allocated],
            "count": len(view.allocated),
            "range": view.nodes,
        },
        "tasks": {"count": 1},
        "pid": None,
        "state": row.state,
        "step": {"job_id": int(view.raw_id), "id": row.step, "name": row.step},
        "statistics": {"CPU": {"actual_frequency": 0}, "max_rss_kb": view.job.memory_used_kb},
    }
