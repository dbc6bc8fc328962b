"""The files of a job as listings show them: the agent's patterns filled in, as far as they are known."""

from __future__ import annotations

from molokini.compat._types import Job
from molokini.compat.job import filled


def shown_path(job: Job, field: str) -> str:
    """The path of ``stdout_path`` or ``stderr_path``; without the second it is the first."""
    path = job.spec.get(field) or job.spec.get("stdout_path") or _default(job)
    return filled(path, {"a": "^array_index^", **job.patterns})


def _default(job: Job) -> str:
    """Where a job writes that another command has submitted."""
    folder = job.working_directory.replace("%", "%%")
    name = "molokini-%j.%a.out" if job.array is not None else "molokini-%j.out"
    return f"{folder}/{name}" if folder else name
