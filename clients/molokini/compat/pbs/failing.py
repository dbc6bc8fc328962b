"""PBS' words and exit codes for what cannot be done: a code is the low byte of the number of the error."""

from __future__ import annotations

from molokini.compat._types import Invocation, TransportError
from molokini.compat.failures import NoAnswer, Refused, UsageError
from molokini.compat.tool import Failed

USAGE = 2
UNKNOWN_JOB, NO_PERMISSION, UNKNOWN_SIGNAL, BAD_VALUE, WRONG_STATE = 15001, 15007, 15013, 15014, 15016
UNKNOWN_QUEUE, NOT_SUPPORTED, LIMITS, TOO_MANY, BAD_DEPENDENCY = 15018, 15029, 15036, 15046, 15054
UNKNOWN_RESOURCE, UNKNOWN_NODE, NOT_WITH_SELECT, FINISHED = 15035, 15062, 15110, 15139

TEXTS = {
    UNKNOWN_JOB: "Unknown Job Id",
    NO_PERMISSION: "Unauthorized Request ",
    UNKNOWN_SIGNAL: "Unknown/illegal signal name",
    BAD_VALUE: "Illegal attribute or resource value",
    WRONG_STATE: "Request invalid for state of job",
    UNKNOWN_QUEUE: "Unknown queue",
    NOT_SUPPORTED: "No support for requested service",
    LIMITS: "Job violates queue and/or server resource limits",
    TOO_MANY: "Maximum number of jobs already in queue",
    BAD_DEPENDENCY: "Invalid Job Dependency",
    UNKNOWN_RESOURCE: "Unknown resource",
    UNKNOWN_NODE: "Unknown node ",
    NOT_WITH_SELECT: "Cannot be used with select or place",
    FINISHED: "Job has finished",
}
_REFUSED_CONNECTION, _TIMED_OUT = 111, 110
"""Numbers of the system's errors, as the commands print them."""
_LIMITS = ("resources", "processors", "nodes", "memory", "generic", "estimate_s")


def code_of(number: int) -> int:
    """The exit code of the error *number*."""
    return number % 256


def failure(run: Invocation, number: int, about: str = "", why: str = "") -> Failed:
    """The end of *run* with the error *number*, *about* a job or another thing, because of *why*."""
    return Failed(line(run, number, about, why), code_of(number))


def line(run: Invocation, number: int, about: str = "", why: str = "") -> str:
    """What the commands print of the error *number*."""
    text = TEXTS[number].rstrip() if about or why else TEXTS[number]
    return f"{run.name}: {text}" + (f" {about}" if about else "") + (f": {why}" if why else "")


def usage(run: Invocation, text: str) -> Failed:
    """The end of *run*, whose command line is none."""
    return Failed(f"{run.name}: {text}", USAGE)


def number_of(error: Refused) -> int:
    """The number under which PBS would refuse what the server has refused."""
    if error.code == "NOT_FOUND":
        return UNKNOWN_JOB if error.reason == "no_such_job" else _UNKNOWN.get(error.field, UNKNOWN_RESOURCE)
    if error.code == "PERMISSION_DENIED" or error.code == "UNAUTHENTICATED":
        return NO_PERMISSION
    if error.code == "FAILED_PRECONDITION":
        return FINISHED if error.reason == "has_ended" else WRONG_STATE
    if error.code == "RESOURCE_EXHAUSTED":
        return BAD_VALUE if error.reason == "too_large" else TOO_MANY
    if error.field == "queue":
        return UNKNOWN_QUEUE
    if error.field.startswith("dependencies"):
        return BAD_DEPENDENCY
    if error.field.startswith(_LIMITS):
        return LIMITS
    return BAD_VALUE


_UNKNOWN = {"queue": UNKNOWN_QUEUE, "node": UNKNOWN_NODE}


def refusal(run: Invocation, error: Refused, about: str = "") -> Failed:
    """The end of *run*, to which the server has said no; *about* is the job that it concerns."""
    number = number_of(error)
    if number in (UNKNOWN_JOB, UNKNOWN_QUEUE):
        return failure(run, number, about)
    if number == FINISHED:
        return Failed(f"{run.name}: {TEXTS[number]} {about}", code_of(number))
    return failure(run, number, about, str(error))


def failed(run: Invocation, error: TransportError | UsageError) -> Failed:
    """The end of *run*, which has met *error*."""
    if isinstance(error, UsageError):
        return usage(run, str(error) if error.kind == "refused" else f"{error} (see {run.name} --help)")
    if isinstance(error, Refused):
        return refusal(run, error)
    number = _TIMED_OUT if isinstance(error, NoAnswer) else _REFUSED_CONNECTION
    return Failed(f"{run.name}: cannot connect to server (errno={number}): {error}", number)
