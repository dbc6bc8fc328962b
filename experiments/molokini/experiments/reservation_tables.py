"""Reservations of a site's past as its own tools print them, for ``--reservations`` and packs.

Bars part the cells of a table with a header (Name, NodeNames, TimeStart, TimeEnd, perhaps Flags), and other
lines are pairs (``ReservationName=x StartTime=... Nodes=... Users=...``). A reservation keeps its nodes,
whole, for the users and accounts that it names, and for users whose jobs are recorded in it.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from molokini.accounting.fields import BadField, counts_of
from molokini.experiments.asked_nodes import license_numbers
from molokini.model.credentials import CredentialType
from molokini.model.dates import Clock, instant_of
from molokini.model.errors import BadFile, BadInput, BadValue
from molokini.model.names import expand
from molokini.model.requests import MOST_LICENSES
from molokini.model.reservations import MOST, Reservation, Terms
from molokini.model.text import plural
from molokini.reports.stopped import numbers_of
from molokini.workloads.workload import Workload

_COMMA = re.compile(r",(?![^\[]*\])")
_PAIR = re.compile(r"([A-Za-z]+)=(\S*)")
_NOTHING = frozenset({"", "(null)", "none", "n/a", "unknown"})
_FIRST_PAIR = "reservationname="
_COLUMNS = {
    "name": ("name", "reservationname", "resvname"),
    "nodes": ("nodenames", "nodes", "nodelist"),
    "start": ("timestart", "starttime", "start"),
    "end": ("timeend", "endtime", "end"),
    "flags": ("flags",),
    "users": ("users",),
    "accounts": ("accounts",),
    "licenses": ("licenses",),
    "tres": ("tres",),
}
_NO_NODES = frozenset({"ANY_NODES", "TIME_FLOAT"})
"""Flags of reservations that keep no particular nodes, or at no particular time."""
_REPEATED = frozenset({"HOURLY", "DAILY", "WEEKDAY", "WEEKEND", "WEEKLY"})


@dataclass(frozen=True)
class Reserved:
    """What a file tells, and what of it is left out, one line each."""

    reservations: Sequence[Reservation]
    notes: Sequence[str] = ()


@dataclass
class _Found:
    """What is read so far."""

    by_place: dict[tuple[str, float], Reservation] = field(default_factory=dict)
    """By name and start: what one tool prints without its users the other prints with them."""
    left_out: Counter[str] = field(default_factory=Counter)
    repeated: int = 0


def is_table(path: str) -> bool:
    """Whether the file at *path* is what a site's tools print, and no TOML or JSON."""
    try:
        first = next(iter(_lines(path)), (1, ""))[1].lower()
    except BadFile:
        return False
    return first.startswith(_FIRST_PAIR) or ("|" in first and "timestart" in first)


def read_table(path: str, sizes: Mapping[str, int], clock: Clock, log: Workload) -> Reserved:
    """What the file at *path* reserves of nodes of these *sizes*, while jobs of *log* are there.

    Raises BadFile, with the line.
    """
    if not sizes:
        raise BadInput(
            f"{path} names nodes, and the machine has none by name; give a configuration, or --nodes N"
        )
    found, whose = _Found(), _users_inside(log)
    for line, cells in _rows(path):
        try:
            _take(cells, sizes, clock, log, whose, found)
        except BadInput as error:
            raise BadFile(path, str(error), line) from None
    first_s = float(log.submit_s[0]) if len(log) else 0.0
    kept = sorted(found.by_place.values(), key=lambda one: (one.start_s, one.name))
    later = [one for one in kept if one.end_s > first_s]
    if len(later) < len(kept):
        found.left_out["over before the first submission"] += len(kept) - len(later)
    if len(later) > MOST:
        found.left_out[f"beyond the {MOST:,} that can be there"] += len(later) - MOST
    return Reserved(_with_names(later[:MOST]), [f"{path}: {one}" for one in _notes(found, later[:MOST])])


def _notes(found: _Found, kept: Sequence[Reservation]) -> Iterator[str]:
    hours = sum(one.processors * (one.end_s - one.start_s) for one in kept if one.end_s < inf) / 3600
    yield f"{plural(len(kept), 'reservation')}, {hours:,.0f} processor-hours in all"
    for why, count in sorted(found.left_out.items()):
        yield f"{plural(count, 'reservation')} {why}: left out"
    if found.repeated:
        yield f"{plural(found.repeated, 'reservation')} repeated: only what is printed of each counts"


def _lines(path: str) -> Iterator[tuple[int, str]]:
    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise BadFile(path, f"cannot be read: {error.strerror}") from None
    for line, one in enumerate(text.splitlines(), 1):
        if one.strip() and not one.startswith("#"):
            yield line, one.strip()


def _rows(path: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The cells of each line, by the names of ``_COLUMNS``."""
    names: list[str] = []
    for line, text in _lines(path):
        if text.lower().startswith(_FIRST_PAIR):
            yield line, _named({name.lower(): value for name, value in _PAIR.findall(text)})
        elif "timestart" in text.lower() and "|" in text:
            names = [name.lower() for name in text.split("|")]
        elif names:
            yield line, _named(dict(zip(names, text.split("|"), strict=False)))
        else:
            raise BadFile(path, "no line above names the columns", line)


def _named(cells: Mapping[str, str]) -> dict[str, str]:
    found = {}
    for column, names in _COLUMNS.items():
        told = next((cells[name].strip() for name in names if name in cells), "")
        found[column] = "" if told.lower() in _NOTHING else told
    return found


def _take(
    cells: Mapping[str, str],
    sizes: Mapping[str, int],
    clock: Clock,
    log: Workload,
    whose: Mapping[str, set[int]],
    found: _Found,
) -> None:
    """Add the reservation of a line, or count why it is left out."""
    flags = {one.strip().upper() for one in cells["flags"].split(",")}
    named = [name for part in _COMMA.split(cells["nodes"]) if part for name in expand(part)]
    hosts = {name: sizes[name] for name in named if name in sizes}
    licenses = _licenses(cells, log)
    if licenses and "ANY_NODES" in flags:
        hosts, flags = {}, flags - {"ANY_NODES"}
    if flags & _NO_NODES or not (hosts or licenses):
        found.left_out["of no node of the machine" if not hosts else "without fixed nodes or times"] += 1
        return
    start_s = _instant("TimeStart", cells["start"], clock)
    end_s = _instant("TimeEnd", cells["end"], clock) if cells["end"] else inf
    if end_s <= start_s:
        found.left_out["that end as they begin"] += 1
        return
    found.repeated += bool(flags & _REPEATED)
    name = cells["name"]
    before = found.by_place.get((name, start_s))
    access = _access(cells, log, whose.get(name, set()))
    if before is not None:
        access = {
            kind: tuple(dict.fromkeys((*before.access.get(kind, ()), *access.get(kind, ()))))
            for kind in {*before.access, *access}
        }
        # Each tool prints a part: nodes, or licences, may stand with one of them alone.
        hosts, licenses = hosts or dict(before.terms.hosts), licenses or dict(before.terms.licenses)
    terms = Terms(hosts=hosts, shared=True, licenses=licenses)
    found.by_place[name, start_s] = Reservation(name, sum(hosts.values()), start_s, end_s, access, terms)


def _licenses(cells: Mapping[str, str], log: Workload) -> dict[str, int]:
    """The licences that a reservation keeps, by their numbers among those that jobs of *log* hold."""
    numbers = license_numbers(log)
    told = cells["licenses"] or ",".join(
        part.removeprefix("license/").replace("=", ":")
        for part in cells["tres"].split(",")
        if part.startswith("license/")
    )
    try:
        counts = counts_of("Licenses", told)
    except BadField as error:
        raise BadInput(str(error)) from None
    found = {str(numbers[name]): count for name, count in counts.items() if count and name in numbers}
    if len(found) > MOST_LICENSES:
        raise BadValue("Licenses", told, f"at most {MOST_LICENSES} kinds that jobs hold")
    return found


def _instant(column: str, text: str, clock: Clock) -> float:
    """A second of the log; numbers are seconds since 1970, as the tools print them where they are told so."""
    if re.fullmatch(r"\d{1,12}", text):
        return float(text) - (clock.zero_s or 0.0)
    return instant_of(column, text, clock)


def _access(cells: Mapping[str, str], log: Workload, inside: set[int]) -> dict[str, tuple[str, ...]]:
    """Numbers of the users and accounts that may use a reservation."""
    numbers, made = numbers_of(log), dict[str, tuple[str, ...]]()
    for column, kind in (("users", CredentialType.USER), ("accounts", CredentialType.ACCOUNT)):
        known = {name.lower(): number for name, number in numbers[kind].items()}
        told = [one.strip().lower() for one in cells[column].split(",") if not one.startswith("-")]
        had = inside if kind is CredentialType.USER else set()
        if allowed := sorted({known[name] for name in told if name in known} | had):
            made[kind.name.lower()] = tuple(map(str, allowed))
    return made


def _users_inside(log: Workload) -> dict[str, set[int]]:
    """Users whose jobs are recorded in a reservation, by its name."""
    found: dict[str, set[int]] = {}
    if log.recorded is not None:
        for row in (log.recorded.reservation > 0).nonzero()[0].tolist():
            name = log.name_of_number("reservation", int(log.recorded.reservation[row]))
            found.setdefault(name, set()).add(int(log.user[row]))
    return found


def _with_names(kept: Sequence[Reservation]) -> list[Reservation]:
    """*kept*, each with a name of its own: one that was changed, or came back, is there several times."""
    times: Counter[str] = Counter()
    made = []
    for one in kept:
        times[one.name] += 1
        name = one.name if times[one.name] == 1 else f"{one.name}.{times[one.name]}"
        made.append(Reservation(name, one.processors, one.start_s, one.end_s, one.access, one.terms))
    return made
