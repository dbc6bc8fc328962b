"""``releasehold``: takes holds away."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation
from molokini.compat.maui.jobs import change, named
from molokini.compat.maui.reading import HELP, read
from molokini.compat.options import option

OPTIONS = (
    HELP,
    option("-a", text="all holds: users', batch and system holds, and deferrals"),
    option("-b", text="batch holds and deferrals; system holds without -a and -b"),
)


def run(run: Invocation) -> int:
    """Release the jobs that are named, or that match an expression."""
    given = read(run, OPTIONS, "JOBEXP ...")
    wanted = named(run, given.words)
    more: dict[str, Any] = {"hold": "HOLD_OPERATOR" if given.flag("b") else "HOLD_SYSTEM"}
    what = "Batch hold" if given.flag("b") else "System hold"
    if given.flag("a"):
        more, what = {"all_holds": True}, "All holds"
    code = change(run, "ReleaseJobs", wanted, "", **more)
    if not code:
        run.say(f"\n{what} released on all specified jobs")
    return code
