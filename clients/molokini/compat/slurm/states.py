"""States and reasons in Slurm's words."""

from __future__ import annotations

from molokini.compat._types import Job
from molokini.compat.slurm import hosts

SHORT = {
    "PENDING": "PD",
    "RUNNING": "R",
    "SUSPENDED": "S",
    "COMPLETED": "CD",
    "CANCELLED": "CA",
    "FAILED": "F",
    "TIMEOUT": "TO",
    "NODE_FAIL": "NF",
    "PREEMPTED": "PR",
    "BOOT_FAIL": "BF",
    "DEADLINE": "DL",
    "OUT_OF_MEMORY": "OOM",
    "COMPLETING": "CG",
    "CONFIGURING": "CF",
    "RESIZING": "RS",
    "RESV_DEL_HOLD": "RD",
    "REQUEUED": "RQ",
    "REQUEUE_FED": "RF",
    "REQUEUE_HOLD": "RH",
    "REVOKED": "RV",
    "SIGNALING": "SI",
    "SPECIAL_EXIT": "SE",
    "STAGE_OUT": "SO",
    "STOPPED": "ST",
}
"""All words by which a state may be asked for, with their short forms."""

OPEN = frozenset({"PENDING", "RUNNING", "SUSPENDED", "COMPLETING", "CONFIGURING"})
ENDED = frozenset(
    {
        "COMPLETED",
        "CANCELLED",
        "FAILED",
        "TIMEOUT",
        "NODE_FAIL",
        "PREEMPTED",
        "BOOT_FAIL",
        "DEADLINE",
        "OUT_OF_MEMORY",
    }
)
"""What a job that has ended can be."""

_LONG = {short: name for name, short in SHORT.items()}
_STATES = {
    "HELD": "PENDING",
    "WAITING": "PENDING",
    "RUNNING": "RUNNING",
    "SUSPENDED": "SUSPENDED",
    "COMPLETED": "COMPLETED",
    "FAILED": "FAILED",
    "TIMED_OUT": "TIMEOUT",
    "CANCELLED": "CANCELLED",
    "NODE_LOST": "NODE_FAIL",
}


def state_of(job: Job) -> str:
    """The state of *job* as Slurm calls it."""
    state = job.state
    if job.out_of_memory:
        return "OUT_OF_MEMORY"
    if state == "REFUSED":
        return "DEADLINE" if job.promise.get("refusal") else "FAILED"
    return _STATES.get(state, "FAILED")


def reason_of(job: Job, first: bool = False) -> str:
    """Why *job* waits, or has ended as it did: one of Slurm's words, ``None`` where there is nothing to say.

    *first*: it is the first of those that wait in its partition.
    """
    state = job.state
    if state == "HELD":
        return _why_held(job)
    if state == "WAITING":
        return _why_waiting(job, first)
    if state == "TIMED_OUT":
        return "TimeLimit"
    if state == "NODE_LOST":
        return "NodeDown"
    if state == "REFUSED":
        return "BadConstraints"
    if job.cause == "DEPENDENCY_NEVER_MET":
        return "DependencyNeverSatisfied"
    return _why_failed(job) if state == "FAILED" else "None"


def _why_waiting(job: Job, first: bool) -> str:
    """By the rule that keeps it waiting; of those that wait for room the first has another word."""
    waiting = job.waiting
    rule = job.answer.get("waits_for") or waiting.get("rule", "")
    if rule == _THROTTLED:
        return _THROTTLED
    if rule == "reserved-for-others":
        admits = waiting.get("reservation_admits")
        return f"ReqNodeNotAvail, {'May be reserved for other job' if admits else 'Reserved for maintenance'}"
    if rule == "nodes-unavailable":
        nodes = waiting.get("nodes", ())
        return f"ReqNodeNotAvail, UnavailableNodes:{hosts.compressed(list(nodes))}"
    return str(waiting.get("word", "")) or _WAITING.get(rule) or ("Resources" if first else "Priority")


_THROTTLED = "JobArrayTaskLimit"
_WAITING = {
    "behind-the-head": "Priority",
    "would-delay-the-head": "Priority",
    "outranked": "Priority",
    "negative-priority": "Priority",
    "over-soft-limit": "AssociationResourceLimit",
    "over-hard-limit": "AssociationResourceLimit",
    "over-idle-limit": "AssociationJobLimit",
    "cannot-debit-account": "AssociationResourceLimit",
    "over-fairshare-cap": "QOSUsageThreshold",
}
"""Slurm's words for rules whose meaning does not depend on the place in the queue."""


_HELD = {
    "BEGIN_TIME": "BeginTime",
    "DEPENDENCY_NEVER_MET": "DependencyNeverSatisfied",
    "QUEUE_LIMIT": "QOSMaxJobsPerUserLimit",
    "QUEUE_STOPPED": "PartitionDown",
    "NO_NODES": "Resources",
}
"""Slurm's words for what keeps a job without holds from being a candidate."""


REQUEUED_HELD = "job requeued in held state"


def _why_held(job: Job) -> str:
    if job.holds and job.reason == REQUEUED_HELD:
        return REQUEUED_HELD
    if job.holds:
        return "JobHeldUser" if "HOLD_USER" in job.holds else "JobHeldAdmin"
    return _HELD.get(job.cause, "Dependency")


def _why_failed(job: Job) -> str:
    if job.out_of_memory:
        return "OutOfMemory"
    if job.signal:
        return "RaisedSignal"
    if job.exit_code:
        return "NonZeroExitCode"
    return "JobLaunchFailure"


def asked_states(text: str) -> list[str]:
    """The states that *text* names, commas between, in either form; ValueError with the first unknown one."""
    found = []
    for word in text.replace("|", ",").split(","):
        name = _LONG.get(word.upper(), word.upper())
        if name not in SHORT:
            raise ValueError(word)
        found.append(name)
    return found
