"""What a command cannot do, before a batch system finds its words for it."""

from __future__ import annotations


class UsageError(Exception):
    """A command line that is none, or an option line of a script.

    *kind*: ``unknown``, ``ambiguous``, ``argument``, ``word`` or ``refused``.
    *where*: ``line 2 of the script: ``, which the text begins with; empty for the command line itself.
    """

    def __init__(self, kind: str, option: str, text: str, where: str = "") -> None:
        super().__init__(f"{where}{text}")
        self.kind, self.option, self.where = kind, option, where


class TransportError(Exception):
    """A call that was not served."""


class NoServer(TransportError):
    """No server is named, none is there, or it is not ready; nothing was done."""


class NoAnswer(TransportError):
    """The server has gone, or did not answer in time: what was asked may have been done."""


class Refused(TransportError):
    """The server says no: *code* as gRPC calls it, *reason* for machines, *field* empty where none is."""

    def __init__(self, code: str, message: str, reason: str = "", field: str = "") -> None:
        super().__init__(message)
        self.code, self.reason, self.field = code, reason, field
