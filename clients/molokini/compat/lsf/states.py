"""States of jobs as LSF has them, how a job ended, and why."""

from __future__ import annotations

from molokini.compat._types import Job

_OVER = {
    "COMPLETED": "DONE",
    "FAILED": "EXIT",
    "TIMED_OUT": "EXIT",
    "CANCELLED": "EXIT",
    "NODE_LOST": "EXIT",
    "REFUSED": "EXIT",
}
UNFINISHED = ("PEND", "PSUSP", "RUN", "USUSP", "SSUSP")
SUSPENDED = ("PSUSP", "USUSP", "SSUSP")
FINISHED = ("DONE", "EXIT")
_RUN_LIMIT_STATUS, _OWNER_STATUS = 140, 130
_SIGNALLED = 128


def stat(job: Job) -> str:
    """LSF's state of *job*."""
    state = job.state
    if state == "RUNNING":
        return "RUN"
    if state == "SUSPENDED":
        return "USUSP"
    if state in ("WAITING", "HELD"):
        return "PSUSP" if job.holds else "PEND"
    if state == "CANCELLED" and job.cause == "AS_DONE":
        return "DONE"
    return _OVER.get(state, "UNKWN")


def exit_status(job: Job) -> int:
    """The code with which *job* ended, in LSF's count: 128 and the signal; 0 for one that has not."""
    if stat(job) != "EXIT":
        return 0
    if job.state == "TIMED_OUT":
        return _RUN_LIMIT_STATUS
    if job.signal:
        return _SIGNALLED + job.signal
    return job.exit_code or (_OWNER_STATUS if job.state == "CANCELLED" and job.start_s is not None else 1)


def termination(job: Job) -> tuple[str, str]:
    """LSF's word for why *job* was ended, and its sentence; both empty where it ended by itself."""
    if stat(job) != "EXIT":
        return "", ""
    state, reason = job.state, job.reason
    if state == "TIMED_OUT":
        return "TERM_RUNLIMIT", "job killed after reaching LSF run time limit"
    if state == "NODE_LOST":
        return "TERM_REMOVE_HUNG_JOB", "job removed from the LSF system: its host was lost"
    if state == "REFUSED":
        return "TERM_OTHER", f"job can never run here: {reason}"
    if state == "CANCELLED":
        if job.cause == "DEPENDENCY_NEVER_MET":
            return "TERM_ORPHAN_SYSTEM", f"the orphan job was automatically terminated by LSF: {reason}"
        return "TERM_OWNER", "job killed by owner"
    if job.out_of_memory:
        return "TERM_MEMLIMIT", "job killed after reaching LSF memory usage limit"
    return "", ""


def ended_how(job: Job) -> str:
    """The sentence with which long listings and histories tell the end of *job*."""
    if stat(job) == "DONE":
        return "Done successfully."
    if job.start_s is None:
        return "Exited; job has been forced to exit before it was started."
    return f"Exited with exit code {exit_status(job)}."


def name_of(job: Job) -> str:
    """The name, with the index of an element behind it."""
    return f"{job.name}[{job.index}]" if job.index is not None else job.name
