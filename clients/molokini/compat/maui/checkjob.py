"""``checkjob``: one job in full, and why it does not run."""

from __future__ import annotations

from molokini.compat._types import Found, Invocation
from molokini.compat.failures import Refused
from molokini.compat.job import Job
from molokini.compat.maui.asking import report
from molokini.compat.maui.jobs import one
from molokini.compat.maui.reading import HELP, one_word, read
from molokini.compat.maui.times import date, span
from molokini.compat.maui.words import all_holds, count, hold, plain
from molokini.compat.options import option, refused

OPTIONS = (
    HELP,
    option("-v", text="also show why no task of a waiting job fits, with a line per class of nodes"),
    option("-A", text="print ATTRIBUTE=VALUE; pairs on one line"),
    refused("-l", "LEVEL", "the output has the first rule that blocks a job, at any level"),
    refused("-n", "NODE", "'checkjob -v' shows all classes of nodes; 'checknode' shows one node"),
    refused("-r", "RESERVATION", "'showres -v' shows who has access to a reservation"),
)
_ENDED = {
    "COMPLETED": "Completed",
    "FAILED": "Completed",
    "TIMED_OUT": "Removed",
    "CANCELLED": "Removed",
    "NODE_LOST": "Vacated",
    "REFUSED": "Removed",
}
_OPEN = {"RUNNING": "Running", "SUSPENDED": "Suspended", "WAITING": "Idle"}
_NONE = "[NONE]"


def run(run: Invocation) -> int:
    """Print what is known of one job."""
    given = read(run, OPTIONS, "JOB")
    name = one_word(run, given, "a job")
    ref = one(name)
    job = run.transport.call("JobService", "GetJob", {"job": ref})
    found = _reported(run, name, job)
    if given.flag("A"):
        _pairs(run, name, job, found)
        return 0
    render(run, name, job, found, given.flag("v"))
    return 0


def render(run: Invocation, name: str, job: Found, found: Found, verbose: bool) -> None:
    """Print *job*, as the server has it, with what the report *found* says of it."""
    run.say(f"\n\nchecking job {name}\n")
    _state(run, job, found)
    _request(run, job, found)
    if found.get("rule"):
        _why(run, job, found)
        if verbose:
            _by_class(run, found)


def _reported(run: Invocation, name: str, job: Found) -> Found:
    """What the policy knows of it; only the instant where it has ended, or is an array as a whole."""
    if job["state"] not in _ENDED:
        try:
            return report(run, "job", job=name)
        except Refused:
            # It has ended meanwhile, or is an array, whose elements are jobs.
            pass
    return {"now_s": job.get("end_s", 0.0), **_clock(run)}


def _clock(run: Invocation) -> Found:
    clock = run.transport.call("ClusterService", "GetClock", {})
    return {"now_s": clock.get("now_s", 0.0), "calendar_zero_s": 0.0 if clock["kind"] == "REAL" else None}


def state_of(job: Found, found: Found) -> str:
    """Maui's word for the state of *job*."""
    if found.get("state") == "deferred":
        return "Deferred"
    if job["state"] == "HELD":
        return hold(job.get("holds", ())) or "Idle"
    return _OPEN.get(job["state"]) or _ENDED.get(job["state"], "Unknown")


def _state(run: Invocation, job: Found, found: Found) -> None:
    spec, submitted_s = job["spec"], job.get("submitted_s", 0.0)
    run.say(f"State: {state_of(job, found)}{_ending(job)}")
    group, account, queue = (spec.get(name) or _NONE for name in ("group", "account", "queue"))
    qos = found.get("qos") or spec.get("qos") or "DEFAULT"
    run.say(f"Creds:  user:{job['user']}  group:{group}  account:{account}  class:{queue}  qos:{qos}")
    if job.get("elements"):
        run.say(
            "Elements: " + "  ".join(f"{state}: {size}" for state, size in sorted(job["elements"].items()))
        )
    if spec.get("name"):
        run.say(f"Job Name: {spec['name']}")
    run.say(f"WallTime: {span(job.get('elapsed_s', 0.0))} of {span(spec['estimate_s'])}")
    run.say(f"SubmitTime: {date(found, submitted_s)}")
    until_s = job.get("start_s", job.get("end_s", found["now_s"]))
    eligible_s = found.get("queue_time_s")
    if eligible_s is None:
        eligible_s = until_s - job["eligible_s"] if "eligible_s" in job else 0.0
    queued, eligible = span(until_s - submitted_s), span(max(0.0, eligible_s))
    run.say(f"  (Time Queued  Total: {queued}  Eligible: {eligible})")
    run.say("")
    if "start_s" in job:
        run.say(f"StartTime: {date(found, job['start_s'])}")
    if "end_s" in job:
        run.say(f"CompletionTime: {date(found, job['end_s'])}")
    if spec.get("begin_at_s"):
        run.say(f"StartDate: {date(found, spec['begin_at_s'])}")
    if spec.get("deadline_s"):
        run.say(f"DueDate: {date(found, spec['deadline_s'])}")


def _ending(job: Found) -> str:
    """How it has ended, behind its state."""
    if job["state"] not in _ENDED:
        return ""
    how = f"exit code {job.get('exit_code', 0)}"
    if job.get("signal"):
        how = f"signal {job['signal']}"
    if job["state"] in ("CANCELLED", "REFUSED"):
        how = job.get("reason") or job["state"].lower()
    elif job["state"] in ("TIMED_OUT", "NODE_LOST"):
        how = job["state"].lower().replace("_", " ")
    return f" ({how})"


def _request(run: Invocation, job: Found, found: Found) -> None:
    spec = job["spec"]
    asked = spec.get("resources", {})
    tasks = asked.get("processors", 1)
    memory = asked.get("memory_kb", 0) // 1024
    run.say(f"Total Tasks: {tasks}\n")
    partitions = found.get("partitions")
    where = "ALL" if partitions is None or len(partitions) != 1 else partitions[0]
    run.say(f"Req[0]  TaskCount: {tasks}  Partition: {where}")
    run.say(f"Network: {_NONE}  Memory >= {memory}M  Disk >= 0  Swap >= 0")
    features = "".join(f"[{name}]" for name in asked.get("features", ())) or _NONE
    run.say(f"Opsys: {_NONE}  Arch: {_NONE}  Features: {features}")
    generic = "".join(f"  {name.upper()}: {size}" for name, size in sorted(asked.get("generic", {}).items()))
    run.say(f"Dedicated Resources Per Task: PROCS: 1{generic}")
    nodes = job.get("allocation", [])
    if asked.get("nodes") or nodes:
        per = f"TasksPerNode: {asked['processors_per_node']}  " if asked.get("processors_per_node") else ""
        run.say(f"{per}NodeCount: {asked.get('nodes') or len(nodes)}")
    if nodes:
        run.say("Allocated Nodes:")
        run.say("".join(f"[{one['node']}:{one['processors']}]" for one in nodes))
    run.say("\n")
    command = " ".join(spec.get("argv", ())) or _NONE
    run.say(f"IWD: {spec.get('working_directory') or _NONE}  Executable:  {command}")
    if spec.get("dependencies"):
        run.say("Depend: " + " ".join(map(_dependency, spec["dependencies"])))
    run.say(f"Bypass: {found.get('bypassed', 0)}  StartCount: {job.get('attempt', 0)}")
    mask = "".join(f"[{name}]" for name in partitions) if partitions else "[ALL]"
    run.say(f"PartitionMask: {mask}")
    if found.get("queue_time_s") is not None and "start_s" not in job:
        run.say(f"SystemQueueTime: {date(found, found['now_s'] - found['queue_time_s'])}")
    if spec.get("requeue", True):
        run.say("Flags:       RESTARTABLE")
    if job.get("holds"):
        told = found.get("reason") or job.get("reason", "")
        run.say(f"Holds:    {' '.join(all_holds(job['holds']))}  ({told})")
    run.say("")
    _reservation(run, job, found)
    equivalents = found.get("processor_equivalents")
    priority = found.get("priority")
    if equivalents is not None:
        run.say(f"PE:  {equivalents:.2f}  StartPriority:  {plain(priority, 0, '-')}")


def _dependency(one: Found) -> str:
    return f"{one['kind'].lower().replace('_', '')}:{one.get('job_id', '')}".rstrip(":")


def _reservation(run: Invocation, job: Found, found: Found) -> None:
    """When it runs, or is promised to."""
    start_s, length_s = found.get("reserved_s"), job["spec"]["estimate_s"]
    if job["state"] == "RUNNING":
        start_s = job.get("start_s")
    if start_s is None:
        return
    end_s = job.get("expected_end_s", start_s + length_s)
    now_s = found["now_s"]
    name = f"{job['id']}[{job['array_index']}]" if "array_index" in job else job["id"]
    run.say(
        f"Reservation '{name}' ({span(start_s - now_s)} -> {span(end_s - now_s)}  "
        f"Duration: {span(end_s - start_s)})"
    )


def _why(run: Invocation, job: Found, found: Found) -> None:
    """Why it does not run: by partition, and in all."""
    parts = found.get("by_partition") or []
    idle, wanted = found.get("idle_processors"), Job(job).processors
    if not parts and job["state"] == "WAITING" and idle is not None and idle < wanted:
        run.say(f"job cannot run in partition DEFAULT (insufficient idle procs available: {idle} < {wanted})")
    for part in parts:
        if part["reason"]:
            run.say(f"job cannot run in partition {part['partition']} ({part['reason']})")
        else:
            run.say(
                f"job can run in partition {part['partition']} ({part['processors_free']} procs available)"
            )
    run.say(f"job cannot run now ({found['reason']})")
    for text in found.get("what_would_help", ()):
        run.say(f"  would help: {text}")
    classes = found.get("by_node_class")
    if found.get("idle_processors") is not None:
        feasible = f"  feasible procs: {sum(one['tasks_now'] for one in classes)}" if classes else ""
        run.say(f"idle procs: {found['idle_processors']}{feasible}")
    if classes:
        reasons: dict[str, int] = {}
        for part in classes:
            for name, nodes in part["reasons"].items():
                reasons[name] = reasons.get(name, 0) + nodes
        told = "".join(f"[{name.title().replace(' ', '')} : {nodes}]" for name, nodes in reasons.items())
        run.say(f"Rejection Reasons: {told or _NONE}")


def _by_class(run: Invocation, found: Found) -> None:
    """Nodes that are alike in one line."""
    if not found.get("by_node_class"):
        return
    run.say("\nDetailed Node Availability Information:\n")
    for each in found["by_node_class"]:
        reasons = ", ".join(f"{name}: {nodes}" for name, nodes in each["reasons"].items())
        memory = "" if each["memory_mb_each"] is None else f" {each['memory_mb_each']:.0f} MB"
        features = " ".join(each.get("features", ()))
        where = " ".join(part for part in (each.get("partition") or "DEFAULT", features) if part)
        run.say(
            f"{count(each['nodes'], 'node')} of {each['processors_each']} procs{memory} ({where}): "
            f"{each['nodes_with_room']} with room for {each['tasks_now']} tasks"
            + (f"; rejected: {reasons}" if reasons else "")
        )


def _pairs(run: Invocation, name: str, job: Found, found: Found) -> None:
    """What programs read: pairs on one line."""
    spec, asked = job["spec"], job["spec"].get("resources", {})
    made = {
        "NAME": name,
        "STATE": state_of(job, found),
        "UNAME": job["user"],
        "GNAME": spec.get("group", ""),
        "ACCOUNT": spec.get("account", ""),
        "CLASS": spec.get("queue", ""),
        "QOS": found.get("qos") or spec.get("qos", ""),
        "WCLIMIT": f"{spec['estimate_s']:.0f}",
        "TASKS": asked.get("processors", 1),
        "NODES": asked.get("nodes", "") or len(job.get("allocation", ())) or "",
        "QUEUETIME": f"{job.get('submitted_s', 0.0):.0f}",
        "STARTTIME": f"{job.get('start_s', 0.0):.0f}",
        "COMPLETETIME": f"{job.get('end_s', 0.0):.0f}",
        "HOSTLIST": ",".join(one["node"] for one in job.get("allocation", ())),
        "PRIORITY": "" if found.get("priority") is None else f"{found['priority']:.0f}",
        "HOLD": ",".join(all_holds(job.get("holds", ()))),
        "BLOCKREASON": found.get("rule") or "",
        "EXITCODE": job.get("exit_code", 0) if job["state"] in _ENDED else "",
    }
    run.say("".join(f"{key}={value};" for key, value in made.items() if value != ""))
