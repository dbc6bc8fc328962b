"""``brequeue``."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.lsf.changing import WHICH, Target, change, open_ones, refusals, targets
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.failing import CODE
from molokini.compat.lsf.states import UNFINISHED
from molokini.compat.options import option, refused

OPTIONS = (
    *USUAL,
    option("-H", text="and hold them there"),
    option("-r", text="running jobs (default)"),
    option("-C", "TEXT", "reason, stored with the job"),
    *WHICH,
    option("-a", text="jobs that run and jobs that have ended"),
    option("-d", text="jobs that have ended well (DONE)"),
    option("-e", text="jobs that have ended otherwise (EXIT)"),
    refused("-p", why="a job that waits is in the queue already"),
)
_RUNNING = ("RUN", "USUSP", "SSUSP")


def run(run: Invocation) -> int:
    """Put jobs back into the queue: running ones, and with -a, -d and -e those that have ended."""
    given = given_to(run, OPTIONS, "[job ... | 0]")
    every = given.flag("a")
    ended = [state for state, flag in (("DONE", "d"), ("EXIT", "e")) if every or given.flag(flag)]
    wanted = targets(run, given, ("spec.requeue",))
    over = [one for one in wanted if one.stands(*ended) and not one.stands(*UNFINISHED)] if ended else []
    left, code = open_ones(run, [one for one in wanted if one not in over])
    running = [one for one in left if one.stands(*_RUNNING)] if not ended or every or given.flag("r") else []
    for one in left:
        if one not in running:
            run.complain(f"Job <{one.shown}>: Job has not {'finished' if ended else 'started'} yet")
            code = CODE
    held, why = given.flag("H"), given.one("C")
    if over:
        more = {"hold": "HOLD_USER"} if held else {}
        code = change(run, "RequeueJobs", over, _said, reason=why, ended=True, **more) or code
    return _requeued(run, running, held, why) or code


def _said(one: Target) -> str:
    return f"Job <{one.shown}> is being requeued"


def _requeued(run: Invocation, wanted: list[Target], held: bool, reason: str) -> int:
    """LSF lets a user send back any job; here it must be one that may run again, which it becomes for it."""
    for one in wanted:
        if not all(line.may_run_again for line in one.lines):
            _may(run, one)
    if held:
        refusals(run, "HoldJobs", wanted, reason=reason)
    return change(run, "RequeueJobs", wanted, _said, reason=reason)


def _may(run: Invocation, one: Target) -> None:
    asked = {"job": {"id": one.number}, "spec": {"requeue": True}, "fields": ["requeue"]}
    run.transport.call("JobService", "AlterJob", asked)
