"""What a command cannot do, before a flavour finds its words for it."""

from __future__ import annotations


class UsageError(Exception):
    """A command line that is none: *kind* is ``unknown``, ``ambiguous``, ``argument`` or ``refused``."""

    def __init__(self, kind: str, option: str, text: str) -> None:
        super().__init__(text)
        self.kind, self.option = kind, option


class RoadError(Exception):
    """A call that was not served."""


class NoServer(RoadError):
    """No server is named, none is there, or it is not ready; nothing was done."""


class NoAnswer(RoadError):
    """The server has gone, or did not answer in time: what was asked may have been done."""


class Refused(RoadError):
    """The server says no: *code* as gRPC calls it, *reason* for machines, *field* empty where none is."""

    def __init__(self, code: str, message: str, reason: str = "", field: str = "") -> None:
        super().__init__(message)
        self.code, self.reason, self.field = code, reason, field
