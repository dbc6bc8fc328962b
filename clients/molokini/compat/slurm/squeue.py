"""``squeue``."""

from __future__ import annotations

from molokini.compat._types import Any, Callable, Column, Invocation, JobRef, JobView, Values
from molokini.compat.options import option, refused, without_effect
from molokini.compat.slurm import ids, states
from molokini.compat.slurm.filters import fits, known, names, user
from molokini.compat.slurm.general import GENERAL, given_to
from molokini.compat.tool import Failed

OPTIONS = (
    *GENERAL,
    option("-A --account", "NAMES", "only jobs of these accounts"),
    option("-a --all", text="jobs of all partitions (none are hidden)"),
    option("-h --noheader", text="without the header"),
    option("-j --jobs", "[IDS]", "only these jobs, or elements of arrays"),
    option("--json", text="everything about each job as JSON"),
    option("-L --licenses", "NAMES", "jobs that hold, or ask for, these licences"),
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
    option("-u --users --user", "NAMES", "only jobs of these users"),
    option("-v --verbose", text="report the request on standard error"),
    option("-w --nodelist", "NODES", "only jobs that run on one of these nodes"),
    without_effect("--noconvert", why="sizes have the units that fit them"),
    option("-P --priority", text="one line per partition of a waiting job"),
    without_effect("--hide", why="no partition is hidden"),
    without_effect("--federation", why="there is one cluster"),
    without_effect("--local", why="there is one cluster"),
    without_effect("--sibling", why="there is one cluster"),
    without_effect("--array-unique", why="a line always has one element"),
    refused("-i --iterate", "SECONDS", "run squeue in a loop, or 'molokini jobs --watch'"),
    refused("--yaml", why="use --json"),
)

_FORMAT = "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R"
_LONG = "%.18i %.9P %.8j %.8u %.8T %.10M %.9l %.6D %R"
_START = "%.18i %.9P %.8j %.8u %.2t %.19S %.6D %20Y %R"
_USAGE = """\
Usage: squeue [-A account] [--clusters names] [-i seconds] [--job jobid]
              [-n name] [-o format] [-p partitions] [--qos qos]
              [--reservation reservation] [--sort fields] [--start]
              [--step step_id] [-t states] [-u user_name] [--usage]
              [-L licenses] [-w nodes] [--federation] [--local] [--sibling]
\t      [-ahjlrsv]"""
_STEPS = "%.15i %.8j %.9P %.8u %.9M %N"


def run(run: Invocation) -> int:
    """List jobs."""
    given = given_to(run, OPTIONS)
    _check_words(run, given)
    if given.flag("clusters"):
        from molokini.compat.slurm.cluster import check_clusters

        name = check_clusters(run, given.one("clusters"))
        if not given.flag("noheader"):
            run.say(f"CLUSTER: {name}")
    prefix, columns = _columns(run, given)
    for column in columns:
        if column.name in _DURATIONS:
            column.cuts = _whole
    lines = _lines(run, given, {column.name for column in columns})
    if given.flag("json"):
        from molokini.compat.slurm.squeue_json import document

        run.say(document(lines, run.line))
        return 0
    from molokini.compat.slurm.sorting import sort

    sort(lines, ",".join(_order(run, given)))
    _show(run, given, prefix, columns, lines)
    return 0


_DURATIONS = frozenset({"l", "L", "M", "timelimit", "timeleft", "timeused", "runtime"})


def _whole(text: str, width: int) -> str:
    """Durations are never cut, their headers are."""
    return text if text[:1].isdigit() else text[:width]


def _check_words(run: Invocation, given: Values) -> None:
    """A word is numbers of jobs where ``-j`` stands without any, and else a mistake."""
    words = list(given.words)
    for name in ("jobs", "steps"):
        if words and given.flag(name) and not given.one(name):
            given.given[name] = [words.pop(0)]
    if words:
        run.say(_USAGE)
        raise Failed(f"squeue: error: Unrecognized option: {words[0]}")
    if given.flag("format") and given.flag("Format"):
        raise Failed("squeue: error: -O (--Format) is incompatible with -o (--format)")


def _order(run: Invocation, given: Values) -> list[str]:
    default = "S" if given.flag("start") else "P,t,-p"
    return names(given.one("sort") or run.variables.get("SQUEUE_SORT", "") or default)


def _columns(run: Invocation, given: Values) -> tuple[str, list[Column]]:
    from molokini.compat.slurm import formats
    from molokini.compat.slurm.squeue_fields import LETTERED, NAMED

    def unknown(name: str) -> None:
        run.complain(f"squeue: error: Invalid job format specification: {name}")

    if given.flag("Format") or (not given.flag("format") and "SQUEUE_FORMAT2" in run.variables):
        text = given.one("Format") or run.variables.get("SQUEUE_FORMAT2", "")
        return "", formats.named(text, NAMED, unknown)
    default = _LONG if given.flag("long") else _START if given.flag("start") else _FORMAT
    default = _STEPS if given.flag("steps") else default
    if given.flag("format"):
        return formats.lettered(given.one("format"), LETTERED, unknown)
    return formats.lettered(run.variables.get("SQUEUE_FORMAT", "") or default, LETTERED, unknown)


def _lines(run: Invocation, given: Values, columns: set[str]) -> list[JobView]:
    from molokini.compat.slurm.cluster import kept_since_s
    from molokini.compat.slurm.listing import MOST_EXPECTED, by_partition, expect, mark_first, measure, views
    from molokini.compat.slurm.needs import DETAILS, EVERYTHING, fields
    from molokini.compat.slurm.squeue_fields import COUNTS, REASONS, STARTS

    wanted, refs = _wanted_states(run, given), _refs(given)
    asked = _asked(run, given)
    if wanted is None or not wanted <= states.OPEN:
        asked["include_ended"] = True
    # What ended longer ago squeue does not know any more: sacct does.
    since_s = kept_since_s(run) if refs or "include_ended" in asked else 0.0
    if since_s:
        asked["ended_since_s"] = since_s
    json = given.flag("json")
    filtered = ["end_s"] if since_s else []
    filtered += [f"spec.{name}" for name in ("account", "qos", "name") if given.flag(name)]
    filtered += ["allocation"] if given.flag("nodelist") else []
    filtered += [*DETAILS] if given.flag("reservation") else []
    filtered += ["spec.resources"] if given.flag("licenses") else []
    needed = (
        EVERYTHING
        if json
        else fields([*columns, *(one.lstrip("+-") for one in _order(run, given))], filtered)
    )
    if given.flag("nodelist"):
        _check_nodes(run, given.one("nodelist"))
    lines = views(run, asked, needed, given.flag("array"), refs)
    lines = [one for one in lines if since_s <= (since_s if one.job.end_s is None else one.job.end_s)]
    if len(refs) == 1 and not lines and ("array_index" not in refs[0] or "_" not in given.one("jobs")):
        raise Failed("slurm_load_jobs error: Invalid job id specified")
    if given.flag("priority"):
        lines = [each for one in lines for each in by_partition(one)]
    lines = [one for one in lines if wanted is None or one.state in wanted]
    lines = [one for one in lines if fits(run, given, one, asked["queues"])]
    if given.flag("licenses"):
        named = {one.strip().partition(":")[0] for one in given.one("licenses").split(",")}
        lines = [one for one in lines if not named.isdisjoint(one.job.licenses)]
    if json or columns & COUNTS:
        measure(run, lines)
    if json or columns & REASONS:
        mark_first(run, lines)
    if "pendingtime" in columns:
        _look_at_clock(run, lines)
    if given.flag("start") or ((json or columns & STARTS) and len(lines) <= MOST_EXPECTED):
        expect(run, lines)
    return lines


def _look_at_clock(run: Invocation, lines: list[JobView]) -> None:
    from molokini.compat.slurm.cluster import Clock

    now_s = Clock(run).now_s
    for view in lines:
        view.now_s = now_s


def _check_nodes(run: Invocation, text: str) -> None:
    """Failed for a node that there is not."""
    from molokini.compat.slurm.cluster import nodes
    from molokini.compat.slurm.hosts import expanded

    try:
        wanted = expanded(text)
    except ValueError:
        wanted = [text]
    known = {node["name"] for node in nodes(run)}
    if stranger := next((name for name in wanted if name not in known), ""):
        raise Failed(f"squeue: error: Invalid node name {stranger}")


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
        found = ids.refs(",".join(given.all("jobs") + given.all("steps")))
        if beyond := next((ref["id"] for ref in found if ref["id"] > ids.MOST), 0):
            raise ValueError(beyond)
        return found
    except ValueError as error:
        raise Failed(f"squeue: error: Invalid job id: {error}") from None


def _asked(run: Invocation, given: Values) -> dict[str, Any]:
    users = names(given.one("user") or run.variables.get("SQUEUE_USERS", ""))
    for name in users:
        if not known(name):
            run.complain(f"squeue: error: Invalid user: {name}")
    if given.flag("me"):
        import os

        users = [str(os.getuid())]
    queues = names(given.one("partition") or run.variables.get("SQUEUE_PARTITION", ""))
    called = names(given.one("name") or run.variables.get("SQUEUE_NAMES", ""))
    made: dict[str, Any] = {"users": [user(run, one) for one in users], "queues": queues}
    if len(called) == 1:
        made["name"] = called[0]
    return made


def _show(run: Invocation, given: Values, prefix: str, columns: list[Column], lines: list[JobView]) -> None:
    from molokini.compat.columns import line

    if given.flag("long") and not given.flag("noheader"):
        import time

        run.say(time.strftime("%a %b %d %H:%M:%S %Y"))
    if not given.flag("noheader"):
        run.say(prefix + line(columns, [_header(given, column) for column in columns]))
    cells = [column.cell for column in columns]
    if given.flag("steps"):
        cells = [_OF_STEPS.get(column.name, column.cell) for column in columns]
    text = "\n".join(prefix + line(columns, [cell(view) for cell in cells]) for view in lines)
    if lines:
        run.say(text)


_OF_STEPS: dict[str, Callable[[JobView], str]] = {
    "i": lambda view: f"{view.id}.batch",
    "j": lambda view: "batch",
}
"""Columns in which the batch step differs from its job."""


def _header(given: Values, column: Column) -> str:
    return "STEPID" if given.flag("steps") and column.name == "i" else column.header
