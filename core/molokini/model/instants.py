"""Instants of a scheduling clock, as people read them."""

import math
from datetime import UTC, datetime

_CALENDAR_S, _CALENDAR_END_S = 1e9, 1e10
"""Instants between these are of a clock that goes by the calendar: other clocks begin at 0."""


def instant(value_s: float) -> str:
    """A second of the clock: ``2026-11-20 08:00:00Z`` where it goes by the calendar, else ``3700.125 s``."""
    if not is_calendar(value_s):
        return seconds_text(value_s)
    return f"{datetime.fromtimestamp(math.floor(value_s), UTC):%Y-%m-%d %H:%M:%S}Z"


def seconds_text(value_s: float) -> str:
    """A second of a clock that begins at 0, however far it has come: ``3700.125 s``."""
    return f"{round(value_s, 3):.15g} s"


def is_calendar(value_s: float) -> bool:
    """Whether a clock that shows *value_s* goes by the calendar."""
    return _CALENDAR_S <= value_s < _CALENDAR_END_S
