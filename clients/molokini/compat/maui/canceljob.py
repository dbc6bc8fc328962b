"""``canceljob``: ends jobs, whether they run or wait."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.maui.jobs import change, named
from molokini.compat.maui.reading import HELP, read

OPTIONS = (HELP,)


def run(run: Invocation) -> int:
    """Cancel the jobs that are named."""
    given = read(run, OPTIONS, "JOB ...")
    return change(run, "CancelJobs", named(run, given.words), "\njob '{}' cancelled")
