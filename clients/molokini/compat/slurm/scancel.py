"""``scancel``."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, JobRef, Values
from molokini.compat.failures import Refused
from molokini.compat.options import option, refused, without_effect
from molokini.compat.slurm import ids, signals, states
from molokini.compat.slurm.filters import fits, known, names, user
from molokini.compat.slurm.general import GENERAL, given_to
from molokini.compat.tool import Failed

OPTIONS = (
    *GENERAL,
    option("-A --account", "NAME", "only jobs of this account"),
    option("--me", text="all of your own jobs"),
    option("-M --clusters", "NAMES", "this cluster, or all"),
    option("-n --name --jobname", "NAME", "only jobs of this name"),
    option("-p --partition", "NAME", "only jobs of this partition"),
    option("-q --qos", "NAME", "only jobs of this QOS"),
    option("-Q --quiet", text="print no errors for jobs that have ended"),
    option(
        "-s --signal", "SIGNAL", "send SIGNAL to the processes that the script has started; KILL ends the job"
    ),
    option("-t --state", "STATE", "only jobs in this state: PENDING, RUNNING or SUSPENDED"),
    option("-u --user", "NAME", "only jobs of this user"),
    option("-v --verbose", text="report actions on standard error"),
    option("-w --nodelist", "NODES", "only jobs that run on one of these nodes"),
    option("-H --hurry", text="no effect: there is no stage-out"),
    without_effect("--ctld", why="signals always go through the server"),
    without_effect("--sibling", "NAME", "there is one cluster"),
    refused("-b --batch", why="signals go to the processes that the script has started"),
    refused("-f --full", why="signals go to the processes that the script has started"),
    refused("-i --interactive", why="scancel asks no questions; list the jobs with squeue first"),
    refused("-R --reservation", "NAME", "select by user, account or partition"),
    refused("--wckey", "NAME", "select by user, account or partition"),
    refused("--cron", why="there are no scrontab jobs"),
)
_FILTERS = ("account", "me", "jobname", "partition", "qos", "state", "user", "nodelist")
_STATES = ("PENDING", "RUNNING", "SUSPENDED")
_MANY = 10_000


def run(run: Invocation) -> int:
    """Cancel or signal jobs."""
    given = given_to(run, OPTIONS, "[JOB[_INDEX] ...]")
    if given.flag("clusters"):
        from molokini.compat.slurm.cluster import check_clusters

        check_clusters(run, given.one("clusters"))
    filtered = any(given.flag(one) for one in _FILTERS)
    if not given.words and not filtered:
        raise Failed("scancel: error: No job identification provided")
    signal = _signal(given)
    refs, bad = _refs(run, given.words)
    if filtered:
        refs = _selected(run, given, refs)
    code = _done(run, given, refs, signal) if refs else 0
    return 1 if bad else code


def _signal(given: Values) -> int:
    """The number of the signal; 0: the jobs are cancelled."""
    if not given.flag("signal"):
        return 0
    number = signals.number_of(given.one("signal"))
    if not number:
        raise Failed(f"Unknown job signal: {given.one('signal')}")
    return 0 if number == signals.KILL else number


def _refs(run: Invocation, words: list[str]) -> tuple[list[JobRef], bool]:
    """What *words* name, and whether some of them name nothing."""
    found: list[JobRef] = []
    bad = False
    for word in words:
        try:
            here = ids.refs(word)
            if not here:
                raise ValueError(word)
            found += here
        except ValueError:
            run.complain(f"scancel: error: Invalid job id {word}")
            bad = True
    return found, bad


def _selected(run: Invocation, given: Values, refs: list[JobRef]) -> list[JobRef]:
    """The jobs and elements that fit, of those that are named, where some are."""
    import os

    from molokini.compat.slurm.listing import views
    from molokini.compat.slurm.needs import EVERYTHING

    state = given.one("state").upper()
    state = next((long for long, short in states.SHORT.items() if state == short), state)
    if state and state not in _STATES:
        raise Failed(
            f"Invalid job state specified: {given.one('state')}\n"
            "Valid job states are PENDING, RUNNING, and SUSPENDED"
        )
    users = [str(os.getuid())] if given.flag("me") else names(given.one("user"))
    if stranger := next((one for one in users if not known(one)), ""):
        raise Failed(f"scancel: error: Invalid user name: {stranger}")
    queues = names(given.one("partition"))
    asked: dict[str, Any] = {
        "users": [user(run, one) for one in users],
        "queues": queues,
        "name": given.one("jobname"),
    }
    lines = views(run, {name: value for name, value in asked.items() if value}, EVERYTHING, bool(state), refs)
    found: list[JobRef] = []
    for view in lines:
        if view.state not in states.OPEN or (state and view.state != state):
            continue
        if fits(run, given, view, queues):
            ref = view.job.ref
            if ref not in found[-1:]:
                found.append(ref)
    return found


def _done(run: Invocation, given: Values, refs: list[JobRef], signal: int) -> int:
    """Cancel or signal them, and tell of each what is to be told; the exit code."""
    verbose = given.flag("verbose")
    code = 0
    for start in range(0, len(refs), _MANY):
        part = refs[start : start + _MANY]
        for ref in part if verbose else ():
            what = f"Signal {signal} to" if signal else "Terminating"
            run.complain(f"scancel: {what} job {_shown(ref)}")
        for ref, (reason, why) in zip(part, _refusals(run, part, signal), strict=True):
            code = max(code, _tell(run, ref, reason, why, verbose or signal > 0) if why else 0)
    return code


def _refusals(run: Invocation, refs: list[JobRef], signal: int) -> list[tuple[str, str]]:
    """Why each was refused, as a word and as a sentence; empty where it was not."""
    method = "SignalJobs" if signal else "CancelJobs"
    asked: dict[str, Any] = {"jobs": refs}
    if signal:
        asked["signal"] = signal
    try:
        told = run.transport.call("JobService", method, asked)
    except Refused as error:
        if len(refs) > 1:
            raise
        return [(error.reason, str(error))]
    none = [""] * len(refs)
    return list(zip(told.get("reasons") or none, told.get("refusals") or none, strict=True))


_TEXTS = {
    "not_allowed": "Access/permission denied",
    "no_such_job": "Invalid job id specified",
    "has_ended": "Job/step already completing or completed",
    "does_not_run": "Job/step already completing or completed",
}
_SOFT = ("no_such_job", "has_ended", "does_not_run")


def _tell(run: Invocation, ref: JobRef, reason: str, why: str, told: bool) -> int:
    """Report a job that was not cancelled; unknown and ended jobs only where they are to be *told*."""
    soft = reason in _SOFT
    if told or not soft:
        run.complain(f"scancel: error: Kill job error on job id {_shown(ref)}: {_TEXTS.get(reason, why)}")
    return 0 if soft else 1


def _shown(ref: JobRef) -> str:
    return f"{ref['id']}_{ref['array_index']}" if "array_index" in ref else str(ref["id"])
