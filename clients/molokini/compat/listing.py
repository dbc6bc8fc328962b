"""Jobs as the server answers them: all pages of a listing, one job, one that has ended."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Iterator, JobRef, Sequence
from molokini.compat.job import Job

PAGE = 10_000
_LOOK_S = 3600.0
"""So long one call waits for an end."""


def jobs(run: Invocation, fields: Sequence[str] = (), **wanted: Any) -> Iterator[Job]:
    """The jobs that *wanted* (fields of ListJobsRequest) names, in the order of their numbers.

    *fields*: what is needed of each, beside number and index; none for all. What is not set is left out.
    """
    asked = {**wanted, "page_size": PAGE, "fields": list(fields)}
    while True:
        page = run.transport.call("JobService", "ListJobs", asked)
        yield from map(Job, page.get("jobs", ()))
        if not page.get("next_page_token"):
            return
        asked["page_token"] = page["next_page_token"]


def job_of(run: Invocation, ref: JobRef) -> Job:
    """All about the job, or the element, that *ref* names."""
    return Job(run.transport.call("JobService", "GetJob", {"job": ref}))


def ended(run: Invocation, number: int) -> Job:
    """The job *number*, once it has ended. What was said before it is read while it is waited for."""
    import sys

    sys.stdout.flush()
    while True:
        asked = {"jobs": [{"id": number}], "timeout_s": _LOOK_S}
        answer = run.transport.call("JobService", "WaitJobs", asked)
        if answer.get("all_ended"):
            return Job(answer["jobs"][0])
