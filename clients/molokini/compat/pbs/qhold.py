"""``qhold``: keeps jobs that wait from starting."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.options import Reader, option, usage
from molokini.compat.pbs.holding import each_hold

OPTIONS = (
    option("--help", text="show this help"),
    option("--version", text="show the version"),
    option(
        "-h", "HOLDS", "hold types: any of u (user, the default), o (operator) and s (system), or n (none)"
    ),
    option("-t", "INDEX", "an element of the array (Torque)"),
)


def run(run: Invocation) -> int:
    """Hold the jobs; the exit code is that of the last that could not be held."""
    given = Reader(OPTIONS).read(run.line)
    if given.flag("help"):
        run.say(usage("qhold", "job id...", OPTIONS))
        return 0
    return each_hold(run, given, "HoldJobs")
