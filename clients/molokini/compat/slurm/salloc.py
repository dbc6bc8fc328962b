"""``salloc``: refused by name, since a job here is a program and not a lease of nodes."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.slurm.general import GENERAL, SHORT_HELP, given_to
from molokini.compat.tool import Failed

OPTIONS = (*GENERAL, SHORT_HELP)


def run(run: Invocation) -> int:
    """Say that there are no interactive allocations."""
    if run.line and run.line[0] in ("--help", "-h", "--usage", "--version", "-V"):
        run.line = run.line[:1]
        given_to(run, OPTIONS)
    raise Failed("salloc: error: interactive allocations are not supported: submit a job with sbatch or srun")
