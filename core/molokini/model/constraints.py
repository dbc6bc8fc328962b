"""Features that a job asks of its nodes, as one expression: ``a&b``, ``(a|b)&c``, ``[a|b]``, ``a*2&b*4``.

The notation is Slurm's (sbatch, ``--constraint``). ``|`` and ``&`` (or ``,``) have the same rank and are read
from left to right. What an expression asks of one node is kept as sets of which a node must have one feature
each, so that bits tell whether it does.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from molokini.model.errors import BadValue

Clauses: TypeAlias = tuple[frozenset[str], ...]
"""Of each of these sets a node has one feature or more."""

MOST_CHARACTERS, _MOST_COUNT, _MOST_CLAUSES = 1000, 2**31 - 1, 64
_SIGNS = "&|,()[]*"


@dataclass(frozen=True)
class Constraint:
    """What an expression asks for."""

    every: Clauses = ()
    """Of every node."""
    one_of: tuple[str, ...] = ()
    """All nodes share one of these; empty: they need not."""
    counted: tuple[tuple[Clauses, int], ...] = ()
    """Of so many nodes each, which are different ones."""

    @property
    def least_nodes(self) -> int:
        """So many nodes are counted."""
        return sum(count for _, count in self.counted)

    @property
    def names(self) -> frozenset[str]:
        """All features that it names."""
        clauses = (*self.every, *(one for part, _ in self.counted for one in part))
        return frozenset(self.one_of).union(*clauses)


@dataclass(frozen=True)
class _Part:
    """A part of an expression that has been read."""

    clauses: Clauses
    one_of: tuple[str, ...] = ()
    counted: tuple[tuple[Clauses, int], ...] = ()

    @property
    def plain(self) -> bool:
        return not self.one_of and not self.counted


@lru_cache(maxsize=256)
def constraint_of(text: str) -> Constraint:
    """The constraint that *text* says. BadValue says what is wrong with it."""
    if len(text) > MOST_CHARACTERS:
        raise BadValue("constraint", f"{len(text)} characters", f"at most {MOST_CHARACTERS:,} of them")
    found = _Reader(text).whole()
    return Constraint(found.clauses, found.one_of, found.counted)


class _Reader:
    """Reads one expression, a sign or a name at a time."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = _words(text)
        self._at = 0
        self._bracketed = False

    def whole(self) -> _Part:
        found = self._chain("")
        if self._next():
            raise self._bad(f"balanced ( ) and [ ]; {self._next()} has no partner")
        return found

    def _bad(self, allowed: str) -> BadValue:
        return BadValue("constraint", self._text[:60], allowed)

    def _next(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""

    def _chain(self, close: str) -> _Part:
        """Terms and the signs between them, up to *close*."""
        found = self._term(close)
        while self._next() and self._next() in "&|,":
            sign = self._next()
            self._at += 1
            found = self._joined(found, self._term(close), sign)
        return found

    def _term(self, close: str) -> _Part:
        word = self._next()
        self._at += 1
        if word == "(":
            found = self._closed(")")
        elif word == "[":
            if close or self._bracketed:
                raise self._bad("one pair of brackets, outside of parentheses")
            self._bracketed = True
            return self._bracket()
        elif not word or word in _SIGNS:
            raise self._bad("a feature on both sides of each & and |, and in each pair of brackets")
        else:
            found = _Part((frozenset((word,)),))
        if self._next() != "*":
            return found
        self._at += 1
        count = self._next()
        self._at += 1
        if not (count.isascii() and count.isdigit() and 1 <= int(count) <= _MOST_COUNT) or not found.plain:
            raise self._bad("a whole number of nodes, 1 or more, after each *")
        return _Part((), counted=((found.clauses, int(count)),))

    def _closed(self, close: str) -> _Part:
        found = self._chain(close)
        if self._next() != close:
            raise self._bad(f"balanced ( ) and [ ]; a {close} is missing")
        self._at += 1
        return found

    def _bracket(self) -> _Part:
        """``[a|b]``: all nodes have the same one; ``[a*2&b]`` is what it is without brackets."""
        first = self._at
        found = self._closed("]")
        if "|" not in self._words[first : self._at]:
            return found
        if found.counted or len(found.clauses) != 1:
            raise self._bad("names of features with | between, as in [a|b], where all nodes share one")
        names = [word for word in self._words[first : self._at] if word not in _SIGNS]
        return _Part((), one_of=tuple(dict.fromkeys(names)))

    def _joined(self, left: _Part, right: _Part, sign: str) -> _Part:
        if sign != "|":
            one_of = left.one_of or right.one_of
            return _Part(self._few((*left.clauses, *right.clauses)), one_of, (*left.counted, *right.counted))
        if not (left.plain and right.plain):
            raise self._bad("no | beside a number of nodes or a pair of brackets")
        return _Part(self._few(one | other for one in left.clauses for other in right.clauses))

    def _few(self, clauses: Iterable[frozenset[str]]) -> Clauses:
        """*clauses* without those that others imply."""
        kept: list[frozenset[str]] = []
        for one in sorted(dict.fromkeys(clauses), key=len):
            if not any(other <= one for other in kept):
                kept.append(one)
        if len(kept) > _MOST_CLAUSES:
            raise self._bad("fewer alternatives")
        return tuple(kept)


def _words(text: str) -> list[str]:
    """Names and signs."""
    words, name = list[str](), ""
    for sign in text:
        if sign in _SIGNS or sign.isspace():
            if name:
                words.append(name)
            name = ""
            if not sign.isspace():
                words.append(sign)
        else:
            name += sign
    return [*words, name] if name else words
