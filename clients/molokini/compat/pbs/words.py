"""The ids on a command line, with the index that Torque's ``-t`` adds to them."""

from __future__ import annotations

from molokini.compat._types import Invocation, Values
from molokini.compat.pbs.failing import usage
from molokini.compat.pbs.ids import read


def job_words(run: Invocation, given: Values) -> list[str]:
    """The ids that *given* names. Raises Failed where there are none."""
    if not given.words:
        raise usage(run, f"expected a job id (see {run.name} --help)")
    if not given.flag("t"):
        return given.words
    return [_element(run, word, given.one("t")) for word in given.words]


def _element(run: Invocation, word: str, index: str) -> str:
    one = read(word)
    if one is None or not (index.isascii() and index.isdigit()):
        raise usage(run, f"illegal -t value {index[:40]!r} for {word[:60]}: expected one index of an array")
    return f"{one.number}[{index}]"
