"""What all of Slurm's commands have: ``--help``, ``--usage`` and ``--version``."""

from __future__ import annotations

from molokini.compat._types import Invocation, Option, Sequence, Values
from molokini.compat.options import Reader, option, usage
from molokini.compat.tool import Answered

VERSION = "slurm-wlm 22.05.8"
"""What the commands say they are: the version whose options and layouts they have."""

GENERAL = (
    option("--help", text="show this help"),
    option("--usage", text="show this help"),
    option("-V --version", text="show the version"),
)


SHORT_HELP = option("-h", text="show this help")
"""For commands in which ``-h`` means nothing else."""


def given_to(run: Invocation, options: Sequence[Option], behind: str = "", stops: bool = False) -> Values:
    """The options of *run*. Raises Answered after this function has printed the help or the version.

    *behind*: what stands behind the options, for that help. *stops*: the first such word ends the options.
    """
    given = Reader(options, stops=stops).read(run.line)
    if given.flag("help") or given.flag("usage") or (given.flag("h") and SHORT_HELP in options):
        run.say(usage(run.name, behind, options))
    elif given.flag("version"):
        run.say(VERSION)
    else:
        return given
    raise Answered
