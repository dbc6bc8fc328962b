"""What the commands share that change jobs: which jobs, one answer for each, and the exit code."""

from __future__ import annotations

from molokini.compat._types import Any, Callable, Invocation, Job, JobRef, Option, Sequence, Values
from molokini.compat.failures import Refused
from molokini.compat.lsf import selecting, states
from molokini.compat.lsf.failing import CODE, refusal
from molokini.compat.options import option

WHICH: tuple[Option, ...] = (
    option("-J", "NAME", "jobs with this name; * matches any text"),
    option("-u", "USERS", "jobs of these users, or of all"),
    option("-q", "QUEUE", "jobs of this queue"),
    option("-m", "HOST", "jobs on this host"),
    option("-g", "/GROUP", "jobs of this job group"),
)
_MOST = 10_000
"""References of one call."""


class Target:
    """A job, an array or an element that a command is about, and its lines; none: there is no such job."""

    def __init__(self, number: int, index: int | None, lines: list[Job]) -> None:
        self.number, self.index, self.lines = number, index, lines

    @property
    def shown(self) -> str:
        """Its name in sentences."""
        return f"{self.number}[{self.index}]" if self.index is not None else str(self.number)

    @property
    def reference(self) -> JobRef:
        """Its name in calls."""
        return {"id": self.number} if self.index is None else {"id": self.number, "array_index": self.index}

    def stands(self, *names: str) -> bool:
        """Whether it, or one of its elements, is in one of these states."""
        return any(states.stat(line) in names for line in self.lines)


def targets(run: Invocation, given: Values, fields: Sequence[str] = ()) -> list[Target]:
    """What *given* names, in its order; without numbers, or with 0, all unfinished jobs of the options.

    Raises Failed where nothing is named, or nothing is found.
    """
    if not given.words and not any(given.flag(one.field) for one in WHICH):
        raise refusal(run, f"{run.name}: expected a job ID, 0 or an option that selects jobs")
    try:
        wish = selecting.wish_of(given)
    except ValueError as error:
        raise refusal(run, str(error)) from None
    lines = selecting.found(run, wish, fields)
    if not wish.references:
        return _all(run, lines, by_element="[" in wish.name)
    made = []
    for number, index in dict.fromkeys(wish.references):
        own = [line for line in lines if line.id == number and index in (None, line.index)]
        made.append(Target(number, index, own))
    return made


def _all(run: Invocation, lines: list[Job], by_element: bool) -> list[Target]:
    if not lines:
        raise refusal(run, "No matching job found")
    found: dict[tuple[int, int | None], Target] = {}
    for line in lines:
        place = (line.id, line.index if by_element else None)
        found.setdefault(place, Target(*place, [])).lines.append(line)
    return list(found.values())


def open_ones(run: Invocation, wanted: Sequence[Target]) -> tuple[list[Target], int]:
    """Those of *wanted* that have not ended; about the others it is said here. And the exit code so far."""
    left, code = [], 0
    for one in wanted:
        if one.stands(*states.UNFINISHED, "UNKWN"):
            left.append(one)
            continue
        said = "Job has already finished" if one.lines else "No matching job found"
        run.complain(f"Job <{one.shown}>: {said}")
        code = CODE
    return left, code


def change(
    run: Invocation, method: str, wanted: Sequence[Target], said: Callable[[Target], str], **more: Any
) -> int:
    """Call *method* for all of *wanted* and say of each what became of it; the exit code."""
    code = 0
    for start in range(0, len(wanted), _MOST):
        part = wanted[start : start + _MOST]
        for one, refused in zip(part, refusals(run, method, part, **more), strict=True):
            if refused:
                run.complain(f"Job <{one.shown}>: {refused}")
                code = CODE
            else:
                run.say(said(one))
    return code


def refusals(run: Invocation, method: str, wanted: Sequence[Target], **more: Any) -> list[str]:
    """Why *method* was refused for each of *wanted*; empty where it was done."""
    if not wanted:
        return []
    asked = {"jobs": [one.reference for one in wanted], **more}
    try:
        answer = run.transport.call("JobService", method, asked)
    except Refused as error:
        if len(wanted) > 1:
            raise
        return ["User permission denied" if error.code == "PERMISSION_DENIED" else str(error)]
    found: list[str] = answer.get("refusals", [""] * len(wanted))
    return found
