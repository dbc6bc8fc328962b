"""``sacct``."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, JobRef, JobView, Sequence, Values
from molokini.compat.columns import Column, plus
from molokini.compat.failures import UsageError
from molokini.compat.options import option, refused, without_effect
from molokini.compat.slurm import ids, states, times
from molokini.compat.slurm.filters import fits, known, names, user
from molokini.compat.slurm.general import GENERAL, SHORT_HELP, given_to
from molokini.compat.slurm.needs import ALWAYS, EVERYTHING
from molokini.compat.slurm.sacct_fields import ALIASES, FIELDS, NEWER, Row, width_of
from molokini.compat.slurm.tables import show
from molokini.compat.tool import Failed

OPTIONS = (
    *GENERAL,
    SHORT_HELP,
    option("-a --allusers", text="jobs of all users"),
    option("-A --accounts", "NAMES", "only jobs of these accounts"),
    option("-b --brief", text="the columns JobID, State and ExitCode"),
    option("--delimiter", "TEXT", "column separator for -p and -P"),
    option("-E --endtime", "TIME", "only jobs that existed before TIME"),
    option("-e --helpformat", text="the names of all columns"),
    option("-j --jobs", "IDS", "only these jobs, elements or steps"),
    option("--json", text="everything about each job as JSON"),
    option("-l --long", text="many columns"),
    option("-L --allclusters", text="this cluster"),
    option("-M --clusters", "NAMES", "this cluster, or all"),
    option("-n --noheader", text="without header and rule"),
    option("--name", "NAMES", "only jobs of these names"),
    option("-N --nodelist", "NODES", "only jobs that ran on one of these nodes"),
    option("-o --format", "COLUMNS", "columns, separated by commas: NAME[%[-]WIDTH]", many=True),
    option("-p --parsable", text="separate columns with |, also at the end of the line"),
    option("-P --parsable2", text="columns with | between"),
    option("-q --qos", "NAMES", "only jobs of these QOS"),
    option("-r --partition", "NAMES", "only jobs of these partitions"),
    option("-s --state", "STATES", "only jobs in these states"),
    option("-S --starttime", "TIME", "only jobs that existed after TIME (default: midnight)"),
    option("-u --user --uid", "NAMES", "only jobs of these users (default: your own; for root: all)"),
    option("-X --allocations", text="only jobs, without their steps"),
    without_effect("-D --duplicates", why="a job has one row however often it was started"),
    without_effect("-v --verbose", why="there are no further details"),
    without_effect("--units", "UNIT", "sizes have the units that fit them"),
    without_effect("--noconvert", why="sizes have the units that fit them"),
    without_effect("--federation", why="there is one cluster"),
    without_effect("--local", why="there is one cluster"),
    without_effect("--array", why="array elements always have their own rows"),
    refused("-B --batch-script", why="scripts are not shown; use scontrol write batch_script"),
    refused("--env-vars", why="environments are not shown"),
    refused("-c --completion", why="there is no log of completions"),
    refused("-f --file", "FILE", "there is no such file"),
    refused("-i --nnodes", "N", "select by user, account, name or state"),
    refused("-I --ncpus", "N", "select by user, account, name or state"),
    refused("-g --gid --group", "NAMES", "select by user or account"),
    refused("-k --timelimit-min", "TIME", "select by user, account, name or state"),
    refused("-K --timelimit-max", "TIME", "select by user, account, name or state"),
    refused("-F --flags", "FLAGS", "select by user, account, name or state"),
    refused("-R --reason", "REASONS", "select by state"),
    refused("-W --wckeys", "NAMES", "select by user or account"),
    refused("-x --associations", "IDS", "there are no associations"),
    refused("-T --truncate", why="times are always shown as they are"),
    refused("-C --constraints", "LIST", "select by user, account, name or state"),
    refused("--whole-hetjob", "[yes|no]", "there are no heterogeneous jobs"),
    refused("--use-local-uid", why="user numbers are those of this machine"),
    refused("--yaml", why="use --json"),
)

_DEFAULT = "JobID,JobName,Partition,Account,AllocCPUS,State,ExitCode"
_BRIEF = "JobID,State,ExitCode"
_LONG = (
    "JobID,JobIDRaw,JobName,Partition,MaxVMSize,MaxVMSizeNode,MaxVMSizeTask,AveVMSize,MaxRSS,MaxRSSNode,"
    "MaxRSSTask,AveRSS,MaxPages,MaxPagesNode,MaxPagesTask,AvePages,MinCPU,MinCPUNode,MinCPUTask,AveCPU,NTasks,"
    "AllocCPUS,Elapsed,State,ExitCode,AveCPUFreq,ReqCPUFreqMin,ReqCPUFreqMax,ReqCPUFreqGov,ReqMem,"
    "ConsumedEnergy,MaxDiskRead,MaxDiskReadNode,MaxDiskReadTask,AveDiskRead,MaxDiskWrite,MaxDiskWriteNode,"
    "MaxDiskWriteTask,AveDiskWrite,ReqTRES,AllocTRES,TRESUsageInAve,TRESUsageInMax,TRESUsageInMaxNode,"
    "TRESUsageInMaxTask,TRESUsageInMin,TRESUsageInMinNode,TRESUsageInMinTask,TRESUsageInTot,TRESUsageOutMax,"
    "TRESUsageOutMaxNode,TRESUsageOutMaxTask,TRESUsageOutAve,TRESUsageOutTot"
)


def _column(word: str) -> Column:
    """The column that ``NAME[%[-]WIDTH]`` says; over-long texts end in a plus."""
    name, percent, form = word.partition("%")
    digits = form.removeprefix("-")
    if percent and not digits.isdigit():
        raise Failed(f'sacct: error: Invalid field requested: "{word}"')
    name = _full_name(name)
    left = form.startswith("-") or (not percent and name in ("JobID", "JobIDRaw"))
    return Column(name, int(digits) if percent else width_of(name), not left, plus, cell=FIELDS[name])


def _full_name(name: str) -> str:
    low = name.lower()
    for one in FIELDS:
        if one.lower() == low:
            return one
    found = [one for one in FIELDS if one.lower().startswith(low)] if low else []
    if low in ALIASES:
        return ALIASES[low]
    if not found:
        raise Failed(f'sacct: error: Invalid field requested: "{name}"')
    return found[0]


def run(run: Invocation) -> int:
    """Show what has become of jobs."""
    given = given_to(run, OPTIONS)
    if given.words:
        strangers = "".join(f"\nsacct: error:  {word}" for word in given.words)
        raise UsageError("argument", given.words[0], f"Unknown arguments:{strangers}")
    if given.flag("helpformat"):
        _help_format(run)
        return 0
    if given.flag("clusters"):
        from molokini.compat.slurm.cluster import check_clusters

        check_clusters(run, given.one("clusters"))
    columns = [_column(word) for word in _words(run, given)]
    rows = _rows(run, given, columns)
    if given.flag("json"):
        from molokini.compat.slurm.sacct_json import document

        run.say(document(rows, run.line))
        return 0
    between = given.one("delimiter", "|")
    end = between if given.flag("parsable") and not given.flag("parsable2") else ""
    show(run, given, columns, rows, between, end)
    return 0


def _words(run: Invocation, given: Values) -> list[str]:
    default = _BRIEF if given.flag("brief") else _LONG if given.flag("long") else _DEFAULT
    text = ",".join(given.all("format")) or run.variables.get("SACCT_FORMAT", "") or default
    return [one for word in names(text) for one in (_every() if word.lower() == "all" else [word])]


def _help_format(run: Invocation) -> None:
    words = _every()
    for start in range(0, len(words), 4):
        run.say(" ".join(word.ljust(19) for word in words[start : start + 4]))


def _every() -> list[str]:
    """The columns of --helpformat and of ALL."""
    return [name for name in FIELDS if name not in NEWER]


def _rows(run: Invocation, given: Values, columns: list[Column]) -> list[Row]:
    from molokini.compat.slurm.listing import mark_first, views

    refs = _refs(given)
    needed = _needed(given, columns)
    wanted = _wanted(given)
    since, until = _period(run, given, bool(refs))
    asked = _asked(run, given, bool(refs))
    if since:
        asked["ended_since_s"] = since
    lines = views(run, asked, needed, False, refs)
    lines = [
        one
        for one in lines
        if (wanted is None or one.state in wanted)
        and _was_there(one, wanted, since, until)
        and _fits(run, given, one)
    ]
    if any(column.name == "Reason" for column in columns):
        mark_first(run, lines)
    rows: list[Row] = []
    for view in lines:
        rows.append(Row(view))
        if not given.flag("allocations") and view.allocated and view.job.start_s is not None:
            rows.append(Row(view, "batch"))
    return [one for one in rows if _is_step(one, given)]


def _needed(given: Values, columns: list[Column]) -> Sequence[str]:
    """The parts of jobs that the columns, the filters and the steps need."""
    known = all(column.name in _PARTS for column in columns)
    if given.flag("json") or not known or any(given.flag(one) for one in ("qos", "nodelist")):
        return EVERYTHING
    found = [*ALWAYS, "user", "spec.name", "spec.account", "allocation", "start_s", "end_s", "submitted_s"]
    found += ["eligible_s", "exit_code", "signal"]
    return [*found, *(part for column in columns for part in _PARTS[column.name])]


_PARTS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("JobID", "JobIDRaw", "JobName", "Partition", "Account", "State", "ExitCode", "NodeList"), ()
    ),
    **dict.fromkeys(("User", "Submit", "Start", "End", "Eligible", "DerivedExitCode"), ()),
    "AllocCPUS": ("spec.resources",),
    **dict.fromkeys(("Elapsed", "ElapsedRaw", "Suspended"), ("elapsed_s", "suspended_s")),
}
"""By column, what it needs beside what each row has to have."""


def _is_step(row: Row, given: Values) -> bool:
    """Where only a step was named (12.batch), only that one."""
    words = names(",".join(given.all("jobs")))
    steps = [word for word in words if "." in word]
    return not steps or len(steps) < len(words) or row.id in steps


def _refs(given: Values) -> list[JobRef]:
    try:
        return ids.refs(",".join(given.all("jobs")))
    except ValueError as error:
        raise Failed(f"sacct: fatal: Bad job/step specified: {error}") from None


def _asked(run: Invocation, given: Values, by_number: bool) -> dict[str, Any]:
    import os

    users = names(given.one("uid"))
    if not users and not given.flag("allusers") and not by_number and os.getuid():
        users = [str(os.getuid())]
    if stranger := next((one for one in users if not known(one)), ""):
        raise Failed(f"sacct: error: Invalid user id: {stranger}")
    called = names(given.one("name"))
    return {
        "users": [user(run, one) for one in users],
        "queues": names(given.one("partition")),
        "name": called[0] if len(called) == 1 else "",
        "include_ended": True,
    }


def _fits(run: Invocation, given: Values, view: JobView) -> bool:
    if given.flag("accounts") and view.account not in names(given.one("accounts")):
        return False
    return fits(run, given, view, names(given.one("partition")))


def _wanted(given: Values) -> frozenset[str] | None:
    if not given.flag("state"):
        return None
    try:
        return frozenset(states.asked_states(given.one("state")))
    except ValueError as error:
        raise Failed(f"sacct: fatal: unrecognized job state value '{error}'") from None


def _period(run: Invocation, given: Values, by_number: bool) -> tuple[float, float]:
    """From when to when jobs must have been there."""
    if by_number and not given.flag("starttime") and not given.flag("endtime"):
        return 0.0, float("inf")
    from molokini.compat.slurm.cluster import Clock

    clock = Clock(run)
    found = []
    # Where states are asked for, sacct looks at this moment unless a start is named.
    first = "" if by_number else "now" if given.flag("state") and not given.flag("endtime") else "today"
    for name, default in (("starttime", first), ("endtime", "")):
        text = given.one(name) or default
        try:
            found.append(clock.instant(text) if text else 0.0 if name == "starttime" else float("inf"))
        except ValueError:
            raise Failed(f"Invalid time specification (pos={times.mistaken_at(text)}): {text}") from None
    if found[0] > found[1]:
        first, last = (times.shown(at_s) for at_s in found)
        raise Failed(f"sacct: error: Start time ({first}) requested is after end time ({last}).")
    return found[0], found[1]


def _was_there(view: JobView, wanted: frozenset[str] | None, since: float, until: float) -> bool:
    """Whether it was eligible or ran in the period; with states asked for, whether it was in them then."""
    start = view.job.eligible_s if view.job.eligible_s is not None else view.job.submitted_s
    end = view.job.end_s
    if wanted is not None and view.state != "PENDING" and view.job.start_s is not None:
        start = view.job.start_s
    return start <= until and (end is None or float(end) >= since)
