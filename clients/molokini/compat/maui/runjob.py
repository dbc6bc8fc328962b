"""``runjob``: starts a job now, whatever the order of the others is."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Values
from molokini.compat.maui.asking import report
from molokini.compat.maui.failing import no
from molokini.compat.maui.jobs import one
from molokini.compat.maui.reading import HELP, one_word, read
from molokini.compat.options import option, refused

OPTIONS = (
    HELP,
    option("-f", text="exceed limits (MAXPROC, MAXJOB, fairshare caps, ...) if necessary"),
    option("-x", text="as -f, and where administrators keep room for others"),
    option("-n", "NODE[:NODE]", "on these nodes"),
    option("-p", "PARTITION", "on nodes of PARTITION"),
    option("-s", text="suspend the running job, instead of starting it"),
    refused("-c", why="agents remove all files of ended jobs"),
)


def run(run: Invocation) -> int:
    """Start one job, or suspend it."""
    given = read(run, OPTIONS, "JOB")
    name = one_word(run, given, "a job")
    ref = one(name)
    if given.flag("s"):
        run.transport.call("JobService", "SuspendJobs", {"jobs": [ref]})
        run.say(f"\njob '{name}' suspended")
        return 0
    asked: dict[str, Any] = {"jobs": [ref], "nodes": _nodes(run, given)}
    asked |= {"ignore_limits": given.flag("f") or given.flag("x"), "ignore_reservations": given.flag("x")}
    run.transport.call("JobService", "StartJobs", asked)
    run.say(f"\njob '{name}' successfully started")
    return 0


def _nodes(run: Invocation, given: Values) -> list[str]:
    nodes = [name for name in given.one("n").replace(",", ":").split(":") if name]
    if not given.flag("p"):
        return nodes
    wanted = given.one("p")
    inside = [
        each["node"] for each in report(run, "nodes")["nodes"] if (each["partition"] or "DEFAULT") == wanted
    ]
    if not inside:
        raise no(f"no node in partition '{wanted}'")
    if strangers := [name for name in nodes if name not in inside]:
        raise no(f"node '{strangers[0]}' is not in partition '{wanted}'")
    return nodes or inside
