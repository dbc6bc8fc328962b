"""Keys of a scenario file, one by one: each is read as what it must be, and what nobody read is refused."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from molokini.model.errors import BadValue, UnknownName
from molokini.nodes.scenario import Dist
from molokini.nodes.words import Draw

Value = TypeVar("Value")

_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
MOST_NS = 10 * 365 * 24 * 3600 * 10**9 // 12
"""Ten months: instants stay well below what a table holds."""
DURATION = "a duration from 0ns to 300 days, as '200us', '1.5ms' or '2min' (ns, us, ms, s, min, h)"
SIZES = {"B": 1, "KB": 1000, "MB": 1_000_000}
DISTRIBUTION = (
    "a duration, or 'exponential MEAN', 'uniform FROM TO', 'erlang MEAN ORDER' with durations as '5ms'"
)


def duration(text: object) -> int | None:
    """The ns that *text* says, or None where it says none."""
    if not isinstance(text, str):
        return None
    number = text.strip().rstrip("abcdefghijklmnopqrstuvwxyz")
    unit = text.strip()[len(number) :]
    try:
        value = Fraction(number.strip()) * _UNITS[unit]
    except (ValueError, ZeroDivisionError, KeyError):
        return None
    return round(value) if 0 <= value <= MOST_NS else None


def distribution(text: object) -> Dist | None:
    """The distribution that *text* says, or None."""
    if not isinstance(text, str):
        return None
    name, *rest = text.split() or [""]
    if name == "erlang" and len(rest) == 2 and rest[1].isdigit() and 1 <= int(rest[1]) <= 1000:
        mean = duration(rest[0])
        return None if mean is None else Dist(Draw.ERLANG, mean, int(rest[1]))
    values = [duration(word) for word in rest]
    if None in values:
        return None
    whole = [value for value in values if value is not None]
    if name == "exponential" and len(whole) == 1:
        return Dist(Draw.EXPONENTIAL, whole[0])
    if name == "uniform" and len(whole) == 2 and whole[0] <= whole[1]:
        return Dist(Draw.UNIFORM, whole[0], whole[1])
    plain = duration(text)
    return None if plain is None else Dist(Draw.CONSTANT, plain)


def bytes_of(text: object) -> int | None:
    """Bytes: a whole number, or one with a unit, as '1KB'."""
    if isinstance(text, int) and not isinstance(text, bool):
        return text if 0 <= text <= 10**12 else None
    if not isinstance(text, str):
        return None
    for unit in sorted(SIZES, key=len, reverse=True):
        number = text.removesuffix(unit)
        if number != text and number.strip().isdigit():
            return int(number) * SIZES[unit]
    return int(text) if text.isdigit() else None


class Keys:
    """The keys of one table of a file; ``done`` refuses those that were not asked for."""

    def __init__(self, file: str, where: str, values: object) -> None:
        if not isinstance(values, Mapping):
            raise BadValue(f"{file}: {where}", values, "a table of keys")
        self.file, self.where, self._values = file, where, values
        self._asked: set[str] = set()

    def field(self, key: str) -> str:
        """How errors call *key*."""
        return f"{self.file}: {self.where}.{key}" if self.where else f"{self.file}: {key}"

    def has(self, key: str) -> bool:
        """Whether *key* is given."""
        self._asked.add(key)
        return key in self._values

    def raw(self, key: str, default: object = None) -> Any:
        """The value as it stands."""
        self._asked.add(key)
        return self._values.get(key, default)

    def refuse(self, key: str, allowed: str) -> BadValue:
        """The error for the value of *key*."""
        return BadValue(self.field(key), self._values.get(key), allowed)

    def _read(self, key: str, default: Value, made: Any, allowed: str) -> Value:
        if not self.has(key):
            return default
        found = made(self._values[key])
        if found is None:
            raise self.refuse(key, allowed)
        value: Value = found
        return value

    def duration(self, key: str, default: int) -> int:
        """ns."""
        return self._read(key, default, duration, DURATION)

    def distribution(self, key: str, default: str) -> Dist:
        """A distribution of durations."""
        found = distribution(default)
        assert found is not None
        return self._read(key, found, distribution, DISTRIBUTION)

    def size(self, key: str, default: int) -> int:
        """Bytes."""
        return self._read(key, default, bytes_of, "bytes from 0 to 10**12, as 1024 or '1KB'")

    def whole(self, key: str, default: int, low: int, high: int) -> int:
        """A whole number from *low* to *high*."""

        def made(value: object) -> int | None:
            plain = isinstance(value, int) and not isinstance(value, bool)
            return value if plain and isinstance(value, int) and low <= value <= high else None

        return self._read(key, default, made, f"a whole number from {low:,} to {high:,}")

    def number(self, key: str, default: float, low: float, high: float) -> float:
        """A number from *low* to *high*."""

        def made(value: object) -> float | None:
            plain = isinstance(value, int | float) and not isinstance(value, bool)
            return float(value) if plain and isinstance(value, int | float) and low <= value <= high else None

        return self._read(key, default, made, f"a number from {low:g} to {high:g}")

    def flag(self, key: str, default: bool) -> bool:
        """True or false."""
        return self._read(
            key, default, lambda value: value if isinstance(value, bool) else None, "true or false"
        )

    def text(self, key: str, default: str) -> str:
        """Text that is not empty."""
        return self._read(
            key, default, lambda value: value if isinstance(value, str) and value else None, "text, not empty"
        )

    def choice(self, key: str, default: str, choices: Sequence[str]) -> str:
        """One of *choices*; UnknownName with the nearest where it is another text."""
        found = self.text(key, default)
        if found not in choices:
            raise UnknownName(f"value of {self.field(key)}", found, choices)
        return found

    def table(self, key: str) -> "Keys":
        """The table *key*, empty where it is not given."""
        return Keys(self.file, f"{self.where}.{key}" if self.where else key, self.raw(key, {}))

    def tables(self, key: str) -> "list[Keys]":
        """The tables of the list *key*."""
        found = self.raw(key, [])
        if not isinstance(found, list):
            raise self.refuse(key, f"tables, each headed [[{key}]]")
        name = f"{self.where}.{key}" if self.where else key
        return [Keys(self.file, f"{name}[{k + 1}]", one) for k, one in enumerate(found)]

    def done(self) -> None:
        """Refuse a key that nobody has asked for."""
        for key in self._values:
            if key not in self._asked:
                place = f"[{self.where}] of {self.file}" if self.where else self.file
                raise UnknownName(f"key in {place}", str(key), self._asked)
