"""The tables of ``bjobs``: the short one, ``-w`` and ``-W``; and the reasons of ``-p`` and ``-s``."""

from __future__ import annotations

from molokini.compat._types import Invocation, Job, LsfView, Values
from molokini.compat.columns import Column, end_off, line, star_before
from molokini.compat.lsf import hosts, job_fields, states, times
from molokini.compat.lsf.formats import shown

_SHORT = (
    *(("JOBID", "jobid"), ("USER", "user"), ("STAT", "stat"), ("QUEUE", "queue")),
    *(("FROM_HOST", "from_host"), ("EXEC_HOST", "exec_host"), ("JOB_NAME", "job_name")),
    ("SUBMIT_TIME", "submit_time"),
)
_MORE = (
    *(("PROJ_NAME", "proj_name"), ("CPU_USED", "cpu_used"), ("MEM", "mem"), ("SWAP", "swap")),
    *(("PIDS", "pids"), ("START_TIME", "start_time"), ("FINISH_TIME", "finish_time")),
)
_ONE_MORE = {
    "WF": ("FINISH_TIME", "finish_time"),
    "WL": ("TIME_LEFT", "time_left"),
    "WP": ("%COMPLETE", "%complete"),
}
_WIDE = ("w", "W", *_ONE_MORE)
_EXEC_HOST = 5
"""The place of the column of hosts."""


def _titles(given: Values) -> tuple[tuple[str, str], ...]:
    if given.flag("W"):
        return (*_SHORT, *_MORE)
    return (*_SHORT, *(title for name, title in _ONE_MORE.items() if given.flag(name)))


def needed(given: Values) -> list[str]:
    """What must be asked of the server for the table that *given* asks for."""
    return job_fields.needed(field for _, field in _titles(given))


def say(run: Invocation, given: Values, lines: list[Job], view: LsfView) -> None:
    """Print the table."""
    wide = any(given.flag(name) for name in _WIDE)
    columns = [
        Column(field, job_fields.WIDTHS[field], cuts=star_before if field == "job_name" else end_off)
        for _, field in _titles(given)
    ]
    if not given.flag("noheader"):
        run.say(_line([title for title, _ in _titles(given)], columns, wide))
    for job in lines:
        values = [shown(_value(column.name, job, given, view, wide)) for column in columns]
        machines = hosts.with_counts(job)
        if not wide and machines:
            values[_EXEC_HOST] = machines[0]
        run.say(_line(values, columns, wide))
        if not wide:
            for more in machines[1:]:
                run.say(_line(["" if k != _EXEC_HOST else more for k in range(len(columns))], columns, wide))
        for reason in _reasons(job, given, view):
            run.say(f" {shown(reason)};")


def _line(values: list[str], columns: list[Column], wide: bool) -> str:
    """In columns; a wide one cuts nothing off."""
    if wide:
        values = [text.ljust(column.width or 0) for text, column in zip(values, columns, strict=True)]
        return " ".join(values).rstrip()
    return line(columns, values, " ").rstrip()


def _value(name: str, job: Job, given: Values, view: LsfView, wide: bool) -> str:
    if name == "jobid" and wide:
        return job.number
    if given.flag("W"):
        if name in ("submit_time", "start_time", "finish_time"):
            at = {"submit_time": "submitted_s", "start_time": "start_s", "finish_time": "end_s"}[name]
            instant = job.answer.get(at, 0.0 if name == "submit_time" else None)
            return times.seconds_too(instant) if instant is not None else ""
        if name == "cpu_used":
            seconds = int(job.cpu_s)
            return f"{seconds // 3600:03d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.00"
        if name == "mem":
            return str(job.memory_used_kb // 1024)
    return job_fields.value(name, job, view)


def _reasons(job: Job, given: Values, view: LsfView) -> list[str]:
    stat = states.stat(job)
    if (given.flag("p") and stat == "PEND") or (given.flag("s") and stat == "PSUSP"):
        return [view.why_pending(job) or "New job is waiting for scheduling"]
    if given.flag("s") and stat == "USUSP":
        return [job.reason or "The job was suspended by the user"]
    return []
