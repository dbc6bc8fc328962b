"""Instants as people write them, on clocks that know more or less of the calendar."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from molokini.model.dates import Clock, instant_of
from molokini.model.errors import BadValue

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 27, 14, 48, tzinfo=BERLIN).timestamp()
"""A Friday afternoon."""
REAL = Clock(NOW, 0.0, BERLIN)
LOG = Clock(None, 1767603600.0, BERLIN)
"""Its second 0 was Monday, 2026-01-05 10:00 in Berlin."""
STEPPED = Clock(100.0)


def at(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0) -> float:
    return datetime(year, month, day, hour, minute, second, tzinfo=BERLIN).timestamp()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1795000000", 1795000000.0),
        ("1795000000.5", 1795000000.5),
        ("now", NOW),
        ("+90", NOW + 90),
        ("+1:00:00", NOW + 3600),
        ("now+1hour", NOW + 3600),
        ("now + 2 days", NOW + 2 * 86400),
        ("now-30min", NOW - 1800),
        ("2026-12-04", at(2026, 12, 4)),
        ("2026-12-04T18:00", at(2026, 12, 4, 18)),
        ("2026-12-04 18:00:30", at(2026, 12, 4, 18, 0, 30)),
        ("2026-12-04T18:00Z", datetime(2026, 12, 4, 18, tzinfo=UTC).timestamp()),
        ("2026-12-04T18:00+02:00", datetime(2026, 12, 4, 16, tzinfo=UTC).timestamp()),
        ("18:00:00_12/04", at(2026, 12, 4, 18)),
        ("18_12/04/27", at(2027, 12, 4, 18)),
        ("18:00", at(2026, 11, 27, 18)),
        ("8:30", at(2026, 11, 28, 8, 30)),
        ("noon", at(2026, 11, 28, 12)),
        ("Fri 18:00", at(2026, 11, 27, 18)),
        ("fri 08:00", at(2026, 12, 4, 8)),
        ("Thursday", at(2026, 12, 3)),
        ("tomorrow 6:15", at(2026, 11, 28, 6, 15)),
        # The clocks have changed between now and then.
        ("2027-07-01T12:00", datetime(2027, 7, 1, 10, tzinfo=UTC).timestamp()),
    ],
)
def test_an_instant_of_a_real_clock(text: str, value: float) -> None:
    assert instant_of("--start", text, REAL) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("86400", 86400.0),
        ("-5", -5.0),
        ("1e5", 100000.0),
        ("2026-01-09T18:00", 4 * 86400 + 8 * 3600),
        ("2026-01-05", -10 * 3600),
        ("18:00_01/09/2026", 4 * 86400 + 8 * 3600),
    ],
)
def test_an_instant_of_a_log_counts_from_its_second_0(text: str, value: float) -> None:
    assert instant_of("--from", text, LOG) == value


@pytest.mark.parametrize(("text", "value"), [("3600", 3600.0), ("1:00:00", 3600.0), ("+0:10:00", 700.0)])
def test_an_instant_of_a_clock_without_dates(text: str, value: float) -> None:
    assert instant_of("--begin", text, STEPPED) == value


@pytest.mark.parametrize(
    ("text", "clock", "why"),
    [
        ("2026-13-04", REAL, "seconds of the clock, .* a date .* or the next such time"),
        ("2026-02-30", REAL, "a date"),
        ("25:00", REAL, "a date"),
        ("Fri 18:00 sharp", REAL, "a date"),
        ("friction", REAL, "a date"),
        ("now+3fortnights", REAL, "a date"),
        ("99999-01-01", REAL, "a date"),
        ("inf", REAL, "a date"),
        ("nan", LOG, "a date"),
        ("1e999", LOG, "a date"),
        ("", LOG, "a date"),
        ("Fri 18:00", LOG, "a log has no present instant"),
        ("+60", LOG, "a log has no present instant"),
        ("18:00:00_12/04", LOG, "a date"),
        ("2026-12-04", STEPPED, "this clock counts from 0 and knows no dates"),
        ("Fri 18:00", STEPPED, "this clock counts from 0 and knows no dates"),
    ],
)
def test_what_is_no_instant_says_which_forms_are(text: str, clock: Clock, why: str) -> None:
    with pytest.raises(BadValue, match=f"--at: .* must be .*{why}"):
        instant_of("--at", text, clock)
