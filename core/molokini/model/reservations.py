"""Administrative reservations: processors kept for some jobs for a time; and standing ones, which come back.

Access is granted to credentials, and one that fits is enough (Maui's rule); without any no job may use them.
A sign behind a name says how much its jobs want what is reserved (``Affinity``). Overlapping reservations add
up. Jobs that run when a reservation is made go on. Times are seconds of the scheduling clock. ``Terms`` hold
what only a site's configuration can say.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Any, TypeVar

from molokini.model.calendars import DAY_S, DAYS, Calendar, Period
from molokini.model.errors import BadInput, BadValue, UnknownName
from molokini.model.requests import LICENSE_COUNT, MOST_LICENSES

MOST = 1_000
"""The most reservations and instances of standing ones at a time: each pass goes through all of them."""


class Credential(IntEnum):
    """To which kinds of credentials access can be granted; the numbers are those of the tables."""

    USER = 0
    GROUP = 1
    ACCOUNT = 2
    QUEUE = 3
    QOS = 4
    """The QoS that a job asked for."""
    SERVICE = 5
    """The QoS that the policy has found for a job; its number is its place among those of the settings."""
    DURATION = 6
    """Jobs of an estimate up to so many seconds."""


class Affinity(IntEnum):
    """Whether jobs that are admitted want what is reserved, by the sign behind a name of an access list."""

    NEGATIVE = 1
    """``ann-``: only where nothing else is left."""
    NEUTRAL = 2
    """``ann=``: before what is not reserved."""
    POSITIVE = 3
    """``ann`` or ``ann+``: before all else."""


_SIGNS = {"-": Affinity.NEGATIVE, "=": Affinity.NEUTRAL, "+": Affinity.POSITIVE}


def entry_of(text: str) -> tuple[str, Affinity]:
    """The name and the affinity that an entry of an access list says."""
    if len(text) > 1 and text[-1] in _SIGNS:
        return text[:-1], _SIGNS[text[-1]]
    return text, Affinity.POSITIVE


def renamed(text: str, name: str) -> str:
    """The entry *text* with *name* in the place of its own."""
    return name + text.removeprefix(entry_of(text)[0])


CREDENTIALS = tuple(one.name.lower() for one in Credential if one <= Credential.QOS)
"""The kinds that an administrator may name; the others come from a configuration."""
_KNOWN = tuple(one.name.lower() for one in Credential)


@dataclass(frozen=True)
class Terms:
    """What a reservation of a configuration may say beside what it admits."""

    denied: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Credentials that have no access whatever else fits, by kind."""
    required: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Credentials all of which a job must have, beside one that is admitted (where any is)."""
    shared: bool = False
    """It may share its processors with other reservations: only the larger of what overlaps is kept."""
    hosts: Mapping[str, int] = field(default_factory=dict)
    """On which nodes it is, and how many processors of each it has; empty: on any nodes."""
    partial: bool = False
    """Where there is not enough for all reservations it takes what others leave; else they add up."""
    licenses: Mapping[str, int] = field(default_factory=dict)
    """How many licences of the cluster it keeps, by name; with some it may have no processors."""

    def __post_init__(self) -> None:
        if len(self.licenses) > MOST_LICENSES:
            raise BadValue(
                "licenses", len(self.licenses), f"at most {MOST_LICENSES} kinds in one reservation"
            )
        for name, count in self.licenses.items():
            if not 0 < count < LICENSE_COUNT:
                raise BadValue(f"licenses.{name}", count, "a whole number from 1 to 2^31 - 1")

    def as_json(self) -> dict[str, object]:
        """Plain values."""
        return {
            "denied": {kind: list(names) for kind, names in sorted(self.denied.items())},
            "required": {kind: list(names) for kind, names in sorted(self.required.items())},
            "shared": self.shared,
            "hosts": dict(self.hosts),
            "partial": self.partial,
            **({"licenses": dict(self.licenses)} if self.licenses else {}),
        }


PLAIN = Terms()


@dataclass(frozen=True)
class Reservation:
    """*processors* are kept from *start_s* up to *end_s* for the credentials of *access*, by their kind."""

    name: str
    processors: int
    start_s: float
    end_s: float
    access: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    terms: Terms = PLAIN

    def __post_init__(self) -> None:
        _check(self.name, self.processors, self.access, self.terms)
        if not (math.isfinite(self.start_s) and self.start_s < self.end_s):
            raise BadValue(
                f"reservation {self.name}: end_s", self.end_s, f"later than start_s {self.start_s}"
            )

    def as_json(self) -> dict[str, object]:
        """Plain values; an infinite end is left out."""
        made: dict[str, object] = {
            "name": self.name,
            "processors": self.processors,
            "start_s": self.start_s,
            "access": {kind: list(names) for kind, names in sorted(self.access.items())},
        }
        made |= {} if self.terms == PLAIN else {"terms": self.terms.as_json()}
        return made if math.isinf(self.end_s) else {**made, "end_s": self.end_s}


@dataclass(frozen=True)
class StandingReservation:
    """A reservation that comes back; it has its next *depth* instances, which are rolled at midnight."""

    name: str
    processors: int
    calendar: Calendar = field(default_factory=Calendar)
    depth: int = 2
    access: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    terms: Terms = PLAIN

    def __post_init__(self) -> None:
        _check(self.name, self.processors, self.access, self.terms)
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
            **({} if self.terms == PLAIN else {"terms": self.terms.as_json()}),
        }

    def instances(self, now_s: float) -> list[Reservation]:
        """The instances after the roll at *now_s*, the one that lasts then included."""
        found = self.calendar.next_windows(now_s, self.depth)
        names = [f"{self.name}.{window.start_s:.0f}" for window in found]
        return [
            Reservation(name, self.processors, window.start_s, window.end_s, self.access, self.terms)
            for name, window in zip(names, found, strict=True)
        ]

    def next_roll_s(self, now_s: float) -> float:
        """The first midnight after *now_s*."""
        return next_midnight_s(now_s, self.calendar.zone_s)


_Either = TypeVar("_Either", bound=Reservation | StandingReservation)


def next_midnight_s(now_s: float, zone_s: float = 0.0) -> float:
    """The first midnight after *now_s*, where midnights are moved by *zone_s*."""
    return (math.floor((now_s + zone_s) / DAY_S) + 1) * DAY_S - zone_s


def check_together(reservations: Sequence[Reservation | StandingReservation], processors: int) -> None:
    """Raise BadValue where two have one name, one is larger than the machine, or there are too many."""
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


def placed(one: _Either, sizes: Mapping[str, int]) -> _Either:
    """*one* with the processors of each of its nodes, by their *sizes*; 0 asks for all of a node.

    Unchanged where it is on no nodes in particular. Raises BadInput, UnknownName, BadValue.
    """
    if not one.terms.hosts:
        return one
    if not sizes:
        raise BadInput(f"reservation {one.name} is on particular nodes, and this machine has none with names")
    hosts: dict[str, int] = {}
    for name, kept in one.terms.hosts.items():
        if name not in sizes:
            raise UnknownName("node", name, sizes)
        if not 0 <= kept <= sizes[name]:
            allowed = f"from 1 to its {sizes[name]:,}, or 0 for all"
            raise BadValue(f"reservation {one.name}: processors of {name}", kept, allowed)
        hosts[name] = kept or sizes[name]
    return replace(one, processors=sum(hosts.values()), terms=replace(one.terms, hosts=hosts))


def _check(name: str, processors: int, access: Mapping[str, tuple[str, ...]], terms: Terms) -> None:
    if not (1 <= len(name) <= 64 and name.isprintable() and " " not in name):
        raise BadValue("name", name[:60], "1 to 64 printable characters without a space")
    if not (0 if terms.licenses else 1) <= processors <= 2**40:
        raise BadValue(f"reservation {name}: processors", processors, "a whole number of 1 or more")
    for kind in access:
        if kind not in _KNOWN:
            raise BadValue(f"reservation {name}: access", kind, "one of " + ", ".join(CREDENTIALS))


def fitted(
    reservations: Sequence[Reservation], processors: int, nodes: Mapping[str, int] | None = None
) -> list[Reservation]:
    """*reservations*; partial ones are cut, in this order, to what is left, or dropped if nothing is left.

    Left is what other reservations, which do not share it and last at the same time, have not taken: of the
    machine's *processors* and, where a reservation is on nodes, of the processors of each (*nodes*).
    """
    made: list[Reservation] = []
    for one in reservations:
        if not one.terms.partial or one.terms.shared:
            made.append(one)
            continue
        others = [
            other
            for other in made
            if not other.terms.shared and other.start_s < one.end_s and one.start_s < other.end_s
        ]
        cut = _cut(one, others, processors, nodes or {})
        if cut is not None:
            made.append(cut)
    return made


def _cut(
    one: Reservation, others: Sequence[Reservation], processors: int, nodes: Mapping[str, int]
) -> Reservation | None:
    begins = {one.start_s, *(other.start_s for other in others if other.start_s > one.start_s)}
    most, most_of = 0, dict[str, int]()
    """The most that the others have at a time: in all, and of each node."""
    for at_s in begins if others else ():
        present = [other for other in others if other.start_s <= at_s < other.end_s]
        most = max(most, sum(other.processors for other in present))
        on_nodes: Counter[str] = Counter()
        for other in present:
            on_nodes.update(other.terms.hosts)
        for name, kept in on_nodes.items():
            most_of[name] = max(most_of.get(name, 0), kept)
    left = min(one.processors, processors - most)
    if not one.terms.hosts:
        return replace(one, processors=left) if left > 0 else None
    if not most_of and left == one.processors and _takes_whole(one, nodes):
        return one
    hosts: dict[str, int] = {}
    for name, kept in one.terms.hosts.items():
        here = nodes.get(name, 0) - most_of.get(name, 0)
        # Reservations on no particular nodes may take processors of these nodes, so *left* bounds each.
        if (taken := min(kept, here, left)) > 0:
            hosts[name] = taken
            left -= taken
    if not hosts:
        return None
    return replace(one, processors=sum(hosts.values()), terms=replace(one.terms, hosts=hosts))


def _takes_whole(one: Reservation, nodes: Mapping[str, int]) -> bool:
    """Whether *one* has all of its nodes: the usual case, in which there is nothing to be cut."""
    kept = one.terms.hosts
    whole = one.processors == sum(kept.values()) and min(kept.values()) > 0
    return whole and kept.items() <= nodes.items()


def of_json(found: Mapping[str, Any]) -> Reservation | StandingReservation:
    """The reservation of which ``as_json`` has made *found*."""
    name, processors = str(found["name"]), int(found["processors"])
    access, terms = _lists(found["access"]), _terms(found.get("terms"))
    if "calendar" not in found:
        end_s = found.get("end_s", math.inf)
        return Reservation(name, processors, float(found["start_s"]), end_s, access, terms)
    when = dict(found["calendar"])
    when |= {"period": Period(when["period"]), "days": frozenset(when["days"])}
    return StandingReservation(name, processors, Calendar(**when), int(found["depth"]), access, terms)


def _terms(found: Mapping[str, Any] | None) -> Terms:
    if found is None:
        return PLAIN
    denied, required = _lists(found["denied"]), _lists(found["required"])
    hosts = {str(name): int(kept) for name, kept in found["hosts"].items()}
    licenses = {str(name): int(kept) for name, kept in found.get("licenses", {}).items()}
    shared, partial = bool(found["shared"]), bool(found["partial"])
    return Terms(denied, required, shared, hosts, partial, licenses)


def _lists(found: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {kind: tuple(names) for kind, names in found.items()}
