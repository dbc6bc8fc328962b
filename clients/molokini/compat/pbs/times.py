"""Times and durations as PBS reads and writes them."""

from __future__ import annotations

import time

LONGEST_S = 100 * 365.25 * 86400


def duration_s(text: str) -> float:
    """Seconds of ``[[HH:]MM:]SS[.ms]``. ValueError for what is none, or not above 0."""
    parts = text.strip().split(":")
    if not 1 <= len(parts) <= 3 or not all(_digits(part) for part in parts[:-1]):
        raise ValueError
    whole, dot, fraction = parts[-1].partition(".")
    if not _digits(whole) or (dot and not _digits(fraction)):
        raise ValueError
    seconds = float(parts[-1])
    for power, part in enumerate(reversed(parts[:-1]), 1):
        seconds += int(part) * 60**power
    if not 0 < seconds <= LONGEST_S:
        raise ValueError
    return seconds


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 12


def clock(seconds: float) -> str:
    """``HH:MM:SS``, hours as many as there are."""
    whole = max(0, int(seconds))
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


def short_clock(seconds: float) -> str:
    """``HH:MM``, as the narrow tables have it."""
    minutes = max(0, int(seconds)) // 60
    return f"{minutes // 60:02}:{minutes % 60:02}"


def calendar(instant_s: float) -> str:
    """``Tue Apr  9 15:01:47 2013``, in the zone of the caller."""
    return time.asctime(time.localtime(instant_s))


def instant_s(text: str, now_s: float) -> float:
    """The instant that ``[[[[CC]YY]MM]DD]hhmm[.SS]`` means: the next such one where parts are left out.

    Raises ValueError, which names the expected form, for any other text.
    """
    try:
        return _instant_s(text, now_s)
    except (ValueError, OverflowError):
        raise ValueError("expected [[[[CC]YY]MM]DD]hhmm[.SS]") from None


def _instant_s(text: str, now_s: float) -> float:
    digits, dot, seconds = text.partition(".")
    if not _digits(digits) or len(digits) not in (4, 6, 8, 10, 12) or (dot and not _two(seconds, 59)):
        raise ValueError
    now = time.localtime(now_s)
    pairs = [int(digits[k : k + 2]) for k in range(0, len(digits), 2)]
    minute, hour = pairs.pop(), pairs.pop()
    day = pairs.pop() if pairs else None
    month = pairs.pop() if pairs else None
    year = _year(pairs, now.tm_year)
    if hour > 23 or minute > 59 or (month is not None and not 1 <= month <= 12):
        raise ValueError
    fields = (
        now.tm_year if year is None else year,
        now.tm_mon if month is None else month,
        now.tm_mday if day is None else day,
        hour,
        minute,
        int(seconds or 0),
    )
    found = _made(fields)
    if found <= now_s and year is None:
        step = 2 if day is None else 1 if month is None else 0
        found = _made(tuple(part + (k == step) for k, part in enumerate(fields)))
    if day is not None and time.localtime(found).tm_mday != day:
        raise ValueError
    return found


def _year(pairs: list[int], present: int) -> int | None:
    if not pairs:
        return None
    if len(pairs) == 2:
        return pairs[0] * 100 + pairs[1]
    return present // 100 * 100 + pairs[0]


def _made(fields: tuple[int, ...]) -> float:
    return time.mktime((*fields, 0, 0, -1))  # type: ignore[arg-type]


def _two(text: str, most: int) -> bool:
    return len(text) == 2 and _digits(text) and int(text) <= most
