"""``qstat``: jobs, queues and the server."""

from __future__ import annotations

from molokini.compat._types import Invocation, Values
from molokini.compat.options import option, refused, without_effect
from molokini.compat.pbs.commanding import USUAL, given_to
from molokini.compat.pbs.dialect import torque
from molokini.compat.pbs.failing import usage as wrong

OPTIONS = (
    *USUAL,
    option("-1", text="with -n and -s: all in one line; with -f: long values in one line (Torque)"),
    option("-a", text="all jobs, with what they asked for"),
    option("-B", text="the server"),
    without_effect("-c", why="there is no Cray report"),
    option("-D", "DELIMITER", "between attributes with -F dsv; | unless given"),
    without_effect("-e", why="waiting jobs are always listed in the order of their ids"),
    without_effect("-E", why="there is only one server"),
    option("-f", text="all attributes"),
    option("-F", "FORMAT", "with -f: json or dsv"),
    option("-G", text="memory in gigabytes"),
    option("-H", text="jobs that have ended"),
    option("-i", text="jobs that do not run"),
    option("-J", text="only arrays"),
    without_effect("-l", why="job names are always the job ids"),
    option("-M", text="memory in megawords"),
    option("-n", text="with the nodes of each job"),
    option("-p", text="per cent of its wall time that each job has used"),
    option("-q", text="limits of queues"),
    option("-Q", text="queues"),
    option("-r", text="running and suspended jobs"),
    option("-s", text="add the reason why each job waits"),
    option("-t", text="include array elements"),
    option("-T", text="expected start times of waiting jobs, if the policy has promised them"),
    option("-u", "USERS", "jobs of these users, separated by commas"),
    option("-w", text="wide columns; with -f: values in one line"),
    refused("-W", "FLAGS", why="there are no site-specific flags"),
    option("-x", text="PBS Pro: also show jobs that have ended; Torque: print XML"),
)


def run(run: Invocation) -> int:
    """Print what is asked for; the exit code is that of the last complaint."""
    given = given_to(run, OPTIONS, "[job id | queue | @server]...")
    _check(run, given)
    if given.flag("Q") or given.flag("q") or given.flag("B"):
        from molokini.compat.pbs.qstat_server import show

        return show(run, given)
    from molokini.compat.pbs.qstat_jobs import show as show_jobs

    return show_jobs(run, given, torque(run.variables))


def _check(run: Invocation, given: Values) -> None:
    if given.flag("F") and given.one("F") not in ("json", "dsv", "default"):
        raise wrong(run, f"illegal -F value {given.one('F')[:40]!r}: must be json, dsv or default")
    if given.one("F", "default") != "default" and not given.flag("f"):
        raise wrong(run, "-F requires -f")
    if given.flag("F") and torque(run.variables):
        raise wrong(run, "invalid option -- 'F'")
    if sum(given.flag(name) for name in "QqB") > 1:
        raise wrong(run, "expected one of -Q, -q and -B")
