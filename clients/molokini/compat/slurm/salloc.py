"""``salloc``: refused by name, since a job here is a program and not a lease of nodes."""

from __future__ import annotations

from molokini.compat._types import Invocation
from molokini.compat.options import Reader, option, usage
from molokini.compat.slurm.general import GENERAL
from molokini.compat.tool import Failed

OPTIONS = (*GENERAL, option("-h", text="show this help"))


def run(run: Invocation) -> int:
    """Say that there are no interactive allocations."""
    if run.line and run.line[0] in ("--help", "-h", "--usage", "--version", "-V"):
        given = Reader(OPTIONS).read(run.line[:1])
        if given.flag("version"):
            from molokini.compat.slurm.general import VERSION

            run.say(VERSION)
        else:
            run.say(usage("salloc", "", OPTIONS))
        return 0
    raise Failed("salloc: error: interactive allocations are not supported: submit a job with sbatch or srun")
