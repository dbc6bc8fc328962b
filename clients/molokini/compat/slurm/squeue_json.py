"""Jobs as ``squeue --json`` writes them: the names and kinds of values of Slurm 22.05 (v0.0.38)."""

from __future__ import annotations

import json

from molokini.compat._types import Any, JobView, Sequence
from molokini.compat.slurm.envelopes import enveloped


def document(lines: list[JobView], words: Sequence[str]) -> str:
    """All *lines*."""
    return json.dumps(enveloped("squeue", words, {"jobs": [job(view) for view in lines]}), indent=2)


_UNSET: dict[str, Any] = {
    **dict.fromkeys(("association_id", "delay_boot", "het_job_id", "het_job_offset", "preempt_time"), 0),
    **dict.fromkeys(("minimum_tmp_disk_per_node", "resize_time", "sockets_per_board", "tasks_per_board"), 0),
    **dict.fromkeys(("core_spec", "cores_per_socket", "sockets_per_node", "tasks_per_core"), None),
    **dict.fromkeys(("tasks_per_socket", "thread_spec", "threads_per_core", "profile"), None),
    **dict.fromkeys((f"cpu_frequency_{one}" for one in ("governor", "maximum", "minimum")), None),
    **dict.fromkeys(("batch_features", "burst_buffer", "burst_buffer_state", "cluster_features"), ""),
    **dict.fromkeys(("container", "cpus_per_tres", "federation_origin", "het_job_id_set", "mcs_label"), ""),
    **dict.fromkeys(("federation_siblings_active", "federation_siblings_viable", "memory_per_tres"), ""),
    **dict.fromkeys(("prefer", "system_comment", "tres_bind", "tres_freq", "tres_per_job"), ""),
    **dict.fromkeys(("tres_per_socket", "tres_per_task"), ""),
    "reboot": False,
    "shared": None,
    "show_flags": ["SHOW_ALL", "SHOW_DETAIL", "SHOW_LOCAL"],
}
"""What no job has here, as the real one writes none of it."""


def _instant(at_s: float | None) -> int:
    return 0 if at_s is None else int(at_s)


def job(view: JobView) -> dict[str, Any]:
    """One job; instants are seconds since 1970, 0 for none, the limit is minutes."""
    asked, array = view.job, view.job.array
    return {
        **_UNSET,
        **_whose(view),
        **_times(view),
        **_files(view),
        "billable_tres": float(view.processors) if view.allocated else None,
        "admin_comment": "",
        "array_job_id": view.job.id if array is not None else 0,
        "array_task_id": asked.index,
        "array_max_tasks": (array or {}).get("running_limit", 0),
        "array_task_string": view.pending,
        "batch_flag": True,
        "batch_host": view.first_node if view.allocated else "",
        "comment": asked.comment,
        "contiguous": False,
        "cpus": view.processors,
        "cpus_per_task": int(view.detail("cpus_per_task", "0")) or None,
        "dependency": "" if view.dependency == "(null)" else view.dependency,
        "derived_exit_code": _code(view),
        "excluded_nodes": "",
        "exit_code": _code(view),
        "features": "" if view.features == "(null)" else view.features,
        "flags": [],
        "gres_detail": [],
        "job_id": int(view.raw_id),
        "job_resources": _resources(view),
        "job_state": view.state,
        "licenses": "" if view.licenses == "(null)" else view.licenses,
        "max_cpus": 0,
        "max_nodes": 0,
        "memory_per_cpu": asked.memory_kb // 1024 or None,
        "memory_per_node": view.memory_kb // 1024 or None,
        "minimum_cpus_per_node": view.processors_per_node,
        "name": view.name,
        "nice": int(view.nice),
        "node_count": view.node_count,
        "nodes": view.nodes,
        "partition": view.partition,
        "priority": view.priority,
        "requeue": asked.may_run_again,
        "required_nodes": "",
        "restart_cnt": max(0, view.job.attempt - 1),
        "resv_name": view.detail("reservation", ""),
        "state_description": view.job.reason,
        "state_reason": view.reason.partition(",")[0],
        "tasks": view.tasks,
        "tasks_per_node": int(view.detail("ntasks_per_node", "0")),
        "tres_alloc_str": view.tres if view.allocated else "",
        "tres_per_node": "" if view.generic == "N/A" else view.generic,
        "tres_req_str": view.tres,
    }


def _whose(view: JobView) -> dict[str, Any]:
    return {
        "group_name": view.group,
        "group_id": int(view.group_id),
        "user_id": int(view.user_id),
        "user_name": view.user,
        "account": view.job.account,
        "qos": view.qos,
        "wckey": view.detail("wckey", ""),
        "cluster": view.cluster,
    }


def _times(view: JobView) -> dict[str, Any]:
    return {
        "accrue_time": _instant(view.job.eligible_s),
        "deadline": _instant(view.job.deadline_s),
        "eligible_time": _instant(view.job.eligible_s),
        "end_time": _instant(view.end_s),
        "last_sched_evaluation": _instant(view.start_s),
        "start_time": _instant(view.start_s),
        "submit_time": _instant(view.job.submitted_s),
        "suspend_time": 0,
        "pre_sus_time": 0,
        "time_limit": int(view.job.limit_s // 60),
        "time_minimum": int(view.job.least_limit_s // 60),
    }


def _files(view: JobView) -> dict[str, Any]:
    return {
        "current_working_directory": view.directory,
        "standard_error": view.path("stderr"),
        "standard_input": view.path("stdin"),
        "standard_output": view.path("stdout"),
        "command": view.detail("command", ""),
    }


def _code(view: JobView) -> int:
    """As wait(2) has it."""
    return int(view.job.exit_code) * 256 + int(view.job.signal)


def _resources(view: JobView) -> dict[str, Any]:
    if not view.allocated:
        return {}
    return {
        "nodes": view.nodes,
        "allocated_hosts": len(view.allocated),
        "allocated_cpus": view.processors,
        "allocated_nodes": {
            str(place): {"nodename": name, "cpus": count}
            for place, (name, count) in enumerate(view.allocated)
        },
    }
