"""``showgrid``: a figure of the jobs that have ended, by size and wall clock limit."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.maui.matrix import show
from molokini.compat.maui.reading import HELP, one_word, read

OPTIONS = (HELP,)


def run(run: Invocation) -> int:
    """Print the matrix of one statistic."""
    given = read(run, OPTIONS, "STATISTIC")
    if given is not None:
        show(run, one_word(run, given, "a statistic (AVGXFACTOR, JOBCOUNT, PHRUN, ...)"))
    return 0
