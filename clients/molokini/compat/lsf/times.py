"""Instants as LSF writes and reads them. They are of the scheduling clock, shown in local time."""

from __future__ import annotations

import time

from molokini.compat._types import Invocation
from molokini.compat.lsf.quantities import is_digits

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


def short(instant_s: float) -> str:
    """``Nov 23 07:05``."""
    at = time.localtime(instant_s)
    return f"{_MONTHS[at.tm_mon - 1]} {at.tm_mday:2d} {at.tm_hour:02d}:{at.tm_min:02d}"


def sentence(instant_s: float) -> str:
    """``Mon Nov 23 07:05:09``, with which the sentences of a long listing begin."""
    at = time.localtime(instant_s)
    return (
        f"{_DAYS[at.tm_wday]} {_MONTHS[at.tm_mon - 1]} {at.tm_mday:2d} "
        f"{at.tm_hour:02d}:{at.tm_min:02d}:{at.tm_sec:02d}"
    )


def seconds_too(instant_s: float) -> str:
    """``11/23-07:05:09``."""
    at = time.localtime(instant_s)
    return f"{at.tm_mon:02d}/{at.tm_mday:02d}-{at.tm_hour:02d}:{at.tm_min:02d}:{at.tm_sec:02d}"


def with_year(instant_s: float) -> str:
    """``Mon Nov 23 07:05:09 2026``."""
    return f"{sentence(instant_s)} {time.localtime(instant_s).tm_year}"


def now_s(run: Invocation) -> float:
    """The present instant of the scheduling clock."""
    return float(run.transport.call("ClusterService", "GetClock", {}).get("now_s", 0.0))


def begin_s(text: str, run: Invocation) -> float:
    """The instant that ``[[[YY:]MM:]DD:]HH:MM`` names: the next such one. Raises ValueError.

    A year has four digits, or two that stand for one of this century.
    """
    parts = text.split(":")
    if not 2 <= len(parts) <= 5 or not all(is_digits(part) for part in parts):
        raise _bad(text)
    if len(parts) == 5 and len(parts[0]) not in (2, 4):
        raise _bad(text)
    return _next(text, [int(part) for part in parts], now_s(run))


def _next(text: str, parts: list[int], now: float) -> float:
    at = time.localtime(now)
    whole = [at.tm_year, at.tm_mon, at.tm_mday, at.tm_hour]
    minute = parts[-1]
    given = parts[:-1]
    # What is not said is that of now; where the instant has passed, the next larger unit goes on by one.
    fields = whole[: 4 - len(given)] + given
    if len(given) == 4 and fields[0] < 100:
        fields[0] += 2000
    year, month, day, hour = fields
    if not (minute <= 59 and hour <= 23 and 1 <= day <= 31 and 1 <= month <= 12 and 1970 <= year <= 9999):
        raise _bad(text)
    found = time.mktime((year, month, day, hour, minute, 0, 0, 0, -1))
    steps = {1: (0, 0, 1, 0), 2: (0, 1, 0, 0), 3: (1, 0, 0, 0)}
    if found < now and len(given) in steps:
        years, months, days, hours = steps[len(given)]
        later = (year + years, month + months, day + days, hour + hours, minute, 0, 0, 0, -1)
        found = time.mktime(later)
    if found < now - 60:
        raise ValueError(f"{text[:40]}: Bad begin time: it has passed")
    return found


def _bad(text: str) -> ValueError:
    return ValueError(f"{text[:40]}: Bad begin time: expected [[[YY:]MM:]DD:]HH:MM")
