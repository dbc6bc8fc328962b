"""Times as Slurm reads and writes them."""

from __future__ import annotations

import os
import time

INFINITE_S = 100 * 365.25 * 86400
"""The longest wall time that the server takes stands for UNLIMITED."""

_UNITS_S = {
    "second": 1,
    "seconds": 1,
    "sec": 1,
    "minute": 60,
    "minutes": 60,
    "min": 60,
    "hour": 3600,
    "hours": 3600,
    "day": 86400,
    "days": 86400,
    "week": 604800,
    "weeks": 604800,
}
_HOURS = {"midnight": 0, "noon": 12, "elevenses": 11, "fika": 15, "teatime": 16}

_LAST_YEAR = 9999
"""Of dates: years have four digits."""


def limit_s(text: str) -> float:
    """Seconds that *text* says: minutes, M:S, H:M:S, D-H, D-H:M, D-H:M:S. ValueError for anything else.

    UNLIMITED, INFINITE and -1 are the longest that there is, and so is 0.
    """
    word = text.strip()
    if word.upper() in ("UNLIMITED", "INFINITE", "-1"):
        return INFINITE_S
    days, dash, clock = word.rpartition("-")
    parts = clock.split(":")
    if not all(part.isdigit() and part.isascii() for part in [*parts, *([days] if dash else [])]):
        raise ValueError(text)
    if len(parts) > 3:
        raise ValueError(text)
    numbers = [int(part) for part in parts]
    if dash:
        hours, minutes, seconds = [*numbers, 0, 0][:3]
        found = int(days) * 86400 + hours * 3600 + minutes * 60 + seconds
    elif len(numbers) == 3:
        found = numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
    else:
        found = numbers[0] * 60 + (numbers[1] if len(numbers) == 2 else 0)
    return float(found) if found else INFINITE_S


def whole_minutes(seconds: float) -> float:
    """A limit as Slurm keeps it: in minutes, rounded up."""
    return seconds if seconds >= INFINITE_S else -(-seconds // 60) * 60


def shown_limit(seconds: float) -> str:
    """A time limit: ``1-02:03:04``, ``1:00:00``, ``5:00``, ``UNLIMITED``."""
    return "UNLIMITED" if seconds >= INFINITE_S else duration(seconds)


def duration(seconds: float) -> str:
    """As squeue writes it: ``M:SS`` below an hour, ``H:MM:SS`` below a day, then ``D-HH:MM:SS``."""
    whole = max(0, int(seconds))
    days, rest = divmod(whole, 86400)
    hours, rest = divmod(rest, 3600)
    minutes, left = divmod(rest, 60)
    if days:
        return f"{days}-{hours:02}:{minutes:02}:{left:02}"
    return f"{hours}:{minutes:02}:{left:02}" if hours else f"{minutes}:{left:02}"


def long_duration(seconds: float) -> str:
    """As sacct and scontrol write it: ``[D-]HH:MM:SS``."""
    whole = max(0, int(seconds))
    days, rest = divmod(whole, 86400)
    clock = f"{rest // 3600:02}:{rest % 3600 // 60:02}:{rest % 60:02}"
    return f"{days}-{clock}" if days else clock


def processor_time(seconds: float) -> str:
    """As sacct writes used processor time: ``MM:SS.mmm`` below an hour, else as ``long_duration``."""
    if seconds >= 3600:
        return long_duration(seconds)
    whole = int(seconds * 1000)
    if not whole:
        return "00:00:00"
    return f"{whole // 60000:02}:{whole // 1000 % 60:02}.{whole % 1000:03}"


def shown(at_s: float | None, unknown: str = "N/A") -> str:
    """An instant, as SLURM_TIME_FORMAT wants it; *unknown* for none."""
    if at_s is None:
        return unknown
    form = os.environ.get("SLURM_TIME_FORMAT", "standard")
    if form in ("standard", ""):
        return time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(at_s))
    if form == "relative":
        return _relative(at_s)
    return time.strftime(form, time.localtime(at_s))


def _relative(at_s: float) -> str:
    then, today = time.localtime(at_s), time.localtime()
    if then[:3] == today[:3]:
        return time.strftime("%H:%M:%S", then)
    tomorrow = time.localtime(time.time() + 86400)
    if then[:3] == tomorrow[:3]:
        return time.strftime("Tomorr %H:%M", then)
    return time.strftime("%d %b %H:%M", then)


def instant(text: str, now_s: float, ahead: bool = False) -> float:
    """The instant that *text* says, on a clock that shows *now_s*. ValueError for none.

    now[+-N[units]], today, tomorrow, midnight, noon, teatime, HH:MM[:SS], MMDD[YY], MM/DD[/YY], MM.DD[.YY],
    YYYY-MM-DD[THH:MM[:SS]]. *ahead*: a time of the day that has passed is tomorrow's.
    """
    word = text.strip().lower()
    if word.startswith("now"):
        return _from_now(word[3:], now_s)
    date, gap, clock = word.partition("t") if word[:1].isdigit() and "t" in word else (word, "", "")
    if not gap and word[:1].isdigit() and "-" in word and " " in word:
        date, _, clock = word.partition(" ")
    today = time.localtime(now_s)
    if date in ("today", "tomorrow"):
        return _at(today, 0, 0, 0, 1 if date == "tomorrow" else 0)
    if date in _HOURS or (":" in date and not clock):
        found = _at(today, *((_HOURS[date], 0, 0) if date in _HOURS else _clock(date)), 0)
        return found + 86400 if ahead and found < now_s else found
    hours, minutes, seconds = _clock(clock) if clock else (0, 0, 0)
    year, month, day = _date(date, today)
    try:
        made = time.mktime((year, month, day, hours, minutes, seconds, 0, 0, -1))
    except (OverflowError, ValueError):
        raise ValueError(text) from None
    if year > _LAST_YEAR or time.localtime(made)[:3] != (year, month, day):
        raise ValueError(text)
    return made


def _from_now(text: str, now_s: float) -> float:
    text = text.strip()
    if not text:
        return now_s
    sign, number = text[0], text[1:].strip()
    digits = number.rstrip("abcdefghijklmnopqrstuvwxyz")
    unit = number[len(digits) :] or "second"
    if sign not in "+-" or not digits.strip().isdigit() or unit not in _UNITS_S:
        raise ValueError(text)
    away = int(digits) * _UNITS_S[unit]
    return now_s + away if sign == "+" else now_s - away


def _at(day: time.struct_time, hours: int, minutes: int, seconds: int, days: int) -> float:
    return time.mktime((day[0], day[1], day[2] + days, hours, minutes, seconds, 0, 0, -1))


def _clock(text: str) -> tuple[int, int, int]:
    afternoon = 12 if text.endswith("pm") else 0
    parts = text.removesuffix("am").removesuffix("pm").strip().split(":")
    if len(parts) not in (2, 3) or not all(part.isdigit() for part in parts):
        raise ValueError(text)
    hours, minutes, seconds = [*(int(part.split(".")[0]) for part in parts), 0][:3]
    hours = hours % 12 + afternoon if text.endswith("m") else hours
    if hours > 23 or minutes > 59 or seconds > 59:
        raise ValueError(text)
    return hours, minutes, seconds


def _date(text: str, today: time.struct_time) -> tuple[int, int, int]:
    """Year, month and day; those that only look like a day are left to mktime and found out there."""
    if "-" in text:
        parts = text.split("-")
        order = (0, 1, 2)
    else:
        parts = text.split("/") if "/" in text else text.split(".") if "." in text else _pairs(text)
        order = (2, 0, 1)
        if len(parts) == 2:
            parts = [*parts, str(today.tm_year)]
    if len(parts) != 3 or not all(part.isdigit() for part in parts):
        raise ValueError(text)
    year, month, day = (int(parts[place]) for place in order)
    return (2000 + year if year < 100 else year), month, day


def _pairs(text: str) -> list[str]:
    return [text[place : place + 2] for place in range(0, len(text), 2)] if len(text) in (4, 6) else []


def mistaken_at(text: str) -> int:
    """Where Slurm stops to read *text*, which is none: at a month or a day that there is not, else at 0."""
    parts = text.split("T")[0].split("-")
    if len(parts) != 3 or not all(part.isdigit() and part.isascii() for part in parts) or len(parts[0]) != 4:
        return 0
    if not 1 <= int(parts[1]) <= 12:
        return 5
    return 6 + len(parts[1]) if not 1 <= int(parts[2]) <= 31 else 0
