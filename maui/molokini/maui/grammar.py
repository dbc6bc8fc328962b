"""The lines of ``maui.cfg``: ``NAME VALUE``, ``NAME[INDEX] VALUE``, ``NAME[ID] ATTR=VALUE ...``.

Names are case-insensitive. ``#`` begins a comment, but for ``#INCLUDE PATH`` at the beginning of a line.
Single or double quotes hold a value together. What a line means is decided elsewhere; here is only how it is
written.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

MOST_LINE = 65_536
"""Characters in a line; a longer one is not a line of a configuration."""

_HEAD = re.compile(r"([A-Za-z][A-Za-z0-9_]*)(?:\[([^\[\]]*)\])?(?=\s|$)")
_INCLUDE = re.compile(r"#INCLUDE(?:\s+(.*))?$")
_MEANT = re.compile(r"\s*#(\s*)include\s+(\S+)(?:\s*#.*)?", re.IGNORECASE)
_PLAIN = re.compile(r"[^\s\"'#]+")


class BadLine(ValueError):
    """A line that is not written as lines are; the text says why."""


@dataclass(frozen=True)
class Line:
    """One line that says something."""

    file: str
    number: int
    name: str
    """In capital letters."""
    index: str | None
    words: tuple[str, ...]
    """The rest, parted at spaces outside of quotes, without the quotes."""

    @property
    def written(self) -> str:
        """The name with the index."""
        return self.name if self.index is None else f"{self.name}[{self.index}]"

    @property
    def value(self) -> str:
        """The rest as one text."""
        return " ".join(self.words)


def included(text: str) -> str | None:
    """The path that an ``#INCLUDE`` line names, empty where it names none; None for any other line."""
    match = _INCLUDE.match(text)
    return None if match is None else " ".join(_words((match[1] or "").strip()))


def misspelt_include(text: str) -> bool:
    """Whether the comment *text* was meant to include a file: not in capitals, or not at the beginning."""
    match = _MEANT.fullmatch(text.rstrip())
    return match is not None and not _INCLUDE.match(text.rstrip()) and (not match[1] or "." in match[2])


def parsed(text: str, file: str, number: int) -> Line | None:
    """The line *text*, None where it says nothing. Raises BadLine."""
    text = text.strip()
    if not text or text.startswith("#"):
        return None
    if len(text) > MOST_LINE:
        raise BadLine(f"longer than {MOST_LINE:,} characters")
    for column, sign in enumerate(text, 1):
        if not sign.isprintable() and sign != "\t":
            raise BadLine(f"contains unprintable characters (column {column})")
    match = _HEAD.match(text)
    if not match:
        raise BadLine("a line must begin with the name of a parameter, then a space")
    words = tuple(_words(text[match.end() :]))
    index = None if match[2] is None else match[2].strip()
    return Line(file, number, match[1].upper(), index, words)


def _words(text: str) -> Iterator[str]:
    """The words of *text*, up to a comment."""
    at, word, open_word = 0, "", False
    while at < len(text):
        sign = text[at]
        if sign == "#":
            break
        if sign.isspace():
            if open_word:
                yield word
            word, open_word = "", False
            at += 1
        elif sign in "\"'":
            end = text.find(sign, at + 1)
            if end < 0:
                raise BadLine(f"a quote ({sign}) is opened and not closed")
            word, open_word = word + text[at + 1 : end], True
            at = end + 1
        else:
            plain = _PLAIN.match(text, at)
            assert plain is not None
            word, open_word = word + plain[0], True
            at = plain.end()
    if open_word:
        yield word


_ATTRIBUTE = re.compile(r"([A-Za-z][A-Za-z0-9_.]*)(?:\[([^\[\]]*)\])?=(.*)", re.DOTALL)


def attribute(word: str) -> tuple[str, str | None, str]:
    """Name, index and value of ``ATTR=VALUE`` or ``ATTR[INDEX]=VALUE``. Raises BadLine."""
    match = _ATTRIBUTE.fullmatch(word)
    if not match:
        raise BadLine(f"{word[:80]!r} is not ATTR=VALUE, without spaces around =")
    return match[1].upper(), match[2], match[3]


def quoted(value: str) -> str:
    """*value* in quotes where it needs them."""
    if value and not re.search(r"[\s\"'#]", value):
        return value
    return f"'{value}'" if '"' in value else f'"{value}"'
