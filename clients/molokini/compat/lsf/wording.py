"""Sentences of long listings and histories, and how they are broken into lines."""

from __future__ import annotations

from molokini.compat._types import Iterator, Job
from molokini.compat.lsf import hosts, states, times
from molokini.compat.lsf.environments import GROUP, HOST, REQUIREMENT
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
    spec = job["spec"]
    told = [
        f"Job <{states.number_of(job)}>",
        f"Job Name <{states.name_of(job)}>",
        f"User <{job.get('user', '')}>",
    ]
    told.append(f"Project <{spec.get('account') or 'default'}>")
    if spec.get("group"):
        told.append(f"User Group <{spec['group']}>")
    if spec.get("mail_to"):
        told.append(f"Mail <{' '.join(spec['mail_to'])}>")
    if stat:
        told += [f"Status <{stat}>", f"Queue <{spec.get('queue', '')}>"]
        told.append(f"Job Priority <{50 + spec.get('user_priority', 0)}>")
    if group := spec.get("environment", {}).get(GROUP):
        told.append(f"Job Group <{group}>")
    told.append(f"Command <{command_of(spec.get('script', ''), spec.get('argv', ()))}>")
    if spec.get("comment"):
        told.append(f"Job Description <{spec['comment']}>")
    return shown(", ".join(told))


def submitted(job: Job) -> str:
    """The sentence of its submission, with all that was asked for."""
    spec = job["spec"]
    variables = spec.get("environment", {})
    told = [f"Submitted from host <{variables.get(HOST) or '-'}>"]
    if spec.get("held"):
        told[0] = told[0].replace("Submitted", "Submitted with hold", 1)
    told.append(f"CWD <{variables.get('LS_SUBCWD') or spec.get('working_directory', '')}>")
    if spec.get("working_directory") not in (None, variables.get("LS_SUBCWD")):
        told.append(f"Specified CWD <{spec['working_directory']}>")
    for field, word in (("stdin_path", "Input"), ("stdout_path", "Output"), ("stderr_path", "Error")):
        if spec.get(field):
            told.append(f"{word} File <{path_of(job, field)}>")
    if spec.get("requeue"):
        told.append("Re-runnable")
    slots = int(spec.get("resources", {}).get("processors", 1))
    if slots > 1:
        told.append(f"{slots} Task(s)")
    if requirement := variables.get(REQUIREMENT):
        told.append(f"Requested Resources <{requirement}>")
    if spec.get("dependencies"):
        told.append(f"Dependency Condition <{dependency_text(spec['dependencies'])}>")
    if spec.get("begin_at_s"):
        told.append(f"Specified Start Time <{times.sentence(spec['begin_at_s'])}>")
    return shown(f"{times.sentence(job.get('submitted_s', 0.0))}: {', '.join(told)};")


def history(job: Job) -> Iterator[str]:
    """What has happened to *job*, a sentence each: submission, start, end."""
    yield submitted(job)
    if job.get("start_s") is not None:
        where = " ".join(f"<{name}>" for name in hosts.with_counts(job))
        began = times.sentence(job["start_s"])
        folder = job["spec"].get("working_directory", "")
        yield f"{began}: Started {hosts.slots(job)} Task(s) on Host(s) {where}, Execution CWD <{folder}>;"
    if job.get("end_s") is not None:
        word, sentence = states.termination(job)
        ended = times.sentence(job["end_s"])
        used = f" The CPU time used is {job.get('cpu_s', 0.0):.1f} seconds."
        yield f"{ended}: {states.ended_how(job)}{used if job.get('start_s') is not None else ''}"
        if word:
            yield shown(f"{ended}: Completed <exit>; {word}: {sentence}.")
        elif job.get("reason") and states.stat(job) == "EXIT":
            yield shown(f"{ended}: {job['reason']}.")
