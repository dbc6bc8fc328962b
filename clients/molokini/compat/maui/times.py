"""Maui's times: ``[DD:]HH:MM:SS``, and dates as the first 19 characters of ctime."""

from __future__ import annotations

import time

from molokini.compat._types import Any, Mapping
from molokini.compat.maui.failing import no

_DAY = 86_400
_ENDLESS_S, _LONG_PAST_S = 100 * _DAY, -10 * _DAY
_UNITS = (1, 60, 3600, _DAY)


def span(seconds: float | None) -> str:
    """*seconds*, None for no end: ``1:02:03``, ``00:05:00``, ``2:00:00:00``, ``-00:00:12``, ``INFINITY``."""
    if seconds is None or seconds >= _ENDLESS_S:
        return "INFINITY"
    if seconds <= _LONG_PAST_S:
        return "-INFINITY"
    whole = round(abs(seconds))
    sign = "-" if seconds < 0 and whole else ""
    days, rest = divmod(whole, _DAY)
    hours, rest = divmod(rest, 3600)
    behind = f"{rest // 60:02d}:{rest % 60:02d}"
    if days:
        return f"{sign}{days}:{hours:02d}:{behind}"
    return f"{sign}{hours}:{behind}" if hours else f"{sign}00:{behind}"


def date(found: Mapping[str, Any], at_s: float | None) -> str:
    """*at_s* of the clock of the report *found*: ``Thu Sep  1 15:02:50``, local time.

    A clock that knows no calendar counts from the beginning of 1970. That of a log keeps its machine's time.
    """
    if at_s is None:
        return "INFINITY"
    zero_s = found.get("calendar_zero_s")
    here = zero_s is not None and not found.get("of_a_log")
    parts = (time.localtime if here else time.gmtime)(at_s + (zero_s or 0.0))
    return time.strftime("%a %b %e %H:%M:%S", parts)


def span_and_date(found: Mapping[str, Any], at_s: float) -> str:
    """How far it is away, and when it is: ``    1:00:00 on Thu Sep  1 15:02:50``."""
    return f"{span(at_s - found['now_s']):>11} on {date(found, at_s)}"


def seconds(option: str, text: str) -> float:
    """``[[[DD:]HH:]MM:]SS`` in seconds. Raises Failed."""
    parts = text.split(":")
    if len(parts) > 4 or not all(part.isascii() and part.isdigit() and len(part) < 10 for part in parts):
        raise no(f"{option} '{text[:40]}': expected a time, [[[DD:]HH:]MM:]SS")
    return float(sum(int(part) * unit for part, unit in zip(reversed(parts), _UNITS, strict=False)))


def instant(option: str, text: str, found: Mapping[str, Any]) -> float:
    """Seconds of the clock: ``+[[[DD:]HH:]MM:]SS`` from now, ``HH[:MM[:SS]][_MM/DD[/YYYY]]``, or a number.

    *found* tells the present instant and what the clock knows of the calendar. Raises Failed.
    """
    if text.startswith("+"):
        return float(found["now_s"]) + seconds(option, text[1:])
    if text.isascii() and text.isdigit() and len(text) > 2:
        return float(text)
    try:
        return _by_the_calendar(text, found)
    except (ValueError, OverflowError):
        raise no(
            f"{option} '{text[:40]}': expected +[[[DD:]HH:]MM:]SS, HH[:MM[:SS]][_MM/DD[/YYYY]] or seconds"
        ) from None


def _by_the_calendar(text: str, found: Mapping[str, Any]) -> float:
    hours, _, day = text.partition("_")
    zero_s = found.get("calendar_zero_s")
    local = zero_s is not None
    now_s = found["now_s"] + (zero_s or 0.0)
    now = time.localtime(now_s) if local else time.gmtime(now_s)
    clock = [int(part) for part in hours.split(":")]
    date_parts = [int(part) for part in day.split("/")] if day else [now.tm_mon, now.tm_mday]
    if len(clock) > 3 or not 2 <= len(date_parts) <= 3:
        raise ValueError
    clock += [0, 0]
    month, of_month, year = [*date_parts, now.tm_year][:3]
    year += 2000 if year < 100 else 0
    inside = all(0 <= value < most for value, most in zip(clock, (24, 60, 60), strict=False))
    if not (inside and 1 <= month <= 12 and 1 <= of_month <= 31):
        raise ValueError
    parts = (year, month, of_month, clock[0], clock[1], clock[2], 0, 1, -1)
    if local:
        return time.mktime(parts) - (zero_s or 0.0)
    import calendar

    return float(calendar.timegm(parts))
