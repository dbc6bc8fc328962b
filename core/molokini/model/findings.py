"""What is found in a configuration, as data: one finding for each parameter that stands in it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from molokini.model.errors import BadFile


class Status(StrEnum):
    """What becomes of a parameter."""

    UNDERSTOOD = "understood"
    WITHOUT_EFFECT = "without effect"
    REFUSED = "refused"


@dataclass(frozen=True)
class Finding:
    """One parameter as it was found, or what is wrong with a line."""

    file: str
    line: int | None
    parameter: str
    """As it is written: ``USERCFG[ann] MAXJOB``; empty for a line that is none."""
    value: str
    status: Status
    meaning: str = ""
    """What the parameter means, in a sentence; empty where there is no such parameter."""
    cause: str = ""
    """Why it is refused, or has no effect."""
    note: str = ""
    """What may surprise all the same: something later in the file says otherwise, nothing uses it."""

    @property
    def text(self) -> str:
        """The finding as the cause of an error."""
        return f"{self.parameter}: {self.cause}" if self.parameter else self.cause

    def error(self) -> BadFile:
        """The finding as an error."""
        return BadFile(self.file, self.text, self.line)


def counted(findings: Iterable[Finding]) -> dict[str, int]:
    """How many findings have each status."""
    statuses = [one.status for one in findings]
    return {str(status): statuses.count(status) for status in Status}


def as_data(finding: Finding) -> dict[str, Any]:
    """The finding for JSON."""
    return {
        "file": finding.file,
        "line": finding.line,
        "parameter": finding.parameter,
        "value": finding.value,
        "status": str(finding.status),
        "meaning": finding.meaning,
        "cause": finding.cause,
        "note": finding.note,
    }
