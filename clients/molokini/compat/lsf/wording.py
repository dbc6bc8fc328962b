"""Sentences of long listings and histories, and how they are broken into lines."""

from __future__ import annotations

from molokini.compat._types import Iterator, Job
from molokini.compat.job import GROUP
from molokini.compat.lsf import hosts, states, times
from molokini.compat.lsf.environments import HOST, REQUIREMENT
from molokini.compat.lsf.formats import shown
from molokini.compat.lsf.job_fields import dependency_text
from molokini.compat.lsf.paths import path_of
from molokini.compat.lsf.programs import command_of

FULL = (
    *("spec", "user", "submitted_s", "eligible_s", "first_start_s", "start_s", "end_s", "expected_end_s"),
    *("elapsed_s", "work_s", "cpu_s", "memory_used_kb", "allocation"),
)
"""What must be asked of the server for sentences about a job."""
_WIDTH, _INDENT = 80, 21


def wrapped(text: str) -> str:
    """*text* in lines of 80 characters; what is continued stands 21 blanks further in."""
    if len(text) <= _WIDTH:
        return text
    lines, rest = [text[:_WIDTH]], text[_WIDTH:]
    step = _WIDTH - _INDENT
    lines += [" " * _INDENT + rest[k : k + step] for k in range(0, len(rest), step)]
    return "\n".join(lines)


def heading(job: Job, stat: str = "") -> str:
    """``Job <7>, Job Name <x>, User <ann>, Project <default>, ...``; *stat*: its state, if shown."""
    told = [
        f"Job <{job.number}>",
        f"Job Name <{states.name_of(job)}>",
        f"User <{job.user}>",
    ]
    told.append(f"Project <{job.account or 'default'}>")
    if job.group:
        told.append(f"User Group <{job.group}>")
    if job.mail_to:
        told.append(f"Mail <{' '.join(job.mail_to)}>")
    if stat:
        told += [f"Status <{stat}>", f"Queue <{job.queue}>"]
        told.append(f"Job Priority <{50 + job.user_priority}>")
    if group := job.annotation(GROUP):
        told.append(f"Job Group <{group}>")
    told.append(f"Command <{command_of(job.script, job.argv)}>")
    if job.comment:
        told.append(f"Job Description <{job.comment}>")
    return shown(", ".join(told))


def submitted(job: Job) -> str:
    """The sentence of its submission, with all that was asked for."""
    variables = job.variables
    told = [f"Submitted from host <{variables.get(HOST) or '-'}>"]
    if job.spec.get("held"):
        told[0] = told[0].replace("Submitted", "Submitted with hold", 1)
    told.append(f"CWD <{variables.get('LS_SUBCWD') or job.working_directory}>")
    if job.spec.get("working_directory") not in (None, variables.get("LS_SUBCWD")):
        told.append(f"Specified CWD <{job.working_directory}>")
    for field, word in (("stdin_path", "Input"), ("stdout_path", "Output"), ("stderr_path", "Error")):
        if job.spec.get(field):
            told.append(f"{word} File <{path_of(job, field)}>")
    if job.spec.get("requeue"):
        told.append("Re-runnable")
    if job.processors > 1:
        told.append(f"{job.processors} Task(s)")
    if requirement := variables.get(REQUIREMENT):
        told.append(f"Requested Resources <{requirement}>")
    if job.dependencies:
        told.append(f"Dependency Condition <{dependency_text(job.dependencies)}>")
    if job.begin_at_s:
        told.append(f"Specified Start Time <{times.sentence(job.begin_at_s)}>")
    return shown(f"{times.sentence(job.submitted_s)}: {', '.join(told)};")


def history(job: Job) -> Iterator[str]:
    """What has happened to *job*, a sentence each: submission, start, end."""
    yield submitted(job)
    if job.start_s is not None:
        where = " ".join(f"<{name}>" for name in hosts.with_counts(job))
        began = times.sentence(job.start_s)
        told = f"Started {job.slots} Task(s) on Host(s) {where}"
        yield f"{began}: {told}, Execution CWD <{job.working_directory}>;"
    if job.end_s is not None:
        word, sentence = states.termination(job)
        ended = times.sentence(job.end_s)
        used = f" The CPU time used is {job.cpu_s:.1f} seconds."
        yield f"{ended}: {states.ended_how(job)}{used if job.start_s is not None else ''}"
        if word:
            yield shown(f"{ended}: Completed <exit>; {word}: {sentence}.")
        elif job.reason and states.stat(job) == "EXIT":
            yield shown(f"{ended}: {job.reason}.")
