"""What ``qhold`` and ``qrls`` have in common."""

from __future__ import annotations

from molokini.compat._types import Invocation, Values
from molokini.compat.pbs.changing import change
from molokini.compat.pbs.dialect import version
from molokini.compat.pbs.failing import usage as wrong
from molokini.compat.pbs.values import holds
from molokini.compat.pbs.words import job_words


def each_hold(run: Invocation, given: Values, method: str) -> int:
    """Call *method* for each hold that is named; the exit code is that of the last refusal."""
    if given.flag("version"):
        return version(run)
    words = job_words(run, given)
    try:
        named = holds(given.one("h", "u"))
    except ValueError as error:
        raise wrong(run, f"illegal -h value {given.one('h')[:40]!r}: {error}") from None
    code = 0
    for hold in named:
        code = change(run, words, method, hold=hold) or code
    return code
