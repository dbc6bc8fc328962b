"""Jobs as the server lists them, all pages of them."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, Iterator, Sequence
from molokini.compat.job import Job

PAGE = 10_000


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
