"""All attributes of a job, by their names in ``qstat -f`` and in the order in which it has them."""

from __future__ import annotations

from molokini.compat._types import Any, Attributes, Job, Remembered
from molokini.compat.groups import first_group
from molokini.compat.pbs import values
from molokini.compat.pbs.arrays import written as span_of
from molokini.compat.pbs.depends import written as dependencies_of
from molokini.compat.pbs.filenames import shown_path
from molokini.compat.pbs.hosts import exec_host, exec_vnode
from molokini.compat.pbs.ids import written
from molokini.compat.pbs.remembered import of
from molokini.compat.pbs.shown_resources import resource_list
from molokini.compat.pbs.sizes import in_kb
from molokini.compat.pbs.states import exit_status, letter, substate
from molokini.compat.pbs.times import calendar, clock

FIELDS = (
    *("state", "user", "submitted_s", "eligible_s", "first_start_s", "start_s", "end_s", "attempt"),
    *("reason", "exit_code", "signal", "memory_used_kb", "holds", "allocation", "elements", "reserved_s"),
    *("elapsed_s", "limit_s", "cpu_s", "cause", "spec.annotations"),
    *("spec.name", "spec.environment", "spec.working_directory", "spec.stdout_path", "spec.stderr_path"),
    *("spec.resources", "spec.estimate_s", "spec.queue", "spec.account", "spec.group", "spec.user_priority"),
    *("spec.begin_at_s", "spec.dependencies", "spec.array", "spec.requeue", "spec.mail_events"),
    *("spec.mail_to", "spec.comment"),
)
"""Fields of a Job from which the attributes are made."""
_FIRST = ("HOME", "LANG", "LOGNAME", "PATH", "MAIL", "SHELL", "TZ", "WORKDIR", "SYSTEM", "QUEUE", "HOST")


def attributes(
    job: Job, server: str, torque: bool, comment: str = "", array_goes_on: bool = False
) -> Attributes:
    """The attributes of *job*; *comment* is why it waits, where that was asked."""
    kept = of(job)
    found = letter(job, torque, array_goes_on)
    made: Attributes = {"Job_Name": job.name, "Job_Owner": owner(job, server)}
    if used := _used(job):
        made["resources_used"] = used
    made.update(job_state=found, queue=job.queue, server=server)
    _note(made, "Account_Name", job.account)
    made["Checkpoint"] = kept.attributes.get("Checkpoint", "u")
    made["ctime"] = calendar(job.submitted_s)
    _note(made, "depend", dependencies_of(job.dependencies, server))
    made["Error_Path"] = _path(job, "stderr_path", server)
    if nodes := job.nodes:
        made["exec_host"] = exec_host(nodes, torque)
        if not torque:
            made["exec_vnode"] = exec_vnode(nodes, job.memory_kb)
    if job.begin_at_s:
        made["Execution_Time"] = calendar(job.begin_at_s)
    asked = kept.attributes.get("group_list") or job.group != first_group(job.user)
    _note(made, "group_list", job.group if asked else "")
    made["Hold_Types"] = values.hold_types(job.holds)
    made["Join_Path"] = kept.attributes.get("Join_Path") or ("n" if job.spec.get("stderr_path") else "oe")
    made["Keep_Files"] = kept.attributes.get("Keep_Files", "n")
    made["Mail_Points"] = values.mail_points(job.mail_events)
    _note(made, "Mail_Users", ",".join(job.mail_to))
    made["mtime"] = calendar(_changed_s(job))
    made["Output_Path"] = _path(job, "stdout_path", server)
    made.update(Priority=job.user_priority, qtime=calendar(job.submitted_s))
    made["Rerunable"] = "True" if job.may_run_again else "False"
    made["Resource_List"] = resource_list(job, kept, torque)
    if job.start_s is not None:
        made["start_time" if torque else "stime"] = calendar(job.start_s)
    _note(made, "Shell_Path_List", kept.attributes.get("Shell_Path_List"))
    made["substate"] = substate(job, found)
    if variables := _variables(job):
        made["Variable_List"] = variables
    made.update(euser=job.user)
    _note(made, "egroup", job.group)
    _note(made, "comment", comment or comment_of(job))
    _end(made, job, kept, torque)
    _array(made, job, server, torque)
    return made


def _note(made: Attributes, name: str, value: str | None) -> None:
    if value:
        made[name] = value


def _end(made: Attributes, job: Job, kept: Remembered, torque: bool) -> None:
    """What stands behind the comment."""
    if job.eligible_s is not None:
        made["etime"] = calendar(job.eligible_s)
    if job.attempt:
        made["start_count" if torque else "run_count"] = job.attempt
    if job.reserved_s is not None and not torque:
        made["estimated"] = {"start": calendar(job.reserved_s)}
    if job.over and not job.is_array:
        made["exit_status" if torque else "Exit_status"] = exit_status(job, torque)
    _note(made, "submit_args" if torque else "Submit_arguments", kept.attributes.get("Submit_arguments"))
    if torque and job.end_s is not None:
        made["comp_time"] = calendar(job.end_s)
        made["total_runtime"] = f"{job.elapsed_s:.6f}"
    if not torque:
        made["project"] = kept.attributes.get("project", "_pbs_project_default")
    _note(made, "x", kept.attributes.get("x"))
    host = job.variables.get("PBS_O_HOST")
    _note(made, "submit_host" if torque else "Submit_Host", host)


def _array(made: Attributes, job: Job, server: str, torque: bool) -> None:
    spec = job.array
    if spec is None:
        return
    if not job.is_array:
        made["array_id"] = written(job.id, server, array=True)
        made["array_index"] = job.index
        return
    if torque:
        made["job_array_request"] = span_of(spec)
        return
    counts = dict(job.elements or {})
    queued = counts.pop("waiting", 0) + counts.pop("held", 0)
    running = counts.pop("running", 0) + counts.pop("suspended", 0)
    made["array"] = "True"
    made["array_state_count"] = f"Queued:{queued} Running:{running} Exiting:0 Expired:{sum(counts.values())} "
    made["array_indices_submitted"] = span_of(spec)
    if not queued or queued == len(job.indices):
        made["array_indices_remaining"] = span_of(spec) if queued else "-"
    if limit := spec.get("running_limit"):
        made["max_run_subjobs"] = limit


def owner(job: Job, server: str) -> str:
    """``user@host``."""
    return f"{job.user}@{job.variables.get('PBS_O_HOST') or server}"


def _used(job: Job) -> dict[str, Any]:
    """What it has used, of the present attempt or the last."""
    if not job.attempt or job.is_array:
        return {}
    elapsed_s, cpu_s = job.elapsed_s, job.cpu_s
    return {
        "cpupercent": int(100 * cpu_s / elapsed_s) if elapsed_s else 0,
        "cput": clock(cpu_s),
        "mem": in_kb(job.memory_used_kb),
        "ncpus": job.processors,
        "vmem": in_kb(job.memory_used_kb),
        "walltime": clock(elapsed_s),
    }


def _changed_s(job: Job) -> float:
    """When it changed last, as far as it tells."""
    known = [float(job.answer.get(name, 0.0)) for name in ("submitted_s", "eligible_s", "start_s", "end_s")]
    return max(known)


def _path(job: Job, field: str, server: str) -> str:
    return f"{owner(job, server).partition('@')[2]}:{shown_path(job, field)}"


def _variables(job: Job) -> dict[str, str]:
    """The variables of the job, those of its submission first, and none of ours."""
    found = job.variables
    order = {f"PBS_O_{name}": place for place, name in enumerate(_FIRST)}
    names = sorted(found, key=lambda name: (order.get(name, len(order)), name))
    return {name: found[name] for name in names if not name.startswith("MOLOKINI_")}


def comment_of(job: Job) -> str:
    """The scheduler's comment on the job, or the comment that a user has set."""
    if job.comment:
        return str(job.comment)
    if job.start_s is None or not job.nodes:
        return job.reason
    day = calendar(job.start_s)
    text = f"Job run at {day[:10]} at {day[11:16]} on {exec_vnode(job.nodes, 0)}"
    if not job.over:
        return text
    ended = {"COMPLETED": "finished", "CANCELLED": "terminated"}.get(job.state, "failed")
    reason = f": {job.reason}" if job.reason else ""
    return f"{text} and {ended}{reason}"
