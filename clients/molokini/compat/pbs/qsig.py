"""``qsig``: sends signals to running jobs, suspends and resumes them."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.options import option, without_effect
from molokini.compat.pbs.changing import change
from molokini.compat.pbs.commanding import USUAL, given_to
from molokini.compat.pbs.failing import UNKNOWN_SIGNAL, failure
from molokini.compat.pbs.words import job_words

OPTIONS = (
    *USUAL,
    without_effect("-a", why="qsig never waits until the signal has reached the node"),
    option("-s", "SIGNAL", "a name, with or without SIG, or a number; suspend or resume; TERM unless given"),
    option("-t", "INDEX", "an element of the array (Torque)"),
)


def run(run: Invocation) -> int:
    """Signal the jobs; the exit code is that of the last that could not be."""
    given = given_to(run, OPTIONS, "job id...")
    words, name = job_words(run, given), given.one("s", "SIGTERM")
    if name in ("suspend", "admin-suspend"):
        return change(run, words, "SuspendJobs")
    if name in ("resume", "admin-resume"):
        return change(run, words, "ResumeJobs")
    return change(run, words, "SignalJobs", signal=_number(run, name))


def _number(run: Invocation, name: str) -> int:
    if name.isascii() and name.isdigit() and len(name) < 3 and 1 <= int(name) <= 64:
        return int(name)
    import signal

    known = getattr(signal, f"SIG{name.upper().removeprefix('SIG')}", None)
    if isinstance(known, signal.Signals):
        return int(known)
    raise failure(run, UNKNOWN_SIGNAL, name[:40])
