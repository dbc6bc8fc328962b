"""Calendars: the windows of time of what comes back each day or week.

Standing reservations follow them (Maui's PERIOD, DAYS, STARTTIME, ENDTIME and DEPTH). Instants are seconds
since 1970-01-01, a Thursday, in UTC; *zone_s* moves midnight. Neither a clock nor a time zone database is
read: the same instants give the same windows everywhere; a day has 86,400 s.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from molokini.model.errors import BadValue

DAY_S = 86_400.0
WEEK_S = 7 * DAY_S
DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_THURSDAY = 3
"""The day of the week of 1970-01-01, counted from Monday."""


class Period(StrEnum):
    """How often a window comes back."""

    DAY = "DAY"
    WEEK = "WEEK"
    INFINITY = "INFINITY"


@dataclass(frozen=True)
class Window:
    """From *start_s* up to *end_s*; without end where that is infinite."""

    start_s: float
    end_s: float


@dataclass(frozen=True)
class Calendar:
    """Windows that come back.

    *start_s* and *end_s* count from midnight (of Monday where the period is a week). *days* are the days of
    the week that have a daily window. Raises ``BadValue`` for a calendar that never matches.
    """

    period: Period = Period.DAY
    days: frozenset[str] = frozenset(DAYS)
    start_s: float = 0.0
    end_s: float = DAY_S
    zone_s: float = 0.0

    def __post_init__(self) -> None:
        unknown = sorted(self.days - set(DAYS))
        if unknown:
            raise BadValue("DAYS", unknown[0], "one of ALL, " + ", ".join(DAYS))
        if self.period is Period.DAY and not self.days:
            raise BadValue("DAYS", "", "one day or more; the calendar would never match")
        length_s = WEEK_S if self.period is Period.WEEK else DAY_S
        if self.period is not Period.INFINITY and not 0 <= self.start_s < self.end_s <= length_s:
            raise BadValue(
                "STARTTIME, ENDTIME",
                (self.start_s, self.end_s),
                f"a start before an end, from 0 to {length_s:,.0f} s; the calendar would never match",
            )

    def windows(self, now_s: float) -> Iterator[Window]:
        """The window that lasts at *now_s*, if one does, and those to come, in order, without an end."""
        if self.period is Period.INFINITY:
            yield Window(self.start_s, float("inf"))
            return
        step_s = WEEK_S if self.period is Period.WEEK else DAY_S
        base_s = self._begin_of_period(now_s, step_s)
        while True:
            window = Window(base_s + self.start_s, base_s + self.end_s)
            if window.end_s > now_s and self._is_there(base_s):
                yield window
            base_s += step_s

    def next_windows(self, now_s: float, depth: int) -> list[Window]:
        """The first *depth* windows from *now_s* on (what DEPTH says); of INFINITY there is one."""
        return list(islice(self.windows(now_s), depth))

    def _begin_of_period(self, now_s: float, step_s: float) -> float:
        # Weeks begin on Monday, three days before the day that instants count from.
        shift_s = self.zone_s + (_THURSDAY * DAY_S if step_s == WEEK_S else 0.0)
        return (now_s + shift_s) // step_s * step_s - shift_s

    def _is_there(self, base_s: float) -> bool:
        if self.period is Period.WEEK:
            return True
        return DAYS[int((base_s + self.zone_s) // DAY_S + _THURSDAY) % 7] in self.days
