"""Waiting for the end of a job."""

from __future__ import annotations

from molokini.compat._types import Invocation, Job

_LONGEST_S = 3600.0


def waited_for(run: Invocation, number: int) -> Job:
    """The job, after its end."""
    while True:
        asked = {"jobs": [{"id": number}], "timeout_s": _LONGEST_S}
        answer = run.transport.call("JobService", "WaitJobs", asked)
        if answer.get("all_ended"):
            found: Job = answer["jobs"][0]
            return found


def exit_code(run: Invocation, number: int) -> int:
    """The exit code of the job after its end; of an array the largest of its elements."""
    job = waited_for(run, number)
    if "array" not in job.get("spec", {}):
        return _code(job)
    from molokini.compat.listing import jobs

    wanted = ("state", "exit_code", "signal", "reason")
    elements = jobs(run, wanted, job_ids=[number], expand_arrays=True)
    return max((_code(one) for one in elements), default=_code(job))


def _code(job: Job) -> int:
    if job.get("state") == "COMPLETED":
        return 0
    return int(job.get("exit_code", 0)) or 1
