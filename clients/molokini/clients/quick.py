"""Well-formed command lines of the commands that scripts call most, read without Typer.

Typer, with the libraries that it brings, takes longer than such a command does. Whatever is not plain here
(``--help``, a mistyped option, a value of another type) is left to Typer, which reads the same declarations:
it complains, or finds a meaning.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import Field, fields
from types import NoneType
from typing import Any, get_args

from molokini.clients.commands import COMMAND_LINE, COMMANDS
from molokini.clients.optional_values import with_values
from molokini.model.declared import Declared

QUICK = {row.name: row for row in COMMANDS if row.quick}

_HARMLESS = frozenset({"metavar", "help", "hidden"})
_NUMBERS: dict[Any, tuple[re.Pattern[str], Callable[[str], Any]]] = {
    int: (re.compile(r"-?\d{1,18}", re.ASCII), int),
    float: (re.compile(r"-?\d{1,18}(\.\d{1,18})?", re.ASCII), float),
}
_MANY = Sequence[str]


class _NotPlain(Exception):
    """Left to Typer."""


def quick(words: Sequence[str]) -> Callable[[], int] | None:
    """What carries out the command line *words*; None where Typer has to read it."""
    if not words or words[0] not in QUICK:
        return None
    row = QUICK[words[0]]
    arguments = read(row.arguments(), words[1:])
    return None if arguments is None else lambda: row.run(arguments)


def read(kind: type, words: Sequence[str]) -> Any:
    """The arguments of class *kind* that *words* say; None where they are not plain."""
    try:
        return kind(**_Reader(kind).values(with_values(words, kind)))
    except _NotPlain:
        return None


class _Reader:
    """The options of one class of arguments."""

    def __init__(self, kind: type) -> None:
        self._options: dict[str, tuple[str, Any]] = {}
        """By its name on the command line: the field, and its type, or the value that a flag gives it."""
        self._positional = ""
        self._behind = ""
        for field in fields(kind):
            self._add(field)

    def _add(self, field: Field[Any]) -> None:
        wanted, declared = get_args(field.type)
        if not isinstance(declared, Declared) or not _HARMLESS.issuperset(declared.settings):
            raise _NotPlain
        if field.name == COMMAND_LINE:
            self._behind = field.name
        if declared.positional:
            if self._positional or wanted != _MANY:
                raise _NotPlain
            self._positional = field.name
            return
        plain = _without_none(wanted)
        for name in declared.written(field.name):
            on, _, off = name.partition("/")
            self._options[on] = (field.name, True if plain is bool else plain)
            if off:
                self._options[off] = (field.name, False)

    def values(self, words: Sequence[str]) -> dict[str, Any]:
        """The fields that *words* give a value."""
        found: dict[str, Any] = {}
        before, behind = _cut(words)
        if behind is not None:
            if not self._behind:
                raise _NotPlain
            found[self._behind] = list(behind)
        left = iter(before)
        for word in left:
            self._take(word, left, found)
        return found

    def _take(self, word: str, left: Any, found: dict[str, Any]) -> None:
        if not word.startswith("-"):
            if not self._positional:
                raise _NotPlain
            found.setdefault(self._positional, []).append(word)
            return
        name, equals, text = word.partition("=")
        if name not in self._options:
            raise _NotPlain
        field, wanted = self._options[name]
        if isinstance(wanted, bool):
            if equals:
                raise _NotPlain
            _put(found, field, wanted)
            return
        value = text if equals else next(left, "-")
        if value.startswith("-") and not equals:
            raise _NotPlain  # an option, perhaps, whose value was forgotten
        if wanted == _MANY:
            found.setdefault(field, []).append(value)
        else:
            _put(found, field, _converted(wanted, value))


def _cut(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str] | None]:
    """What stands before ``--``, and what behind it, if there is one."""
    if "--" not in words:
        return words, None
    at = list(words).index("--")
    return words[:at], words[at + 1 :]


def _put(found: dict[str, Any], field: str, value: Any) -> None:
    if field in found:
        raise _NotPlain  # twice: Typer says so
    found[field] = value


def _converted(wanted: Any, text: str) -> Any:
    if wanted is str:
        return text
    pattern, convert = _NUMBERS.get(wanted, (None, None))
    if pattern is None or convert is None or not pattern.fullmatch(text):
        raise _NotPlain
    return convert(text)


def _without_none(wanted: Any) -> Any:
    """*wanted* without the None that stands for an option that is not given."""
    kinds = [kind for kind in get_args(wanted) if kind is not NoneType]
    return kinds[0] if NoneType in get_args(wanted) and len(kinds) == 1 else wanted
