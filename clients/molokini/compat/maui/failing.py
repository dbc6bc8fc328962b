"""Maui's words for what cannot be done: ``ERROR:`` on the stream of errors, exit code 1."""

from __future__ import annotations

from molokini.compat._types import Invocation, TransportError
from molokini.compat.failures import NoAnswer, NoServer, UsageError
from molokini.compat.tool import Failed


def failed(run: Invocation, error: TransportError | UsageError) -> Failed:
    """The end of *run*, which has met *error*."""
    if isinstance(error, UsageError):
        if error.kind == "refused":
            return no(f"{run.name} {error}")
        return Failed(f"{run.name}: {error}\nERROR:    try '{run.name} --help'")
    if isinstance(error, NoServer | NoAnswer):
        return no(f"cannot connect to scheduler: {error}")
    return no(str(error))


def no(text: str) -> Failed:
    """The end of a command that refuses because of *text*."""
    return Failed(f"ERROR:    {text}")
