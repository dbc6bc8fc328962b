"""``qhold`` keeps jobs that wait from starting, ``qrls`` lets them start again."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.options import option
from molokini.compat.pbs.changing import change
from molokini.compat.pbs.commanding import USUAL, given_to
from molokini.compat.pbs.failing import usage as wrong
from molokini.compat.pbs.values import holds
from molokini.compat.pbs.words import job_words

OPTIONS = (
    *USUAL,
    option(
        "-h", "HOLDS", "hold types: any of u (user, the default), o (operator) and s (system), or n (none)"
    ),
    option("-t", "INDEX", "an element of the array (Torque)"),
)


def run(run: Invocation) -> int:
    """Set or release each hold that is named; the exit code is that of the last refusal."""
    method = "HoldJobs" if run.name == "qhold" else "ReleaseJobs"
    given = given_to(run, OPTIONS, "job id...")
    words = job_words(run, given)
    try:
        named = holds(given.one("h", "u"))
    except ValueError as error:
        raise wrong(run, f"illegal -h value {given.one('h')[:40]!r}: {error}") from None
    code = 0
    for hold in named:
        code = change(run, words, method, hold=hold) or code
    return code
