"""``bpeek``: what a job has written so far."""

from __future__ import annotations

import os
import sys
import time

from molokini.compat._types import Invocation, Job
from molokini.compat.listing import job_of
from molokini.compat.lsf import states
from molokini.compat.lsf.commanding import USUAL, given_to
from molokini.compat.lsf.failing import refusal
from molokini.compat.lsf.paths import path_of
from molokini.compat.lsf.selecting import found, missing, wish_of
from molokini.compat.options import option

OPTIONS = (
    *USUAL,
    option("-f", text="follow the output until the job has ended, and show its report"),
    option("-J", "NAME", "the last job of this name"),
    option("-q", "QUEUE", "the last job of this queue"),
    option("-m", "HOST", "the last job on this host"),
)
_FIELDS = ("user", "allocation", "spec.stdout_path", "spec.stderr_path", "spec.working_directory")
_AGAIN_S = 0.5
_PART = 1 << 16


def run(run: Invocation) -> int:
    """Show the output of a job that runs."""
    given = given_to(run, OPTIONS, "[job]")
    try:
        wish = wish_of(given)
    except ValueError as error:
        raise refusal(run, str(error)) from None
    lines = found(run, wish, _FIELDS)
    for name in missing(lines, wish):
        raise refusal(run, f"Job <{name}> : No matching job found")
    if not wish.references:
        lines = [job for job in lines if states.stat(job) in ("RUN", "USUSP", "SSUSP")]
    if not lines:
        raise refusal(run, "No matching job found")
    return _peeked(run, lines[-1], given.flag("f"))


def _peeked(run: Invocation, job: Job, follow: bool) -> int:
    number, stat = job.number, states.stat(job)
    if stat in ("PEND", "PSUSP"):
        raise refusal(run, f"Job <{number}> : Not yet started.")
    if stat in states.FINISHED:
        raise refusal(run, f"Job <{number}> : Job has already finished")
    out, error = _path(job, "stdout_path"), _path(job, "stderr_path")
    run.say("<< output from stdout >>")
    place = _copied(out, 0)
    if error and error != out:
        run.say("\n<< output from stderr >>")
        _copied(error, 0)
    while follow:
        sys.stdout.flush()
        over = _over(run, job)
        place = _copied(out, place)
        if over:
            break
        time.sleep(_AGAIN_S)
    return 0


def _over(run: Invocation, job: Job) -> bool:
    found = job_of(run, job.ref)
    return states.stat(found) in states.FINISHED


def _path(job: Job, field: str) -> str:
    """Where the file is, seen from here: hosts share their files."""
    path = path_of(job, field)
    return os.path.join(job.working_directory, path) if path else ""


def _copied(path: str, place: int) -> int:
    """Print what *path* holds from *place* on; where to go on."""
    try:
        with open(path, "rb") as file:
            file.seek(place)
            while part := file.read(_PART):
                sys.stdout.flush()
                sys.stdout.buffer.write(part)
                place += len(part)
    except FileNotFoundError:
        return place
    except OSError as error:
        sys.stderr.write(f"{path}: {error.strerror}\n")
    return place
