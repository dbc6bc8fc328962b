"""``brequeue``."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.lsf.changing import WHICH, Target, change, open_ones, refusals, targets
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.failing import CODE
from molokini.compat.options import option, refused

_OVER = "a job that has ended cannot run again; submit a new one"

OPTIONS = (
    *USUAL,
    option("-H", text="and hold them there"),
    option("-r", text="running jobs (default)"),
    option("-C", "TEXT", "reason, stored with the job"),
    *WHICH,
    refused("-a", why=_OVER),
    refused("-d", why=_OVER),
    refused("-e", why=_OVER),
    refused("-p", why="a job that waits is in the queue already"),
)
_RUNNING = ("RUN", "USUSP", "SSUSP")


def run(run: Invocation) -> int:
    """Put running jobs back into the queue."""
    given = given_to(run, OPTIONS, "[job ... | 0]")
    left, code = open_ones(run, targets(run, given, ("spec.requeue",)))
    running = [one for one in left if one.stands(*_RUNNING)]
    for one in left:
        if one not in running:
            run.complain(f"Job <{one.shown}>: Job has not started yet")
            code = CODE
    return _requeued(run, running, given.flag("H"), given.one("C")) or code


def _requeued(run: Invocation, wanted: list[Target], held: bool, reason: str) -> int:
    """LSF lets a user send back any job; here it must be one that may run again, which it becomes for it."""
    for one in wanted:
        if not all(line.may_run_again for line in one.lines):
            _may(run, one)
    if held:
        refusals(run, "HoldJobs", wanted, reason=reason)
    return change(
        run, "RequeueJobs", wanted, lambda one: f"Job <{one.shown}> is being requeued", reason=reason
    )


def _may(run: Invocation, one: Target) -> None:
    asked = {"job": {"id": one.number}, "spec": {"requeue": True}, "fields": ["requeue"]}
    run.transport.call("JobService", "AlterJob", asked)
