"""The calendar of a log: the local time of its machine at every submission."""

from dataclasses import dataclass
from datetime import datetime, timedelta, tzinfo

import numpy as np

from molokini.model.dates import Clock, instant_of
from molokini.model.errors import BadValue
from molokini.workloads.arrivals import FIRST_EPOCH_S, LAST_EPOCH_S, LOG_CLOCK, zone_of
from molokini.workloads.header import header_integer
from molokini.workloads.workload import Floats, Header, Ints

DAY_S = 86400.0
HOUR_S = 3600.0
_QUARTER_S = 900.0
_THURSDAY = 3
"""1 January 1970 was one; Monday is 0."""

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")


@dataclass(frozen=True)
class Calendar:
    """The local time of some instants."""

    local_s: Floats
    """Seconds since the midnight before 1970, local time; of the log where its header tells no date."""
    clock: str
    """The name of the clock."""

    @property
    def dated(self) -> bool:
        """Whether the header says when the log began: else days are those of the log, the first is 0."""
        return self.clock != LOG_CLOCK

    @property
    def day(self) -> Ints:
        """Whole days since 1970, or since the log's second 0."""
        return np.floor(self.local_s / DAY_S).astype(np.int64)

    @property
    def hour(self) -> Ints:
        """Hour of the day, 0 to 23."""
        return np.floor(self.local_s % DAY_S / HOUR_S).astype(np.int64)

    @property
    def weekday(self) -> Ints:
        """Monday 0 to Sunday 6; the day of the log's own weeks where it tells no date."""
        return (self.day + (_THURSDAY if self.dated else 0)) % 7

    @property
    def week(self) -> Ints:
        """Whole weeks, from Monday to Sunday, of any beginning; of the log where it tells no date."""
        return (self.day + (_THURSDAY if self.dated else 0)) // 7

    @property
    def month(self) -> Ints:
        """Whole months since January 1970; spans of 30 days where the log tells no date."""
        if not self.dated:
            return self.day // 30
        return self.day.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)


def calendar(header: Header, submit_s: Floats) -> Calendar:
    """The local time at *submit_s*, seconds of the log; summer time is that of the header's zone."""
    start = header_integer(header, "UnixStartTime")
    last = float(submit_s.max()) if submit_s.size else 0.0
    if start is None or start <= FIRST_EPOCH_S or start + last > LAST_EPOCH_S:
        return Calendar(submit_s, LOG_CLOCK)
    zone, name = zone_of(header)
    epoch_s = start + np.maximum(submit_s, 0.0)
    return Calendar(epoch_s + _offsets(epoch_s, zone), name)


def each_weekday(found: Calendar) -> Ints:
    """How often each weekday (as ``weekday`` counts them) was there from the first day to the last.

    The instants of *found* are in order, and there is one at least.
    """
    first, last = int(found.day[0]), int(found.day[-1])
    whole, rest = divmod(last - first + 1, 7)
    each = np.full(7, whole, np.int64)
    each[(int(found.weekday[0]) + np.arange(rest)) % 7] += 1
    return each


def log_clock(header: Header) -> Clock:
    """The clock of a log: dates are in its header's zone, where that says when second 0 was."""
    start = header_integer(header, "UnixStartTime")
    if start is None or not FIRST_EPOCH_S < start <= LAST_EPOCH_S:
        return Clock(undated=UNDATED)
    return Clock(zero_s=float(start), zone=zone_of(header)[0])


UNDATED = "the log's header has no UnixStartTime that says when its second 0 was"


def instant_in_log(header: Header, text: str) -> float | None:
    """The second of the log at ``2012-02-03 00:00:00`` local time; None where the header tells no date.

    None, too, where there is no such date. A time that a change of clocks repeats is the first of the two.
    """
    try:
        return instant_of("date", text, log_clock(header))
    except BadValue:
        return None


def _offsets(epoch_s: Floats, zone: tzinfo) -> Floats:
    """Local time less UTC at each instant, in seconds: asked day by day, and by quarters where it changes."""
    days, which = np.unique(np.floor(epoch_s / DAY_S), return_inverse=True)
    at_start = np.array([_offset(day * DAY_S, zone) for day in days.tolist()])
    at_end = np.array([_offset((day + 1) * DAY_S, zone) for day in days.tolist()])
    found = at_start[which]
    rows = np.flatnonzero((at_start != at_end)[which])
    if rows.size:
        # Zones change their offset at whole quarters of an hour.
        quarters, of = np.unique(np.floor(epoch_s[rows] / _QUARTER_S), return_inverse=True)
        found[rows] = np.array([_offset(quarter * _QUARTER_S, zone) for quarter in quarters.tolist()])[of]
    return found


def _offset(epoch_s: float, zone: tzinfo) -> float:
    offset = datetime.fromtimestamp(epoch_s, zone).utcoffset()
    return (offset or timedelta()).total_seconds()
