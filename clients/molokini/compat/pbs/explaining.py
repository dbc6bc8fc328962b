"""Why a job waits, in the words that PBS puts into a job's comment."""

from __future__ import annotations

from molokini.compat._types import Invocation, Job
from molokini.compat.failures import Refused


def comment(run: Invocation, job: Job) -> str:
    """Why *job* waits; empty where it does not, where its user has said something, or where it is held."""
    if job.state != "WAITING" or job.comment:
        return ""
    try:
        found = run.transport.call("JobService", "ExplainJob", job.ref)
    except Refused:
        # It has gone, or may not be asked for.
        return ""
    return f"Not Running: {found['text']}" if found.get("text") else ""
