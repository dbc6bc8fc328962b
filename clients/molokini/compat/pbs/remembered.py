"""What a job was asked for in PBS' words and no field of the server's has: it stays in a variable of the job.

Listings show it again. Those who may not read a job's variables see what the server knows.
"""

from __future__ import annotations

import json

from molokini.compat._types import Any, Job

VARIABLE = "MOLOKINI_PBS"


class Remembered:
    """*attributes* by their names in ``qstat -f``, *asked* resources as they were typed, *made* of them."""

    def __init__(
        self, attributes: dict[str, str], asked: dict[str, str], made: dict[str, Any] | None = None
    ) -> None:
        self.attributes, self.asked, self.made = attributes, asked, made or {}

    def text(self) -> str:
        """The value of the variable."""
        return json.dumps({"a": self.attributes, "l": self.asked, "r": self.made}, separators=(",", ":"))


def of(job: Job) -> Remembered:
    """What *job* (with its environment, where that may be read) remembers; nothing for others' jobs."""
    text = job["spec"].get("environment", {}).get(VARIABLE, "")
    try:
        found = json.loads(text) if text else {}
        made = found.get("r")
        return Remembered(
            _texts(found.get("a")), _texts(found.get("l")), made if isinstance(made, dict) else {}
        )
    except (ValueError, AttributeError):
        # A variable like any other: the user may have set it.
        return Remembered({}, {})


def _texts(found: Any) -> dict[str, str]:
    if not isinstance(found, dict):
        return {}
    return {str(name): str(value) for name, value in found.items()}
