"""Several logs as one: the parts of one log put together again, or logs of different machines.

Parts of one log (their headers are the same but for the notes of ``splitting``) keep every number, and all
parts together are the log to the letter. Different logs are put on one clock by their UnixStartTime; jobs,
users, groups, executables, queues and partitions get numbers of their own, and links to preceding jobs
follow their jobs.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from molokini.model.errors import BadInput, BadValue
from molokini.workloads.arrivals import zone_of
from molokini.workloads.header import header_integer, parse_header
from molokini.workloads.rules import LARGEST
from molokini.workloads.tools.notes import noted
from molokini.workloads.tools.splitting import PART_NOTE
from molokini.workloads.tools.whole import WholeLog
from molokini.workloads.workload import SWF_FIELDS, Floats, Header, Rows

_KINDS = ("user", "group", "executable", "queue", "partition")
_PART = re.compile(
    "; Note: "
    + re.escape(PART_NOTE)
    .replace(r"\{part\}", r"(?P<part>\d+)")
    .replace(r"\{parts\}", r"(?P<parts>\d+)")
    .replace(r"\{name\}", "(?P<name>.*)")
    .replace(r"\{says\}", "(?P<says>.*)")
)


@dataclass(frozen=True)
class Merged:
    """The log that came out, and what its user should know of it."""

    log: WholeLog
    parts: bool
    """Whether the logs were parts of one."""
    warnings: tuple[str, ...]


def merge(logs: Sequence[WholeLog], processors: int | None = None, *, align: bool = False) -> Merged:
    """All of *logs* as one, in order of submission; *processors*: of the machine that its header names.

    With *align* all begin at second 0, as suits different logs whose dates do not matter. Raises BadInput for
    fewer than two logs, or where two parts of one log hold the same job.
    """
    if len(logs) < 2:
        raise BadInput("a merge takes two logs or more")
    if processors is not None and processors < 1:
        raise BadValue("processors", processors, "a whole number of 1 or more")
    if align:
        return _different([_aligned(log) for log in logs], processors, [0.0] * len(logs), [])
    places = [_place(log.header) for log in logs]
    bases = {tuple(place[2]) if place else log.header.lines for log, place in zip(logs, places, strict=True)}
    if len(bases) == 1 and all(places):
        found = [(part, parts) for part, parts, _ in filter(None, places)]
        return _together(logs, found, next(iter(bases)))
    return _different(logs, processors, *_shifts(logs))


def _place(header: Header) -> tuple[int, int, list[str]] | None:
    """Which part of how many a log is, and the header of the whole; None where it does not tell."""
    match = _PART.fullmatch(header.lines[-1]) if header.lines else None
    return (int(match["part"]), int(match["parts"]), list(header.lines[:-1])) if match else None


def _together(logs: Sequence[WholeLog], places: list[tuple[int, int]], base: tuple[str, ...]) -> Merged:
    records = np.concatenate([log.records for log in logs])
    number = records[:, 0]
    if len(set(places)) < len(places) or len({parts for _, parts in places}) > 1:
        told = ", ".join(f"{part} of {parts}" for part, parts in places)
        raise BadInput(
            f"{logs[0].name} and the others are not parts of one split, or one is given twice: {told}"
        )
    # Archives number records in the order of their files; a log that does not is put in order of submission.
    ascending = all((np.diff(log.records[:, 0]) > 0).all() for log in logs)
    order = np.argsort(number) if ascending else np.lexsort((number, records[:, 1]))
    header = parse_header(base)
    parts = places[0][1]
    given = sorted({part for part, _ in places})
    warnings = []
    if len(given) < parts:
        told = ", ".join(map(str, given))
        header = noted(header, f"merged by molokini from the parts {told} of {parts}")
        warnings.append(f"the log had {parts} parts, and these are {len(given)} of them: {told}")
    name = _PART.fullmatch(logs[0].header.lines[-1])
    return Merged(WholeLog(name["name"] if name else "merged", records[order], header), True, tuple(warnings))


def _different(
    logs: Sequence[WholeLog], processors: int | None, shifts: list[float], warnings: list[str]
) -> Merged:
    records, owner = _renumbered(logs, shifts)
    machine = processors or _machine(logs, warnings)
    widest = max(int(log.widths.max()) for log in logs)
    if machine is not None and widest > machine:
        warnings.append(f"the widest job has {widest:,} processors, the merged machine {machine:,}")
    order = np.lexsort((records[:, 0], owner, records[:, 1]))
    records = _numbered(records, owner, order, warnings)
    return Merged(
        WholeLog("merged", records, _header(logs, shifts, machine, len(records))), False, tuple(warnings)
    )


def _shifts(logs: Sequence[WholeLog]) -> tuple[list[float], list[str]]:
    """By how many seconds each log's clock is moved, and what is to be said of the clocks."""
    starts = [header_integer(log.header, "UnixStartTime") for log in logs]
    known = [start for start in starts if start is not None and start > 0]
    warnings = []
    if len(known) < len(logs):
        silent = [log.name for log, start in zip(logs, starts, strict=True) if start is None or start <= 0]
        warnings.append(
            f"{', '.join(silent)}: the header does not say when second 0 was (UnixStartTime), so all logs "
            "are taken to begin at the same second 0"
        )
        return [0.0] * len(logs), warnings
    zones = [zone_of(log.header)[1] for log in logs]
    if len(set(zones)) > 1:
        told = ", ".join(f"{log.name} {zone}" for log, zone in zip(logs, zones, strict=True))
        warnings.append(
            f"the logs are of different time zones ({told}): the merged log has that of the first, so the "
            "others' hours of the day and days of the week are shifted"
        )
    shifts = [float(start - min(known)) for start in known]
    ends = [shift + float(log.column("submit_s").max()) for log, shift in zip(logs, shifts, strict=True)]
    begins = [shift + float(log.column("submit_s").min()) for log, shift in zip(logs, shifts, strict=True)]
    if max(begins) > min(ends):
        warnings.append(
            f"the logs do not overlap in time: {(max(begins) - min(ends)) / 86400:,.1f} days lie between the "
            "end of one and the beginning of another (--align start lets all begin together)"
        )
    return shifts, warnings


def _aligned(log: WholeLog) -> WholeLog:
    """The log with its first submission at second 0, and no date."""
    records = log.records.copy()
    records[:, 1] -= records[:, 1].min()
    lines = [line for line in log.header.lines if not re.match(r";\s*UnixStartTime\s*:", line)]
    return replace(log, records=records, header=parse_header(lines))


def _renumbered(logs: Sequence[WholeLog], shifts: Sequence[float]) -> tuple[Floats, Floats]:
    """All records on one clock, with users and the like of their own, and which log each comes from."""
    above = dict.fromkeys(_KINDS, 0.0)
    pieces = []
    for log, shift in zip(logs, shifts, strict=True):
        records = log.records.copy()
        records[:, 1] += shift
        for kind in _KINDS:
            column = records[:, SWF_FIELDS.index(kind)]
            # Queue 0 means interactive in every log.
            known = column >= (1 if kind == "queue" else 0)
            if not known.any():
                continue
            raised = above[kind] + (1 if above[kind] and not column[known].min() else 0)
            column[known] += raised
            above[kind] = float(column.max())
            if above[kind] > LARGEST:
                raise BadInput(f"{log.name}: its {kind} numbers are too large to be renumbered")
        pieces.append(records)
    owner = np.repeat(np.arange(len(logs), dtype=np.float64), [len(log) for log in logs])
    return np.concatenate(pieces), owner


def _numbered(records: Floats, owner: Floats, order: Rows, warnings: list[str]) -> Floats:
    """The records in *order*, numbered from 1; a preceding job is the one that it was."""
    sorted_records: Floats = records[order]
    sorted_owner = owner[order]
    old = sorted_records[:, 0].copy()
    follows = np.flatnonzero(sorted_records[:, 16] > 0)
    if follows.size:
        keys = {key: row for row, key in enumerate(zip(sorted_owner.tolist(), old.tolist(), strict=True), 1)}
        wanted = zip(sorted_owner[follows].tolist(), sorted_records[follows, 16].tolist(), strict=True)
        links = np.array([keys.get(key, -1) for key in wanted], np.float64)
        sorted_records[follows, 16] = links
        if lost := int((links < 0).sum()):
            warnings.append(
                f"{lost:,} records follow a job that is in none of the logs; they follow none now"
            )
    sorted_records[:, 0] = np.arange(1, len(sorted_records) + 1)
    return sorted_records


def _machine(logs: Sequence[WholeLog], warnings: list[str]) -> int | None:
    sizes = [log.machine for log in logs]
    known = [size for size in sizes if size is not None]
    if len(known) < len(sizes):
        warnings.append(
            "not every log gives the size of its machine, so the merged one gives none (--processors)"
        )
        return None
    same = len({(log.header.first("Computer"), log.header.first("Installation")) for log in logs}) == 1
    return max(known) if same else sum(known)


def _header(logs: Sequence[WholeLog], shifts: Sequence[float], machine: int | None, records: int) -> Header:
    lines = ["; Version: 2.2"]
    for label in ("Computer", "Installation", "Acknowledge"):
        told = dict.fromkeys(value for log in logs for name, value in log.header.labels if name == label)
        lines += [f"; {label}: {value.splitlines()[0]}" for value in told if value]
    lines += [f"; MaxJobs: {records}", f"; MaxRecords: {records}"]
    first = logs[int(np.argmin(shifts))].header
    if all(header_integer(log.header, "UnixStartTime") for log in logs):
        for label in ("UnixStartTime", "TimeZone", "TimeZoneString"):
            value = first.first(label) if label == "UnixStartTime" else logs[0].header.first(label)
            lines += [f"; {label}: {value}"] if value else []
    if machine is not None:
        lines.append(f"; MaxProcs: {machine}")
    told_logs = [
        f"{log.name}: {len(log)} records, clock moved by {shift:.15g} s"
        for log, shift in zip(logs, shifts, strict=True)
    ]
    return noted(
        parse_header(lines), "merged by molokini; jobs, users, groups, queues are numbered anew:", *told_logs
    )
