"""scontrol's other commands: top, listpids, pidinfo, and levels of logs."""

from __future__ import annotations

import os

from molokini.compat._types import Invocation, Iterator, Values
from molokini.compat.slurm import ids
from molokini.compat.tool import Failed

_LEVELS = ("quiet", "fatal", "error", "info", "verbose", "debug", "debug2", "debug3", "debug4", "debug5")
_COMPARED = ("state", "spec.user_priority", "spec.account", "spec.qos")
_LARGEST = 1023
"""The largest priority of a user for a job."""


def top(run: Invocation, given: Values, words: list[str]) -> int:
    """Waiting jobs before all others of the same user, partition, account and QOS: their nice values change.

    What comes of it is the policy's business, as with --nice.
    """
    from molokini.compat.listing import job_of, jobs

    if not words:
        raise Failed("too few arguments for keyword:top")
    if len(words) > 1:
        raise Failed("too many arguments for keyword:top")
    try:
        refs = [ref for word in words[0].split(",") for ref in ids.refs(word)]
    except ValueError:
        raise Failed(f"Invalid job id {words[0][:60]}") from None
    for ref in reversed(refs):
        job = job_of(run, {"id": ref["id"]})
        if job.state not in ("WAITING", "HELD"):
            raise Failed(f"Job is no longer pending execution for job {ref['id']}")
        if job.holds:
            raise Failed(f"Job is in held state, pending scheduler release for job {ref['id']}")
        same = [
            one.user_priority
            for one in jobs(run, _COMPARED, users=[job.user], queues=[job.queue])
            if one.id != job.id
            and (one.account, one.qos) == (job.account, job.qos)
            and one.state in ("WAITING", "HELD")
        ]
        wanted = min(_LARGEST, max([job.user_priority, *(one + 1 for one in same)]))
        if wanted != job.user_priority:
            asked = {"job": {"id": job.id}, "spec": {"user_priority": wanted}, "fields": ["user_priority"]}
            run.transport.call("JobService", "AlterJob", asked)
    return 0


def set_debug(run: Invocation, given: Values, words: list[str]) -> int:
    """``setdebug LEVEL [nodes=...]``: a level is checked; molokini serve --log-level sets what is logged."""
    if not words:
        raise Failed("too few arguments for keyword:setdebug")
    level = words[0].lower()
    if level not in _LEVELS and not (level.isdigit() and int(level) < len(_LEVELS)):
        raise Failed(f"invalid debug level: {words[0][:40]}")
    return 0


def set_debug_flags(run: Invocation, given: Values, words: list[str]) -> int:
    """``setdebugflags +FLAG|-FLAG ...``: there are no such flags to set, whatever they are called."""
    if not words:
        raise Failed("too few arguments for keyword:setdebugflags")
    for word in words:
        flag = word[:1] in ("+", "-") and word[1:].replace("_", "").isalnum()
        if not flag and not word.lower().startswith("nodes="):
            raise Failed(f"invalid debug flag: {word[:40]}")
    return 0


def log_level(run: Invocation, given: Values, words: list[str]) -> int:
    """``schedloglevel 0|1|disable|enable``."""
    if not words:
        raise Failed("too few arguments for keyword:schedloglevel")
    if words[0].lower() not in ("0", "1", "disable", "enable"):
        raise Failed(f"invalid schedlog level: {words[0][:40]}")
    return 0


def list_pids(run: Invocation, given: Values, words: list[str]) -> int:
    """The processes of this machine that belong to jobs, or to one job or step."""
    wanted, _, step = (words[0] if words else "").partition(".")
    if wanted and not wanted.isdigit():
        raise Failed(f"Invalid job id: {wanted[:40]}")
    found = [one for one in _processes() if wanted in ("", one[1]) and step in ("", one[2], "batch")]
    if not found:
        text = f"Job {wanted} does not exist on this node." if wanted else "No job steps exist on this node."
        raise Failed(text)
    run.say(f"{'PID':<8} {'JOBID':<8} {'STEPID':<6} {'LOCALID':<7} {'GLOBALID':<8}")
    for process, job, step, local, task in found:
        run.say(f"{process:<8} {job:<8} {step or 'batch':<6} {local or '-':<7} {task or '-':<8}")
    return 0


def pid_info(run: Invocation, given: Values, words: list[str]) -> int:
    """The job of a process of this machine, and until when its limit lets it run."""
    import time

    from molokini.compat.listing import job_of

    if not words:
        raise Failed("too few arguments for keyword:pidinfo")
    found = next((one for one in _processes() if str(one[0]) == words[0]), None)
    if found is None:
        raise Failed("scontrol_pid_info error: Invalid job id specified")
    job = job_of(run, {"id": int(found[1])})
    end_s = job.expected_end_s or 0.0
    run.say(f"Slurm job id {found[1]} ends at {time.ctime(end_s)}")
    run.say(f"slurm_get_rem_time is {max(0, int(end_s - time.time()))}")
    return 0


def _processes() -> Iterator[tuple[int, str, str, str, str]]:
    """Process, job, step, local and global task number of what runs in jobs here, by their environment."""
    for name in sorted((one for one in os.listdir("/proc") if one.isdigit()), key=int):
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                words = dict(word.partition(b"=")[::2] for word in file.read().split(b"\0"))
        except OSError:  # it has ended, or is another user's
            continue
        if b"SLURM_JOB_ID" in words:
            parts = ("SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_LOCALID", "SLURM_PROCID")
            job, step, local, task = (words.get(one.encode(), b"").decode(errors="replace") for one in parts)
            yield int(name), job, step, local, task
