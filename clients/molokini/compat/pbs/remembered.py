"""What a job was asked for in PBS' words and no field of the server's has: it stays in an annotation.

Listings show it again. Those who may not read a job's annotations see what the server knows.
"""

from __future__ import annotations

import json

from molokini.compat._types import Any, Job
from molokini.compat.job import PBS


class Remembered:
    """*attributes* by their names in ``qstat -f``, *asked* resources as they were typed, *made* of them."""

    def __init__(
        self, attributes: dict[str, str], asked: dict[str, str], made: dict[str, Any] | None = None
    ) -> None:
        self.attributes, self.asked, self.made = attributes, asked, made or {}

    def text(self) -> str:
        """The text of the annotation."""
        return json.dumps({"a": self.attributes, "l": self.asked, "r": self.made}, separators=(",", ":"))


def of(job: Job) -> Remembered:
    """What *job* (with its annotations, where they may be read) remembers; nothing for others' jobs."""
    found = job.details(PBS)
    made = found.get("r")
    return Remembered(_texts(found.get("a")), _texts(found.get("l")), made if isinstance(made, dict) else {})


def _texts(found: Any) -> dict[str, str]:
    if not isinstance(found, dict):
        return {}
    return {str(name): str(value) for name, value in found.items()}
