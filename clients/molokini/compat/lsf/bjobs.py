"""``bjobs``."""

from __future__ import annotations

from molokini.compat._types import Format, Invocation, Job, Sequence, Values, Wish
from molokini.compat.lsf import job_fields, selecting, states
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.failing import CODE, refusal
from molokini.compat.lsf.formats import as_json, read_format, values_of
from molokini.compat.lsf.looking import View
from molokini.compat.options import option, refused, without_effect

_ONE_CLUSTER = "there is one cluster, and no licences, profiles or service classes"
_ONE_LINE = "hosts always stand in the order in which the job has them"

OPTIONS = (
    *USUAL,
    option("-a", text="include jobs that have ended in the last hour"),
    option("-d", text="jobs that have ended in the last hour"),
    option("-p", text="pending jobs, and why they are pending"),
    option("-r", text="running jobs"),
    option("-s", text="suspended jobs, and why they are suspended"),
    option("-l", text="all details of each job"),
    option("-UF", text="with -l: without line breaks"),
    option("-w", text="wide: do not truncate columns"),
    option("-W", text="wide, and project, use and times"),
    option("-WF", text="wide, and when the job ends at the latest"),
    option("-WL", text="wide, and the time that is left"),
    option("-WP", text="wide, and how much of its limit is used"),
    option("-A", text="one line for each array"),
    option("-sum", text="numbers of slots by state"),
    option("-u", "USERS", "jobs of these users, or of all"),
    option("-q", "QUEUE", "jobs of this queue"),
    option("-m", "HOST", "jobs on this host"),
    option("-J", "NAME", "jobs with this name; * matches any text"),
    option("-P", "PROJECT", "jobs of this project"),
    option("-g", "/GROUP", "jobs of this job group"),
    option("-noheader", text="without the first line"),
    option("-o", "FIELDS", "columns: \"FIELD[:[-]WIDTH] ... [delimiter='c']\""),
    option("-json", text="as JSON"),
    option("-script", text="the job's script"),
    without_effect("-X", why=_ONE_LINE),
    without_effect("-G", "GROUP", "a user's jobs are the same in all groups"),
    without_effect("-hms", why="durations are shown as they are"),
    refused("-x", why="exceptions are not watched for"),
    refused("-app", "NAME", _ONE_CLUSTER),
    refused("-sla", "NAME", _ONE_CLUSTER),
    refused("-Lp", "NAME", _ONE_CLUSTER),
    refused("-fwd", why=_ONE_CLUSTER),
    refused("-cname", why=_ONE_CLUSTER),
    refused("-N", "HOST", "run times are not normalised: all hosts are equally fast"),
    refused("-aff", why="only the node binds jobs to processors"),
    refused("-ss", why="there are no service classes"),
    refused("-rsvid", "NAME", "jobs name no reservations"),
    refused("-data", why="files are shared between hosts"),
    refused("-env", why="see molokini job ID --json"),
    refused("-gpu", why="which GPUs a job has is not listed; ask for gpu_num with -o"),
    refused("-psum", why="use -p, or molokini explain"),
    refused("-plan", why="use molokini forecast"),
    refused("-pe", why="use -p"),
    refused("-pi", why="use -p"),
    refused("-pei", why="use -p"),
    refused("-pri", why="use -p"),
    refused("-aps", why="use molokini explain"),
    refused("-hostfile", why="jobs do not name their hosts"),
    refused("-rusage", "TEXT", "use -o with the columns that are needed"),
    refused("-system", why="there are no jobs of the system"),
    refused("-prio", why="use molokini explain"),
)
_DEFAULT = ("jobid", "user", "stat", "queue", "from_host", "exec_host", "job_name", "submit_time")


def run(run: Invocation) -> int:
    """List jobs."""
    given = given_to(run, OPTIONS, "[job ...]")
    try:
        wish = selecting.wish_of(given, given.flag("a") or given.flag("d"))
        return _listed(run, given, wish)
    except ValueError as error:
        raise refusal(run, str(error)) from None


def _listed(run: Invocation, given: Values, wish: Wish) -> int:
    view = View(run)
    if text := given.one("o") or _usual_format(run, given):
        asked = read_format(text, job_fields.WIDTHS, job_fields.ALIASES)
        lines = _jobs(run, given, wish, job_fields.needed(asked.names))
        if given.flag("json"):
            return _say_json(run, asked, lines, wish, view)
        return _say_columns(run, given, asked, lines, wish, view)
    if given.flag("l") or given.flag("script"):
        from molokini.compat.lsf import bjobs_long
        from molokini.compat.lsf.wording import FULL

        say, needed = bjobs_long.say, list(FULL)
    elif given.flag("A"):
        from molokini.compat.lsf import bjobs_arrays

        say, needed = bjobs_arrays.say, ["user", "spec.name"]
    elif given.flag("sum"):
        from molokini.compat.lsf import bjobs_sum

        say, needed = bjobs_sum.say, ["allocation", "spec.resources"]
    else:
        from molokini.compat.lsf import bjobs_table

        say, needed = bjobs_table.say, bjobs_table.needed(given)
    lines = _jobs(run, given, wish, needed)
    if lines:
        say(run, given, lines, view)
    return _end(run, given, lines, wish)


def _usual_format(run: Invocation, given: Values) -> str:
    """The format where ``-o`` says none: that of the environment, or the usual columns of ``-json``."""
    others = ("l", "A", "sum", "p", "s", "W", "w", "UF", "WF", "WL", "WP", "script")
    if any(given.flag(name) for name in others):
        return " ".join(_DEFAULT) if given.flag("json") else ""
    return run.variables.get("LSB_BJOBS_FORMAT", "") or (" ".join(_DEFAULT) if given.flag("json") else "")


def _jobs(run: Invocation, given: Values, wish: Wish, fields: Sequence[str]) -> list[Job]:
    """The jobs that *wish* selects, in the states that the options name."""
    wanted = _states(given)
    found = selecting.found(run, wish, fields)
    return [job for job in found if states.stat(job) in wanted] if wanted else found


def _states(given: Values) -> set[str]:
    """The states that -a, -d, -p, -r and -s ask for together; empty: whatever was found."""
    if given.flag("a"):
        return set()
    wanted: set[str] = set()
    for name, those in (
        ("d", states.FINISHED),
        ("p", ("PEND",)),
        ("r", ("RUN",)),
        ("s", states.SUSPENDED),
    ):
        if given.flag(name):
            wanted.update(those)
    return wanted


def _say_columns(
    run: Invocation, given: Values, asked: Format, lines: list[Job], wish: Wish, view: View
) -> int:
    if lines and not given.flag("noheader"):
        run.say(asked.header())
    for job in lines:
        run.say(asked.line(values_of(asked.names, lambda name, job=job: job_fields.value(name, job, view))))  # type: ignore[misc]
    return _end(run, given, lines, wish)


def _say_json(run: Invocation, asked: Format, lines: list[Job], wish: Wish, view: View) -> int:
    """Everything is a text; a job that there is not is a record that says so."""
    records = [{name.upper(): job_fields.value(name, job, view) for name in asked.names} for job in lines]
    for name in selecting.missing(lines, wish):
        records.append({"JOBID": name, "ERROR": f"Job <{name}> is not found"})
    run.say(as_json("bjobs", "JOBS", records))
    return 0


def _end(run: Invocation, given: Values, lines: list[Job], wish: Wish) -> int:
    """Say what was not found; the exit code."""
    absent = selecting.missing(lines, wish) if not _states(given) else []
    for name in absent:
        run.complain(f"Job <{name}> is not found")
    if absent:
        return CODE
    if not lines:
        run.complain(_nothing(given))
    return 0


def _nothing(given: Values) -> str:
    if given.flag("J"):
        return f"Job <{given.one('J')}> is not found"
    for name, word in (
        ("a", ""),
        ("d", "finished "),
        ("r", "running "),
        ("p", "pending "),
        ("s", "suspended "),
    ):
        if given.flag(name):
            return f"No {word}job found"
    return "No unfinished job found"
