"""The filters that headers of cleaned logs tell: ``user=50 and (job>=24439 and job<=64542)``.

A comparison is FIELD OP VALUE; ``and``, ``or``, ``not`` and brackets combine comparisons. Field names are
the archive's short ones or those of ``SWF_FIELDS``; ``machine`` is the header's number of processors. A
value is a number, a length of time (``2h``, ``7d``), a date (``2012-02-03 00:00:00``, local time of the log;
for ``submit``), or another field. A comparison of two fields holds only where both are known.

Source: headers of cleaned logs of the Parallel Workloads Archive; ``or``, ``not``, ``!=``, lengths of time
and comparisons of two fields are ours.
"""

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from molokini.model.errors import BadInput, UnknownName
from molokini.workloads.calendar import instant_in_log
from molokini.workloads.tools.whole import WholeLog
from molokini.workloads.workload import SWF_FIELDS, Floats

Mask = NDArray[np.bool_]

SHORT_NAMES: dict[str, str] = {
    "job": "number",
    "submit": "submit_s",
    "wait": "wait_s",
    "run": "run_s",
    "proc": "allocated_processors",
    "cpu": "cpu_s",
    "mem": "used_memory_kb",
    "reqproc": "requested_processors",
    "reqtime": "requested_s",
    "reqmem": "requested_memory_kb",
    "app": "executable",
    "part": "partition",
    "prec": "preceding",
    "think": "think_s",
}
"""Short names beside those of ``SWF_FIELDS`` (user, group, queue, status are short already)."""

MACHINE = "machine"
UNITS_S = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0, "w": 604800.0}

_DEEPEST = 100
_TOKEN = re.compile(
    r"""(?P<blank>\s+)
    |(?P<date>\d{4}-\d{2}-\d{2}(?:[ ]\d{2}:\d{2}(?::\d{2})?)?)
    |(?P<number>-?\d+(?:\.\d+)?)(?P<unit>[smhdw])?(?![A-Za-z0-9_.])
    |(?P<word>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<operator><=|>=|==|!=|<>|=|<|>)
    |(?P<bracket>[()])""",
    re.VERBOSE,
)
_COMPARE: dict[str, Callable[[Any, Any], Mask]] = {
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class BadFilter(BadInput):
    """A filter that cannot be read: where it stands, its line and column (from 1), and what is wrong."""

    def __init__(self, where: str, line: int, column: int, cause: str) -> None:
        self.line, self.column, self.cause = line, column, cause
        super().__init__(f"{where}, line {line}, column {column}: {cause}")


class _Token(NamedTuple):
    kind: str
    text: str
    column: int


@dataclass(frozen=True)
class Filter:
    """One filter: its text in one line, and which records of a log it is about."""

    text: str
    holds: Callable[[WholeLog], Mask]


def read_filter(text: str, where: str = "filter", line: int = 1) -> Filter:
    """The filter that *text* holds, which stands in *where* on *line*; BadFilter tells line and column."""
    parser = _Parser(_tokens(text, where, line), where, line, len(text) + 1)
    holds = parser.whole()
    return Filter(" ".join(text.split()), holds)


def read_filters(text: str, where: str) -> list[Filter]:
    """One filter a line; empty lines, and what follows ``#``, are passed over."""
    lines = [(number, line.partition("#")[0].rstrip()) for number, line in enumerate(text.splitlines(), 1)]
    return [read_filter(line, where, number) for number, line in lines if line.strip()]


def _tokens(text: str, where: str, line: int) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise BadFilter(where, line, at + 1, f"{text[at]!r} is not part of a filter")
        kind = next(
            name for name in ("blank", "date", "number", "word", "operator", "bracket") if match[name]
        )
        if kind != "blank":
            found.append(_Token(kind, match[0], at + 1))
        at = match.end()
    return found


class _Parser:
    """Reads tokens from left to right: ``or`` binds least, then ``and``, then ``not``."""

    def __init__(self, tokens: list[_Token], where: str, line: int, end: int) -> None:
        self._tokens, self._where, self._line, self._end = tokens, where, line, end
        self._at = 0

    def whole(self) -> Callable[[WholeLog], Mask]:
        """All tokens as one condition."""
        found = self._any(0)
        token = self._next()
        if token is not None:
            says = (
                "there is no bracket open here" if token.text == ")" else "'and' or 'or' is missing before it"
            )
            raise self._error(token, f"{token.text!r}: {says}")
        return found

    def _any(self, depth: int) -> Callable[[WholeLog], Mask]:
        found = [self._all(depth)]
        while self._keyword("or"):
            found.append(self._all(depth))
        return found[0] if len(found) == 1 else lambda log: np.logical_or.reduce([one(log) for one in found])

    def _all(self, depth: int) -> Callable[[WholeLog], Mask]:
        found = [self._one(depth)]
        while self._keyword("and"):
            found.append(self._one(depth))
        return found[0] if len(found) == 1 else lambda log: np.logical_and.reduce([one(log) for one in found])

    def _one(self, depth: int) -> Callable[[WholeLog], Mask]:
        turned = False
        while self._keyword("not"):
            turned = not turned
        found = self._bracket(depth) if self._peek("(") else self._comparison()
        return (lambda log: ~found(log)) if turned else found

    def _bracket(self, depth: int) -> Callable[[WholeLog], Mask]:
        opened = self._take()
        assert opened is not None
        if depth >= _DEEPEST:
            raise self._error(opened, f"more than {_DEEPEST} brackets inside each other")
        found = self._any(depth + 1)
        if not self._peek(")"):
            token = self._next()
            if token is None:
                raise self._error(opened, "this bracket is not closed")
            raise self._error(token, f"{token.text!r}: 'and', 'or' or ')' is missing before it")
        self._take()
        return found

    def _comparison(self) -> Callable[[WholeLog], Mask]:
        left = self._field(self._wanted("word", "a field's name"))
        sign = self._wanted("operator", "one of = != < <= > >=")
        token = self._take()
        if token is None or token.kind not in ("number", "date", "word"):
            raise self._error(token, f"a value is missing after {sign.text!r}")
        compare = _COMPARE[sign.text]
        if token.kind == "word":
            return _between(left, self._field(token), compare)
        if token.kind == "date":
            if left != "submit_s":
                raise self._error(token, "a date can be compared with 'submit' alone")
            self._check_date(token)
            return lambda log: compare(log.column(left), _instant(log, token.text))
        value = _value(token.text)
        return lambda log: compare(_values(log, left), value)

    def _field(self, token: _Token) -> str:
        name = token.text.lower()
        if name == MACHINE or name in SWF_FIELDS:
            return name
        if name not in SHORT_NAMES:
            known = UnknownName("field", token.text, [*SHORT_NAMES, *SWF_FIELDS, MACHINE])
            raise self._error(token, str(known))
        return SHORT_NAMES[name]

    def _check_date(self, token: _Token) -> None:
        try:
            datetime.fromisoformat(token.text)
        except ValueError:
            raise self._error(token, f"there is no date {token.text}") from None

    def _wanted(self, kind: str, words: str) -> _Token:
        token = self._take()
        if token is None or token.kind != kind or token.text.lower() in ("and", "or", "not"):
            says = f"{words} is missing" if token is None else f"{token.text!r} where {words} has to stand"
            raise self._error(token, says)
        return token

    def _next(self) -> _Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _take(self) -> _Token | None:
        token = self._next()
        self._at += 1
        return token

    def _peek(self, text: str) -> bool:
        token = self._next()
        return token is not None and token.kind == "bracket" and token.text == text

    def _keyword(self, word: str) -> bool:
        token = self._next()
        found = token is not None and token.kind == "word" and token.text.lower() == word
        self._at += found
        return found

    def _error(self, token: _Token | None, cause: str) -> BadFilter:
        return BadFilter(self._where, self._line, self._end if token is None else token.column, cause)


def _value(text: str) -> float:
    unit = UNITS_S.get(text[-1])
    return float(text) if unit is None else float(text[:-1]) * unit


def _values(log: WholeLog, name: str) -> Floats:
    if name != MACHINE:
        return log.column(name)
    if log.machine is None:
        raise BadInput(f"{log.name}: a filter names 'machine', and the header does not say how large it is")
    return np.full(len(log), float(log.machine))


def _between(left: str, right: str, compare: Callable[[Any, Any], Mask]) -> Callable[[WholeLog], Mask]:
    def holds(log: WholeLog) -> Mask:
        one, other = _values(log, left), _values(log, right)
        return compare(one, other) & (one >= 0) & (other >= 0)

    return holds


def _instant(log: WholeLog, text: str) -> float:
    found = instant_in_log(log.header, text)
    if found is None:
        raise BadInput(
            f"{log.name}: a filter names the date {text}, and the header does not say when second 0 was "
            "(UnixStartTime)"
        )
    return found
