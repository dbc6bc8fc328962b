"""``bstop`` and ``bresume``: what waits is held or released, what runs is suspended or goes on."""

from __future__ import annotations

from molokini.compat._types import Invocation, Sequence, Target
from molokini.compat.lsf.changing import WHICH, open_ones, refusals, targets
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.failing import CODE
from molokini.compat.options import option, refused

OPTIONS = (
    *USUAL,
    option("-C", "TEXT", "reason, stored with the job"),
    *WHICH,
    refused("-a", why="name the jobs, or 0 for all of them"),
    refused("-d", why="jobs that have ended cannot be stopped"),
    refused("-app", "NAME", "there are no application profiles"),
    refused("-sla", "NAME", "there are no service classes"),
)


def run(run: Invocation) -> int:
    """Stop jobs, or resume them."""
    given = given_to(run, OPTIONS, "[job ... | 0]")
    act = resume if run.name == "bresume" else stop
    return act(run, targets(run, given), given.one("C"))


def stop(run: Invocation, wanted: Sequence[Target], reason: str = "") -> int:
    """Hold what waits, suspend what runs."""
    left, code = open_ones(run, wanted)
    waiting = [one for one in left if one.stands("PEND", "PSUSP")]
    running = [one for one in left if one.stands("RUN")]
    held = dict(zip(waiting, refusals(run, "HoldJobs", waiting, reason=reason), strict=True))
    suspended = dict(zip(running, refusals(run, "SuspendJobs", running, reason=reason), strict=True))
    return _told(run, left, [held, suspended], "stopped") or code


def resume(run: Invocation, wanted: Sequence[Target], reason: str = "") -> int:
    """Release what was held, let what was suspended go on."""
    left, code = open_ones(run, wanted)
    held = [one for one in left if one.stands("PSUSP")]
    suspended = [one for one in left if one.stands("USUSP", "SSUSP")]
    released = dict(zip(held, refusals(run, "ReleaseJobs", held, reason=reason), strict=True))
    resumed = dict(zip(suspended, refusals(run, "ResumeJobs", suspended, reason=reason), strict=True))
    return _told(run, left, [released, resumed], "resumed") or code


def _told(run: Invocation, wanted: Sequence[Target], answers: list[dict[Target, str]], done: str) -> int:
    code = 0
    for one in wanted:
        whys = [answer[one] for answer in answers if one in answer]
        why = next((text for text in whys if text), "")
        if not whys:
            # It is as it was wished to be.
            state = "not suspended" if done == "resumed" else "suspended already"
            why = f"Job is {state}"
        if why:
            run.complain(f"Job <{one.shown}>: {why}")
            code = CODE
        else:
            run.say(f"Job <{one.shown}> is being {done}")
    return code
