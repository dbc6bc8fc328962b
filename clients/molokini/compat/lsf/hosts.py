"""Hosts of jobs as LSF writes them: ``4*hosta:hostb``."""

from __future__ import annotations

from molokini.compat._types import Job


def with_counts(job: Job) -> list[str]:
    """The hosts, each with the number of its slots before it where that is more than 1."""
    found = []
    for part in job.get("allocation", ()):
        count = int(part["processors"])
        found.append(f"{count}*{part['node']}" if count > 1 else str(part["node"]))
    return found


def names(job: Job) -> list[str]:
    """The hosts, each once."""
    return [str(part["node"]) for part in job.get("allocation", ())]


def slots(job: Job) -> int:
    """How many slots it has, or asks for."""
    held = sum(int(part["processors"]) for part in job.get("allocation", ()))
    return held or int(job["spec"].get("resources", {}).get("processors", 1))
