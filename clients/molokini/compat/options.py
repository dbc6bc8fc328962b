"""Command lines as the real tools read them, by a table of options that says of each what becomes of it.

getopt's rules in three manners: short ones that can be joined (``-fx``, ``-oFILE``), long ones that can be
cut short (``--part=x``), and LSF's words behind one dash (``-noheader``). ``argparse`` knows no optional
value that must be joined (``--exclusive``, ``--exclusive=user``), and takes an eighth of a command's time.
"""

from __future__ import annotations

from molokini.compat._types import Iterator, Sequence
from molokini.compat.failures import UsageError

SUPPORTED, WITHOUT_EFFECT, REFUSED = "supported", "accepted without effect", "refused"


class Option:
    """One row of a table: an option's names, what it takes, what becomes of it, and why."""

    __slots__ = ("becomes", "field", "help", "joined", "many", "names", "takes", "why")

    def __init__(self, names: str, takes: str, text: str, becomes: str, why: str, many: bool) -> None:
        self.names = names.split()
        self.joined = takes.startswith("[") and takes.endswith("]")
        """Whether its value may be left out, and must be joined where it is given."""
        self.takes = takes[1:-1] if self.joined else takes
        self.field = self.names[-1].lstrip("-").replace("-", "_")
        self.help, self.becomes, self.why, self.many = text, becomes, why, many


def option(names: str, takes: str = "", text: str = "", many: bool = False) -> Option:
    """An option that does what the real one does; *names* with blanks between, the last one names its field.

    *takes*: what its value is called; in brackets if it may be left out. *many*: all its values count.
    """
    return Option(names, takes, text, SUPPORTED, "", many)


def without_effect(names: str, takes: str = "", why: str = "") -> Option:
    """An option that is taken and changes nothing, because of *why*."""
    return Option(names, takes, "", WITHOUT_EFFECT, why, True)


def refused(names: str, takes: str = "", why: str = "") -> Option:
    """An option that no command line may have, because of *why*."""
    return Option(names, takes, "", REFUSED, why, True)


class Values:
    """What a command line says: a value by the name of each field, and the words that are no options."""

    def __init__(self) -> None:
        self.given: dict[str, list[str]] = {}
        self.words: list[str] = []

    def flag(self, field: str) -> bool:
        """Whether the option was given."""
        return field in self.given

    def one(self, field: str, default: str = "") -> str:
        """The last value of the option."""
        return self.given[field][-1] if field in self.given else default

    def all(self, field: str) -> list[str]:
        """All its values, in order."""
        return self.given.get(field, [])

    def behind(self, other: Values) -> Values:
        """These values, and those of *other* for the options that are not given here."""
        made = Values()
        made.given = {**other.given, **self.given}
        made.words = self.words or other.words
        return made


class Reader:
    """Reads command lines by the table *options*.

    *words*: long options stand behind one dash, as LSF's do. *stops*: the first word that is no option ends
    the options, as where a command follows.
    """

    def __init__(self, options: Sequence[Option], words: bool = False, stops: bool = False) -> None:
        self._options, self._words, self._stops = options, words, stops
        self._by_name = {name: one for one in options for name in one.names}

    def read(self, line: Sequence[str]) -> Values:
        """What *line* says. Raises UsageError."""
        made = Values()
        self._read(line, made)
        return made

    def read_script(self, lines: Sequence[tuple[int, list[str]]]) -> Values:
        """What the option lines of a script say, each with its number; UsageError names the line.

        Each stands for itself: no value is on the next one, and no word is that is not an option's.
        """
        made = Values()
        for number, words in lines:
            where = f"line {number} of the script: "
            try:
                self._read(words, made)
            except UsageError as error:
                raise UsageError(error.kind, error.option, str(error), where) from None
            if made.words:
                word = made.words[0][:60]
                raise UsageError("word", word, f"{word!r} is no option", where)
        return made

    def _read(self, line: Sequence[str], made: Values) -> None:
        left = iter(line)
        for word in left:
            if word == "--":
                made.words += left
            elif word == "-" or not word.startswith("-"):
                made.words.append(word)
                if self._stops:
                    made.words += left
            elif self._words:
                self._word(word, left, made)
            elif word.startswith("--"):
                self._long(word, left, made)
            else:
                self._short(word, left, made)

    def _long(self, word: str, left: Iterator[str], made: Values) -> None:
        name, equals, value = word.partition("=")
        one = self._called(name)
        if equals and not one.takes:
            raise UsageError("argument", name, f"option '{name}' doesn't allow an argument")
        if equals or one.joined or not one.takes:
            self._note(one, name, value if equals else "", made)
        else:
            self._note(one, name, self._next(name, left), made)

    def _called(self, name: str) -> Option:
        if name in self._by_name:
            return self._by_name[name]
        found = {id(one): one for known, one in self._by_name.items() if known.startswith(name)}
        if len(found) > 1:
            raise UsageError("ambiguous", name, f"option '{name}' is ambiguous")
        if not found:
            raise UsageError("unknown", name, f"unrecognized option '{name}'")
        return next(iter(found.values()))

    def _short(self, word: str, left: Iterator[str], made: Values) -> None:
        """Letters that are joined; the rest of the word is the value of the first one that takes one."""
        for place, letter in enumerate(word[1:], 2):
            name = f"-{letter}"
            one = self._by_name.get(name)
            if one is None:
                raise UsageError("unknown", letter, f"invalid option -- '{letter}'")
            if not one.takes:
                self._note(one, name, "", made)
                continue
            rest = word[place:]
            self._note(one, name, rest if rest or one.joined else self._next(name, left), made)
            return

    def _word(self, word: str, left: Iterator[str], made: Values) -> None:
        """A name behind one dash; else a letter with its value, or letters that are joined."""
        one = self._by_name.get(word)
        if one is None:
            if word[:2] in self._by_name:
                self._short(word, left, made)
                return
            raise UsageError("unknown", word, f"{word}: Illegal option")
        value = self._next(word, left) if one.takes and not one.joined else ""
        self._note(one, word, value, made)

    @staticmethod
    def _next(name: str, left: Iterator[str]) -> str:
        value = next(left, None)
        if value is None:
            said = f"option '{name}' requires an argument" if name.startswith("--") else ""
            said = said or f"option requires an argument -- '{name.lstrip('-')}'"
            raise UsageError("argument", name, said)
        return value

    @staticmethod
    def _note(one: Option, name: str, value: str, made: Values) -> None:
        if one.becomes == REFUSED:
            raise UsageError("refused", name, f"{name} is not supported: {one.why}")
        made.given.setdefault(one.field, []).append(value)


def usage(command: str, behind: str, options: Sequence[Option]) -> str:
    """The text of ``--help``: every option that is not refused, with what it does or why nothing."""
    lines = [f"usage: {command} [options] {behind}".rstrip(), ""]
    for one in options:
        if one.becomes == REFUSED:
            continue
        takes = f"[={one.takes}]" if one.joined else f" {one.takes}" if one.takes else ""
        names = ", ".join(one.names) + takes
        text = one.help if one.becomes == SUPPORTED else f"{one.becomes}: {one.why}"
        lines += [f"  {names}", f"        {text}"] if len(names) > 28 else [f"  {names:<30}{text}"]
    return "\n".join(lines)
