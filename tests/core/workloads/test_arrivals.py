import pytest

from molokini.workloads.arrivals import LOG_CLOCK, hours_of_day, second_zero_s
from tests.core.workloads.builders import workload

MIDNIGHT_UTC = 86400 * 10_000  # 19 May 1997
YEAR_2100 = 4_102_444_800


@pytest.mark.parametrize(
    ("header", "hours", "clock"),
    [
        ((), [0, 1, 23], LOG_CLOCK),
        (("; TimeZoneString: Europe/Stockholm",), [0, 1, 23], LOG_CLOCK),
        ((f"; UnixStartTime: {MIDNIGHT_UTC}",), [0, 1, 23], "UTC"),
        ((f"; UnixStartTime: {MIDNIGHT_UTC}", "; TimeZoneString: Asia/Tokyo"), [9, 10, 8], "Asia/Tokyo"),
        ((f"; UnixStartTime: {MIDNIGHT_UTC}", "; TimeZone: -25200"), [17, 18, 16], "UTC-7h"),
        (
            (f"; UnixStartTime: {MIDNIGHT_UTC}", "; TimeZoneString: ../../x", "; TimeZone: 3600"),
            [1, 2, 0],
            "UTC+1h",
        ),
        (
            (f"; UnixStartTime: {MIDNIGHT_UTC}", "; TimeZoneString: No/Where", "; TimeZone: 9999999"),
            [0, 1, 23],
            "UTC",
        ),
        (("; UnixStartTime: 99999999999999999",), [0, 1, 23], LOG_CLOCK),
        (("; UnixStartTime: -1",), [0, 1, 23], LOG_CLOCK),
        # Logs that end behind the beginning of 2100, and just at it.
        ((f"; UnixStartTime: {YEAR_2100 - 3600}",), [0, 1, 23], LOG_CLOCK),
        ((f"; UnixStartTime: {YEAR_2100 - 86399}",), [0, 1, 0], "UTC"),
    ],
)
def test_hours_follow_the_headers_clock(header: tuple[str, ...], hours: list[int], clock: str) -> None:
    jobs = workload((0, 1, 1), (3600, 1, 1), (86399, 1, 1), header=header)
    assert (hours_of_day(jobs)[0].tolist(), hours_of_day(jobs)[1]) == (hours, clock)


def test_summer_time_comes_and_goes() -> None:
    # 1 January and 1 July 2000, noon UTC.
    jobs = workload(
        (0, 1, 1),
        (182 * 86400, 1, 1),
        header=("; UnixStartTime: 946728000", "; TimeZoneString: Europe/Paris"),
    )
    assert hours_of_day(jobs)[0].tolist() == [13, 14]


@pytest.mark.parametrize(
    ("header", "zero_s"),
    [
        ((), 0.0),
        ((f"; UnixStartTime: {YEAR_2100 + 1}",), 0.0),
        ((f"; UnixStartTime: {MIDNIGHT_UTC}",), MIDNIGHT_UTC),
        ((f"; UnixStartTime: {MIDNIGHT_UTC}", "; TimeZoneString: Asia/Tokyo"), MIDNIGHT_UTC + 9 * 3600),
        ((f"; UnixStartTime: {MIDNIGHT_UTC}", "; TimeZone: -25200"), MIDNIGHT_UTC - 7 * 3600),
    ],
)
def test_second_zero_is_told_by_the_clock_on_the_wall(header: tuple[str, ...], zero_s: float) -> None:
    assert second_zero_s(workload((0, 1, 1), header=header)) == zero_s
