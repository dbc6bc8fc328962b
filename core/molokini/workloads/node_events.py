"""Outages of nodes from a file: a table of what went down and came up, or what ``sacctmgr`` prints of it.

A table of our own (CSV) has one event a line::

    time,node,state,reason
    2026-01-09T18:00,node[001-016],down,power
    2026-01-10T06:00,node[001-016],up,

and in the place of ``node`` ``processors``, a number of them, where processors are interchangeable.
``sacctmgr show event -P`` (or ``-p``) has one outage a line, by the columns NodeName, TimeStart, TimeEnd.
"""

import csv
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from molokini.model.dates import Clock, instant_of
from molokini.model.errors import BadFile, BadInput, BadValue, UnknownName
from molokini.model.names import expand
from molokini.model.outages import COUNTED, Outage
from molokini.model.text import plural
from molokini.workloads.blocks import LINE_BYTES, blocks
from molokini.workloads.header import decode_line

MOST = 1_000_000
"""Events in a file, each node of a pattern for itself."""

_OWN = ("time", "node", "processors", "state", "reason")
_STATES = ("down", "up")
_SLURM = ("nodename", "timestart", "timeend")
_SLURM_NAMES = {"node": "nodename", "start": "timestart", "end": "timeend"}
_OPEN = frozenset({"", "unknown", "none", "n/a"})
_NO_SIZE = (
    "the machine has interchangeable processors: give --nodes N --procs-per-node M, or a column 'processors' "
    "(of sacctmgr TRES) that says how many the node has"
)


@dataclass(frozen=True)
class Place:
    """The machine and the clock that a file of events is about."""

    processors: int
    nodes: Mapping[str, int]
    """Processors of each node by its name, in the order of the nodes; empty: they are interchangeable."""
    clock: Clock
    others_pass: bool = False
    """Whether nodes that the machine lacks are left out and counted; else they are refused."""

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The number of each node by its name."""
        return {name: number for number, name in enumerate(self.nodes)}

    def number(self, name: str) -> int:
        """The number of the node *name*, where the machine has nodes."""
        return self.numbers.get(name, COUNTED)


@dataclass(frozen=True)
class NodeEvents:
    """What a file tells."""

    outages: Sequence[Outage]
    """In order of their beginning, and those of a node never at the same time."""
    of_cluster: int = 0
    """Events of the cluster as a whole, which say nothing of a node and are left out."""
    drains: int = 0
    """Outages in which a node took no new jobs while its jobs went on."""
    of_others: int = 0
    """Events of nodes that the machine lacks, which are left out."""


@dataclass(frozen=True)
class _Away:
    """A node, or counted processors, went away, or came back."""

    line: int
    at_s: float
    name: str
    """Empty: any processors."""
    processors: int
    down: bool
    reason: str


@dataclass
class _Found:
    """Outages so far, each with the line that began it."""

    outages: list[tuple[int, Outage]] = field(default_factory=list)
    of_cluster: int = 0
    drains: int = 0
    of_others: int = 0


def read_node_events(path: str, place: Place) -> NodeEvents:
    """The outages that the file at *path* tells of *place*.

    Raises BadFile, with the line, for whatever does not fit.
    """
    rows = _rows(path)
    line, names = next(rows, (1, [""]))
    found = _Found()
    if {*_SLURM} <= {*_folded(names)}:
        _read_slurm(path, _cells(path, _folded(names), rows), place, found)
    else:
        own = [name.lower() for name in names]
        _check_header(path, line, own)
        _pair(path, _own_events(path, _cells(path, own, rows), place), place, found)
    merged = _merged(found.outages)
    if not place.nodes:
        _check_count(path, merged, place.processors)
    return NodeEvents([outage for _, outage in merged], found.of_cluster, found.drains, found.of_others)


# Lines, cells and fields.


def _rows(path: str) -> Iterator[tuple[int, list[str]]]:
    """Lines, cut into cells, with their numbers; empty ones and comments are left out."""
    separator, number = "", 0
    for block in blocks(Path(path)):
        for raw in block.removesuffix(b"\n").split(b"\n"):
            number += 1
            if b"\0" in raw or len(raw) > LINE_BYTES:
                raise BadFile(path, "is not UTF-8 text; save it as UTF-8", number)
            text = decode_line(raw).rstrip("\r")
            if not text.strip() or text.startswith("#"):
                continue
            # What the header is cut by cuts the lines that follow.
            separator = separator or ("|" if "|" in text else ",")
            yield number, _cut(path, number, text, separator)


def _cut(path: str, number: int, text: str, separator: str) -> list[str]:
    if separator == "|":
        return text.split("|")
    try:
        cells = next(csv.reader([text], skipinitialspace=True, strict=True))
    except csv.Error as error:
        raise BadFile(path, f"{error}: a quoted cell ends with a quote, on its line", number) from None
    return [cell.strip() for cell in cells]


def _folded(names: Sequence[str]) -> list[str]:
    return [_SLURM_NAMES.get(name.lower(), name.lower()) for name in names]


def _check_header(path: str, line: int, own: Sequence[str]) -> None:
    for name in own:
        if name not in _OWN:
            raise BadFile(path, f"header: {UnknownName('column', name, _OWN)}; {_HEADERS}", line)
        if own.count(name) > 1:
            raise BadFile(path, f"header: column {name!r} comes twice", line)
    if not {"time", "state"} <= {*own} or not {"node", "processors"} & {*own}:
        raise BadFile(path, f"header: {', '.join(own)[:80]!r} has not all that is needed; {_HEADERS}", line)


_HEADERS = (
    "it must be time,node,state,reason, or time,processors,state,reason, or that of 'sacctmgr show event -P'"
)


def _cells(
    path: str, names: Sequence[str], rows: Iterable[tuple[int, list[str]]]
) -> Iterator[tuple[int, dict[str, str]]]:
    """Cells by the names of their columns."""
    for line, cells in rows:
        if len(cells) != len(names):
            counted = f"{plural(len(cells), 'cell')} where the header has {len(names)}"
            raise BadFile(path, f"{counted}: the file is cut short, or a cell holds the separator", line)
        yield line, dict(zip(names, cells, strict=True))


def _instant(path: str, line: int, name: str, text: str, clock: Clock) -> float:
    try:
        return instant_of(name, text, clock)
    except BadValue as error:
        raise BadFile(path, str(error), line) from None


def _processors(path: str, line: int, text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:20]) <= 2**40):
        raise BadFile(path, str(BadValue("processors", text, "a whole number of 1 or more")), line)
    return int(text)


def _nodes(path: str, line: int, pattern: str, size: int, place: Place) -> Iterator[tuple[str, int]]:
    """The nodes of *pattern*, each with its processors; *size*: as the line says, 0 where it does not."""
    try:
        names = expand(pattern)
    except BadInput as error:
        raise BadFile(path, f"node: {error}", line) from None
    for name in names:
        if not place.nodes and not size:
            raise BadFile(path, f"node {name!r}: {_NO_SIZE}", line)
        if place.nodes and name not in place.nodes:
            raise BadFile(path, str(UnknownName("node", name, place.nodes)), line)
        yield name, place.nodes.get(name, size)


# A table of our own: what went down and came up.


def _own_events(path: str, cells: Iterable[tuple[int, dict[str, str]]], place: Place) -> Iterator[_Away]:
    for line, row in cells:
        at_s = _instant(path, line, "time", row["time"], place.clock)
        state = row["state"].lower()
        if state not in _STATES:
            raise BadFile(path, str(BadValue("state", row["state"], "down or up")), line)
        node, text, reason = row.get("node", ""), row.get("processors", ""), row.get("reason", "")
        size = _processors(path, line, text) if text else 0
        if node:
            for name, processors in _nodes(path, line, node, size, place):
                yield _Away(line, at_s, name, processors, state == "down", reason)
        elif place.nodes:
            raise BadFile(path, "node: it is missing; the machine has nodes, and they are lost whole", line)
        elif not size:
            raise BadFile(path, "processors: it is missing; it must be a whole number of 1 or more", line)
        else:
            yield _Away(line, at_s, "", size, state == "down", reason)


def _pair(path: str, events: Iterable[_Away], place: Place, found: _Found) -> None:
    """Put what went down together with what came up; of one instant in the order of the lines."""
    away: dict[str, list[_Away]] = {}
    for one in sorted(_counted(path, events), key=lambda event: event.at_s):
        before = away.setdefault(one.name, [])
        if one.down:
            if one.name and before:
                continue  # it is down already: told again
            before.append(one)
        else:
            _return(path, one, before, place, found)
    for left in away.values():
        found.outages += [(one.line, _outage(one, math.inf, one.processors, place)) for one in left]


def _counted(path: str, events: Iterable[_Away]) -> Iterator[_Away]:
    for number, one in enumerate(events):
        if number == MOST:
            raise BadFile(path, f"more than {MOST:,} events", one.line)
        yield one


def _return(path: str, one: _Away, before: list[_Away], place: Place, found: _Found) -> None:
    """*one* ends what has been away for longest, of its node or as many processors as return."""
    left = one.processors
    while left and before:
        first = before.pop(0)
        back = first.processors if one.name else min(left, first.processors)
        found.outages.append((first.line, _outage(first, one.at_s, back, place)))
        if back < first.processors:
            rest = first.processors - back
            before.insert(0, _Away(first.line, first.at_s, "", rest, True, first.reason))
        left = 0 if one.name else left - back
    if left:
        what = f"node {one.name!r}" if one.name else plural(left, "processor")
        verb = "comes" if one.name or left == 1 else "come"
        raise BadFile(path, f"state: {what} {verb} up and had not gone down; give the event before", one.line)


def _outage(one: _Away, end_s: float, processors: int, place: Place) -> Outage:
    return Outage(one.at_s, end_s, processors, place.number(one.name), one.name, one.reason)


# What sacctmgr prints: outages.


def _read_slurm(path: str, cells: Iterable[tuple[int, dict[str, str]]], place: Place, found: _Found) -> None:
    for line, row in cells:
        if not row["nodename"].strip():
            found.of_cluster += 1
            continue
        start_s = _slurm_instant(path, line, "TimeStart", row["timestart"], place.clock)
        end_s = math.inf
        if row["timeend"].strip().lower() not in _OPEN:
            end_s = _slurm_instant(path, line, "TimeEnd", row["timeend"], place.clock)
        if end_s < start_s:
            cause = f"TimeEnd: {row['timeend']} is before TimeStart, {row['timestart']}"
            raise BadFile(path, cause, line)
        state, size = row.get("state", "").upper(), _size(path, line, row)
        if place.others_pass and row["nodename"].strip() not in place.nodes:
            found.of_others += 1
            continue
        for name, processors in _nodes(path, line, row["nodename"].strip(), size, place):
            drain = "DRAIN" in state and "DOWN" not in state
            number, reason = place.number(name), row.get("reason", "")
            # Where processors are counted there is no node that could only drain.
            kept = drain and number != COUNTED
            outage = Outage(start_s, end_s, processors, number, name, reason, drain=kept)
            found.outages.append((line, outage))
            found.drains += drain
        if len(found.outages) > MOST:
            raise BadFile(path, f"more than {MOST:,} events", line)


def _slurm_instant(path: str, line: int, name: str, text: str, clock: Clock) -> float:
    """As it is printed by default, or in seconds since 1970 (SLURM_TIME_FORMAT=%s)."""
    if text.isascii() and text.isdigit() and clock.zero_s is not None:
        return float(text) - clock.zero_s
    return _instant(path, line, name, text, clock)


def _size(path: str, line: int, row: Mapping[str, str]) -> int:
    for part in row.get("tres", "").split(","):
        name, _, value = part.partition("=")
        if name == "cpu":
            return _processors(path, line, value)
    return 0


# All outages together.


def _check_count(path: str, outages: Sequence[tuple[int, Outage]], most: int) -> None:
    """Complain where more counted processors are away at a time than there are."""
    changes = [(one.start_s, one.processors, line) for line, one in outages]
    changes += [(one.end_s, -one.processors, line) for line, one in outages]
    away = 0
    for at_s, change, line in sorted(changes):
        away += change
        if away > most:
            cause = f"{away:,} are down at {at_s:.15g} s of the log, and the machine has {most:,}"
            raise BadFile(path, f"processors: {cause}; give --procs N", line)


def _merged(outages: Iterable[tuple[int, Outage]]) -> list[tuple[int, Outage]]:
    """All of them in order; those of one node that overlap or touch are one, with the first reason."""
    made: list[tuple[int, Outage]] = []
    last: dict[tuple[str, bool], int] = {}
    for line, one in sorted(outages, key=lambda pair: (pair[1].start_s, pair[1].node, pair[1].name, pair[0])):
        key = one.name, one.drain
        if key in last:
            first, before = made[last[key]]
            if one.start_s <= before.end_s:
                made[last[key]] = first, replace(before, end_s=max(before.end_s, one.end_s))
                continue
        if one.name:
            last[key] = len(made)
        made.append((line, one))
    return made
