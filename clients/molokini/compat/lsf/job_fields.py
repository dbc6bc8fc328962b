"""The fields of ``bjobs -o``: what each shows, how wide it is, and what is asked of the server for it."""

from __future__ import annotations

from molokini.compat._types import Any, Callable, Iterable, Job, LsfView, Sequence
from molokini.compat.job import GROUP, fields_of
from molokini.compat.lsf import hosts, states, times
from molokini.compat.lsf.environments import HOST, REQUIREMENT
from molokini.compat.lsf.quantities import as_run_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    Shows = Callable[[Job, LsfView], str]

_FROM, _REQUIREMENT, _PLACE = (f"spec.environment.{name}" for name in (HOST, REQUIREMENT, "LS_SUBCWD"))
_USUAL_PRIORITY = 50


def _time(value: float | None) -> str:
    return times.short(value) if value is not None else ""


def _asked(part: Callable[[Job], object]) -> Shows:
    """*part* of a job as it is."""
    return lambda job, view: str(part(job))


def _variable(name: str) -> Shows:
    return lambda job, view: job.variables.get(name, "")


def _finish(job: Job, view: LsfView) -> str:
    """When it ended; of a job that runs when its run limit ends it, which is what ``L`` says."""
    if job.end_s is not None:
        return _time(job.end_s)
    return f"{_time(job.expected_end_s)} L" if job.expected_end_s is not None else ""


def _complete(job: Job, view: LsfView) -> str:
    if job.start_s is None:
        return ""
    return f"{min(100.0, 100.0 * job.elapsed_s / (job.limit_s or 1.0)):.2f}% L"


def _left(job: Job, view: LsfView) -> str:
    if job.expected_end_s is None:
        return ""
    minutes = max(0, int(job.expected_end_s - view.now_s)) // 60
    return f"{minutes // 60}:{minutes % 60} L"


def _pending(job: Job, view: LsfView) -> str:
    return str(int(job.waited_s(view.now_s)))


def _megabytes(job: Job, view: LsfView) -> str:
    return f"{max(1, job.memory_used_kb // 1024)} Mbytes" if job.memory_used_kb else ""


def _memory_limit(job: Job, view: LsfView) -> str:
    return f"{job.memory_limit_kb / 1024:g} M" if job.memory_limit_kb else ""


def _exit_code(job: Job, view: LsfView) -> str:
    return str(states.exit_status(job)) if states.stat(job) in states.FINISHED else ""


def _reason(job: Job, view: LsfView) -> str:
    word, sentence = states.termination(job) if view.tells_reasons else ("", "")
    return f"{word}: {sentence}" if word else ""


def _command(job: Job, view: LsfView) -> str:
    from molokini.compat.lsf.programs import command_of

    return command_of(job.script, job.argv)


def dependency_text(conditions: Sequence[dict[str, Any]]) -> str:
    """The conditions as an expression of ``-w``."""
    from molokini.compat.lsf.depending import written

    return written(conditions)


def _file(field: str) -> Shows:
    def show(job: Job, view: LsfView) -> str:
        from molokini.compat.lsf.paths import path_of

        return path_of(job, field)

    return show


def _elapsed(job: Job, view: LsfView) -> str:
    return f"{int(job.elapsed_s)} second(s)" if job.start_s is not None else ""


def _efficiency(job: Job, view: LsfView) -> str:
    given_s = job.elapsed_s * job.slots
    return f"{100 * job.cpu_s / given_s:.2f}%" if job.cpu_s and given_s else ""


def _memory_efficiency(job: Job, view: LsfView) -> str:
    asked_kb = job.memory_limit_kb
    return f"{100 * job.memory_used_kb / asked_kb:.2f}%" if job.memory_used_kb and asked_kb else ""


_RESOURCES, _SLOTS = "spec.resources", ("allocation", "spec.resources")
_FILES = ("spec.stdout_path", "spec.stderr_path", "spec.stdin_path")
_PATHS = (*_FILES, "spec.working_directory", "user", "allocation")

FIELDS: dict[str, tuple[int, tuple[str, ...], Shows]] = {
    "jobid": (7, (), lambda job, view: str(job.id)),
    "jobindex": (8, (), _asked(lambda job: job.index or 0)),
    "stat": (5, (), lambda job, view: states.stat(job)),
    "user": (7, ("user",), lambda job, view: job.user),
    "user_group": (15, ("spec.group",), lambda job, view: job.group),
    "queue": (10, ("spec.queue",), lambda job, view: job.queue),
    "job_name": (10, ("spec.name",), lambda job, view: states.name_of(job)),
    "job_description": (17, ("spec.comment",), lambda job, view: job.comment),
    "proj_name": (11, ("spec.account",), lambda job, view: job.account or "default"),
    "job_group": (10, fields_of(GROUP), lambda job, view: job.annotation(GROUP)),
    "job_priority": (12, ("spec.user_priority",), _asked(lambda job: _USUAL_PRIORITY + job.user_priority)),
    "dependency": (15, ("spec.dependencies",), lambda job, view: dependency_text(job.dependencies)),
    "pend_reason": (11, (), lambda job, view: view.why_pending(job)),
    "command": (15, ("spec.script", "spec.argv"), _command),
    "exit_code": (10, (), _exit_code),
    "exit_reason": (50, (), _reason),
    "kill_reason": (50, (), lambda job, view: ""),
    "suspend_reason": (50, (), lambda job, view: ""),
    "resume_reason": (50, (), lambda job, view: ""),
    "from_host": (11, (_FROM,), _variable(HOST)),
    "first_host": (11, ("allocation",), lambda job, view: job.nodes[0][0] if job.nodes else ""),
    "exec_host": (11, ("allocation",), lambda job, view: ":".join(hosts.with_counts(job))),
    "nexec_host": (10, ("allocation",), lambda job, view: str(len(job.nodes) or "")),
    "alloc_slot": (20, ("allocation",), lambda job, view: ":".join(hosts.with_counts(job))),
    "nalloc_slot": (10, _SLOTS, lambda job, view: str(job.slots) if job.nodes else ""),
    "nreq_slot": (10, (_RESOURCES,), _asked(lambda job: job.processors)),
    "exclusive": (13, (), lambda job, view: "N"),
    "interactive": (11, (), lambda job, view: "N"),
    "submit_time": (15, ("submitted_s",), lambda job, view: times.short(job.submitted_s)),
    "start_time": (15, (), lambda job, view: _time(job.start_s)),
    "estimated_start_time": (20, ("reserved_s",), lambda job, view: _time(job.reserved_s)),
    "specified_start_time": (20, ("spec.begin_at_s",), lambda job, view: _time(job.begin_at_s or None)),
    "time_left": (11, ("expected_end_s",), _left),
    "finish_time": (16, ("end_s", "expected_end_s"), _finish),
    "%complete": (11, ("elapsed_s", "spec.estimate_s", "limit_s"), _complete),
    "pend_time": (12, ("submitted_s", "first_start_s", "end_s"), _pending),
    "run_time": (15, ("elapsed_s",), _elapsed),
    "cpu_used": (10, ("cpu_s",), lambda job, view: f"{job.cpu_s:.1f} second(s)" if job.cpu_s else ""),
    "cpu_efficiency": (10, ("cpu_s", "elapsed_s", *_SLOTS), _efficiency),
    "mem_efficiency": (10, ("memory_used_kb", _RESOURCES), _memory_efficiency),
    "slots": (5, _SLOTS, _asked(lambda job: job.slots)),
    "mem": (10, ("memory_used_kb",), _megabytes),
    "max_mem": (10, ("memory_used_kb",), _megabytes),
    "memlimit": (10, (_RESOURCES,), _memory_limit),
    "gpu_num": (10, (_RESOURCES,), lambda job, view: str(job.gpus or "")),
    "min_req_proc": (12, (_RESOURCES,), _asked(lambda job: job.processors)),
    "max_req_proc": (12, (_RESOURCES,), _asked(lambda job: job.processors)),
    "effective_resreq": (17, (_REQUIREMENT,), _variable(REQUIREMENT)),
    "combined_resreq": (20, (_REQUIREMENT,), _variable(REQUIREMENT)),
    "runtimelimit": (12, ("spec.estimate_s", "limit_s"), lambda job, view: as_run_limit(job.limit_s or 1.0)),
    "input_file": (10, _PATHS, _file("stdin_path")),
    "output_file": (11, _PATHS, _file("stdout_path")),
    "error_file": (10, _PATHS, _file("stderr_path")),
    "sub_cwd": (10, (_PLACE,), _variable("LS_SUBCWD")),
    "exec_cwd": (10, ("spec.working_directory",), lambda job, view: job.working_directory),
}
"""By name: width, what of a job it needs, and what shows it."""


UNSET = {
    **dict.fromkeys(("application", "service_class"), 13),
    **dict.fromkeys(("esub", "pids", "licproject", "gpu_mode", "alloc_host"), 20),
    **dict.fromkeys(("rsvid",), 40),
    **dict.fromkeys(("kill_issue_host", "suspend_issue_host", "resume_issue_host", "charged_saap"), 50),
    **dict.fromkeys(("hrusage",), 50),
    **dict.fromkeys(("ask_hosts", "gpu_alloc"), 30),
    **dict.fromkeys(("pre_exec_command", "post_exec_command", "exception_status"), 16),
    **dict.fromkeys(("specified_terminate_time",), 24),
    **dict.fromkeys(("estimated_run_time",), 20),
    **dict.fromkeys(("ru_utime", "ru_stime", "ependtime", "ipendtime", "processlimit"), 12),
    **dict.fromkeys(("warning_action", "output_dir", "network_req", "forward_cluster", "forward_time"), 15),
    **dict.fromkeys(("source_cluster",), 15),
    **dict.fromkeys(("action_warning_time",), 19),
    **dict.fromkeys(("pendstate",), 9),
    **dict.fromkeys(("idle_factor", "energy", "gpfsio"), 11),
    **dict.fromkeys(("host_file", "avg_mem", "swap", "swaplimit", "nthreads", "filelimit", "corelimit"), 10),
    **dict.fromkeys(("stacklimit", "exec_home", "cpu_peak"), 10),
    **dict.fromkeys(("srcjobid", "dstjobid", "jobtype", "orphan"), 8),
    **dict.fromkeys(("resize_notification_command", "data_requirement", "esubmit", "image", "rsrcs"), 16),
    **dict.fromkeys(("plimit", "plimit_remain", "eplimit", "eplimit_remain"), 16),
    **dict.fromkeys(("effective_plimit", "effective_plimit_remain", "effective_eplimit"), 24),
    **dict.fromkeys(("effective_eplimit_remain", "average_cpu_efficiency", "cpu_peak_efficiency"), 24),
    **dict.fromkeys(("cpu_peak_reached_duration", "exited_host", "block", "psum", "gpu_used_max"), 15),
}
"""Fields of things that there are not here, or of which nothing is known; their widths."""

WIDTHS = {**{name: row[0] for name, row in FIELDS.items()}, **UNSET}
ALIASES = {
    "id": "jobid",
    "name": "job_name",
    "ugroup": "user_group",
    "description": "job_description",
    "proj": "proj_name",
    "project": "proj_name",
    "app": "application",
    "sla": "service_class",
    "group": "job_group",
    "priority": "job_priority",
    "cmd": "command",
    "saap": "charged_saap",
    "pre_cmd": "pre_exec_command",
    "post_cmd": "post_exec_command",
    "eresreq": "effective_resreq",
    "cresreq": "combined_resreq",
    "combined_resreq_str": "combined_resreq",
    "delay_reason": "pend_reason",
    "resize_cmd": "resize_notification_command",
    "estart_time": "estimated_start_time",
    "sstart_time": "specified_start_time",
    "sterminate_time": "specified_terminate_time",
    "ertime": "estimated_run_time",
    "j_exclusive": "exclusive",
    "fwd_cluster": "forward_cluster",
    "fwd_time": "forward_time",
    "srcluster": "source_cluster",
    "srccluster": "source_cluster",
    "warn_act": "warning_action",
    "warn_time": "action_warning_time",
    "warning_time": "action_warning_time",
    "nalloc_host": "nexec_host",
}


def needed(names: Iterable[str]) -> list[str]:
    """What must be asked of the server to show the fields *names*."""
    return [part for name in names if name in FIELDS for part in FIELDS[name][1]]


def value(name: str, job: Job, view: LsfView) -> str:
    """What the field *name* shows of *job*; empty where nothing is set."""
    return FIELDS[name][2](job, view) if name in FIELDS else ""
