"""Tables of Slurm's ``sacct --parsable`` and ``--parsable2``, read: any columns, as long as they say enough.

Needed are JobID (or JobIDRaw), Submit, of Start, End and Elapsed two, and processors (``PROCESSOR_COLUMNS``)
or nodes; what a job can do without may hold anything. Lines of steps lend their job MaxRSS and are counted.
Times are those of *zone*, or seconds since 1970 (SLURM_TIME_FORMAT=%s). Any --delimiter may part the cells.
"""

import csv
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from typing import Any

from molokini.accounting.fields import BadField, counts_of, duration_s, missing, shown, size_kb, whole
from molokini.accounting.record import (
    COUNT,
    HOUR_LATER,
    JOB_STEP,
    NOT_ENDED,
    RANGE,
    REQUEUED,
    Found,
    Lines,
    Odd,
    Place,
    Record,
    SkippedLine,
)
from molokini.accounting.sacct_row import Row
from molokini.accounting.submit_lines import asked_features, asked_limits, asked_nodes, asked_queues
from molokini.model.facts import NO_INDEX, Ending

_ID = re.compile(r"([0-9]{1,15})(?:_(?:([0-9]{1,15})|\[([^\]]*)\]))?(?:\+([0-9]{1,9}))?(\..+)?")
_UNLIMITED = frozenset({"UNLIMITED", "Partition_Limit", "PartitionLimit"})
_STAMP = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:")
_SECONDS = re.compile(r"[0-9]{9,10}")
"""Since 1970, in a cell by themselves: times from 1973 on."""
_MINUTE_S = 60
_HOUR_S = 3600.0
_ROUNDED_S = 2.0
_ARRAY = re.compile(r"(?:^|\s)(?:-a|--array)[= ]?[0-9,:-]+%([0-9]{1,9})(?=\s|$)")
_REST = re.compile(r".*%([0-9]{1,9})")
_STARTED = {"SchedBackfill": "backfill", "SchedMain": "main", "SchedSubmit": "submission"}
PROCESSOR_COLUMNS = ("AllocCPUS", "NCPUS", "ReqCPUS", "AllocTRES", "ReqTRES")
"""Columns that tell of a job's processors."""
_NODE_COLUMNS = ("AllocNodes", "NNodes")
_TEXT_COLUMNS = ("SubmitLine", "JobName", "Comment", "AdminComment", "SystemComment", "WorkDir")
"""Columns of what users write, which may hold what parts cells."""
_HEADER = re.compile(r'"?[A-Za-z]+"?([^A-Za-z0-9" ]{1,8})"?[A-Za-z]')
_STATES = {
    "COMPLETED": Ending.COMPLETED,
    "FAILED": Ending.FAILED,
    "OUT_OF_MEMORY": Ending.FAILED,
    "TIMEOUT": Ending.TIMED_OUT,
    "CANCELLED": Ending.CANCELLED,
    "REVOKED": Ending.CANCELLED,
    "PREEMPTED": Ending.CANCELLED,
    "NODE_FAIL": Ending.NODE_LOST,
    "BOOT_FAIL": Ending.NOT_STARTED,
    "DEADLINE": Ending.REFUSED,
    "LAUNCH_FAILED": Ending.NOT_STARTED,
    "RECONFIG_FAIL": Ending.NOT_STARTED,
}
_REQUEUES = frozenset({"REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT"})


_NOT_ENDED = frozenset(
    {
        *("PENDING", "RUNNING", "SUSPENDED", "CONFIGURING", "COMPLETING", "RESIZING", "STOPPED", "SIGNALING"),
        *("STAGE_OUT", "POWER_UP_NODE", "RESV_DEL_HOLD"),
    }
)
_NO_HEADER = (
    "no line above names the columns: print the table without --noheader, "
    "or write their names (JobID|...) above it"
)


def is_header(text: str) -> bool:
    """Whether a line is the header of such a table."""
    separator = _separator(text)
    names = _cells(text, separator) if separator else []
    return len(names) > 1 and not {"JobID", "JobIDRaw"}.isdisjoint(names)


def is_row(text: str) -> bool:
    """Whether a line looks like one of such a table, whose header is not there."""
    cells = text.split("|")
    return (
        len(cells) > 2
        and any(_STAMP.match(cell) or _SECONDS.fullmatch(cell) for cell in cells)
        and any(_word(cell) in _STATES or _word(cell) in _NOT_ENDED for cell in cells)
    )


def _separator(header: str) -> str:
    """What parts the names of a header: what stands between the first two; empty where none is to be seen."""
    match = _HEADER.match(header)
    return match[1] if match is not None else ""


def _cells(text: str, separator: str) -> list[str]:
    if separator != ",":
        return text.split(separator)
    try:
        return next(csv.reader([text]))  # as spreadsheets quote
    except csv.Error:
        return []


def read(lines: Lines, zone: tzinfo = UTC) -> Found:
    """The jobs of *lines*, and what is no job. A further header begins a further table."""
    names: Sequence[str] = ()
    separator = ""
    held: tuple[Place, Record] | None = None
    for place, text in lines:
        if is_header(text):
            separator = _separator(text)
            names = _cells(text, separator)
            continue
        if not names:
            yield SkippedLine(place, COUNT, _NO_HEADER)
            continue
        cells, row = _cells(text, separator), None
        try:
            row = Row(names, _fitted(cells, names, separator))
            if (step := _step(row)) is not None:
                if held is not None and held[1].number == step:
                    held = held[0], _with_use(held[1], row)
                yield SkippedLine(place, JOB_STEP, f"a step of job {step}")
                continue
            if held is not None:
                yield held
            held = None
            held = place, _whole_record(row, zone, _miscount(cells, names, separator))
        except BadField as error:
            yield SkippedLine(place, error.reason, error.cause, None if row is None else _waiting(row))
    if held is not None:
        yield held


def _fitted(cells: list[str], names: Sequence[str], separator: str) -> list[str]:
    """The cells, one a name: the text of a user may hold what parts cells, where it is the only one."""
    surplus = len(cells) - len(names)
    if not surplus:
        return cells
    texts = _texts_among(names)
    if surplus < 0 or len(texts) != 1:
        raise BadField(COUNT, _miscount(cells, names, separator))
    at = names.index(texts[0])
    return [*cells[:at], separator.join(cells[at : at + surplus + 1]), *cells[at + surplus + 1 :]]


def _texts_among(names: Sequence[str]) -> list[str]:
    # An expression of features may hold it, too, and does so less often.
    return [name for name in _TEXT_COLUMNS if name in names] or [
        name for name in names if name == "Constraints"
    ]


def _miscount(cells: Sequence[str], names: Sequence[str], separator: str) -> str:
    """The complaint about too many cells, or too few; empty where there are as many as names."""
    if len(cells) == len(names):
        return ""
    cause = f"{len(cells)} cells where the header has {len(names)}"
    texts = _texts_among(names)
    if len(cells) > len(names) and texts:
        cause += f"; {' or '.join(texts)} may hold {separator!r}: print the table with another --delimiter"
    return cause


def _whole_record(row: Row, zone: tzinfo, miscount: str) -> Record:
    """The record of *row*; where cells were too many, all has to be right, else they stood elsewhere."""
    if not miscount:
        return _record(row, zone)
    try:
        record = _record(row, zone)
    except BadField:
        raise BadField(COUNT, miscount) from None
    if record.odd:
        raise BadField(COUNT, miscount)
    return record


def _step(row: Row) -> int | None:
    match = _ID.fullmatch(_id(row))
    return int(match[1]) if match is not None and match[5] else None


def _id(row: Row) -> str:
    return row.raw("JobID") or row.raw("JobIDRaw")


def _word(state: str) -> str:
    """``CANCELLED`` of ``CANCELLED by 7``, and of ``CANCELLED+``."""
    return state.split(" ")[0].rstrip("+")


def _with_use(record: Record, row: Row) -> Record:
    """*record* with the most memory that one of its steps has used."""
    used = row.size_kb("MaxRSS")
    odd = (*record.odd, *row.odd.values())
    return replace(record, used_kb=max(record.used_kb, used), odd=odd) if used or row.odd else record


def _record(row: Row, zone: tzinfo) -> Record:
    match = _ID.fullmatch(_id(row))
    if match is None or int(match[1]) < 1:
        raise BadField("not_a_number", f"JobID: {shown(_id(row))} does not begin with a number of 1 or more")
    word = _word(row.raw("State", "COMPLETED"))
    if word in _REQUEUES:
        raise BadField(REQUEUED, f"State: {word} says that it runs again")
    submitted, start, end = (_time(row, name, zone) for name in ("Submit", "Start", "End"))
    if submitted is None:
        raise missing("Submit")
    ran_s = _ran_s(row)
    if end is None and start is not None and ran_s is not None and word not in _NOT_ENDED:
        end = start + ran_s
    if word in _NOT_ENDED or end is None:
        raise BadField(NOT_ENDED, f"State: {shown(word)}, and it has not ended")
    ending, (code, signal) = _ending(row, word), _exit(row)
    if start is None and ran_s:
        start = end - ran_s
    if start is not None and end < start and _clocks_went_back(row, start, end, ran_s):
        end += _HOUR_S
        row.odd["End"] = Odd("End", f"End: {row.raw('End')} is before Start: clocks went back", HOUR_LATER)
    if start is not None and end < start:
        raise BadField(RANGE, f"End: {row.raw('End')} is before Start, {row.raw('Start')}")
    # Slurm gives jobs that were cancelled while they waited the end as their start.
    if ending is Ending.CANCELLED and start == end and row.raw("AllocCPUS", "0") == "0":
        start = None
    allocated = row.count("AllocCPUS") or row.count("NCPUS") or row.resource_count("AllocTRES", "cpu")
    processors = row.count("ReqCPUS") or row.resource_count("ReqTRES", "cpu") or allocated
    nodes, held_nodes = row.count("ReqNodes"), _held_nodes(row)
    line = row.raw("SubmitLine")
    most, alone = asked_nodes(line)
    limit_s, least_s = asked_limits(line)
    if not processors and not held_nodes:
        row.complain_of((*PROCESSOR_COLUMNS, *_NODE_COLUMNS))
    return Record(
        number=int(match[1]) + int(match[4] or 0),
        index=int(match[2]) if match[2] else NO_INDEX,
        indices=match[3] or "",
        **_texts(row),
        queue=asked_queues(line, row.raw("Partition")),
        uid=row.spare("UID", whole, -1),
        submitted_s=submitted,
        eligible_s=row.spare("Eligible", lambda name, text: _instant(name, text, zone), None),
        start_s=start,
        end_s=start + ran_s if start is not None and ran_s is not None else end,
        ending=ending,
        exit_code=code,
        signal=signal,
        processors=processors,
        wanted_nodes=nodes if nodes > 1 else 0,
        allocated=allocated,
        held_nodes=held_nodes,
        # Of a job with a least limit the columns have the limit with which it started.
        estimate_s=limit_s if 0.0 < least_s < limit_s else _limit_s(row),
        least_s=least_s if least_s < limit_s else 0.0,
        memory_kb=_asked_kb(row, processors, nodes),
        used_kb=row.size_kb("MaxRSS"),
        cpu_s=row.spare("TotalCPU", duration_s, 0.0),
        priority=_priority(row, match),
        started_by=next((by for flag, by in _STARTED.items() if flag in row.raw("Flags")), ""),
        most_nodes=most,
        alone=alone or bool(nodes and 0 < processors < allocated and row.raw("Exclusive").lower() == "yes"),
        licenses=_licenses(row),
        generic=_generic(row),
        constraint=_constraint(row),
        array_limit=_array_limit(row, match),
        of_several=match[4] is not None,
        attempt=0 if start is None else 1 + row.count("Restarts"),
        odd=tuple(row.odd.values()),
    )


def _priority(row: Row, match: re.Match[str]) -> float | None:
    """The priority at the submission: a record is made then, and keeps what it was made with.

    The records of elements are made when they part from their array, at their starts, with the priority of
    that time: they say nothing of the submission. The element that is left last has the array's own record.
    """
    if match[2] and row.raw("JobIDRaw") != match[1]:
        return None
    return row.spare("Priority", lambda name, text: float(whole(name, text)), None)


def _waiting(row: Row) -> tuple[int, int] | None:
    """Of the elements of an array that wait together (``7_[5-9%2]``) its number and its limit."""
    match = _ID.fullmatch(_id(row))
    rest = _REST.fullmatch(match[3] or "") if match is not None else None
    return None if match is None or rest is None else (int(match[1]), int(rest[1]))


def _array_limit(row: Row, match: re.Match[str]) -> int | None:
    """How many elements of its array may run at a time: as waiting ones, a column or the command line say."""
    if match[2] is None and match[3] is None:
        return None
    if (rest := _REST.fullmatch(match[3] or "")) is not None:
        return int(rest[1])
    if row.text("ArrayTaskThrottle"):
        return row.count("ArrayTaskThrottle")
    line = _ARRAY.search(row.raw("SubmitLine"))
    return None if line is None else int(line[1])


def _clocks_went_back(row: Row, start: float, end: float, ran_s: float | None) -> bool:
    """Whether End is before Start as an hour of local time came twice: the time that it ran says so."""
    told = ran_s is not None and abs(end + _HOUR_S - start - ran_s) <= _ROUNDED_S
    return told and not row.raw("End").isdigit()


def _licenses(row: Row) -> str:
    """What the column tells, else the TRES asked for; as ``a:2,b:1``, in the order of names."""
    nothing: dict[str, int] = {}
    told = row.spare("Licenses", counts_of, nothing) or row.spare("ReqTRES", _tres_licenses, nothing)
    return ",".join(f"{name}:{count}" for name, count in sorted(told.items()))


def _tres_licenses(name: str, text: str) -> dict[str, int]:
    parts = (part.removeprefix("license/") for part in text.split(",") if part.startswith("license/"))
    return counts_of(name, ",".join(parts))


def _generic(row: Row) -> str:
    """What ReqTRES tells, else AllocTRES, in the order of names."""
    nothing: dict[str, int] = {}
    told = row.spare("ReqTRES", _tres_generic, nothing) or row.spare("AllocTRES", _tres_generic, nothing)
    return ",".join(f"{name}:{count}" for name, count in sorted(told.items()) if count)


def _tres_generic(name: str, text: str) -> dict[str, int]:
    """Of ``gres/gpu=2,gres/gpu:a100=2`` the first, which counts all types; without it the types added up."""
    parts = [part.partition("=") for part in text.split(",") if part.startswith("gres/")]
    whole_of = {kind: whole(name, count) for kind, _, count in parts if ":" not in kind}
    found: dict[str, int] = {}
    for kind, _, count in parts:
        one = kind.partition(":")[0]
        if one not in whole_of:
            found[one] = found.get(one, 0) + whole(name, count)
    return {**found, **whole_of}


def _constraint(row: Row) -> str:
    """What the column says, in which packs have / for |; where there is none, the command line."""
    told = row.text("Constraints") if "Constraints" in row else asked_features(row.raw("SubmitLine"))
    return "" if told == "(null)" else told.replace("/", "|")


def _held_nodes(row: Row) -> int:
    told = (row.count(name) for name in _NODE_COLUMNS)
    return next(filter(None, told), 0) or row.resource_count("AllocTRES", "node")


def _ending(row: Row, word: str) -> Ending:
    if word not in _STATES:
        row.odd["State"] = Odd("State", f"State: {shown(word)} is none of Slurm's; it counts as failed")
    return _STATES.get(word, Ending.FAILED)


_TEXTS = {
    "name": "JobName",
    "user": "User",
    "group": "Group",
    "account": "Account",
    "qos": "QOS",
    "reservation": "Reservation",
    "command": "SubmitLine",
    "directory": "WorkDir",
}


def _texts(row: Row) -> dict[str, Any]:
    return {field: row.raw(name) for field, name in _TEXTS.items()}


def _time(row: Row, name: str, zone: tzinfo) -> float | None:
    text = row.text(name)
    return _instant(name, text, zone) if text else None


def _instant(name: str, text: str, zone: tzinfo) -> float | None:
    if text.isascii() and text.isdigit():
        return float(whole(name, text))
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise BadField("not_a_number", f"{name}: {shown(text)} is not a time") from None
    at_s = (when if when.tzinfo else when.replace(tzinfo=zone)).timestamp()
    if at_s < 0:
        raise BadField(RANGE, f"{name}: {shown(text)} is before 1970")
    return at_s


def _ran_s(row: Row) -> float | None:
    """The time that it ran, without suspensions; None where no column says."""
    told = (row.spare(name, _optional_s, None) for name in ("ElapsedRaw", "Elapsed"))
    return next((value for value in told if value is not None), None)


def _optional_s(name: str, text: str) -> float | None:
    return duration_s(name, text)


def _exit(row: Row) -> tuple[int, int]:
    return row.spare("ExitCode", _code_and_signal, (0, 0))


def _code_and_signal(name: str, text: str) -> tuple[int, int]:
    code, _, signal = text.partition(":")
    return whole(name, code), whole(name, signal or "0")


def _limit_s(row: Row) -> float:
    """The time limit; 0 where the job has none, or the row gives none."""
    for name, unit_s in (("Timelimit", 1), ("TimelimitRaw", _MINUTE_S)):
        text = row.text(name)
        if text in _UNLIMITED:
            return 0.0
        limit_s = row.spare(name, duration_s if unit_s == 1 else whole, 0.0)
        if limit_s:
            return float(limit_s * unit_s)
    return 0.0


def _asked_kb(row: Row, processors: int, nodes: int) -> int:
    """Memory asked for, a processor: ``4Gc`` says so, ``4Gn`` is a node, and ``4G`` of the whole job."""
    text = row.text("ReqMem")
    if text == "0":
        return 0
    size = row.spare("ReqMem", lambda name, amount: size_kb(name, amount.rstrip("cn?"), "m"), 0)
    if not text and (amount := row.resource("ReqTRES", "mem")):
        size = row.spare("ReqTRES", lambda name, _: size_kb(name, amount, "m"), 0)
    if text.endswith("c"):
        return size
    return size * (max(1, nodes) if text.endswith("n") else 1) // max(1, processors)
