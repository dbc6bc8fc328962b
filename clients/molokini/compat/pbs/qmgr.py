"""``qmgr``: prints, lists, sets and makes queues, nodes and the server's attributes."""

from __future__ import annotations

import sys

from molokini.compat._types import Invocation, Iterable, Values
from molokini.compat.options import option, without_effect
from molokini.compat.pbs.commanding import USUAL, given_to

OPTIONS = (
    *USUAL,
    option("-a", text="stop at the first error"),
    option("-c", "COMMAND", "run this command instead of those on standard input", many=True),
    option("-e", text="print each command before it runs"),
    option("-n", text="only check the syntax of the commands"),
    without_effect("-f", why="nodes are always changed at once"),
    option("-z", text="print no errors"),
)


def run(run: Invocation) -> int:
    """Carry out the commands; 1 where one of them could not be, 2 for one that is none."""
    given = given_to(run, OPTIONS, "[server]")
    return _all(run, given, given.all("c") if given.flag("c") else _read(run))


def _read(run: Invocation) -> Iterable[str]:
    """Commands on standard input; a backslash at the end of a line goes on with the next."""
    text = ""
    for line in run.input:
        text += line.rstrip("\n")
        if text.endswith("\\"):
            text = text[:-1]
            continue
        yield text
        text = ""
    if text:
        yield text


def _all(run: Invocation, given: Values, texts: Iterable[str]) -> int:
    from molokini.compat.pbs.managing import Manager, ManagerError

    manager, code = Manager(run, only_looks=given.flag("n")), 0
    for text in texts:
        stripped = text.strip()
        if not stripped or stripped.startswith("#"):
            continue
        if given.flag("e"):
            run.say(text)
        if stripped in ("q", "quit", "exit"):
            break
        try:
            sys.stdout.write("".join(f"{line}\n" for line in manager.done(stripped)))
        except ManagerError as error:
            code = error.code
            if not given.flag("z"):
                run.complain(str(error))
            if given.flag("a"):
                break
    return code
