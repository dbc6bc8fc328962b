"""Waiting for the end of a job."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.job import Job

_LONGEST_S = 3600.0


def waited_for(run: Invocation, number: int) -> Job:
    """The job, after its end."""
    while True:
        asked = {"jobs": [{"id": number}], "timeout_s": _LONGEST_S}
        answer = run.transport.call("JobService", "WaitJobs", asked)
        if answer.get("all_ended"):
            return Job(answer["jobs"][0])


def exit_code(run: Invocation, number: int) -> int:
    """The exit code of the job after its end; of an array the largest of its elements."""
    job = waited_for(run, number)
    if job.array is None:
        return _code(job)
    from molokini.compat.listing import jobs

    wanted = ("state", "exit_code", "signal")
    elements = jobs(run, wanted, job_ids=[number], expand_arrays=True)
    return max((_code(one) for one in elements), default=_code(job))


def _code(job: Job) -> int:
    if job.state == "COMPLETED":
        return 0
    return job.exit_code or 1
