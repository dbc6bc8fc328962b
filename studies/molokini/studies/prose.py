"""What a study says in words stands in ``prose.md`` beside it: a summary, sentences in short, and readings.

A paragraph, then ``## In short`` and ``## How the paper was read``, a line for each sentence or reading.
Fields in braces are filled in with values of the study.
"""

from pathlib import Path
from typing import Any


def prose(file: str, **values: Any) -> dict[str, Any]:
    """The fields ``summary``, ``in_short`` and ``readings`` of the study that *file* declares."""
    text = (Path(file).parent / "prose.md").read_text(encoding="utf-8")
    if values:
        text = text.format(**values)
    summary, in_short, readings = (
        [line.removeprefix("- ") for line in part.splitlines() if line and not line.startswith("## ")]
        for part in text.split("\n## ")
    )
    return {"summary": " ".join(summary), "in_short": in_short[1:], "readings": readings[1:]}
