"""Hosts of jobs as LSF writes them: ``4*hosta:hostb``."""

from __future__ import annotations

from molokini.compat._types import Job


def with_counts(job: Job) -> list[str]:
    """The hosts, each with the number of its slots before it where that is more than 1."""
    return [f"{count}*{name}" if count > 1 else name for name, count in job.nodes]
