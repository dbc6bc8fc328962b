"""What all of Slurm's commands have: ``--help``, ``--usage`` and ``--version``."""

from __future__ import annotations

from molokini.compat._types import Invocation, Option, Sequence, Values
from molokini.compat.options import option, usage

VERSION = "slurm-wlm 22.05.8"
"""What the commands say they are: the version whose options and layouts they have."""

GENERAL = (
    option("--help", text="show this help"),
    option("--usage", text="show this help"),
    option("-V --version", text="show the version"),
)


def answered(run: Invocation, given: Values, behind: str, options: Sequence[Option]) -> bool:
    """Whether help or the version was asked for, and has been shown."""
    if given.flag("help") or given.flag("usage"):
        run.say(usage(run.name, behind, options))
        return True
    if given.flag("version"):
        run.say(VERSION)
        return True
    return False
