"""When a dependency of one job on another is met, and when it never will be."""

from molokini.server.state.jobs import Job, JobStatus
from molokini.server.state.past import Past

IN_WORDS = {
    "AFTER_OK": "afterok",
    "AFTER_NOT_OK": "afternotok",
    "AFTER_ANY": "afterany",
    "AFTER": "after",
    "SINGLETON": "singleton",
}
"""The kinds as users write them."""


def met(kind: str, other: Job | Past | None) -> bool:
    """Whether a dependency of *kind* on *other* (None: there never was such a job) is met now."""
    if other is None:
        return True
    if kind == "AFTER":
        return (
            isinstance(other, Past)
            or any(e.first_start_s is not None for e in other.known_elements())
            or other.over
        )
    if not other.over:
        return False
    return kind in ("AFTER_ANY", "SINGLETON") or (kind == "AFTER_NOT_OK") == _ended_badly(other)


def hopeless(kind: str, other: Job | Past | None) -> bool:
    """Whether it can never be met any more."""
    return other is not None and other.over and not met(kind, other)


def _ended_badly(job: Job | Past) -> bool:
    """Whether any of *job*, which is over, has not ended well."""
    if isinstance(job, Past):
        return not job.well
    if job.array is None:
        return job.status is not JobStatus.COMPLETED
    return job.array.counts.get(JobStatus.COMPLETED, 0) < job.array.size
