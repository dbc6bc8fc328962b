"""``bkill``."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.lsf import signals
from molokini.compat.lsf.changing import WHICH, Target, change, open_ones, targets
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.failing import CODE, refusal
from molokini.compat.options import option, refused
from molokini.compat.signals import NAMES

OPTIONS = (
    *USUAL,
    option("-s", "SIGNAL", "send this signal; STOP and CONT do what bstop and bresume do"),
    option("-d", text="mark the job as done (DONE)"),
    option("-r", text="end the job (default)"),
    option("-C", "TEXT", "reason, stored with the job"),
    *WHICH,
    refused("-l", why="it lists signals: see kill -l"),
    refused("-b", why="jobs are ended at once"),
    refused("-a", why="name the jobs, or 0 for all of them"),
    refused("-stat", "STATE", "name the jobs"),
    refused("-app", "NAME", "there are no application profiles"),
    refused("-sla", "NAME", "there are no service classes"),
)


def run(run: Invocation) -> int:
    """End jobs, or send them a signal."""
    given = given_to(run, OPTIONS, "[job ... | 0]")
    try:
        number = signals.number(given.one("s")) if given.flag("s") else 0
    except ValueError as error:
        raise refusal(run, str(error)) from None
    if number in (NAMES["STOP"], NAMES["TSTP"], NAMES["CONT"]):
        from molokini.compat.lsf import suspending

        act = suspending.resume if number == NAMES["CONT"] else suspending.stop
        return act(run, targets(run, given))
    left, code = open_ones(run, targets(run, given))
    if number and number != NAMES["KILL"]:
        return _signalled(run, left, number) or code
    how = {"as_done": True} if given.flag("d") else {}
    return change(run, "CancelJobs", left, _terminated, reason=given.one("C"), **how) or code


def _terminated(one: Target) -> str:
    return f"Job <{one.shown}> is being terminated"


def _signalled(run: Invocation, wanted: list[Target], number: int) -> int:
    """A job that runs gets the signal; one that waits is ended by a signal that ends."""
    active = [one for one in wanted if one.stands("RUN", "USUSP", "SSUSP")]
    waiting = [one for one in wanted if one not in active]
    code = change(
        run, "SignalJobs", active, lambda one: f"Job <{one.shown}> is being signaled", signal=number
    )
    if number in signals.ENDING:
        return change(run, "CancelJobs", waiting, _terminated) or code
    for one in waiting:
        run.complain(f"Job <{one.shown}>: Job has not started yet")
        code = CODE
    return code
