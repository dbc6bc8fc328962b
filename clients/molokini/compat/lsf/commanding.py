"""What all commands share: their help, their version, and what they were called with."""

from __future__ import annotations

from molokini.compat._types import Invocation, Option, Sequence, Values
from molokini.compat.options import Reader, option, usage
from molokini.compat.tool import Answered

USUAL: tuple[Option, ...] = (
    option("-h", text="show this help"),
    option("-V", text="show the version"),
)


def given_to(run: Invocation, options: Sequence[Option], behind: str, stops: bool = False) -> Values:
    """The options of *run*. Raises Answered after this function has printed the help or the version.

    *behind*: what stands behind the options, for that help. *stops*: the first such word ends the options.
    """
    given = Reader(options, words=True, stops=stops).read(run.line)
    if given.flag("h"):
        run.say(usage(run.name, behind, options))
    elif given.flag("V"):
        from molokini.compat.lsf.versions import VERSION

        run.complain(VERSION)
    else:
        return given
    raise Answered
