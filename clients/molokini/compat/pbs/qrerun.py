"""``qrerun``: puts running jobs back into the queue."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.options import option, without_effect
from molokini.compat.pbs.changing import change
from molokini.compat.pbs.commanding import USUAL, given_to
from molokini.compat.pbs.words import job_words

OPTIONS = (
    *USUAL,
    without_effect(
        "-f", why="a job is requeued when its node has ended it, or when the lease of the node expires"
    ),
    without_effect("-W", "FORCE", why="as -f"),
    option("-t", "INDEX", "an element of the array (Torque)"),
)


def run(run: Invocation) -> int:
    """Requeue the jobs; the exit code is that of the last that could not be."""
    given = given_to(run, OPTIONS, "job id...")
    return change(run, job_words(run, given), "RequeueJobs")
