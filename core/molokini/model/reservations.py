"""Administrative reservations: processors kept for some for a while; and standing ones, which come back.

Access is granted to credentials, and one that fits is enough (Maui's rule); without any nobody may use
them. Overlapping reservations add up. What runs when one is made goes on. Times are seconds of the
scheduling clock.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from molokini.model.calendars import DAY_S, DAYS, Calendar, Period
from molokini.model.errors import BadValue

MOST = 1_000
"""Reservations and instances of standing ones at a time: each pass looks at all of them."""


class Credential(IntEnum):
    """Whom access can be granted to; the numbers are those of the tables."""

    USER = 0
    GROUP = 1
    ACCOUNT = 2
    QUEUE = 3
    QOS = 4


CREDENTIALS = tuple(one.name.lower() for one in Credential)


@dataclass(frozen=True)
class Reservation:
    """*processors* are kept from *start_s* up to *end_s* for whom *access* names, by kind of credential."""

    name: str
    processors: int
    start_s: float
    end_s: float
    access: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check(self.name, self.processors, self.access)
        if not (math.isfinite(self.start_s) and self.start_s < self.end_s):
            raise BadValue(
                f"reservation {self.name}: end_s", self.end_s, f"later than start_s {self.start_s}"
            )

    def as_json(self) -> dict[str, object]:
        """Plain values; an end that never comes is left out."""
        made: dict[str, object] = {
            "name": self.name,
            "processors": self.processors,
            "start_s": self.start_s,
            "access": {kind: list(names) for kind, names in sorted(self.access.items())},
        }
        return made if math.isinf(self.end_s) else {**made, "end_s": self.end_s}


@dataclass(frozen=True)
class StandingReservation:
    """A reservation that comes back; its next *depth* instances are there, and rolled at midnight."""

    name: str
    processors: int
    calendar: Calendar = field(default_factory=Calendar)
    depth: int = 2
    access: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check(self.name, self.processors, self.access)
        if not 1 <= self.depth <= 1000:
            raise BadValue(f"reservation {self.name}: depth", self.depth, "from 1 to 1,000")

    def as_json(self) -> dict[str, object]:
        """Plain values."""
        when = self.calendar
        days = [day for day in DAYS if day in when.days]
        calendar = {"period": str(when.period), "days": days, "start_s": when.start_s, "end_s": when.end_s}
        return {
            "name": self.name,
            "processors": self.processors,
            "calendar": {**calendar, "zone_s": when.zone_s},
            "depth": self.depth,
            "access": {kind: list(names) for kind, names in sorted(self.access.items())},
        }

    def instances(self, now_s: float) -> list[Reservation]:
        """Those that are there after the roll at *now_s*, the one that is going on included."""
        found = self.calendar.next_windows(now_s, self.depth)
        names = [f"{self.name}.{window.start_s:.0f}" for window in found]
        return [
            Reservation(name, self.processors, window.start_s, window.end_s, self.access)
            for name, window in zip(names, found, strict=True)
        ]

    def next_roll_s(self, now_s: float) -> float:
        """The first midnight after *now_s*."""
        return next_midnight_s(now_s, self.calendar.zone_s)


def next_midnight_s(now_s: float, zone_s: float = 0.0) -> float:
    """The first midnight after *now_s*, where midnights are moved by *zone_s*."""
    return (math.floor((now_s + zone_s) / DAY_S) + 1) * DAY_S - zone_s


def check_together(reservations: Sequence[Reservation | StandingReservation], processors: int) -> None:
    """BadValue where two have one name, one is larger than the machine, or there are too many."""
    if len(reservations) > MOST:
        raise BadValue("reservations", len(reservations), f"at most {MOST:,}")
    names: set[str] = set()
    for one in reservations:
        if one.name in names:
            raise BadValue("name", one.name, "a name of its own for every reservation")
        names.add(one.name)
        if one.processors > processors:
            raise BadValue(
                f"reservation {one.name}: processors", one.processors, f"at most the machine's {processors:,}"
            )


def _check(name: str, processors: int, access: Mapping[str, tuple[str, ...]]) -> None:
    if not (1 <= len(name) <= 64 and name.isprintable() and not any(c.isspace() for c in name)):
        raise BadValue("name", name[:60], "1 to 64 printable characters without a space")
    if not 1 <= processors <= 2**40:
        raise BadValue(f"reservation {name}: processors", processors, "a whole number of 1 or more")
    for kind in access:
        if kind not in CREDENTIALS:
            raise BadValue(f"reservation {name}: access", kind, "one of " + ", ".join(CREDENTIALS))


def of_json(found: Mapping[str, Any]) -> Reservation | StandingReservation:
    """What ``as_json`` has made of one."""
    name, processors = str(found["name"]), int(found["processors"])
    access = {kind: tuple(names) for kind, names in found["access"].items()}
    if "calendar" not in found:
        return Reservation(name, processors, float(found["start_s"]), found.get("end_s", math.inf), access)
    when = dict(found["calendar"])
    when |= {"period": Period(when["period"]), "days": frozenset(when["days"])}
    return StandingReservation(name, processors, Calendar(**when), int(found["depth"]), access)
