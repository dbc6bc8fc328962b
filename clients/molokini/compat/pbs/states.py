"""Letters of states, substates and exit statuses, from what the server says of a job."""

from __future__ import annotations

from molokini.compat._types import Job

_LETTERS = {"WAITING": "Q", "RUNNING": "R", "SUSPENDED": "S"}
_SUBSTATES = {"Q": 10, "R": 42, "S": 45, "W": 30, "B": 70, "X": 91}
_OF_A_SIGNAL, _KILLED, _TERMINATED = 256, 265, 271
_WALLTIME, _LOST, _NEVER_RAN = -29, -20, -1
"""As OpenPBS numbers them."""


def letter(job: Job, torque: bool = False, array_goes_on: bool = False) -> str:
    """The letter of *job*'s state. *array_goes_on*: it is an element of an array that has not ended."""
    if job.over:
        return "C" if torque else "X" if array_goes_on else "F"
    if job.is_array and not torque and _has_begun(job):
        return "B"
    if job.state != "HELD":
        return _LETTERS[job.state]
    return {"HOLDS": "H", "DEPENDENCY": "H", "BEGIN_TIME": "W"}.get(job.cause, "Q")


def _has_begun(job: Job) -> bool:
    """Whether any element of an array has started."""
    return any(count and state not in ("waiting", "held") for state, count in (job.elements or {}).items())


def substate(job: Job, found: str) -> int:
    """The number behind the letter *found*."""
    if found == "H":
        return 20 if job.holds else 22
    if found in ("F", "C"):
        if found == "C":
            return 59
        return {"COMPLETED": 92, "CANCELLED": 91}.get(job.state, 93)
    return _SUBSTATES[found]


def exit_status(job: Job, torque: bool = False) -> int:
    """Exit_status of a job that has ended: 256 and a signal, or below 0 where it was no program's."""
    state = job.state
    if state == "CANCELLED":
        return _TERMINATED if torque else _KILLED
    if state == "TIMED_OUT":
        return _TERMINATED if torque else _WALLTIME
    if state == "NODE_LOST":
        return _LOST
    if job.signal:
        return _OF_A_SIGNAL + job.signal
    if state == "REFUSED" or (state == "FAILED" and not job.exit_code):
        return _NEVER_RAN
    return job.exit_code
