"""Kinds of values in a ``slurm.conf`` and in texts of ``sacctmgr``: what each reads and takes, in words.

Minutes are what Slurm keeps time limits in; seconds round up to them. All that is a time here is in seconds.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")
Amounts = tuple[tuple[str, float], ...]
"""Amounts or weights by TRES, in the order as written: ``(("cpu", 4.0), ("gres/gpu", 2.0))``."""

_ENDLESS = frozenset({"unlimited", "infinite", "-1", "none_limit"})
_TIME = re.compile(r"(?:(\d{1,6})-)?(\d{1,9})(?::(\d{1,6}))?(?::(\d{1,6}))?(?:\.\d+)?")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([kmgtp]?)(?:i?b)?(?:/\S*)?", re.IGNORECASE)
_MB = {"k": 1 / 1024, "": 1.0, "m": 1.0, "g": 1024.0, "t": 1024.0**2, "p": 1024.0**3}
_COUNT = {"k": 1024.0, "": 1.0, "m": 1024.0**2, "g": 1024.0**3, "t": 1024.0**4, "p": 1024.0**5}
_MINUTE_S = 60
_YES = frozenset({"yes", "true", "up", "1"})
_NO = frozenset({"no", "false", "down", "0"})
UNSET = frozenset({"", "n/a", "none"})
"""What ``scontrol`` and ``sacctmgr`` write where there is no value."""


@dataclass(frozen=True)
class Kind(Generic[Value]):
    """How a value is read. ``read`` raises ValueError for what is not *allowed*."""

    allowed: str
    """What it takes, in words."""
    read: Callable[[str], Value]


def minutes_s(text: str) -> float:
    """Seconds of a time limit: minutes, ``m:s``, ``h:m:s``, ``d-h[:m[:s]]``, in whole minutes rounded up.

    Infinity for UNLIMITED. Raises ValueError.
    """
    seconds = span_s(text, minutes=True)
    return seconds if math.isinf(seconds) else math.ceil(seconds / _MINUTE_S) * float(_MINUTE_S)


def span_s(text: str, *, minutes: bool) -> float:
    """Seconds of a time: one number alone is of minutes, or of seconds. Infinity for UNLIMITED."""
    word = text.strip().lower()
    if word in _ENDLESS:
        return math.inf
    match = _TIME.fullmatch(word)
    if match is None:
        raise ValueError(text)
    days, first, second, third = (None if part is None else int(part) for part in match.groups())
    assert first is not None
    if days is not None:
        return days * 86400.0 + first * 3600.0 + (second or 0) * 60.0 + (third or 0)
    if second is None:
        return first * (float(_MINUTE_S) if minutes else 1.0)
    if third is None:
        return first * 60.0 + second
    return first * 3600.0 + second * 60.0 + third


def memory_mb(text: str) -> float:
    """Megabytes: a number, or one with K, M, G, T. Infinity for UNLIMITED."""
    return _sized(text, _MB)


def amount(name: str, text: str) -> float:
    """An amount of the TRES *name*: memory in megabytes, all else counted. Raises ValueError."""
    return _sized(text, _MB if name in ("mem", "vmem") else _COUNT)


def _sized(text: str, units: dict[str, float]) -> float:
    word = text.strip().lower()
    if word in _ENDLESS:
        return math.inf
    match = _SIZE.fullmatch(word)
    if match is None:
        raise ValueError(text)
    return float(match[1]) * units[match[2].lower()]


def amounts(text: str) -> Amounts:
    """``cpu=4,mem=16G,gres/gpu=2``; -1 takes a limit away and stands for none. Raises ValueError."""
    found = []
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, equals, value = part.partition("=")
        if not equals:
            raise ValueError(text)
        found.append((name.strip().lower(), amount(name.strip().lower(), value)))
    return tuple(one for one in found if not math.isinf(one[1]))


def licenses(text: str) -> Amounts:
    """``matlab:10,ansys`` (one where no count is given; a server behind ``@`` is left out)."""
    found = []
    for part in filter(None, (one.strip() for one in re.split("[,;]", text))):
        match = re.fullmatch(r"([^:=@\s]+)(?:@[^:=\s]+)?(?:[:=](\d+))?", part)
        if match is None:
            raise ValueError(text)
        found.append((match[1], float(match[2] or 1)))
    return tuple(found)


def weights(text: str) -> Amounts:
    """As ``amounts``, of weights, which may be negative: ``Mem=0.25G`` is 0.25 for a gigabyte."""
    found = []
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, equals, value = part.partition("=")
        match = re.fullmatch(r"(-?\d+(?:\.\d+)?)([kmgtp]?)", value.strip(), re.IGNORECASE)
        if not equals or match is None:
            raise ValueError(text)
        key = name.strip().lower()
        unit = (_MB if key in ("mem", "vmem") else _COUNT)[match[2].lower()]
        found.append((key, float(match[1]) / unit))
    return tuple(found)


def _number(low: float, high: float, text: str) -> float:
    value = float(text.split()[0])
    if not low <= value <= high:
        raise ValueError(text)
    return value


def whole(low: int, high: int, endless: bool = False, default: int | None = None) -> Kind[int]:
    """A whole number; -1 stands for UNLIMITED where *endless*."""
    told = f"a whole number from {low:,} to {high:,}" + (" or UNLIMITED" if endless else "")

    def read(text: str) -> int:
        if endless and text.strip().lower() in _ENDLESS:
            return -1
        return int(_number(low, high, text)) if re.match(r"-?\d+(?!\.)", text) else _refuse(text)

    return Kind(told + (f"; without it {default:,}" if default is not None else ""), read)


def _refuse(text: str) -> Any:
    raise ValueError(text)


def number(low: float, high: float) -> Kind[float]:
    """A number."""
    return Kind(f"a number from {low:,.15g} to {high:,.15g}", lambda text: _number(low, high, text))


def seconds(low: int, high: int, endless: bool = False) -> Kind[float]:
    """Seconds, as a number or ``h:m:s``."""

    def read(text: str) -> float:
        value = span_s(text.split()[0], minutes=False)
        if math.isinf(value) and endless:
            return value
        return value if low <= value <= high else _refuse(text)

    return Kind(f"seconds from {low:,} to {high:,}" + (" or UNLIMITED" if endless else ""), read)


MINUTES = Kind("minutes, h:m:s, d-h:m:s or UNLIMITED", minutes_s)
LONG_TIME = Kind(
    "minutes, h:m:s, d-h or d-h:m:s (7 are 7 minutes, 7-0 are 7 days)",
    lambda text: span_s(text, minutes=True),
)
MEMORY = Kind("megabytes, or a number with K, M, G or T", memory_mb)
AMOUNTS = Kind("TRES=number,..., such as cpu=64,mem=1T,gres/gpu=4", amounts)
LICENSES = Kind("NAME:count,..., such as matlab:10,ansys:2", licenses)
WEIGHTS = Kind("TRES=weight,..., such as CPU=1.0,Mem=0.25G", weights)
TEXT: Kind[str] = Kind("a text", lambda text: _refuse(text) if text.lower() == "n/a" else text.strip())


def _switch(text: str) -> bool:
    word = text.strip().lower()
    return True if word in _YES else False if word in _NO else _refuse(text)


SWITCH = Kind("YES or NO", _switch)


def word(*choices: str, others: Sequence[str] = ()) -> Kind[str]:
    """One of these, in lower case."""
    folded = {one.lower(): one.lower() for one in (*choices, *others)}

    def read(text: str) -> str:
        found = folded.get(text.strip().lower())
        return found if found is not None else _refuse(text)

    return Kind("one of " + ", ".join(choices), read)


def words(*choices: str) -> Kind[frozenset[str]]:
    """Several of these, in lower case, separated by commas."""
    folded = {one.lower() for one in choices}

    def read(text: str) -> frozenset[str]:
        found = frozenset(one.strip().lower() for one in text.split(",") if one.strip())
        return found if found <= folded else _refuse(text)

    return Kind("some of " + ", ".join(choices), read)


def _names(text: str) -> tuple[str, ...]:
    return tuple(filter(None, (one.strip() for one in text.split(","))))


NAMES = Kind("names, separated by commas", _names)
LOWER_NAMES = Kind("names, separated by commas", lambda text: _names(text.lower()))
HOSTS = Kind("names of nodes such as node[001-016],io1", str.strip)
