"""``bsub -K``: wait for the end of a job. What is said meanwhile goes to the stream of errors."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation
from molokini.compat.lsf.states import exit_status

_LONGEST_S = 86_400


def until_over(run: Invocation, number: int) -> int:
    """The exit code of the job *number*, once it has ended; of an array, of the first element that failed."""
    run.complain("<<Waiting for dispatch ...>>")
    found = _ended(run, number)
    if hosts := found.get("allocation"):
        run.complain(f"<<Starting on {hosts[0]['node']}>>")
    run.complain("<<Job is finished>>")
    if "array" not in found.get("spec", {}):
        return exit_status(found)
    elements = run.transport.call(
        "JobService", "ListJobs", {"job_ids": [number], "expand_arrays": True, "page_size": 10_000}
    )
    statuses = (exit_status(one) for one in elements.get("jobs", ()))
    return next((status for status in statuses if status), 0)


def _ended(run: Invocation, number: int) -> dict[str, Any]:
    asked = {"jobs": [{"id": number}], "timeout_s": _LONGEST_S}
    while True:
        answer = run.transport.call("JobService", "WaitJobs", asked)
        if answer.get("all_ended"):
            found: dict[str, Any] = answer["jobs"][0]
            return found
