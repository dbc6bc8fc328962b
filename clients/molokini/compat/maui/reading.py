"""What every command of Maui's does first: it reads its line, and shows its options where that is asked."""

from __future__ import annotations

from molokini.compat._types import Invocation, Iterator, Option, Sequence, Values
from molokini.compat.maui.failing import no
from molokini.compat.options import Reader, option, usage
from molokini.compat.tool import Answered

HELP = option("-h --help", text="show this help")


def read(run: Invocation, options: Sequence[Option], behind: str = "", negative: bool = False) -> Values:
    """What the line of *run* says. Raises UsageError, and Answered where it asks for help.

    *behind*: what may stand behind the options, for that help. *negative*: a number below 0 is no option.
    """
    line = list(_joined(run.line, options))
    if negative:
        first = next((k for k, word in enumerate(line) if word[:1] == "-" and word[1:].isdigit()), len(line))
        line.insert(first, "--")
    given = Reader(options).read(line)
    if given.flag("help"):
        run.say(usage(run.name, behind, options))
        raise Answered
    return given


def _joined(line: Sequence[str], options: Sequence[Option]) -> Iterator[str]:
    """*line*, in which a value that may be left out stands behind a blank, as ``-u ann``."""
    names = {name for one in options if one.joined for name in one.names}
    words = iter(line)
    for word in words:
        value = next(words, None) if word in names else None
        yield word if value is None or value.startswith("-") else word + value
        if value is not None and value.startswith("-"):
            yield value


def at_most(run: Invocation, given: Values, count: int) -> None:
    """Refuse words that no option wants, behind the first *count* ones."""
    if len(given.words) > count:
        raise no(f"{run.name}: unexpected argument '{given.words[count]}'; try '{run.name} --help'")


def one_word(run: Invocation, given: Values, what: str) -> str:
    """The only word of the line, which is *what*."""
    if not given.words:
        raise no(f"{run.name}: {what} is missing; try '{run.name} --help'")
    at_most(run, given, 1)
    return given.words[0]


def number(option_name: str, text: str, least: int = 0) -> int:
    """A whole number from *least* to a million millions."""
    if not (text.isascii() and text.isdigit() and least <= int(text[:13]) and len(text) < 13):
        raise no(f"{option_name} '{text[:40]}': must be a whole number, {least} or more")
    return int(text)
