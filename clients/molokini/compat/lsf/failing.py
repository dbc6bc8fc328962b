"""LSF's words for what cannot be done; its commands end with 255 then."""

from __future__ import annotations

from molokini.compat._types import Invocation, TransportError
from molokini.compat.failures import NoAnswer, NoServer, Refused, UsageError
from molokini.compat.tool import Failed

CODE = 255
_BEHIND = {"bsub": " Job not submitted.", "bmod": " Job not modified."}
"""With what a command ends the sentence that says why it did nothing."""


def refusal(run: Invocation, text: str) -> Failed:
    """The end of *run* because of *text*, a sentence without its full stop."""
    behind = _BEHIND.get(run.name, "")
    return Failed(f"{text}.{behind}" if behind else text, CODE)


def failed(run: Invocation, error: TransportError | UsageError) -> Failed:
    """The end of *run*, which has met *error*."""
    if isinstance(error, UsageError):
        return _misused(run, error)
    if isinstance(error, NoServer | NoAnswer):
        return refusal(run, f"Cannot connect to LSF. Please wait ... ({error})")
    if isinstance(error, Refused) and error.code == "NOT_FOUND":
        return refusal(run, f"No matching job found ({error})")
    return refusal(run, str(error))


def _misused(run: Invocation, error: UsageError) -> Failed:
    name = error.option.lstrip("-")
    if error.kind in ("refused", "word"):
        return refusal(run, str(error))
    if error.kind == "argument":
        return refusal(run, f"{error.where}{run.name}: option requires an argument -- {name}")
    return refusal(run, f"{error.where}{run.name}: illegal option -- {name}\nTry '{run.name} -h'")
