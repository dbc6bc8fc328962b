"""The fields of ``bjobs -o``: what each shows, how wide it is, and what is asked of the server for it."""

from __future__ import annotations

from molokini.compat._types import Any, Callable, Iterable, Job, LsfView
from molokini.compat.lsf import hosts, states, times
from molokini.compat.lsf.environments import GROUP, HOST, REQUIREMENT
from molokini.compat.lsf.quantities import as_run_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    Shows = Callable[[Job, LsfView], str]

_FROM, _GROUP, _REQUIREMENT, _PLACE = (
    f"spec.environment.{name}" for name in (HOST, GROUP, REQUIREMENT, "LS_SUBCWD")
)
_USUAL_PRIORITY = 50


def _time(value: float | None) -> str:
    return times.short(value) if value is not None else ""


def _spec(field: str) -> Shows:
    return lambda job, view: str(job["spec"].get(field, ""))


def _variable(name: str) -> Shows:
    return lambda job, view: str(job["spec"].get("environment", {}).get(name, ""))


def _instant(field: str) -> Shows:
    return lambda job, view: _time(job.get(field))


def _finish(job: Job, view: LsfView) -> str:
    """When it ended; of a job that runs when its run limit ends it, which is what ``L`` says."""
    if job.get("end_s") is not None:
        return _time(job["end_s"])
    return f"{_time(job['expected_end_s'])} L" if job.get("expected_end_s") is not None else ""


def _complete(job: Job, view: LsfView) -> str:
    if job.get("start_s") is None:
        return ""
    return f"{min(100.0, 100.0 * job.get('elapsed_s', 0.0) / _limit_s(job)):.2f}% L"


def _limit_s(job: Job) -> float:
    return float(job["spec"].get("estimate_s", 0.0)) or 1.0


def _left(job: Job, view: LsfView) -> str:
    if job.get("expected_end_s") is None:
        return ""
    minutes = max(0, int(job["expected_end_s"] - view.now_s)) // 60
    return f"{minutes // 60}:{minutes % 60} L"


def _pending(job: Job, view: LsfView) -> str:
    until = job.get("first_start_s", job.get("end_s"))
    return str(max(0, int((view.now_s if until is None else until) - job.get("submitted_s", 0.0))))


def _megabytes(job: Job, view: LsfView) -> str:
    used = int(job.get("memory_used_kb", 0))
    return f"{max(1, used // 1024)} Mbytes" if used else ""


def _memory_limit(job: Job, view: LsfView) -> str:
    needs = job["spec"].get("resources", {})
    limit = int(needs.get("memory_kb", 0)) * int(needs.get("processors", 1))
    return f"{limit / 1024:g} M" if limit else ""


def _gpus(job: Job, view: LsfView) -> str:
    count = int(job["spec"].get("resources", {}).get("generic", {}).get("gpu", 0))
    needs = job["spec"].get("resources", {})
    tasks = needs.get("nodes", 0) or needs.get("processors", 1)
    return str(count * int(tasks)) if count else ""


def _exit_code(job: Job, view: LsfView) -> str:
    return str(states.exit_status(job)) if states.stat(job) in states.FINISHED else ""


def _reason(job: Job, view: LsfView) -> str:
    word, sentence = states.termination(job) if view.tells_reasons else ("", "")
    return f"{word}: {sentence}" if word else ""


def _command(job: Job, view: LsfView) -> str:
    from molokini.compat.lsf.programs import command_of

    return command_of(job["spec"].get("script", ""), job["spec"].get("argv", ()))


def _dependency(job: Job, view: LsfView) -> str:
    return dependency_text(job["spec"].get("dependencies", ()))


def dependency_text(conditions: Iterable[dict[str, Any]]) -> str:
    """The conditions as an expression of ``-w``."""
    words = {"AFTER_OK": "done", "AFTER_NOT_OK": "exit", "AFTER_ANY": "ended", "AFTER": "started"}
    return " && ".join(f"{words.get(one['kind'], one['kind'])}({one.get('job_id', 0)})" for one in conditions)


def _file(field: str) -> Shows:
    def show(job: Job, view: LsfView) -> str:
        from molokini.compat.lsf.paths import path_of

        return path_of(job, field)

    return show


def _elapsed(job: Job, view: LsfView) -> str:
    return f"{int(job.get('elapsed_s', 0.0))} second(s)" if job.get("start_s") is not None else ""


def _cpu(job: Job, view: LsfView) -> str:
    return f"{job['cpu_s']:.1f} second(s)" if job.get("cpu_s") else ""


def _efficiency(job: Job, view: LsfView) -> str:
    given = job.get("elapsed_s", 0.0) * hosts.slots(job)
    return f"{100 * job['cpu_s'] / given:.2f}%" if job.get("cpu_s") and given else ""


def _memory_efficiency(job: Job, view: LsfView) -> str:
    needs = job["spec"].get("resources", {})
    asked = int(needs.get("memory_kb", 0)) * int(needs.get("processors", 1))
    return f"{100 * job['memory_used_kb'] / asked:.2f}%" if job.get("memory_used_kb") and asked else ""


def _begin(job: Job, view: LsfView) -> str:
    return _time(job["spec"].get("begin_at_s") or None)


_RESOURCES, _SLOTS = "spec.resources", ("allocation", "spec.resources")
_FILES = ("spec.stdout_path", "spec.stderr_path", "spec.stdin_path")
_PATHS = (*_FILES, "spec.working_directory", "user", "allocation")

FIELDS: dict[str, tuple[int, tuple[str, ...], Shows]] = {
    "jobid": (7, (), lambda job, view: str(job["id"])),
    "jobindex": (8, (), lambda job, view: str(job.get("array_index", 0))),
    "stat": (5, (), lambda job, view: states.stat(job)),
    "user": (7, ("user",), lambda job, view: str(job.get("user", ""))),
    "user_group": (15, ("spec.group",), _spec("group")),
    "queue": (10, ("spec.queue",), _spec("queue")),
    "job_name": (10, ("spec.name",), lambda job, view: states.name_of(job)),
    "job_description": (17, ("spec.comment",), _spec("comment")),
    "proj_name": (11, ("spec.account",), lambda job, view: job["spec"].get("account", "default")),
    "job_group": (10, (_GROUP,), _variable(GROUP)),
    "job_priority": (
        12,
        ("spec.user_priority",),
        lambda job, view: str(_USUAL_PRIORITY + job["spec"].get("user_priority", 0)),
    ),
    "dependency": (15, ("spec.dependencies",), _dependency),
    "pend_reason": (11, (), lambda job, view: view.why_pending(job)),
    "command": (15, ("spec.script", "spec.argv"), _command),
    "exit_code": (10, (), _exit_code),
    "exit_reason": (50, (), _reason),
    "kill_reason": (50, (), lambda job, view: ""),
    "suspend_reason": (50, (), lambda job, view: ""),
    "resume_reason": (50, (), lambda job, view: ""),
    "from_host": (11, (_FROM,), _variable(HOST)),
    "first_host": (11, ("allocation",), lambda job, view: "".join(hosts.names(job)[:1])),
    "exec_host": (11, ("allocation",), lambda job, view: ":".join(hosts.with_counts(job))),
    "nexec_host": (10, ("allocation",), lambda job, view: str(len(hosts.names(job)) or "")),
    "alloc_slot": (20, ("allocation",), lambda job, view: ":".join(hosts.with_counts(job))),
    "nalloc_slot": (10, _SLOTS, lambda job, view: str(hosts.slots(job)) if hosts.names(job) else ""),
    "nreq_slot": (10, (_RESOURCES,), lambda job, view: _asked_slots(job)),
    "exclusive": (13, (), lambda job, view: "N"),
    "interactive": (11, (), lambda job, view: "N"),
    "submit_time": (15, ("submitted_s",), lambda job, view: times.short(job.get("submitted_s", 0.0))),
    "start_time": (15, (), _instant("start_s")),
    "estimated_start_time": (20, ("reserved_s",), _instant("reserved_s")),
    "specified_start_time": (20, ("spec.begin_at_s",), _begin),
    "time_left": (11, ("expected_end_s",), _left),
    "finish_time": (16, ("end_s", "expected_end_s"), _finish),
    "%complete": (11, ("elapsed_s", "spec.estimate_s"), _complete),
    "pend_time": (12, ("submitted_s", "first_start_s", "end_s"), _pending),
    "run_time": (15, ("elapsed_s",), _elapsed),
    "cpu_used": (10, ("cpu_s",), _cpu),
    "cpu_efficiency": (10, ("cpu_s", "elapsed_s", *_SLOTS), _efficiency),
    "mem_efficiency": (10, ("memory_used_kb", _RESOURCES), _memory_efficiency),
    "slots": (5, _SLOTS, lambda job, view: str(hosts.slots(job))),
    "mem": (10, ("memory_used_kb",), _megabytes),
    "max_mem": (10, ("memory_used_kb",), _megabytes),
    "memlimit": (10, (_RESOURCES,), _memory_limit),
    "gpu_num": (10, (_RESOURCES,), _gpus),
    "min_req_proc": (12, (_RESOURCES,), lambda job, view: _asked_slots(job)),
    "max_req_proc": (12, (_RESOURCES,), lambda job, view: _asked_slots(job)),
    "effective_resreq": (17, (_REQUIREMENT,), _variable(REQUIREMENT)),
    "combined_resreq": (20, (_REQUIREMENT,), _variable(REQUIREMENT)),
    "runtimelimit": (12, ("spec.estimate_s",), lambda job, view: as_run_limit(_limit_s(job))),
    "input_file": (10, _PATHS, _file("stdin_path")),
    "output_file": (11, _PATHS, _file("stdout_path")),
    "error_file": (10, _PATHS, _file("stderr_path")),
    "sub_cwd": (10, (_PLACE,), _variable("LS_SUBCWD")),
    "exec_cwd": (10, ("spec.working_directory",), _spec("working_directory")),
}
"""By name: width, what of a job it needs, and what shows it."""


def _asked_slots(job: Job) -> str:
    return str(job["spec"].get("resources", {}).get("processors", 1))


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
    **dict.fromkeys(("srcjobid", "dstjobid"), 8),
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
}


def needed(names: Iterable[str]) -> list[str]:
    """What must be asked of the server to show the fields *names*."""
    return [part for name in names if name in FIELDS for part in FIELDS[name][1]]


def value(name: str, job: Job, view: LsfView) -> str:
    """What the field *name* shows of *job*; empty where nothing is set."""
    return FIELDS[name][2](job, view) if name in FIELDS else ""
