"""``bhist``: what has happened to jobs, and how long they were in which state."""

from __future__ import annotations

from molokini.compat._types import Invocation, Job, Values
from molokini.compat.lsf import states, times
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.failing import CODE, refusal
from molokini.compat.lsf.formats import shown
from molokini.compat.lsf.looking import View
from molokini.compat.lsf.selecting import found, missing, wish_of
from molokini.compat.lsf.wording import FULL, heading, history, wrapped
from molokini.compat.options import option, refused, without_effect

_ALL = "bhist always reads all stored events"

OPTIONS = (
    *USUAL,
    option("-l", text="all events"),
    option("-w", text="wide: do not truncate columns"),
    option("-UF", text="with -l: without line breaks"),
    option("-a", text="include jobs that have ended"),
    option("-d", text="jobs that have ended"),
    option("-e", text="jobs that have failed"),
    option("-p", text="pending jobs"),
    option("-r", text="running jobs"),
    option("-s", text="suspended jobs"),
    option("-u", "USERS", "jobs of these users, or of all"),
    option("-q", "QUEUE", "jobs of this queue"),
    option("-m", "HOST", "jobs on this host"),
    option("-J", "NAME", "jobs with this name; * matches any text"),
    option("-P", "PROJECT", "jobs of this project"),
    without_effect("-n", "N", _ALL),
    without_effect("-b", why="the output is always brief without -l"),
    refused("-t", why="see molokini watch"),
    refused("-T", "TIMES", "see molokini watch"),
    refused("-f", "FILE", "there are no event files"),
    refused("-C", "TIMES", "see bacct -C"),
    refused("-S", "TIMES", "see bacct -S"),
    refused("-D", "TIMES", "see bacct -D"),
    refused("-N", "HOST", "run times are not normalised: all hosts are equally fast"),
    refused("-app", "NAME", "there are no application profiles"),
    refused("-sla", "NAME", "there are no service classes"),
    refused("-cname", why="there is one cluster"),
    refused("-data", why="files are on shared storage"),
    refused("-hostfile", why="jobs do not name their hosts"),
    refused("-Lp", "NAME", "there are no licence projects"),
    refused("-hl", why="only run time and memory are limited"),
)
_RULE = "-" * 78
_TITLES = ("PEND", "PSUSP", "RUN", "USUSP", "SSUSP", "UNKWN", "TOTAL")
_STATES = {"d": states.FINISHED, "e": ("EXIT",), "p": ("PEND",), "r": ("RUN",), "s": states.SUSPENDED}


def run(run: Invocation) -> int:
    """Show the history of jobs."""
    given = given_to(run, OPTIONS, "[job ...]")
    try:
        wish = wish_of(given, any(given.flag(name) for name in ("a", "d", "e")))
    except ValueError as error:
        raise refusal(run, str(error)) from None
    wish.lately = False
    lines = found(run, wish, FULL)
    wanted = {state for name, those in _STATES.items() if given.flag(name) for state in those}
    if wanted and not given.flag("a"):
        lines = [job for job in lines if states.stat(job) in wanted]
    if not lines:
        raise refusal(run, "No matching job found")
    view = View(run)
    if given.flag("l"):
        _long(run, given, lines, view)
    else:
        _table(run, given, lines, view)
    absent = missing(lines, wish)
    for name in absent:
        run.complain(f"Job <{name}> is not found")
    return CODE if absent else 0


def _table(run: Invocation, given: Values, lines: list[Job], view: View) -> None:
    run.say("Summary of time in seconds spent in various states:")
    run.say(" ".join([f"{'JOBID':<7}", f"{'USER':<7}", f"{'JOB_NAME':<9}", _spread(_TITLES)]))
    for job in lines:
        name = shown(states.name_of(job))
        if len(name) > 9 and not given.flag("w"):
            name = f"*{name[-8:]}"
        user = job.user if given.flag("w") else job.user[:7]
        head = f"{job.number:<7} {user:<7} {name:<9}"
        run.say(f"{head} {_spread(_spent(job, view))}")


def _long(run: Invocation, given: Values, lines: list[Job], view: View) -> None:
    for place, job in enumerate(lines):
        if place:
            run.say(_RULE)
        run.say("")
        for text in (heading(job), *history(job)):
            run.say(text if given.flag("UF") else wrapped(text))
        at = times.sentence(job.end_s if job.end_s is not None else view.now_s)
        run.say(f"\nSummary of time in seconds spent in various states by  {at}")
        run.say(f"  {_spread(_TITLES)}")
        run.say(f"  {_spread(_spent(job, view))}")


def _spread(values: tuple[str, ...]) -> str:
    return " ".join(f"{value:<7}" for value in values).rstrip()


def _spent(job: Job, view: View) -> tuple[str, ...]:
    """Seconds in each state. When a job was held or suspended in between is known of its first hold alone."""
    end = job.end_s if job.end_s is not None else view.now_s
    waited = max(0.0, (end if job.start_s is None else job.start_s) - job.submitted_s)
    held = 0.0
    if job.spec.get("held"):
        eligible_s = end if job.eligible_s is None else job.eligible_s
        held = min(waited, max(0.0, eligible_s - job.submitted_s))
    elapsed = job.elapsed_s
    suspended = max(0.0, elapsed - job.work_s) if states.stat(job) in ("RUN", "USUSP") else 0.0
    spent = (waited - held, held, elapsed - suspended, suspended, 0.0, 0.0, waited + elapsed)
    return tuple(str(int(value)) for value in spent)
