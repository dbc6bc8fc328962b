"""``qalter``: changes jobs that have not ended."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation
from molokini.compat.options import Values, option, refused
from molokini.compat.pbs import values
from molokini.compat.pbs.altering import alter
from molokini.compat.pbs.changing import change
from molokini.compat.pbs.commanding import USUAL, given_to
from molokini.compat.pbs.failing import failure
from molokini.compat.pbs.failing import usage as wrong
from molokini.compat.pbs.resources import BadResource, pairs_of, wanted
from molokini.compat.pbs.specs import BadOption, checked
from molokini.compat.pbs.times import instant_s
from molokini.compat.pbs.words import job_words

_FIXED = "it can be set only at submission"

OPTIONS = (
    *USUAL,
    option("-a", "TIME", "start not before [[[[CC]YY]MM]DD]hhmm[.SS]"),
    option("-A", "ACCOUNT", "account"),
    refused("-c", "WHEN", why=_FIXED),
    refused("-e", "PATH", why=_FIXED),
    option("-h", "HOLDS", "holds to set: any of u, o and s; n releases all"),
    refused("-j", "HOW", why=_FIXED),
    refused("-k", "WHAT", why=_FIXED),
    option("-l", "RESOURCES", "resources, as for qsub; of a running job only walltime=", many=True),
    refused("-m", "EVENTS", why=_FIXED),
    refused("-M", "USERS", why=_FIXED),
    option("-N", "NAME", "name of the job"),
    refused("-o", "PATH", why=_FIXED),
    option("-p", "PRIORITY", "from -1024 to 1023; stored and shown"),
    refused("-P", "PROJECT", why=_FIXED),
    option("-q", "QUEUE", "move the job to another queue (Torque)"),
    option("-r", "YN", "whether the job may be rerun: y or n"),
    refused("-R", "FILES", why="files of output are not removed"),
    refused("-S", "SHELL", why=_FIXED),
    refused("-t", "LIST", why="an array is changed as a whole"),
    refused("-u", "USER", why="jobs run as their submitter"),
    refused("-v", "VARIABLES", why=_FIXED),
    option("-W", "ATTRIBUTES", "group_list=, comment= and depend=", many=True),
)


def run(run: Invocation) -> int:
    """Change the jobs; the exit code is that of the last that could not be changed."""
    given = given_to(run, OPTIONS, "job id...")
    words = job_words(run, given)
    try:
        changes, holds = _changes(run, given), _holds(given)
    except BadOption as error:
        raise wrong(run, str(error)) from None
    except BadResource as error:
        raise failure(run, error.number, error.about, str(error)) from None
    if not changes and not given.flag("h"):
        raise wrong(run, "nothing to change: give at least one option (see qalter --help)")
    code = alter(run, words, changes) if changes else 0
    if given.flag("h") and not holds:
        code = change(run, words, "ReleaseJobs") or code
    for hold in holds:
        code = change(run, words, "HoldJobs", hold=hold) or code
    return code


def _changes(run: Invocation, given: Values) -> dict[str, Any]:
    """Fields of the JobSpec. Raises BadOption or BadResource."""
    made: dict[str, Any] = {}
    if given.flag("N"):
        made["name"] = checked(given, "N", values.job_name, "")
    if given.flag("A"):
        made["account"] = given.one("A")
    if given.flag("p"):
        made["user_priority"] = checked(given, "p", values.priority, 0)
    if given.flag("r"):
        made["requeue"] = checked(given, "r", values.rerunnable, True)
    if given.flag("q"):
        made["queue"] = given.one("q").partition("@")[0]
    if given.flag("a"):
        now_s = run.transport.call("ClusterService", "GetClock", {}).get("now_s", 0.0)
        made["begin_at_s"] = checked(given, "a", lambda text: instant_s(text, now_s), 0.0)
    for text in given.all("W"):
        name, equals, value = text.partition("=")
        if name not in ("group_list", "comment", "depend") or not equals:
            raise BadOption(
                f"illegal -W value {text[:60]!r}: group_list=, comment= and depend= can be changed"
            )
        if name == "depend":
            made["dependencies"] = _depend(value)
            continue
        made["group" if name == "group_list" else name] = value
    return {**made, **_resources(given)}


def _depend(value: str) -> list[dict[str, Any]]:
    from molokini.compat.pbs.depends import before_of, dependencies

    try:
        found, others = before_of(dependencies(value) if value else ())
    except ValueError as error:
        raise BadOption(f"illegal -W value: {error}") from None
    if others:
        raise BadOption("illegal -W value: before can be said when a job is submitted")
    return found


def _resources(given: Values) -> dict[str, Any]:
    pairs = pairs_of(given.all("l"))
    if not pairs:
        return {}
    asked = wanted(pairs)
    made: dict[str, Any] = {}
    if asked.estimate_s:
        made["estimate_s"] = asked.estimate_s
    if asked.qos:
        made["qos"] = asked.qos
    if pairs.keys() - {"walltime", "qos"}:
        if asked.exclusive:
            raise BadOption("whole nodes can be asked for when a job is submitted")
        made["resources"] = asked.resources
    return made


def _holds(given: Values) -> list[str]:
    none: list[str] = []
    return checked(given, "h", values.holds, none)
