"""Reservations in a file, TOML or JSON by its ending, for ``molokini simulate --reservations``.

    [[reservations]]
    name = "night"            # processors, and either start_s (and end_s) or a calendar
    processors = 64
    calendar = { days = ["Mon", "Tue"], start_s = "18:00", end_s = "22:00" }
    depth = 2
    access = { user = [12, 17], queue = [3] }

In the place of ``processors`` stands ``nodes``: names or patterns (``["node[001-004]"]``) of nodes that are
reserved whole, or a table of processors by name. JSON has the same keys: ``{"reservations": [...]}``.
Instants and midnights are those of the log's clock: dates, and days of the week, are in its own time zone.
"""

import json
import tomllib
from collections.abc import Mapping
from datetime import date, time
from math import inf
from pathlib import Path
from typing import Any

from molokini.model.calendars import DAY_S, Calendar, Period
from molokini.model.dates import Clock, instant_of
from molokini.model.errors import BadFile, BadInput, BadValue, UnknownName
from molokini.model.names import expand
from molokini.model.reservations import PLAIN, Reservation, StandingReservation, Terms

_KEYS = ("name", "processors", "nodes", "start_s", "end_s", "calendar", "depth", "access")
UNDATED = Clock()
"""Of a log that does not tell when its second 0 was."""
_CALENDAR = ("period", "days", "start_s", "end_s", "zone_s")


def read_reservations(path: str, clock: Clock = UNDATED) -> list[Reservation | StandingReservation]:
    """What the file at *path* reserves on a log of this *clock*; BadFile names what is wrong with it."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        found = json.loads(text) if path.endswith(".json") else tomllib.loads(text)
    except OSError as error:
        raise BadFile(path, f"cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise BadFile(path, f"neither TOML nor JSON of that ending: {error}") from None
    listed = found.get("reservations") if isinstance(found, dict) else None
    if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
        raise BadFile(path, "there is no list of tables called 'reservations'")
    try:
        return [reservation_of(one, clock) for one in listed]
    except BadInput as error:
        raise BadFile(path, str(error)) from None


def reservation_of(found: Mapping[str, Any], clock: Clock = UNDATED) -> Reservation | StandingReservation:
    """The reservation that a table describes; BadInput where it describes none."""
    for key in found:
        if key not in _KEYS:
            raise UnknownName("key of a reservation", key, _KEYS)
    name, processors = found.get("name"), found.get("processors")
    if not isinstance(name, str):
        raise BadValue("name", name, "a text")
    hosts = _hosts(name, found["nodes"]) if "nodes" in found else {}
    if hosts and processors is not None:
        raise BadInput(f"reservation {name} has processors or nodes, not both")
    # Of one on particular nodes these say how many processors it has.
    processors = 1 if hosts else processors
    if not isinstance(processors, int) or isinstance(processors, bool):
        raise BadValue(f"reservation {name}: processors", processors, "a whole number")
    terms = Terms(hosts=hosts) if hosts else PLAIN
    access = _access(name, found.get("access", {}))
    if "calendar" in found:
        if "start_s" in found or "end_s" in found:
            raise BadInput(f"reservation {name} has start_s and end_s, or a calendar, not both")
        depth = found.get("depth", 2)
        if not isinstance(depth, int):
            raise BadValue(f"reservation {name}: depth", depth, "a whole number")
        calendar = _calendar(name, found["calendar"], clock)
        return StandingReservation(name, processors, calendar, depth, access, terms)
    if "depth" in found:
        raise BadInput(f"reservation {name} has a depth, which needs a calendar")
    start_s = _instant(name, "start_s", found.get("start_s", 0.0), clock)
    end_s = _instant(name, "end_s", found.get("end_s", inf), clock)
    return Reservation(name, processors, start_s, end_s, access, terms)


def _hosts(name: str, found: object) -> dict[str, int]:
    """Processors by node; 0: all of it."""
    if isinstance(found, dict) and found:
        for node, kept in found.items():
            if not isinstance(kept, int) or isinstance(kept, bool) or kept < 1:
                raise BadValue(f"reservation {name}: processors of {node}", kept, "a whole number from 1 on")
        return dict(found)
    if not isinstance(found, list) or not found or not all(isinstance(one, str) for one in found):
        allowed = 'names or patterns, as ["node[001-004]"], or processors by name, as { node001 = 4 }'
        raise BadValue(f"reservation {name}: nodes", found, allowed)
    return {node: 0 for pattern in found for node in expand(pattern)}


def _access(name: str, found: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(found, dict) or not all(isinstance(names, list) for names in found.values()):
        raise BadValue(f"reservation {name}: access", found, "lists by kind: {user = [1, 2], queue = [3]}")
    return {kind: tuple(str(one) for one in names) for kind, names in found.items()}


def _calendar(name: str, found: object, clock: Clock) -> Calendar:
    if not isinstance(found, dict):
        raise BadValue(f"reservation {name}: calendar", found, "a table")
    for key in found:
        if key not in _CALENDAR:
            raise UnknownName("key of a calendar", key, _CALENDAR)
    given: dict[str, Any] = {
        key: _time_of_day(name, key, found[key]) for key in ("start_s", "end_s") if key in found
    }
    zone_s = _number(name, "zone_s", found["zone_s"]) if "zone_s" in found else None
    given["zone_s"] = _midnight(zone_s, clock)
    if "period" in found:
        periods = [str(one) for one in Period]
        if found["period"] not in periods:
            raise BadValue(f"reservation {name}: period", found["period"], "one of " + ", ".join(periods))
        given["period"] = Period(found["period"])
    if "days" in found:
        if not isinstance(found["days"], list):
            raise BadValue(f"reservation {name}: days", found["days"], "a list of days")
        given["days"] = frozenset(str(day) for day in found["days"])
    return Calendar(**given)


def _midnight(zone_s: float | None, clock: Clock) -> float:
    """What moves the midnights of 1970 to those of the log: its second 0, in the local time of its machine.

    *zone_s* is in the place of its time zone, or, beyond a day, of all of it: as results repeat it.
    """
    if clock.zero_s is None or (zone_s is not None and abs(zone_s) > DAY_S):
        return zone_s or 0.0
    offset = clock.date_of(0.0).utcoffset()
    local_s = zone_s if zone_s is not None else offset.total_seconds() if offset is not None else 0.0
    return clock.zero_s + local_s


def _instant(name: str, key: str, value: object, clock: Clock) -> float:
    """A second of the log, or a date (a text, or one of TOML's own)."""
    if isinstance(value, date):
        value = value.isoformat()
    if isinstance(value, str):
        return instant_of(f"reservation {name}: {key}", value, clock)
    return _number(name, key, value)


def _time_of_day(name: str, key: str, value: object) -> float:
    """Seconds after midnight, or a time such as ``18:00``."""
    if isinstance(value, time):
        value = value.isoformat()
    if not isinstance(value, str):
        return _number(name, key, value)
    if value == "24:00":
        return DAY_S
    try:
        at = time.fromisoformat(value)
    except ValueError:
        raise BadValue(
            f"reservation {name}: {key}", value, "seconds after midnight, or a time such as 18:00"
        ) from None
    return at.hour * 3600.0 + at.minute * 60 + at.second


def _number(name: str, key: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise BadValue(f"reservation {name}: {key}", value, "a number of seconds")
    return float(value)
