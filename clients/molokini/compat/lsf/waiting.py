"""``bsub -K``: wait for the end of a job. What is said meanwhile goes to the stream of errors."""

from __future__ import annotations

import sys

from molokini.compat._types import Invocation
from molokini.compat.listing import ended, jobs
from molokini.compat.lsf.states import exit_status


def until_over(run: Invocation, number: int) -> int:
    """The exit code of the job *number*, once it has ended; of an array, of the first element that failed."""
    # The line with the number comes first, also where both streams go into one file.
    sys.stdout.flush()
    run.complain("<<Waiting for dispatch ...>>")
    found = ended(run, number)
    if found.nodes:
        run.complain(f"<<Starting on {found.nodes[0][0]}>>")
    run.complain("<<Job is finished>>")
    if found.array is None:
        return exit_status(found)
    statuses = (exit_status(one) for one in jobs(run, job_ids=[number], expand_arrays=True))
    return next((status for status in statuses if status), 0)
