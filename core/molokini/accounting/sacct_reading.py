"""Tables of Slurm's ``sacct --parsable`` and ``--parsable2``, read: any columns, as long as they say enough.

Needed are JobID (or JobIDRaw), Submit, and of Start, End and Elapsed two. Lines of steps lend their job
MaxRSS and are counted. Times are those of *zone*, or seconds since 1970 (SLURM_TIME_FORMAT=%s).
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from typing import Any

from molokini.accounting.fields import BadField, duration_s, missing, shown, size_kb, whole
from molokini.accounting.record import (
    COUNT,
    JOB_STEP,
    NOT_ENDED,
    RANGE,
    REQUEUED,
    Found,
    Left,
    Lines,
    Place,
    Record,
)
from molokini.accounting.sacct import SEPARATOR
from molokini.model.facts import NO_INDEX, Ending

_ID = re.compile(r"([0-9]{1,15})(?:_(?:([0-9]{1,15})|\[([^\]]*)\]))?(?:\+([0-9]{1,9}))?(\..+)?")
_ABSENT = frozenset({"", "Unknown", "None", "N/A", "None assigned", "INVALID", "NONE"})
_UNLIMITED = frozenset({"UNLIMITED", "Partition_Limit", "PartitionLimit"})
_MINUTE_S = 60
_LARGEST_MACHINE = 2**31 - 1
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
}
_REQUEUES = frozenset({"REQUEUED", "REQUEUE_FED", "REQUEUE_HOLD", "SPECIAL_EXIT"})


def is_header(text: str) -> bool:
    """Whether a line is the header of such a table."""
    names = text.split(SEPARATOR)
    return len(names) > 1 and not {"JobID", "JobIDRaw"}.isdisjoint(names)


def read(lines: Lines, zone: tzinfo = UTC) -> Found:
    """The jobs of *lines*, and what is no job. A further header begins a further table."""
    names: Sequence[str] = ()
    held: tuple[Place, Record] | None = None
    for place, text in lines:
        cells = text.split(SEPARATOR)
        if is_header(text) and not _id(dict(zip(names, cells, strict=False)))[:1].isdigit():
            names = cells
            continue
        if len(cells) != len(names) or not names:
            yield Left(place, COUNT, f"{len(cells)} cells where the header has {len(names)}")
            continue
        row = dict(zip(names, cells, strict=True))
        try:
            if (step := _step(row)) is not None:
                if held is not None and held[1].number == step:
                    held = held[0], _with_use(held[1], row)
                yield Left(place, JOB_STEP, f"a step of job {step}")
                continue
            if held is not None:
                yield held
            held = None
            held = place, _record(row, zone)
        except BadField as error:
            yield Left(place, error.reason, error.cause)
    if held is not None:
        yield held


def _step(row: Mapping[str, str]) -> int | None:
    match = _ID.fullmatch(_id(row))
    return int(match[1]) if match is not None and match[5] else None


def _id(row: Mapping[str, str]) -> str:
    return row.get("JobID") or row.get("JobIDRaw") or ""


def _with_use(record: Record, row: Mapping[str, str]) -> Record:
    """*record* with the most memory that one of its steps has used."""
    used = _size_kb(row, "MaxRSS")
    return replace(record, used_kb=max(record.used_kb, used)) if used > record.used_kb else record


def _record(row: Mapping[str, str], zone: tzinfo) -> Record:
    match = _ID.fullmatch(_id(row))
    if match is None or int(match[1]) < 1:
        raise BadField("not_a_number", f"JobID: {shown(_id(row))} does not begin with a number of 1 or more")
    word = row.get("State", "COMPLETED").split(" ")[0].rstrip("+")
    if word in _REQUEUES:
        raise BadField(REQUEUED, f"State: {word} says that it runs again")
    submitted, start, end = (_time(row, name, zone) for name in ("Submit", "Start", "End"))
    if submitted is None:
        raise missing("Submit")
    ran_s = _ran_s(row)
    if end is None and start is not None and ran_s is not None:
        end = start + ran_s if word in _STATES else None
    if word not in _STATES or end is None:
        raise BadField(NOT_ENDED, f"State: {shown(word)}, and it has not ended")
    ending, code, signal = _STATES[word], *_exit(row)
    if start is None and ran_s:
        start = end - ran_s
    if start is not None and end < start:
        raise BadField(RANGE, f"End: {row['End']} is before Start, {row['Start']}")
    # Slurm gives jobs that were cancelled while they waited the end as their start.
    if ending is Ending.CANCELLED and start == end and row.get("AllocCPUS", "0") == "0":
        start = None
    allocated = _count(row, "AllocCPUS") or _count(row, "NCPUS")
    processors, nodes = _count(row, "ReqCPUS") or allocated, _count(row, "ReqNodes")
    return Record(
        number=int(match[1]) + int(match[4] or 0),
        index=int(match[2]) if match[2] else NO_INDEX,
        indices=match[3] or "",
        **_texts(row),
        uid=_count(row, "UID") if row.get("UID", "").strip() else -1,
        submitted_s=submitted,
        eligible_s=_time(row, "Eligible", zone),
        start_s=start,
        end_s=start + ran_s if start is not None and ran_s is not None else end,
        ending=ending,
        exit_code=code,
        signal=signal,
        processors=processors,
        wanted_nodes=nodes if nodes > 1 else 0,
        allocated=allocated,
        estimate_s=_limit_s(row),
        memory_kb=_asked_kb(row, processors, nodes),
        used_kb=_size_kb(row, "MaxRSS"),
        cpu_s=_cpu_s(row),
        attempt=0 if start is None else 1 + _count(row, "Restarts"),
    )


_TEXTS = {
    "name": "JobName",
    "user": "User",
    "group": "Group",
    "account": "Account",
    "queue": "Partition",
    "qos": "QOS",
    "command": "SubmitLine",
    "directory": "WorkDir",
}


def _texts(row: Mapping[str, str]) -> dict[str, Any]:
    return {field: row.get(name, "") for field, name in _TEXTS.items()}


def _time(row: Mapping[str, str], name: str, zone: tzinfo) -> float | None:
    text = row.get(name, "").strip()
    if text in _ABSENT:
        return None
    if text.isascii() and text.isdigit():
        return float(whole(name, text))
    try:
        when = datetime.fromisoformat(text)
    except ValueError:
        raise BadField("not_a_number", f"{name}: {shown(text)} is no time") from None
    at_s = (when if when.tzinfo else when.replace(tzinfo=zone)).timestamp()
    if at_s < 0:
        raise BadField(RANGE, f"{name}: {shown(text)} is before 1970")
    return at_s


def _ran_s(row: Mapping[str, str]) -> float | None:
    """The time that it ran, without suspensions; None where no column says."""
    for name in ("ElapsedRaw", "Elapsed"):
        text = row.get(name, "").strip()
        if text not in _ABSENT:
            return duration_s(name, text)
    return None


def _exit(row: Mapping[str, str]) -> tuple[int, int]:
    text = row.get("ExitCode", "").strip()
    code, _, signal = text.partition(":")
    return (whole("ExitCode", code), whole("ExitCode", signal or "0")) if text else (0, 0)


def _count(row: Mapping[str, str], name: str) -> int:
    text = row.get(name, "").strip()
    if text in _ABSENT:
        return 0
    count = whole(name, text)
    if not 0 <= count <= _LARGEST_MACHINE:
        raise BadField(RANGE, f"{name}: {count} is no count")
    return count


def _limit_s(row: Mapping[str, str]) -> float:
    text = row.get("Timelimit", "").strip()
    if text and text not in _UNLIMITED and text not in _ABSENT:
        return duration_s("Timelimit", text)
    minutes = row.get("TimelimitRaw", "").strip()
    if not text and minutes and minutes not in _UNLIMITED and minutes not in _ABSENT:
        return float(whole("TimelimitRaw", minutes) * _MINUTE_S)
    return 0.0


def _cpu_s(row: Mapping[str, str]) -> float:
    text = row.get("TotalCPU", "").strip()
    return 0.0 if text in _ABSENT else duration_s("TotalCPU", text)


def _size_kb(row: Mapping[str, str], name: str) -> int:
    text = row.get(name, "").strip()
    return 0 if text in _ABSENT else size_kb(name, text)


def _asked_kb(row: Mapping[str, str], processors: int, nodes: int) -> int:
    """Memory asked for, a processor: ``4Gc`` says so, ``4Gn`` is a node, and ``4G`` of the whole job."""
    text = row.get("ReqMem", "").strip()
    if text in _ABSENT or text == "0":
        return 0
    size = size_kb("ReqMem", text.rstrip("cn?"), "m")
    if text.endswith("c"):
        return size
    return size * (max(1, nodes) if text.endswith("n") else 1) // max(1, processors)
