"""The hour of the day at which each job came, in the local time of its machine."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import numpy as np

from molokini.workloads.header import header_integer
from molokini.workloads.workload import Floats, Header, Ints, Workload

LOG_CLOCK = "seconds of the log"
"""The name of the clock where the header does not say when its second 0 was."""

_HOUR_S = 3600
FIRST_EPOCH_S, LAST_EPOCH_S = 0, 4_102_444_800
"""1970 and 2100: an epoch outside is a mistake, and calendars need not follow it."""


def hours_of_day(workload: Workload) -> tuple[Ints, str]:
    """Each job's hour of submission, 0 to 23, and the name of the clock that was used.

    Local time needs UnixStartTime and TimeZoneString (or the older TimeZone, seconds) in the
    header, summer time is that zone's; with the first alone it is UTC. Without any, hours count
    from the log's second 0.
    """
    start = header_integer(workload.header, "UnixStartTime")
    last = float(workload.submit_s[-1]) if len(workload) else 0.0
    if start is None or start <= FIRST_EPOCH_S or start + last > LAST_EPOCH_S:
        return (workload.submit_s // _HOUR_S % 24).astype(np.int64), LOG_CLOCK
    zone, name = zone_of(workload.header)
    return _local_hours(start + workload.submit_s, zone), name


def second_zero_s(workload: Workload) -> float:
    """Seconds from the midnight before 1970 to the log's second 0, in the local time of its machine.

    Where the header does not say when that was it is 0. In a zone with summer time the difference at the
    log's beginning counts throughout.
    """
    start = header_integer(workload.header, "UnixStartTime")
    if start is None or start <= FIRST_EPOCH_S or start > LAST_EPOCH_S:
        return 0.0
    zone, _ = zone_of(workload.header)
    offset = datetime.fromtimestamp(start, zone).utcoffset()
    return start + (offset.total_seconds() if offset is not None else 0.0)


def _local_hours(epoch_s: Floats, zone: tzinfo) -> Ints:
    # Zones differ from UTC by quarters of an hour, so one conversion for each quarter is enough.
    quarters, which = np.unique(epoch_s // (_HOUR_S / 4), return_inverse=True)
    hours = [datetime.fromtimestamp(quarter * (_HOUR_S / 4), zone).hour for quarter in quarters.tolist()]
    return np.array(hours, np.int64)[which]


def zone_of(header: Header) -> tuple[tzinfo, str]:
    """The time zone that a header names, and its name; UTC where it names none that is known."""
    name = (header.first("TimeZoneString") or "").strip()
    if name:
        try:
            return ZoneInfo(name), name
        except (KeyError, ValueError, OSError):
            pass  # a zone that this system does not know, or no zone at all
    offset = header_integer(header, "TimeZone")
    if offset is not None and abs(offset) < 86400:
        return timezone(timedelta(seconds=offset)), f"UTC{offset / _HOUR_S:+g}h"
    return UTC, "UTC"
