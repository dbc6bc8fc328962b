"""``sethold``: keeps jobs from starting."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.maui.jobs import change, named
from molokini.compat.maui.reading import HELP, read
from molokini.compat.options import option

OPTIONS = (HELP, option("-b", text="place a batch hold, which operators release (default: a system hold)"))


def run(run: Invocation) -> int:
    """Hold the jobs that are named."""
    given = read(run, OPTIONS, "JOB ...")
    batch = given.flag("b")
    hold = "HOLD_OPERATOR" if batch else "HOLD_SYSTEM"
    code = change(run, "HoldJobs", named(run, given.words), "", hold=hold)
    if not code:
        run.say(f"\n{'Batch' if batch else 'System'} hold placed on all specified jobs")
    return code
