"""``squeue``."""

from __future__ import annotations

from molokini.compat._types import Any, Column, Invocation, JobRef, JobView, Values
from molokini.compat.failures import Refused, UsageError
from molokini.compat.options import option, refused, without_effect
from molokini.compat.slurm import ids, states
from molokini.compat.slurm.filters import fits, names, user
from molokini.compat.slurm.general import GENERAL, given_to
from molokini.compat.tool import Failed

OPTIONS = (
    *GENERAL,
    option("-A --account", "NAMES", "only jobs of these accounts"),
    option("-a --all", text="jobs of all partitions (none are hidden)"),
    option("-h --noheader", text="without the header"),
    option("-j --jobs", "[IDS]", "only these jobs, or elements of arrays"),
    option("--json", text="everything about each job as JSON"),
    option("-l --long", text="with states in words and time limits"),
    option("-M --clusters", "NAMES", "this cluster, or all"),
    option("--me", text="only your own jobs"),
    option("-n --name", "NAMES", "only jobs of these names"),
    option("-o --format", "FORMAT", "columns by letters: %[.][width]letter"),
    option("-O --Format", "NAMES", "columns by names: NAME[:[.][width][suffix]],..."),
    option("--only-job-state", text="as without it: states are always those of this moment"),
    option("-p --partition", "NAMES", "only jobs of these partitions"),
    option("-q --qos", "NAMES", "only jobs of these QOS"),
    option("-r --array", text="one line per waiting array element"),
    option("-R --reservation", "NAME", "only jobs that were submitted for this reservation"),
    option("-s --steps", "[IDS]", "the steps of running jobs: the batch script of each"),
    option("-S --sort", "LETTERS", "sort by columns, letters of -o with + or - before each; default P,t,-p"),
    option("--start", text="waiting jobs, and their expected start times"),
    option("-t --states", "STATES", "only jobs in these states, or all"),
    option("-u --user", "NAMES", "only jobs of these users"),
    option("-v --verbose", text="report the request on standard error"),
    option("-w --nodelist", "NODES", "only jobs that run on one of these nodes"),
    without_effect("-P --priority", why="a job has one partition"),
    without_effect("--hide", why="no partition is hidden"),
    without_effect("--federation", why="there is one cluster"),
    without_effect("--local", why="there is one cluster"),
    without_effect("--sibling", why="there is one cluster"),
    without_effect("--array-unique", why="a line always has one element"),
    refused("-i --iterate", "SECONDS", "run squeue in a loop, or 'molokini jobs --watch'"),
    refused("--yaml", why="use --json"),
    refused("-L --licenses", "NAMES", "licences are not counted"),
)

_FORMAT = "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R"
_LONG = "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R"
_START = "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R"
_STEPS = "%.15i %.8j %.9P %.8u %.9M %N"


def run(run: Invocation) -> int:
    """List jobs."""
    given = given_to(run, OPTIONS)
    _check_words(given)
    if given.flag("clusters"):
        from molokini.compat.slurm.cluster import check_clusters

        run.say(f"CLUSTER: {check_clusters(run, given.one('clusters'))}")
    prefix, columns = _columns(run, given)
    lines = _lines(run, given, {column.name for column in columns})
    if given.flag("json"):
        from molokini.compat.slurm.squeue_json import document

        run.say(document(lines, run.line))
        return 0
    from molokini.compat.slurm.sorting import sort

    sort(lines, ",".join(_order(run, given)))
    _show(run, given, prefix, columns, lines)
    return 0


def _check_words(given: Values) -> None:
    """Words are numbers of jobs where ``-j`` stands without one, and else a mistake."""
    if given.words and given.flag("jobs") and not given.one("jobs"):
        given.given["jobs"] = [",".join(given.words)]
    elif given.words and given.flag("steps") and not given.one("steps"):
        given.given["steps"] = [",".join(given.words)]
    elif given.words:
        raise UsageError("argument", given.words[0], f"Unrecognized option: {given.words[0]}")


def _order(run: Invocation, given: Values) -> list[str]:
    default = "S" if given.flag("start") else "P,t,-p"
    return names(given.one("sort") or run.variables.get("SQUEUE_SORT", "") or default)


def _columns(run: Invocation, given: Values) -> tuple[str, list[Column]]:
    from molokini.compat.slurm import formats
    from molokini.compat.slurm.squeue_fields import LETTERED, NAMED

    try:
        if given.flag("Format") or (not given.flag("format") and "SQUEUE_FORMAT2" in run.variables):
            return "", formats.named(given.one("Format") or run.variables.get("SQUEUE_FORMAT2", ""), NAMED)
        default = _LONG if given.flag("long") else _START if given.flag("start") else _FORMAT
        default = _STEPS if given.flag("steps") else default
        text = given.one("format") or run.variables.get("SQUEUE_FORMAT", "") or default
        return formats.lettered(text, LETTERED)
    except formats.BadFormat as error:
        raise Failed(f"squeue: error: Invalid job format specification: {error}") from None


def _lines(run: Invocation, given: Values, columns: set[str]) -> list[JobView]:
    from molokini.compat.slurm.listing import mark_first, views
    from molokini.compat.slurm.needs import DETAILS, EVERYTHING, fields
    from molokini.compat.slurm.squeue_fields import REASONS

    wanted, refs = _wanted_states(run, given), _refs(given)
    asked = _asked(run, given)
    if wanted is None or not wanted <= states.OPEN:
        asked["include_ended"] = True
    # What ended longer ago squeue does not know any more: sacct does.
    since_s = _kept_since_s(run) if refs or "include_ended" in asked else 0.0
    if since_s:
        asked["ended_since_s"] = since_s
    json = given.flag("json")
    filtered = ["end_s"] if since_s else []
    filtered += [f"spec.{name}" for name in ("account", "qos", "name") if given.flag(name)]
    filtered += ["allocation"] if given.flag("nodelist") else []
    filtered += [*DETAILS] if given.flag("reservation") else []
    needed = (
        EVERYTHING
        if json
        else fields([*columns, *(one.lstrip("+-") for one in _order(run, given))], filtered)
    )
    lines = views(run, asked, needed, given.flag("array"), refs)
    lines = [one for one in lines if since_s <= (since_s if one.job.end_s is None else one.job.end_s)]
    if len(refs) == 1 and not lines:
        raise Failed("slurm_load_jobs error: Invalid job id specified")
    lines = [one for one in lines if (wanted is None or one.state in wanted) and fits(run, given, one)]
    if json or columns & REASONS:
        mark_first(run, lines)
    if given.flag("start"):
        _expect(run, lines)
    return lines


def _kept_since_s(run: Invocation) -> float:
    """Since when jobs must have ended to be listed, by MinJobAge."""
    from molokini.compat.slurm.cluster import Clock
    from molokini.compat.slurm.configuration import MIN_JOB_AGE_S

    return max(0.0, Clock(run).now_s - MIN_JOB_AGE_S)


def _wanted_states(run: Invocation, given: Values) -> frozenset[str] | None:
    """The states asked for; None: all."""
    if given.flag("start"):
        return frozenset({"PENDING"})
    if given.flag("steps"):
        return frozenset({"RUNNING", "SUSPENDED"})
    text = given.one("states") or run.variables.get("SQUEUE_STATES", "")
    if text.lower() == "all":
        return None
    if not text:
        return None if given.flag("json") else states.OPEN
    try:
        return frozenset(states.asked_states(text))
    except ValueError as error:
        known = ",".join(states.SHORT)
        text = (
            f"squeue: error: Invalid job state specified: {error}\nsqueue: error: Valid job states include: "
        )
        raise Failed(text + known) from None


def _refs(given: Values) -> list[JobRef]:
    try:
        text = ",".join(given.all("jobs") + given.all("steps"))
        return ids.refs(text)
    except ValueError as error:
        raise Failed(f"squeue: error: Invalid job id: {error}") from None


def _asked(run: Invocation, given: Values) -> dict[str, Any]:
    users = names(given.one("user") or run.variables.get("SQUEUE_USERS", ""))
    if given.flag("me"):
        import os

        users = [str(os.getuid())]
    queues = names(given.one("partition") or run.variables.get("SQUEUE_PARTITION", ""))
    called = names(given.one("name") or run.variables.get("SQUEUE_NAMES", ""))
    made: dict[str, Any] = {"users": [user(run, one) for one in users], "queues": queues}
    if len(called) == 1:
        made["name"] = called[0]
    return made


def _expect(run: Invocation, lines: list[JobView]) -> None:
    """Ask for the starts of waiting jobs without a promised start, if running jobs use their full limits."""
    import json

    for view in lines:
        if view.job.state != "WAITING" or view.job.reserved_s is not None or view.pending:
            continue
        asked = {"name": "start", "job": view.job.number}
        try:
            told = run.transport.call("ClusterService", "GetReport", asked)
        except Refused:
            # It has started meanwhile, or the policy has not looked at this element yet.
            continue
        start_s = json.loads(told["json"]).get("start_s")
        if start_s is not None:
            view.job.answer["reserved_s"] = start_s


def _show(run: Invocation, given: Values, prefix: str, columns: list[Column], lines: list[JobView]) -> None:
    from molokini.compat.columns import line

    if given.flag("long") and not given.flag("noheader"):
        import time

        run.say(time.strftime("%a %b %d %H:%M:%S %Y"))
    if not given.flag("noheader"):
        run.say(prefix + line(columns, [_header(given, column) for column in columns]))
    cells = [column.cell for column in columns]
    text = "\n".join(prefix + line(columns, [cell(view) for cell in cells]) for view in lines)
    if lines:
        run.say(text)


def _header(given: Values, column: Column) -> str:
    return "STEPID" if given.flag("steps") and column.name == "i" else column.header
