"""Keys of a scenario file, one by one: each is read as what it must be; a key that is not read is refused."""

from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any, TypeVar

from molokini.model.errors import BadValue, UnknownName
from molokini.process_sim.scenario import Dist
from molokini.process_sim.words import Draw

Value = TypeVar("Value")

_UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9, "h": 3600 * 10**9}
MOST_NS = 10 * 365 * 24 * 3600 * 10**9 // 12
"""Ten months: instants stay well below what a table holds."""
MOST_INSTANT_NS = 100 * 365 * 24 * 3600 * 10**9
INSTANT = "a time from 0s to 100 years, as '3600s' or '500h' (ns, us, ms, s, min, h)"
DURATION = "a duration from 0ns to 300 days, as '200us', '1.5ms' or '2min' (ns, us, ms, s, min, h)"
SIZES = {"B": 1, "KB": 1000, "MB": 1_000_000}
MOST_SIZE = 10**12
_MOST_DIGITS = 18
_MOST_EXPONENT = 30
"""A number with a larger exponent cannot be meant, and would take too long to be written out."""
DISTRIBUTION = (
    "a duration, or 'exponential MEAN', 'uniform FROM TO', 'erlang MEAN ORDER' with durations as '5ms'"
)


def whole_of(text: str) -> int | None:
    """The whole number that *text* says in plain digits, or None."""
    plain = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if plain else None


def duration(text: object, most_ns: int = MOST_NS) -> int | None:
    """The ns that *text* says, or None where it says none, or more than *most_ns*."""
    if not isinstance(text, str):
        return None
    number = text.strip().rstrip("abcdefghijklmnopqrstuvwxyz")
    unit = text.strip()[len(number) :]
    try:
        plain, size = Decimal(number.strip()), _UNITS[unit]
    except (InvalidOperation, KeyError):
        return None
    if not plain.is_finite() or abs(plain.adjusted()) > _MOST_EXPONENT:
        return None
    value = Fraction(plain) * size
    return round(value) if 0 <= value <= most_ns else None


def distribution(text: object) -> Dist | None:
    """The distribution that *text* says, or None."""
    if not isinstance(text, str):
        return None
    name, *rest = text.split() or [""]
    if name == "erlang" and len(rest) == 2:
        mean, order = duration(rest[0]), whole_of(rest[1])
        if mean is None or order is None or not 1 <= order <= 1000:
            return None
        return Dist(Draw.ERLANG, mean, order)
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
        return text if 0 <= text <= MOST_SIZE else None
    if not isinstance(text, str):
        return None
    unit = next((one for one in sorted(SIZES, key=len, reverse=True) if text.endswith(one)), "")
    number = whole_of(text.removesuffix(unit).strip())
    if number is None or number * SIZES.get(unit, 1) > MOST_SIZE:
        return None
    return number * SIZES.get(unit, 1)


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

    def instant(self, key: str, default: int) -> int:
        """ns since something long ago, as the beginning of a log."""
        return self._read(key, default, lambda text: duration(text, MOST_INSTANT_NS), INSTANT)

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
        """Text of one line that is not empty."""

        def made(value: object) -> str | None:
            plain = isinstance(value, str) and value and value.isprintable()
            return value if plain and isinstance(value, str) else None

        return self._read(key, default, made, "text of one line, not empty")

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
        """Refuse a key that no reader has asked for."""
        for key in self._values:
            if key not in self._asked:
                place = f"[{self.where}] of {self.file}" if self.where else self.file
                raise UnknownName(f"key in {place}", str(key), self._asked)
