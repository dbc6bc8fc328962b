"""Waiting for the end of a job."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.job import Job
from molokini.compat.listing import ended, jobs


def exit_code(run: Invocation, number: int) -> int:
    """The exit code of the job after its end; of an array the largest of its elements."""
    job = ended(run, number)
    if job.array is None:
        return _code(job)
    wanted = ("state", "exit_code", "signal")
    elements = jobs(run, wanted, job_ids=[number], expand_arrays=True)
    return max((_code(one) for one in elements), default=_code(job))


def _code(job: Job) -> int:
    if job.state == "COMPLETED":
        return 0
    return job.exit_code or 1
