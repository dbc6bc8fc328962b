"""What scontrol does to jobs."""

from __future__ import annotations

from molokini.compat._types import Any, Invocation, JobRef, Values
from molokini.compat.failures import Refused
from molokini.compat.listing import job_of
from molokini.compat.slurm import ids
from molokini.compat.slurm.states import REQUEUED_HELD
from molokini.compat.tool import Failed


def hold(run: Invocation, given: Values, words: list[str]) -> int:
    """Hold jobs: as an operator where the caller is one, else as their owner."""
    refs = named(run, words, "hold")
    try:
        return _each(run, given, refs, "HoldJobs", hold="HOLD_OPERATOR")
    except Refused as error:
        if error.code != "PERMISSION_DENIED":
            raise
    return _each(run, given, refs, "HoldJobs", hold="HOLD_USER")


def user_hold(run: Invocation, given: Values, words: list[str]) -> int:
    """Hold jobs so that their owner can release them."""
    return _each(run, given, named(run, words, "uhold"), "HoldJobs", hold="HOLD_USER")


def release(run: Invocation, given: Values, words: list[str]) -> int:
    """Release jobs: from all holds that the caller may take away."""
    refs = named(run, words, "release")
    try:
        return _each(run, given, refs, "ReleaseJobs", all_holds=True)
    except Refused as error:
        if error.code != "PERMISSION_DENIED":
            raise
    return _each(run, given, refs, "ReleaseJobs", hold="HOLD_USER")


def requeue(run: Invocation, given: Values, words: list[str]) -> int:
    """Put running jobs back into the queue, and those that have ended and are still listed."""
    return _each(run, given, named(run, words, "requeue"), "RequeueJobs", ended=True)


def requeue_hold(run: Invocation, given: Values, words: list[str]) -> int:
    """Put such jobs back into the queue, and hold them there."""
    words = [one for one in words if not one.lower().startswith("state=")]
    code = 0
    for ref in named(run, words, "requeuehold"):
        if job_of(run, ref).over:
            held = {"ended": True, "hold": "HOLD_USER"}
            code |= _each(run, given, [ref], "RequeueJobs", reason=REQUEUED_HELD, **held)
            continue
        hold(run, given, [_shown(ref)])
        code |= _each(run, given, [ref], "RequeueJobs", reason=REQUEUED_HELD)
    return code


def suspend(run: Invocation, given: Values, words: list[str]) -> int:
    """Stop running jobs."""
    return _each(run, given, named(run, words, "suspend"), "SuspendJobs")


def resume(run: Invocation, given: Values, words: list[str]) -> int:
    """Let suspended jobs go on."""
    return _each(run, given, named(run, words, "resume"), "ResumeJobs")


def cancel(run: Invocation, given: Values, words: list[str]) -> int:
    """End jobs."""
    return _each(run, given, named(run, words, "cancel_job"), "CancelJobs")


def wait_job(run: Invocation, given: Values, words: list[str]) -> int:
    """Answer when the nodes of a job are ready: as soon as it runs."""
    [ref] = named(run, words[:1], "wait_job")
    return 0 if job_of(run, ref).state == "RUNNING" else 1


def reconfigure(run: Invocation, given: Values, words: list[str]) -> int:
    """Let the server read its configuration again: the one at the other end of a Unix socket."""
    import os
    import signal

    # A server that answers is ready; before that it would not survive the signal.
    run.transport.call("ClusterService", "GetCluster", {})
    process = getattr(run.transport, "process", None)
    if process is None:
        raise Failed("slurm_reconfigure error: the server is elsewhere: send it SIGHUP there")
    number = process()
    if not _heeds_hangup(number):
        # It would end: a server that is a part of a test, say.
        raise Failed("slurm_reconfigure error: this server has no configuration to read again")
    try:
        os.kill(number, signal.SIGHUP)
    except PermissionError:
        raise Failed("slurm_reconfigure error: Access/permission denied") from None
    return 0


def _heeds_hangup(process: int) -> bool:
    """Whether *process* has a handler of SIGHUP; taken for granted where the kernel does not say."""
    try:
        with open(f"/proc/{process}/status", encoding="ascii", errors="replace") as file:
            caught = next(line for line in file if line.startswith("SigCgt:"))
    except (OSError, StopIteration):
        return True
    return bool(int(caught.split()[1], 16) & 1)


def not_here(run: Invocation, given: Values, words: list[str]) -> int:
    """Refused by name."""
    command = next(one for one in run.line if not one.startswith("-"))
    raise Failed(f"scontrol: error: {command} is not supported")


def named(run: Invocation, words: list[str], command: str) -> list[JobRef]:
    """The jobs that *words* name: by numbers, or by name= and jobname=. Failed where they name none."""
    if not words:
        raise Failed(f"too few arguments for keyword:{command}")
    found: list[JobRef] = []
    for word in words:
        key, equals, value = word.partition("=")
        if equals and key.lower() in ("name", "jobname"):
            from molokini.compat.listing import jobs

            found += [{"id": job.id} for job in jobs(run, ("state",), name=value)]
            continue
        try:
            found += ids.refs(value if equals and key.lower() in ("job", "jobid") else word)
        except ValueError:
            raise Failed(f'Invalid job id specified for job "{word}"') from None
    if not found:
        raise Failed("Job name doesn't exist")
    return found


def _each(run: Invocation, given: Values, refs: list[JobRef], method: str, **more: Any) -> int:
    """Apply *method* to all jobs; the exit code. Each refusal is reported with its job."""
    told = run.transport.call("JobService", method, {"jobs": refs, **more})
    code = 0
    for ref, refusal in zip(refs, told.get("refusals", ()), strict=False):
        if refusal:
            code = 1
            if not given.flag("quiet"):
                run.complain(f"{refusal} for job {_shown(ref)}")
    return code


def _shown(ref: JobRef) -> str:
    return f"{ref['id']}_{ref['array_index']}" if "array_index" in ref else str(ref["id"])
