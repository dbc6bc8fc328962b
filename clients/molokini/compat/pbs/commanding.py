"""What all commands share: their help, their version, and what they were called with."""

from __future__ import annotations

from molokini.compat._types import Invocation, Option, Sequence, Values
from molokini.compat.options import Reader, option, usage
from molokini.compat.pbs.dialect import version
from molokini.compat.tool import Answered

USUAL: tuple[Option, ...] = (
    option("--help", text="show this help"),
    option("--version", text="show the version"),
)


def given_to(
    run: Invocation, options: Sequence[Option], behind: str, line: Sequence[str] | None = None
) -> Values:
    """The options of *run*, or of *line*. Raises Answered after the help or the version was printed."""
    given = Reader(options).read(run.line if line is None else line)
    if given.flag("help"):
        run.say(usage(run.name, behind, options))
    elif given.flag("version"):
        version(run)
    else:
        return given
    raise Answered
