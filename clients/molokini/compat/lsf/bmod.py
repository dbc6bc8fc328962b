"""``bmod``: options of ``bsub`` for a job that is there already."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Values
from molokini.compat.failures import Refused
from molokini.compat.lsf.changing import Target, open_ones, targets
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.failing import CODE, refusal
from molokini.compat.lsf.quantities import limit_unit, memory_kb, whole
from molokini.compat.lsf.requirements import ResourceRequirements, resources
from molokini.compat.lsf.specification import plain
from molokini.compat.options import option, refused

_AT_SUBMISSION = "it can be set only at submission; cancel the job and submit it again"

OPTIONS = (
    *USUAL,
    option("-J", "NAME", "name"),
    option("-Jd", "TEXT", "description"),
    option("-Jdn", text="no description"),
    option("-W", "LIMIT", "run limit, [HH:]MM"),
    option("-Wn", text="the run limit of the queue"),
    option("-P", "PROJECT", "project"),
    option("-Pn", text="no project"),
    option("-G", "GROUP", "user group"),
    option("-Gn", text="no user group"),
    option("-q", "QUEUE", "queue"),
    option("-sp", "N", "priority, from 1 to 100; stored and shown"),
    option("-spn", text="reset to the default priority"),
    option("-b", "TIME", "not before [[[YY:]MM:]DD:]HH:MM"),
    option("-bn", text="at once"),
    option("-n", "N", "slots"),
    option("-nn", text="one slot"),
    option("-R", "TEXT", "resources; replaces the whole earlier request", True),
    option("-Rn", text="only slots"),
    option("-M", "SIZE", "memory limit of the whole job"),
    option("-Mn", text="no memory limit"),
    option("-r", text="rerun the job if its host fails"),
    option("-rn", text="do not requeue the job"),
    option("-w", "TEXT", "dependency condition"),
    option("-wn", text="no dependency condition"),
    refused("-o", "FILE", _AT_SUBMISSION),
    refused("-oo", "FILE", _AT_SUBMISSION),
    refused("-on", why=_AT_SUBMISSION),
    refused("-e", "FILE", _AT_SUBMISSION),
    refused("-eo", "FILE", _AT_SUBMISSION),
    refused("-en", why=_AT_SUBMISSION),
    refused("-i", "FILE", _AT_SUBMISSION),
    refused("-cwd", "DIR", _AT_SUBMISSION),
    refused("-g", "/GROUP", _AT_SUBMISSION),
    refused("-gpu", "TEXT", _AT_SUBMISSION),
    refused("-Z", "COMMAND", _AT_SUBMISSION),
    refused("-Zs", "COMMAND", _AT_SUBMISSION),
    refused("-u", "ADDRESS", _AT_SUBMISSION),
    refused("-B", why=_AT_SUBMISSION),
    refused("-N", why=_AT_SUBMISSION),
    refused("-m", "HOSTS", "jobs here do not name their hosts"),
    refused("-x", why="no job has its hosts for itself"),
    refused("-t", "TIME", "a job ends by its run limit"),
    refused("-U", "RESERVATION", "a reservation admits users and queues, not single jobs"),
    refused("-app", "NAME", "there are no application profiles"),
    refused("-sla", "NAME", "there are no service classes"),
)
_RESET = {"Jdn": "comment", "Pn": "account", "Gn": "group", "spn": "user_priority"}
_RESOURCES = ("n", "nn", "R", "Rn", "M", "Mn")


def run(run: Invocation) -> int:
    """Change jobs that have not ended."""
    given = given_to(run, OPTIONS, "job ...")
    if not given.words:
        raise refusal(run, "bmod: expected one job ID")
    # -J, -q and -g are the new ones here, and name no jobs.
    which = type(given)()
    which.words = given.words
    left, code = open_ones(run, targets(run, which, ("spec.resources", "spec.queue")))
    for one in left:
        try:
            _change(run, given, one)
        except (Refused, ValueError) as error:
            run.complain(f"Job <{one.shown}>: {error}. Job not modified.")
            code = CODE
        else:
            run.say(f"Parameters of job <{one.shown}> are being changed")
    return code


def _change(run: Invocation, given: Values, one: Target) -> None:
    """Ask for the changes of one job. Raises ValueError, and what the transport raises."""
    spec = plain(given)
    fields = [*spec, *(field for option, field in _RESET.items() if given.flag(option))]
    if given.flag("J"):
        spec["name"] = given.one("J")
    if given.flag("q"):
        spec["queue"] = given.one("q")
    if given.flag("b"):
        from molokini.compat.lsf.times import begin_s

        spec["begin_at_s"] = begin_s(given.one("b"), run)
    if given.flag("w"):
        from molokini.compat.lsf.depending import dependencies
        from molokini.compat.lsf.users import me

        spec["dependencies"] = dependencies(run, given.one("w"), me())
    if given.flag("wn"):
        fields.append("dependencies")
    if given.flag("Wn"):
        spec["estimate_s"] = _usual_limit_s(run, one.lines[0].queue)
    if given.flag("bn"):
        fields.append("begin_at_s")
    if given.flag("r") or given.flag("rn"):
        spec["requeue"] = not given.flag("rn")
    if any(given.flag(option) for option in _RESOURCES):
        spec["resources"] = _resources(run, given, one.lines[0].resources)
    fields = list(dict.fromkeys([*spec, *fields]))
    if not fields:
        raise ValueError("nothing to change: give at least one option")
    asked = {"job": {"id": one.number}, "spec": spec, "fields": fields}
    run.transport.call("JobService", "AlterJob", asked)


def _usual_limit_s(run: Invocation, name: str) -> float:
    """The run limit of the queue's jobs that ask for none, seconds."""
    queues = run.transport.call("ClusterService", "ListQueues", {})["queues"]
    return next((float(one["default_estimate_s"]) for one in queues if one["name"] == name), 3600.0)


def _resources(run: Invocation, given: Values, present: dict[str, Any]) -> dict[str, Any]:
    """*present* with the changes of *given*. Raises ValueError."""
    before = int(present.get("processors", 1))
    slots = 1 if given.flag("nn") else before
    if given.flag("n"):
        slots = whole(given.one("n").partition(",")[0], "number of slots", 1)
    if given.flag("R") or given.flag("Rn"):
        wanted = ResourceRequirements()
        for text in given.all("R"):
            wanted.add(text, limit_unit(run.variables, "M"))
        made: dict[str, Any] = resources(wanted, slots, 0, 0)
        made.setdefault("memory_kb", present.get("memory_kb", 0))
    else:
        made = {**present, "processors": slots, **_layout(present, before, slots)}
    if given.flag("M"):
        made["memory_kb"] = -(-memory_kb(given.one("M"), limit_unit(run.variables, "K")) // slots)
    if given.flag("Mn"):
        made["memory_kb"] = 0
    return made


def _layout(present: dict[str, Any], before: int, slots: int) -> dict[str, int]:
    """The hosts for *slots*: one stays one; of several each keeps as many slots as it has."""
    hosts, each = int(present.get("nodes", 0)), int(present.get("processors_per_node", 0))
    if not hosts or slots == before:
        return {}
    if hosts == 1:
        return {"processors_per_node": slots}
    if each and slots % each:
        raise ValueError(f"-n {slots}: Bad number of slots: must be a multiple of {each}, the slots per host")
    return {"nodes": slots // each} if each else {}
