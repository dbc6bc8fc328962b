"""What a listing looks up only where it shows it: the clock, and why a job waits."""

from __future__ import annotations

from molokini.compat._types import Invocation, Job
from molokini.compat.failures import Refused
from molokini.compat.lsf import times

REASONS = "MOLOKINI_LSF_REASONS"
"""If this variable is set, EXIT_REASON is shown. Empty by default: psij-python fails on a job with one."""

_IN_WORDS = {
    "begin-time": "The job's specified start time has not been reached",
    "dependency": "Job dependency condition not satisfied",
    "not-enough-free": "Not enough job slots or resources are free",
    "behind-the-head": "Other jobs are before it in the queue",
    "would-delay-the-head": "It would delay a job that is before it in the queue",
    "reserved-later": "Slots are reserved for it later",
    "reserved-for-others": "Not enough slots or resources for whole duration of the job",
    "nodes-unavailable": "Closed by LSF administrator",
    "partition-full": "Not enough job slots are free on the hosts that it may use",
    "outranked": "Jobs of higher priority are before it",
    "running-limit": "The job array has reached its running element limit",
    "queue-limit": "The queue or the user has reached a job limit",
    "queue-stopped": "The queue is inactivated by the administrator",
    "no-nodes": "There are no suitable hosts for the job",
    "none": "New job is waiting for scheduling",
    "not-ready": "New job is waiting for scheduling",
}


class View:
    """What one run of a listing knows beside the jobs."""

    def __init__(self, run: Invocation) -> None:
        self._run = run
        self._now_s: float | None = None
        self.tells_reasons = bool(run.variables.get(REASONS))

    @property
    def now_s(self) -> float:
        """The present instant."""
        if self._now_s is None:
            self._now_s = times.now_s(self._run)
        return self._now_s

    def why_pending(self, job: Job) -> str:
        """Why *job* waits, in one sentence; empty for one that does not."""
        if job.state not in ("WAITING", "HELD"):
            return ""
        if job.holds:
            by = "the user" if "HOLD_USER" in job.holds else "LSF admin"
            return f"The job was suspended by {by} while pending"
        try:
            told = self._run.transport.call("JobService", "ExplainJob", job.ref)
        except Refused as error:
            return str(error)
        words = _IN_WORDS.get(told.get("rule", ""), "")
        text = str(told.get("text", ""))
        return f"{words}: {text}" if words and text else words or text
