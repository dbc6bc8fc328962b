"""The accounting log of PBS, read: OpenPBS and Torque, of any order of keys.

E records are jobs, and fields that a job can do without need not be understood; other records are counted. A
deleted or aborted job that never had an E record never ran.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from molokini.accounting.fields import BadField, Spared, duration_s, missing, real, shown, size_kb, whole
from molokini.accounting.pbs import DELETED, KILLED, MOTHER_SUPERIOR_LOST, PROJECT, WALLTIME_EXCEEDED
from molokini.accounting.record import (
    COUNT,
    NEVER_STARTED,
    NUMBER,
    OTHER_RECORD,
    RANGE,
    REQUEUED,
    Found,
    Lines,
    Record,
    SkippedLine,
)
from molokini.model.facts import NO_INDEX, Ending

STAMP = re.compile(r"[0-9]{2}/[0-9]{2}/[0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2};[A-Za-z];")
"""How a line of such a log begins."""
_ID = re.compile(r"([0-9]{1,15})(?:\[([0-9]{0,15})\]|-([0-9]{1,15}))?(?:\..*)?")
_PAIR = re.compile(r'([^\s=]+)=(?:"([^"]*)"(?=\s|$)|(\S*))')
_SLOTS = re.compile(r"(?:[0-9]+(?:-[0-9]+)?)(?:,[0-9]+(?:-[0-9]+)?)*(?:\*[0-9]{1,9})?")
_NCPUS = re.compile(r"[:(]ncpus=([0-9]{1,9})")
_VNODE = re.compile(r"[(+]([^:()+]+)((?::[^:()+]+)*)")
_RERUN = frozenset({-11, -12, -15, -16, -18})
"""Exit statuses after which the job is queued again."""
_LARGEST_MACHINE = 2**31 - 1


def read(lines: Lines) -> Found:
    """The jobs of *lines*, and what is no job."""
    gone: dict[str, SkippedLine] = {}
    for place, text in lines:
        parts = text.split(";", 3)
        if len(parts) != 4 or not STAMP.match(text):
            cause = f"{shown(text)} is not a record: a stamp, a type, an id and a text are"
            yield SkippedLine(place, COUNT, cause)
            continue
        kind, name = parts[1], parts[2]
        if kind in "DA":
            left = SkippedLine(place, NEVER_STARTED, f"job {shown(name)} was deleted or aborted")
            if gone.setdefault(name, left) is not left:
                yield SkippedLine(place, OTHER_RECORD, f"a further record of type {kind}")
        elif kind == "E":
            # A job that is deleted while it runs has its E record all the same.
            if (left_before := gone.pop(name, None)) is not None:
                yield SkippedLine(left_before.place, OTHER_RECORD, "a record of type D or A before the end")
            try:
                yield place, _record(name, dict(_pairs(parts[3])))
            except BadField as error:
                yield SkippedLine(place, error.reason, error.cause)
        else:
            yield SkippedLine(place, OTHER_RECORD, f"a record of type {kind}")
    yield from gone.values()


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for match in _PAIR.finditer(text):
        yield match[1], match[3] if match[2] is None else match[2]


def _record(name: str, found: Mapping[str, str]) -> Record:
    number, index = identity(name)
    submitted = _instant(found, "ctime" if "ctime" in found else "qtime")
    start, end = _instant(found, "start"), _instant(found, "end")
    if submitted is None:
        raise missing("ctime")
    if end is None:
        raise missing("end")
    if start is None:
        raise missing("start")
    # Clocks that are not real begin at second 0, where jobs may start; else it says that one never did.
    if start == 0 < submitted:
        raise BadField(NEVER_STARTED, "start: 0 says that it never started")
    if end < start:
        raise BadField(RANGE, f"end: {end:.0f} is before start, {start:.0f}")
    if "Exit_status" not in found:
        raise missing("Exit_status")
    status = whole("Exit_status", found["Exit_status"])
    if status in _RERUN:
        raise BadField(REQUEUED, f"Exit_status: {status} says that it runs again")
    spared = Spared()
    limit_s = spared.read("walltime", lambda: _optional_s(found, "Resource_List.walltime"), 0.0)
    processors = asked_processors(found)
    nothing: tuple[tuple[tuple[str, int], ...], int] = (), 0
    # Where nothing says how many processors were asked for, those that it held are needed.
    held = spared.read("exec_host", lambda: _held(found), nothing) if processors else _held(found)
    nodes, allocated = held
    used = found.get("resources_used.mem", "0")
    return Record(
        number=number,
        index=index,
        name=found.get("jobname", ""),
        user=found.get("user", ""),
        group=found.get("group", ""),
        account=found.get("account") or _project(found.get("project", "")),
        queue=found.get("queue", ""),
        submitted_s=submitted,
        eligible_s=spared.read("etime", lambda: _instant(found, "etime"), None),
        start_s=start,
        end_s=end,
        processors=processors,
        wanted_nodes=spared.read("nodect", lambda: _wanted_nodes(found), 0),
        allocated=allocated,
        nodes=nodes,
        estimate_s=limit_s,
        memory_kb=spared.read("mem", lambda: _memory_kb(found, processors or allocated), 0),
        used_kb=spared.read("resources_used.mem", lambda: size_kb("resources_used.mem", used), 0),
        cpu_s=spared.read("cput", lambda: _optional_s(found, "resources_used.cput"), 0.0),
        attempt=spared.read("run_count", lambda: whole("run_count", found.get("run_count", "1")), 1),
        **_ending(status, end - start, limit_s),
        odd=tuple(spared.odd),
    )


def identity(name: str) -> tuple[int, int]:
    """Number and index of ``12.server``, ``12[3].server`` or Torque's older ``12-3.server``."""
    match = _ID.fullmatch(name)
    if match is None or int(match[1]) < 1:
        raise BadField(NUMBER, f"job id: {shown(name)} does not begin with a number of 1 or more")
    index = match[2] or match[3]
    return int(match[1]), NO_INDEX if not index else int(index)


def _project(text: str) -> str:
    return "" if text == PROJECT else text


def _instant(found: Mapping[str, str], key: str) -> float | None:
    """Seconds since 1970; None where it is not there."""
    if key not in found:
        return None
    value = real(key, found[key])  # Cobalt writes fractions of seconds
    if value < 0:
        raise BadField(RANGE, f"{key}: {value:.0f} is before 1970")
    return float(value)


def _optional_s(found: Mapping[str, str], key: str) -> float:
    return duration_s(key, found[key]) if key in found else 0.0


def _ending(status: int, ran_s: float, limit_s: float) -> dict[str, Any]:
    if status == 0:
        return {"ending": Ending.COMPLETED}
    if status == WALLTIME_EXCEEDED:
        return {"ending": Ending.TIMED_OUT}
    if status == MOTHER_SUPERIOR_LOST:
        return {"ending": Ending.NODE_LOST}
    if status == DELETED:
        # The wall limit and a deletion end a job by the same signal; the limit tells them apart.
        return {"ending": Ending.TIMED_OUT if 0 < limit_s <= ran_s else Ending.CANCELLED}
    if status >= KILLED:
        return {"ending": Ending.FAILED, "signal": status % 128}
    return {"ending": Ending.FAILED, "exit_code": max(status, 0)}


def _held(found: Mapping[str, str]) -> tuple[tuple[tuple[str, int], ...], int]:
    """Nodes with their processors, and the processors in all."""
    nodes: dict[str, int] = {}
    vnodes = found.get("exec_vnode", "")
    for match in _VNODE.finditer(vnodes):
        held = _NCPUS.search(match[2])
        nodes[match[1]] = nodes.get(match[1], 0) + (int(held[1]) if held else 0)
    if not sum(nodes.values()):
        nodes = {}
        for part in filter(None, found.get("exec_host", "").split("+")):
            host, _, slots = part.partition("/")
            nodes[host] = nodes.get(host, 0) + _slots(slots)
    allocated = sum(nodes.values())
    if "total_execution_slots" in found:
        allocated = whole("total_execution_slots", found["total_execution_slots"])
    return tuple((name, count) for name, count in nodes.items() if count), _machine("exec_host", allocated)


def _slots(text: str) -> int:
    """Processors of ``0`` (one), ``0-3`` (four), ``0,2`` (two) and ``0*4`` (four)."""
    if not text:
        return 1
    if not _SLOTS.fullmatch(text):
        raise BadField(NUMBER, f"exec_host: {shown(text)} are not slots")
    slots, _, times = text.partition("*")
    count = 0
    for part in slots.split(","):
        first, _, last = part.partition("-")
        count += int(last) - int(first) + 1 if last else 1
    return count * int(times or 1)


def asked_processors(found: Mapping[str, str]) -> int:
    """Processors of Resource_List: its select, its nodes, or its ncpus; 0 where none says."""
    if "Resource_List.select" in found:
        return _chunks(found["Resource_List.select"], "ncpus", "Resource_List.select")
    if "Resource_List.nodes" in found:
        return _chunks(found["Resource_List.nodes"].partition("#")[0], "ppn", "Resource_List.nodes")
    for key in ("Resource_List.procs", "Resource_List.ncpus"):
        if key in found:
            return _machine(key, max(0, whole(key, found[key])))
    return 0


def _chunks(text: str, resource: str, name: str) -> int:
    total = 0
    for chunk in text.split("+"):
        first, *rest = chunk.split(":")
        count = int(first) if first.isascii() and first.isdigit() and len(first) < 10 else 1
        words = [first, *rest]
        each = next((word.partition("=")[2] for word in words if word.startswith(f"{resource}=")), "1")
        total += count * whole(name, each)
    return _machine(name, total)


def _machine(name: str, count: int) -> int:
    if not 0 <= count <= _LARGEST_MACHINE:
        raise BadField(RANGE, f"{name}: {count} is not a number of processors")
    return count


def _wanted_nodes(found: Mapping[str, str]) -> int:
    """Nodes asked for, where the job is to be spread over them."""
    if found.get("Resource_List.place", "").startswith("scatter"):
        return whole("Resource_List.nodect", found.get("Resource_List.nodect", "0"))
    return 0


def _memory_kb(found: Mapping[str, str], processors: int) -> int:
    if "Resource_List.pmem" in found:
        return size_kb("Resource_List.pmem", found["Resource_List.pmem"])
    if "Resource_List.mem" not in found:
        return 0
    return size_kb("Resource_List.mem", found["Resource_List.mem"]) // max(1, processors)
