"""Where files of a job are: the server's patterns filled in."""

from __future__ import annotations

from molokini.compat._types import Job
from molokini.compat.job import filled


def path_of(job: Job, field: str) -> str:
    """The file that *field* of the job's specification names; what is not known yet stays a pattern."""
    return filled(job.spec.get(field, ""), {"a": "0", **job.patterns})
