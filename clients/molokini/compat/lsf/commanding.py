"""What all commands share: their help, their version, and what they were called with."""

from __future__ import annotations

from molokini.compat._types import Invocation, Option, Sequence, Values
from molokini.compat.options import Reader, option, usage

USUAL: tuple[Option, ...] = (
    option("-h", text="show this help"),
    option("-V", text="show the version"),
)


def given_to(run: Invocation, options: Sequence[Option], behind: str) -> Values | None:
    """The options of *run*; None after this function has printed the help or the version."""
    given = Reader(options, words=True).read(run.line)
    if given.flag("h"):
        run.say(usage(run.name, behind, options))
        return None
    if given.flag("V"):
        from molokini.compat.lsf.versions import tell

        tell(run)
        return None
    return given
