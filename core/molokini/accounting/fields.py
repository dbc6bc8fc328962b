"""Fields of accounting records as text: numbers, instants, durations and sizes, strictly read.

What Python would take beside plain decimal digits (underscores, digits of other scripts) is no number here.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime, tzinfo
from math import floor
from typing import TypeVar

from molokini.accounting.record import MISSING, NUMBER, RANGE, Odd

LARGEST = 2**53
"""Beyond this a float no longer tells neighbouring whole numbers apart."""
UNITS_B = {"": 1, "b": 1, "w": 8}
_PREFIXES = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40, "p": 50}

_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_REAL = re.compile(r"[+-]?[0-9]{1,18}(\.[0-9]{0,18})?")
_CLOCK = re.compile(r"(?:(?:([0-9]{1,9})-)?([0-9]{1,9}):)?([0-9]{1,9}):([0-9]{2})(\.[0-9]{1,9})?")
_DAY_HOURS = re.compile(r"([0-9]{1,9})-([0-9]{1,2})(?::([0-9]{2}))?")
_SIZE = re.compile(r"([0-9]{1,18}(?:\.[0-9]{1,9})?)([kmgtp]?)(i?b|w)?", re.IGNORECASE)
_SHOWN = 40
_UNFIT = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


class BadField(Exception):
    """A field that cannot be what it should be: the name of the reason, and the cause in words."""

    def __init__(self, reason: str, cause: str) -> None:
        super().__init__(cause)
        self.reason, self.cause = reason, cause


Value = TypeVar("Value")


class Spared:
    """Fields that a record can do without: what cannot be read is odd, and a default stands in its place."""

    def __init__(self) -> None:
        self.odd: list[Odd] = []

    def read(self, field: str, read: Callable[[], Value], default: Value) -> Value:
        """What *read* returns; *default* where it complains about *field*."""
        try:
            return read()
        except BadField as error:
            self.odd.append(Odd(field, error.cause))
            return default


def shown(text: str) -> str:
    """*text* as a message repeats it: one line, cut off where it is long."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


def missing(name: str) -> BadField:
    """The complaint about a field that is not there."""
    return BadField(MISSING, f"{name} is missing")


def whole(name: str, text: str) -> int:
    """A whole number of at most 2^53 either way."""
    if not _WHOLE.fullmatch(text):
        raise BadField(NUMBER, f"{name}: {shown(text)} is not a whole number")
    return _bounded(name, int(text), text)


def real(name: str, text: str) -> float:
    """A number, whole or with a fraction."""
    if not _REAL.fullmatch(text):
        raise BadField(NUMBER, f"{name}: {shown(text)} is not a number")
    return _bounded(name, float(text), text)


def _bounded(name: str, value: "int | float", text: str) -> "int":
    if abs(value) > LARGEST:
        raise BadField(RANGE, f"{name}: {shown(text)} is beyond 2^53")
    return value  # type: ignore[return-value]


def duration_s(name: str, text: str) -> float:
    """Seconds of ``[[D-]HH:]MM:SS[.fraction]``, ``D-HH[:MM]``, or of a plain number of seconds."""
    if match := _CLOCK.fullmatch(text):
        days, hours, minutes, seconds = (int(part or 0) for part in match.groups()[:4])
        total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds + float(match[5] or 0)
        return _bounded(name, total, text)
    if match := _DAY_HOURS.fullmatch(text):
        days, hours, minutes = (int(part or 0) for part in match.groups())
        return float(_bounded(name, (days * 24 + hours) * 3600 + minutes * 60, text))
    if _REAL.fullmatch(text) and not text.startswith("-"):
        return _bounded(name, float(text), text)
    raise BadField(NUMBER, f"{name}: {shown(text)} is not a duration")


def counts_of(name: str, text: str) -> dict[str, int]:
    """``a:2,b`` or ``a=2,b``: counts by name, 1 where none is said."""
    found: dict[str, int] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        key, _, digits = part.replace("=", ":").rpartition(":")
        if not key:
            key, digits = digits, "1"
        found[key] = found.get(key, 0) + whole(name, digits)
    return found


def size_kb(name: str, text: str, default: str = "") -> int:
    """Kilobytes of a size with its unit (``2gb``, ``1024K``); *default* is the unit without one."""
    match = _SIZE.fullmatch(text)
    if match is None:
        raise BadField(NUMBER, f"{name}: {shown(text)} is not a size")
    amount, prefix, unit = float(match[1]), match[2].lower(), (match[3] or "").lower()
    if not prefix and not unit:
        prefix = default
    words = 8 if unit == "w" else 1
    return _bounded(name, floor(amount * words * 2 ** _PREFIXES[prefix] / 1024 + 0.5), text)


def clock_text(seconds: float) -> str:
    """``HH:MM:SS``, hours of as many digits as it takes."""
    total = floor(seconds)
    return f"{total // 3600:02d}:{total // 60 % 60:02d}:{total % 60:02d}"


def day_clock_text(seconds: float) -> str:
    """``[D-]HH:MM:SS``."""
    days, rest = divmod(floor(seconds), 86_400)
    return (f"{days}-" if days else "") + clock_text(rest)


def second(at_s: float) -> int:
    """The second in which *at_s* lies; formats of whole seconds keep that of an instant."""
    return floor(at_s)


_FIRST_S, _LAST_S = -62_135_000_000, 253_402_000_000
"""Years 1 and 9999, beyond which there is no calendar here."""


def moment(at_s: float, zone: tzinfo | None) -> datetime:
    """*at_s* by the calendar of *zone*; None: that of this machine."""
    within = min(max(second(at_s), _FIRST_S), _LAST_S)
    return datetime.fromtimestamp(within, UTC).astimezone(zone)


def fit(text: str, unfit: str = "", instead: str = "_") -> str:
    """*text* on one line: control characters, and those in *unfit*, become *instead*."""
    text = _UNFIT.sub(instead, text)
    for sign in unfit:
        text = text.replace(sign, instead)
    return text
