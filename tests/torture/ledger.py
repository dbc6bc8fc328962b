"""What clients were told, in files of their own: the truth that a server is measured by.

One file a client, one line a word, each a single append. A key is noted before it is sent; what was answered
to it, or how the answer failed, is noted with the monotonic time.
"""

import json
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Asked:
    """One job as its client knows it."""

    key: str
    outcome: dict[str, Any]
    asked_s: float
    ids: list[int] = field(default_factory=list)
    """What was answered to its key, as often as that was."""
    answered_s: float | None = None
    errors: int = 0
    cancelled: bool = False
    """Whether anybody has tried to cancel it."""
    requeued: bool = False


class Ledger:
    """The file of one client."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def asks(self, key: str, outcome: dict[str, Any]) -> None:
        self._write(what="asks", key=key, outcome=outcome)

    def answered(self, key: str, job: int) -> None:
        self._write(what="answered", key=key, job=job)

    def failed(self, key: str, error: str) -> None:
        self._write(what="failed", key=key, error=error)

    def cancels(self, key: str) -> None:
        self._write(what="cancels", key=key)

    def requeues(self, key: str) -> None:
        self._write(what="requeues", key=key)

    def close(self) -> None:
        os.close(self._handle)

    def _write(self, **line: Any) -> None:
        line["at_s"] = time.monotonic()
        os.write(self._handle, json.dumps(line).encode() + b"\n")


def read(paths: Iterable[Path]) -> dict[str, Asked]:
    """All jobs of the ledgers in *paths*, by key."""
    jobs: dict[str, Asked] = {}
    for path in paths:
        for text in path.read_text().splitlines():
            _take(jobs, json.loads(text))
    return jobs


def _take(jobs: dict[str, Asked], line: dict[str, Any]) -> None:
    key = line["key"]
    match line["what"]:
        case "asks":
            assert key not in jobs, f"{key} was asked for by two clients"
            jobs[key] = Asked(key, line["outcome"], line["at_s"])
        case "answered":
            jobs[key].ids.append(line["job"])
            if jobs[key].answered_s is None:
                jobs[key].answered_s = line["at_s"]
        case "failed":
            jobs[key].errors += 1
        case "cancels":
            jobs[key].cancelled = True
        case "requeues":
            jobs[key].requeued = True
