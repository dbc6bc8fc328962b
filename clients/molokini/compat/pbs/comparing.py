"""Conditions of qselect, ``name.op.value``: values compare as numbers, times or sizes, else as texts."""

from __future__ import annotations

from molokini.compat._types import Callable, Iterable
from molokini.compat.pbs.listed import parts_of
from molokini.compat.pbs.sizes import kilobytes
from molokini.compat.pbs.times import duration_s

_OPERATORS = ("eq", "ne", "gt", "ge", "lt", "le")


class Condition:
    """``[name].op.value``; without an operator *default* is meant.

    ValueError for an operator that is none.
    """

    def __init__(self, name: str, text: str, default: str) -> None:
        self.name, self.operator, self.value = name, default, text
        if text.startswith("."):
            _, operator, value = [*text.split(".", 2), "", ""][:3]
            if operator not in _OPERATORS or not value:
                raise ValueError(f"{name}{text[:60]!r}: .OP. is one of {', '.join(_OPERATORS)}")
            self.operator, self.value = operator, value


def conditions(texts: Iterable[str]) -> list[Condition]:
    """The conditions of options ``-l``. ValueError for what is none."""
    found = []
    for text in texts:
        for part in parts_of(text):
            name, _, rest = part.strip().partition(".")
            if "=" in name:
                name, _, rest = part.strip().partition("=")
                rest = f".eq.{rest}"
            else:
                rest = f".{rest}"
            if not name:
                raise ValueError(f"illegal -l value {part[:60]!r}: expected name.OP.value")
            found.append(Condition(name, rest, "eq"))
    return found


def fits(value: str, condition: Condition) -> bool:
    """Whether *value* fulfils *condition*."""
    for read in (float, duration_s, kilobytes):
        pair = _both(read, value, condition.value)
        if pair is not None:
            return _compared(*pair, condition.operator)
    if condition.operator in ("eq", "ne"):
        return (value == condition.value) is (condition.operator == "eq")
    return _compared(float(value > condition.value) - float(value < condition.value), 0.0, condition.operator)


def _both(read: Callable[[str], float], one: str, other: str) -> tuple[float, float] | None:
    try:
        return read(one), read(other)
    except ValueError:
        return None


def _compared(one: float, other: float, operator: str) -> bool:
    return {
        "eq": one == other,
        "ne": one != other,
        "gt": one > other,
        "ge": one >= other,
        "lt": one < other,
        "le": one <= other,
    }[operator]
