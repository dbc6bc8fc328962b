"""``bqueues``."""

from __future__ import annotations

from molokini.compat._types import Invocation, Queue, Values
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.failing import CODE, refusal
from molokini.compat.lsf.selecting import Wish, found
from molokini.compat.lsf.states import stat
from molokini.compat.lsf.tables import formatted, number
from molokini.compat.options import option, refused, without_effect

OPTIONS = (
    *USUAL,
    option("-l", text="all details of each queue"),
    option("-u", "USER", "queues that this user may use"),
    option("-noheader", text="without the first line"),
    option("-o", "FIELDS", "columns: \"FIELD[:[-]WIDTH] ... [delimiter='c']\""),
    option("-json", text="as JSON"),
    without_effect("-w", why="columns are never truncated"),
    refused("-m", "HOST", "see molokini queues"),
    refused("-r", why="shares are the policy's: see molokini report fairshare"),
    refused("-alloc", why="numbers always count slots"),
)
_HEADER = "QUEUE_NAME      PRIO STATUS          MAX JL/U JL/P JL/H NJOBS  PEND   RUN  SUSP "
_COUNTED = {"PEND": "PEND", "PSUSP": "PEND", "RUN": "RUN", "USUSP": "SUSP", "SSUSP": "SUSP"}

FIELDS = {
    "queue_name": (15, lambda one: str(one["name"])),
    "description": (50, lambda one: ""),
    "priority": (10, lambda one: str(one.get("priority", 0))),
    "status": (12, lambda one: status(one)),
    "max": (10, lambda one: number(one.get("max_jobs"))),
    "jl_u": (10, lambda one: number(one.get("max_running_per_user"))),
    "jl_p": (10, lambda one: ""),
    "jl_h": (10, lambda one: ""),
    "njobs": (10, lambda one: str(sum(one["slots"].values()))),
    "pend": (10, lambda one: str(one["slots"]["PEND"])),
    "run": (10, lambda one: str(one["slots"]["RUN"])),
    "susp": (10, lambda one: str(one["slots"]["SUSP"])),
    "rsv": (10, lambda one: "0"),
    "default_runlimit": (15, lambda one: _minutes(one.get("default_estimate_s", 0.0))),
    "runlimit": (15, lambda one: _minutes(one.get("max_estimate_s", 0.0))),
    "proclimit": (10, lambda one: number(one.get("max_processors"))),
    "users": (20, lambda one: " ".join(one.get("users", ())) or "all"),
    "hosts": (20, lambda one: " ".join(one.get("nodes", ())) or "all"),
    "max_runlimit": (15, lambda one: _minutes(one.get("max_estimate_s", 0.0))),
    "max_tasklimit": (15, lambda one: number(one.get("max_processors"))),
    "max_processlimit": (15, lambda one: number(one.get("max_processors"))),
    "ususp": (10, lambda one: str(one["slots"]["SUSP"])),
    "ssusp": (10, lambda one: "0"),
    "nice": (6, lambda one: "0"),
    "interactive": (12, lambda one: "NO"),
    "exclusive": (10, lambda one: "NO"),
    **dict.fromkeys(
        (
            *("max_corelimit", "max_cpulimit", "default_cpulimit", "max_datalimit", "default_datalimit"),
            *("max_filelimit", "max_memlimit", "default_memlimit", "default_processlimit", "max_stacklimit"),
            *("max_swaplimit", "min_tasklimit", "default_tasklimit", "max_threadlimit"),
            *("default_threadlimit", "res_req", "all_user_shares", "run_windows", "fairshare_queues"),
            *("preemption", "admins", "job_size_based", "dispatch_windows", "rerunnable", "job_starter"),
            *("pre_exec", "post_exec", "chkpnt_dir", "chkpnt_period", "requeue_exit_values"),
        ),
        (15, lambda one: ""),
    ),
}
"""By name, the width of a field and what it shows."""


def run(run: Invocation) -> int:
    """List queues."""
    given = given_to(run, OPTIONS, "[queue ...]")
    queues = run.transport.call("ClusterService", "ListQueues", {})["queues"]
    default = queues[0]["name"]
    known = {one["name"]: one for one in queues}
    wanted = given.words if given.words and given.words != ["all"] else list(known)
    absent = [name for name in wanted if name not in known]
    shown = [known[name] for name in wanted if name in known and _may_use(known[name], given)]
    _count(run, shown)
    try:
        if not formatted(run, given, FIELDS, shown, "QUEUES") and shown:
            _say(run, given, shown, default)
    except ValueError as error:
        raise refusal(run, str(error)) from None
    for name in absent:
        run.complain(f"{name}: No such queue")
    return CODE if absent else 0


def _may_use(queue: Queue, given: Values) -> bool:
    users = queue.get("users", ())
    return not given.flag("u") or not users or given.one("u") in users


def _count(run: Invocation, queues: list[Queue]) -> None:
    """Note in each of *queues* the slots of its jobs by state."""
    for queue in queues:
        queue["slots"] = dict.fromkeys(("PEND", "RUN", "SUSP"), 0)
    by_name = {queue["name"]: queue["slots"] for queue in queues}
    if not by_name:
        return
    wish = Wish()
    wish.queues = list(by_name)
    for job in found(run, wish, ("spec.queue", "spec.resources", "allocation")):
        state = _COUNTED.get(stat(job))
        if state:
            by_name[job.queue][state] += job.slots


def status(queue: Queue) -> str:
    """``Open:Active`` and the like."""
    return f"{'Open' if queue.get('enabled') else 'Closed'}:{'Active' if queue.get('started') else 'Inact'}"


def _say(run: Invocation, given: Values, queues: list[Queue], default: str) -> None:
    if given.flag("l"):
        for place, queue in enumerate(queues):
            if place:
                run.say("-" * 78)
            _say_long(run, queue, queue["name"] == default)
        return
    if not given.flag("noheader"):
        run.say(_HEADER)
    for queue in queues:
        run.say(_line(queue))


def _line(queue: Queue) -> str:
    jobs = queue["slots"]
    limits = [number(queue.get("max_jobs")), number(queue.get("max_running_per_user")), "-", "-"]
    counts = [sum(jobs.values()), jobs["PEND"], jobs["RUN"], jobs["SUSP"]]
    head = f"{queue['name']:<15} {queue.get('priority', 0):>3}  {status(queue):<14}"
    return (
        f"{head} {' '.join(f'{limit:>4}' for limit in limits)} {' '.join(f'{count:>5}' for count in counts)}"
    )


def _say_long(run: Invocation, queue: Queue, default: bool) -> None:
    jobs = queue["slots"]
    run.say(f"\nQUEUE: {queue['name']}")
    if default:
        run.say("  -- This is the default queue.")
    run.say("\nPARAMETERS/STATISTICS")
    run.say("PRIO NICE STATUS          MAX JL/U JL/P JL/H NJOBS  PEND   RUN SSUSP USUSP  RSV PJOBS")
    limits = " ".join(
        f"{one:>4}"
        for one in (number(queue.get("max_jobs")), number(queue.get("max_running_per_user")), "-", "-")
    )
    counts = " ".join(f"{one:>5}" for one in (sum(jobs.values()), jobs["PEND"], jobs["RUN"], 0, jobs["SUSP"]))
    run.say(f"{queue.get('priority', 0):>3}    0  {status(queue):<14} {limits} {counts}    0     0")
    if queue.get("default_estimate_s"):
        run.say(f"\nDEFAULT LIMITS:\n RUNLIMIT\n {_minutes(queue['default_estimate_s'])}")
    if queue.get("max_estimate_s") or queue.get("max_processors"):
        run.say("\nMAXIMUM LIMITS:")
        if queue.get("max_estimate_s"):
            run.say(f" RUNLIMIT\n {_minutes(queue['max_estimate_s'])}")
        if queue.get("max_processors"):
            run.say(f" PROCLIMIT\n {queue['max_processors']}")
    run.say("\nSCHEDULING PARAMETERS")
    run.say("           r15s   r1m  r15m   ut      pg    io   ls    it    tmp    swp    mem")
    for name in ("loadSched", "loadStop "):
        run.say(f" {name}   -     -     -     -       -     -    -     -     -      -      -")
    run.say(f"\nUSERS: {' '.join(queue.get('users', ())) or 'all'}")
    run.say(f"HOSTS:  {' '.join(queue.get('nodes', ())) or 'all'}\n")


def _minutes(seconds: float) -> str:
    return f"{seconds / 60:.1f} min" if seconds else ""
