"""``bjobs -l``: all about each job, in sentences; and ``-script``."""

from __future__ import annotations

from molokini.compat._types import Invocation, Iterator, Job, LsfView, Values
from molokini.compat.lsf import states
from molokini.compat.lsf.environments import REQUIREMENT
from molokini.compat.lsf.job_fields import FIELDS
from molokini.compat.lsf.wording import heading, history, wrapped

_RULE = "-" * 78
_SCHEDULING = """\
 SCHEDULING PARAMETERS:
           r15s   r1m  r15m   ut      pg    io   ls    it    tmp    swp    mem
 loadSched   -     -     -     -       -     -    -     -     -      -      -
 loadStop    -     -     -     -       -     -    -     -     -      -      -"""


def say(run: Invocation, given: Values, lines: list[Job], view: LsfView) -> None:
    """Print each job."""
    for place, job in enumerate(lines):
        if given.flag("script"):
            run.say(job.script.rstrip("\n"))
            continue
        if place:
            run.say(_RULE)
        run.say("")
        for text in _paragraphs(job, view):
            run.say(text if given.flag("UF") else wrapped(text))
        run.say("")
        run.say(_SCHEDULING)
        if requirement := job.variables.get(REQUIREMENT):
            run.say(f"\n RESOURCE REQUIREMENT DETAILS:\n Combined: {requirement}\n Effective: {requirement}")
        run.say("")


def _paragraphs(job: Job, view: LsfView) -> Iterator[str]:
    stat = states.stat(job)
    yield heading(job, stat)
    yield from history(job)
    yield from _limits(job, view)
    if stat in ("PEND", "PSUSP"):
        yield " PENDING REASONS:"
        yield f" {view.why_pending(job) or 'New job is waiting for scheduling'};"
    if stat == "USUSP":
        yield " SUSPENDING REASONS:"
        yield f" {job.reason or 'The job was suspended by the user'};"
    if used := job.memory_used_kb:
        yield f" MAX MEM: {max(1, used // 1024)} Mbytes;  AVG MEM: -"


def _limits(job: Job, view: LsfView) -> Iterator[str]:
    yield ""
    yield " RUNLIMIT"
    yield f" {job.limit_s / 60:.1f} min"
    if text := FIELDS["memlimit"][2](job, view):
        yield ""
        yield " MEMLIMIT"
        yield f"    {text}"
    yield ""
