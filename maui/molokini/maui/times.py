"""Maui's times: ``[[[DD:]HH:]MM:]SS``, ``INFINITY``; instants: ``HH[:MM[:SS]][_MO[/DD[/YY]]]``, ``+SS``."""

import re
from dataclasses import dataclass

from molokini.maui.unfit import Unfit

INFINITY_S = 2_140_000_000
"""What ``INFINITY`` stands for, and the longest time there is."""

_UNITS_S = (1, 60, 3600, 86_400)
_DURATION = re.compile(r"-?\d{1,10}(:\d{1,10}){0,3}", re.ASCII)
_CLOCK = re.compile(
    r"(\d{1,2})(?::(\d{1,2})(?::(\d{1,2}))?)?(?:_(\d{1,2})(?:/(\d{1,2})(?:/(\d{2}|\d{4}))?)?)?", re.ASCII
)


def read_duration(text: str) -> int:
    """Seconds of a duration; a text without a colon is plain seconds. Raises ValueError."""
    if text.casefold() == "infinity":
        return INFINITY_S
    if not _DURATION.fullmatch(text):
        raise Unfit("not a time")
    sign = -1 if text.startswith("-") else 1
    parts = [int(part) for part in text.lstrip("-").split(":")]
    seconds = sum(part * unit for part, unit in zip(reversed(parts), _UNITS_S, strict=False))
    if seconds > INFINITY_S:
        raise Unfit("longer than INFINITY")
    return sign * seconds


def unusual(text: str) -> bool:
    """Whether a part of the duration *text*, but for the first, is more than a clock shows: ``00:99:99``."""
    parts = text.lstrip("-").split(":")
    mosts = (24, 60, 60)[4 - len(parts) :] if 1 < len(parts) <= 4 else ()
    return all(map(str.isdecimal, parts)) and any(
        int(part) >= most for part, most in zip(parts[1:], mosts, strict=True)
    )


def write_duration(seconds: int) -> str:
    """*seconds* as Maui writes them: ``HH:MM:SS``, with days before where there are any."""
    if seconds >= INFINITY_S:
        return "INFINITY"
    if seconds < 0:
        return str(seconds)
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    clock = f"{hour:02}:{minute:02}:{second:02}"
    return f"{days}:{clock}" if days else clock


@dataclass(frozen=True)
class Moment:
    """An instant as it is written: so many seconds from now, or a time of day, perhaps with a date."""

    after_s: int | None = None
    hour: int = 0
    minute: int = 0
    second: int = 0
    month: int | None = None
    day: int | None = None
    year: int | None = None

    def __str__(self) -> str:
        if self.after_s is not None:
            return f"+{write_duration(self.after_s)}"
        clock = f"{self.hour:02}:{self.minute:02}:{self.second:02}"
        date = [f"{part:02}" for part in (self.month, self.day, self.year) if part is not None]
        return f"{clock}_{'/'.join(date)}" if date else clock


_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def read_moment(text: str) -> Moment:
    """The instant that *text* names. Raises ValueError for what no clock and no calendar ever shows."""
    if text.startswith("+"):
        seconds = read_duration(text[1:])
        if seconds < 0:
            raise Unfit("before now")
        return Moment(after_s=seconds)
    match = _CLOCK.fullmatch(text)
    if not match:
        raise Unfit("not an instant")
    hour, minute, second, month, day, year = (None if part is None else int(part) for part in match.groups())
    if (hour or 0) > 23 or (minute or 0) > 59 or (second or 0) > 59:
        raise Unfit("no such time of day")
    if month is not None and not 1 <= month <= 12:
        raise Unfit("no such month")
    if month is not None and day is not None and not 1 <= day <= _DAYS[month - 1]:
        raise Unfit("no such day of that month")
    if month == 2 and day == 29 and year is not None and year % 4:
        raise Unfit("no such day of that year")
    return Moment(None, hour or 0, minute or 0, second or 0, month, day, year)
