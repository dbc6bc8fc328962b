"""What is done to several jobs that a command line names: each is done or refused by itself."""

from __future__ import annotations

from molokini.compat._types import Any, Callable, Invocation, JobId, Sequence
from molokini.compat.failures import Refused
from molokini.compat.pbs.failing import refusal
from molokini.compat.pbs.finding import Complaints, named

MOST = 10_000
"""References of one call."""


def change(run: Invocation, words: Sequence[str], method: str, **more: Any) -> int:
    """Call *method*, which takes references, for the jobs *words*.

    The exit code is that of the last that was refused.
    """
    complaints = Complaints(run)
    wanted = named(run, words, complaints)
    for first in range(0, len(wanted), MOST):
        _together(run, wanted[first : first + MOST], method, more, complaints)
    return complaints.code


def _together(
    run: Invocation,
    wanted: list[tuple[str, JobId]],
    method: str,
    more: dict[str, Any],
    complaints: Complaints,
) -> None:
    """All in one call; those that it refuses are asked once more alone, which tells the error."""
    if len(wanted) == 1:
        return _alone(run, *wanted[0], method, more, complaints)
    asked = {**more, "jobs": [one.reference for _, one in wanted]}
    refusals = run.transport.call("JobService", method, asked).get("refusals", ())
    for (text, one), why in zip(wanted, refusals, strict=False):
        if why:
            _alone(run, text, one, method, more, complaints)
    return None


def _alone(
    run: Invocation, text: str, one: JobId, method: str, more: dict[str, Any], complaints: Complaints
) -> None:
    def call() -> None:
        run.transport.call("JobService", method, {**more, "jobs": [one.reference]})

    each(run, text, call, complaints)


def each(run: Invocation, text: str, call: Callable[[], None], complaints: Complaints) -> bool:
    """Do *call* for the job *text*; whether it was done."""
    try:
        call()
    except Refused as error:
        failed = refusal(run, error, text)
        complaints.tell(failed.text, failed.code)
        return False
    return True
