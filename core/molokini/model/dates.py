"""Instants as people write them, for every option and file that takes one; standard library only.

Seconds of the clock are understood everywhere. Dates are where the clock knows the calendar; what counts from
the present instant (``+1:00:00``, ``Fri 18:00``) is where there is one: a log has none.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta, tzinfo

from molokini.model.calendars import DAYS
from molokini.model.errors import BadValue
from molokini.model.spans import seconds

_ISO = re.compile(
    r"(\d{4})-(\d\d?)-(\d\d?)(?:[T ]+(\d\d?:\d\d(?::\d\d(?:\.\d+)?)?))? ?(Z|[+-]\d\d:?\d\d)?",
    re.ASCII | re.IGNORECASE,
)
_MAUI = re.compile(r"(\d\d?(?::\d\d){0,2})_(\d\d?)/(\d\d?)(?:/(\d\d(?:\d\d)?))?", re.ASCII)
_TIME = re.compile(r"\d\d?:\d\d(?::\d\d(?:\.\d+)?)?", re.ASCII)
_DAY = re.compile(r"([a-z]+)(?: +(\S+))?", re.ASCII)
_AWAY = re.compile(r"(now)? *([+-]) *(\S.*)", re.ASCII)
_UNITS = re.compile(r"(\d+) *([a-z]+)", re.ASCII)
_UNITS_S = {"s": 1, "sec": 1, "second": 1, "min": 60, "minute": 60, "h": 3600, "hour": 3600}
_UNITS_S |= {"d": 86400, "day": 86400, "week": 604800}
_NUMBER = re.compile(r"-?(\d+(\.\d*)?|\.\d+)(e\+?\d{1,3})?", re.ASCII | re.IGNORECASE)
_TIMES = {"midnight": "00:00", "noon": "12:00"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Clock:
    """What an instant is an instant of."""

    now_s: float | None = None
    """The present instant; None: there is none, as in a log."""
    zero_s: float | None = None
    """Its second 0, in seconds since 1970; None: it knows no dates."""
    zone: tzinfo | None = None
    """In which dates are read; None: the zone of this machine."""
    undated: str = "this clock counts from 0 and knows no dates"
    """For messages: why it knows none, where it does not."""

    def date_of(self, at_s: float) -> datetime:
        """The date at *at_s*, in the zone of the clock, which knows dates."""
        assert self.zero_s is not None
        return (_EPOCH + timedelta(seconds=self.zero_s + at_s)).astimezone(self.zone)

    @property
    def forms(self) -> str:
        """How an instant of it may be written, for messages."""
        told = ["seconds of the clock"]
        if self.now_s is not None:
            told.append("+TIME from now (+1:00:00, now+1hour)")
        if self.zero_s is not None:
            told.append("a date (2026-12-04, 2026-12-04T18:00, with Z for UTC; 18:00:00_12/04)")
        if self.zero_s is not None and self.now_s is not None:
            told.append("the next such time (18:00, Fri 18:00, tomorrow)")
        return ", ".join(told[:-1]) + " or " * (len(told) > 1) + told[-1]


def instant_of(field: str, text: str, clock: Clock) -> float:
    """The second of *clock* at which *text* says that something is; *field* is for messages.

    Raises BadValue for what is no instant, and for a date on a clock that knows none.
    """
    word = text.strip()
    try:
        at_s = _instant(word, clock)
    except (ValueError, OverflowError, OSError, BadValue):
        at_s = None
    if at_s is None or not math.isfinite(at_s):
        missing = _missing(word, clock)
        raise BadValue(field, text, clock.forms + (f"; {missing}" if missing else ""))
    return at_s


def check_instant(field: str, text: str) -> None:
    """Raise BadValue for what is no instant on any clock, before one is asked."""
    for clock in (Clock(0.0), Clock(0.0, 0.0, UTC)):
        try:
            instant_of(field, text, clock)
            return
        except BadValue as error:
            found = error
    raise found


def of_log(field: str, given: float | str) -> float | str:
    """*given* as an instant of some log: a finite number of seconds, or the text of a date.

    BadValue for what is neither, before a log is read.
    """
    text = given if isinstance(given, str) else repr(given)
    at_s = instant_of(field, text, Clock(zero_s=0.0, zone=UTC))
    return at_s if is_number(text) else text


def second_of(field: str, given: float | str, clock: Clock) -> float:
    """The second of *clock* that *given* is, or says."""
    return instant_of(field, given, clock) if isinstance(given, str) else given


def is_number(text: str) -> bool:
    """Whether *text* is a number of seconds, for which no clock need be known."""
    return _number(text.strip()) is not None


def _missing(word: str, clock: Clock) -> str:
    """Why *word*, which another clock would understand, is no instant of this one."""
    dated = bool(_ISO.fullmatch(word) or _MAUI.fullmatch(word) or word[:3].title() in DAYS)
    if clock.zero_s is None and dated:
        return clock.undated
    if clock.now_s is None and (_AWAY.fullmatch(word) or _TIME.fullmatch(word) or word[:3].title() in DAYS):
        return "a log has no present instant from which that could count"
    return ""


def _instant(word: str, clock: Clock) -> float | None:
    if (number := _number(word)) is not None:
        return number
    lower = word.lower()
    if clock.now_s is not None and lower == "now":
        return clock.now_s
    if clock.now_s is not None and (match := _AWAY.fullmatch(lower)):
        _, sign, span = match.groups()
        return clock.now_s + (-_span_s(span) if sign == "-" else _span_s(span))
    if clock.zero_s is None:
        # A clock that began at 0: a time of the day is one of its first day.
        return seconds("", word)
    if match := _ISO.fullmatch(word):
        return _of_date(match, clock)
    if match := _MAUI.fullmatch(word):
        return _of_maui(match, clock)
    return None if clock.now_s is None else _next(lower, clock)


def _number(word: str) -> float | None:
    return float(word) if _NUMBER.fullmatch(word) else None


def _span_s(text: str) -> float:
    if match := _UNITS.fullmatch(text):
        return int(match[1]) * float(_units().get(match[2], math.nan))
    return seconds("", text)


def _units() -> Mapping[str, int]:
    return _UNITS_S | {f"{unit}s": size for unit, size in _UNITS_S.items() if len(unit) > 1}


def _of_date(match: re.Match[str], clock: Clock) -> float:
    year, month, day, clock_time, zone = match.groups()
    midnight = datetime(int(year), int(month), int(day))
    date = datetime.combine(midnight, _time(clock_time or "00:00"))
    if zone is None:
        return _second_at(date, clock)
    offset = "+00:00" if zone in "zZ" else zone
    return _second_at(date.replace(tzinfo=datetime.strptime(offset, "%z").tzinfo), clock)


def _of_maui(match: re.Match[str], clock: Clock) -> float:
    clock_time, month, day, year = match.groups()
    if year is None and clock.now_s is None:
        raise ValueError("a log has no present year")
    years = clock.date_of(clock.now_s or 0.0).year if year is None else int(year)
    years += 2000 if years < 100 else 0
    midnight = datetime(years, int(month), int(day))
    return _second_at(datetime.combine(midnight, _time(clock_time)), clock)


def _next(word: str, clock: Clock) -> float | None:
    """The first instant from now on that *word* names: a time of the day, a day, or both."""
    now_s = clock.now_s or 0.0
    today = clock.date_of(now_s)
    midnight = datetime(today.year, today.month, today.day)
    if word in _TIMES or _TIME.fullmatch(word):
        clock_time, days, again = _time(_TIMES.get(word, word)), 0, 1
    else:
        match = _DAY.fullmatch(word)
        if match is None:
            return None
        name, behind = match.groups()
        clock_time, again = _time(_TIMES.get(behind or "midnight", behind or "")), 7
        if name in ("today", "tomorrow"):
            return _second_at(datetime.combine(midnight + timedelta(name == "tomorrow"), clock_time), clock)
        if len(name) < 3 or not any(name == _NAMES[day][: len(name)] for day in DAYS):
            return None
        days = (DAYS.index(name[:3].title()) - today.weekday()) % 7
    found = _second_at(datetime.combine(midnight + timedelta(days), clock_time), clock)
    if found >= now_s:
        return found
    return _second_at(datetime.combine(midnight + timedelta(days + again), clock_time), clock)


_NAMES = dict(
    zip(
        DAYS,
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
        strict=True,
    )
)


def _time(text: str) -> time:
    hours, minutes, rest = [*text.split(":"), "0", "0"][:3]
    whole, _, fraction = rest.partition(".")
    return time(int(hours), int(minutes), int(whole), int(float(f"0.{fraction or 0}") * 1e6))


def _second_at(date: datetime, clock: Clock) -> float:
    """The second of *clock* at *date*, which is in the clock's zone unless it has one of its own.

    A time that a change of clocks repeats is the first of the two.
    """
    assert clock.zero_s is not None
    placed = date if date.tzinfo is not None or clock.zone is None else date.replace(tzinfo=clock.zone)
    return placed.timestamp() - clock.zero_s
