"""What a command says of jobs and nodes that were refused."""

import sys
from collections.abc import Iterable

from molokini.model.text import printable


def told(refusals: Iterable[str]) -> int:
    """A line for each of *refusals* that is not empty; the exit code."""
    refused = [text for text in refusals if text]
    for text in refused:
        print(f"molokini: {printable(text)}", file=sys.stderr)
    return 1 if refused else 0
