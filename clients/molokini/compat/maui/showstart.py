"""``showstart``: when a job would start at the earliest."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation
from molokini.compat.maui.asking import report
from molokini.compat.maui.failing import no
from molokini.compat.maui.jobs import one
from molokini.compat.maui.reading import HELP, number, one_word, read
from molokini.compat.maui.times import seconds, span, span_and_date
from molokini.compat.maui.words import count

OPTIONS = (HELP,)


def run(run: Invocation) -> int:
    """Print the earliest start and end of a job, or of PROCS@DURATION."""
    given = read(run, OPTIONS, "JOB | PROCS@DURATION")
    what = one_word(run, given, "a job, or PROCS@DURATION,")
    size, at, length = what.partition("@")
    asked: dict[str, Any] = {"job": what}
    if not at:
        one(what)
    else:
        asked = {"processors": number("PROCS", size, 1), "duration_s": seconds("DURATION", length)}
    if why := render(run, report(run, "start", **asked), what):
        raise no(why)
    return 0


def render(run: Invocation, found: dict[str, Any], what: str) -> str:
    """Print the start of *what*; why there is none, which is printed by the caller."""
    # With the same label whether the job is there or not: scripts read the number.
    name = f"job {found['job']}" if found["job"] else f"job {what}"
    run.say(f"{name} requires {count(found['processors'], 'proc')} for {span(found['estimate_s'])}\n")
    if found["start_s"] is None:
        return _why(found)
    run.say(f"Earliest start in       {span_and_date(found, found['start_s'])}")
    if found["end_s"] is not None:
        run.say(f"Earliest completion in  {span_and_date(found, found['end_s'])}")
    run.say(f"Best Partition: {found.get('partition') or 'DEFAULT'}")
    return ""


def _why(found: dict[str, Any]) -> str:
    if found["by"] == "blocked":
        return f"cannot determine earliest start time: the job is blocked: {found['reason']}"
    return "cannot determine earliest start time: there will never be so many processors"
