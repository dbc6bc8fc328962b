"""From records to a workload: which records are jobs, and what each job asked for.

One place for the rules, whatever the file was. A record is left out for the first reason of
``REASONS`` that applies to it. The first six and ``negative_submit`` and ``repeated_number`` say
that the file is broken; the others are part of the standard and say that the record is no job.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from molokini.model.errors import BadFile, BadValue
from molokini.workloads.header import LARGEST_MACHINE, header_integer, machine_processors
from molokini.workloads.records import Fault
from molokini.workloads.workload import SWF_FIELDS, Floats, Header, Ints, Workload

REASONS: tuple[str, ...] = (
    "line_too_long",
    "wrong_field_count",
    "not_a_number",
    "not_finite",
    "out_of_range",
    "partial_record",
    "negative_submit",
    "repeated_number",
    "run_time_negative",
    "no_processors",
    "not_text",
    "missing_field",
    "never_started",
    "not_ended",
    "requeued_attempt",
    "job_step",
    "other_record",
)
"""Why a record is no job, in the order in which the reasons are checked; the first that applies counts.

``out_of_range``: beyond 2^53 either way, a fraction where the field counts something, a job number
below 1, more than 2^31 - 1 processors. ``partial_record``: a part of a job that was split (status 2,
3 or 4); its summary line is the job. ``repeated_number``: another record before it has this number. The last
seven are of accounting: a line with a NUL, a record without a field that it needs, a job that never started,
or has not ended, an attempt before the last, a part of a job, a record about something else than an end.
"""

LEGITIMATE = frozenset(
    {
        *("partial_record", "run_time_negative", "no_processors"),
        *("never_started", "not_ended", "requeued_attempt", "job_step", "other_record"),
    }
)
"""Reasons that are no fault of the file; strict reading passes over them."""

LARGEST = 2.0**53
"""Beyond this a float no longer tells neighbouring whole numbers apart."""

_ROWS = 1 << 12
_COLUMN = {name: column for column, name in enumerate(SWF_FIELDS)}
COUNTED_FIELDS = (
    "number",
    "allocated_processors",
    "requested_processors",
    "status",
    "user",
    "group",
    "queue",
)
SPARE_FIELDS = frozenset(SWF_FIELDS) - {
    *("number", "submit_s", "run_s", "allocated_processors", "requested_processors"),
}
"""What a record can do without."""


def to_workload(
    path: Path,
    records: Floats,
    lines: Ints,
    header: Header,
    *,
    skipped: Mapping[str, int] | None = None,
    fault: Fault | None = None,
    notes: Mapping[str, int] | None = None,
    strict: bool = False,
    limit: int | None = None,
) -> Workload:
    """Judge *records* (rows of SWF's eighteen fields, with the line of each) and sort what remains.

    *skipped*, *fault* and *notes* tell what the file's reader met before. Raises ``BadFile`` where
    nothing remains and, if *strict*, at the first record that is not as the standard wants it.
    """
    check_limit(limit)
    counts = dict(skipped or {})
    total = len(records) + sum(counts.values())
    codes = judge(records)
    late = _late(records, codes)
    if strict:
        _stop_at_first(path, records, lines, codes, late, fault)
    for code in np.unique(codes[codes > 0]):
        reason = REASONS[code - 1]
        counts[reason] = counts.get(reason, 0) + int((codes == code).sum())
    counts = {reason: counts[reason] for reason in REASONS if counts.get(reason)}
    kept = codes == 0
    if not kept.any():
        first = fault if skipped and fault is not None else _first_fault(records, lines, codes)
        raise no_usable_record(path, counts, first)
    remarks = {**(notes or {}), **_header_notes(header, total), "unsorted_submits": int(late.sum())}
    jobs = records if kept.all() else records[kept]
    order = np.lexsort((jobs[:, 0], jobs[:, 1]))
    if (np.diff(order) != 1).any():
        jobs = jobs[order]
    workload = from_records(path.name, jobs, header, skipped=counts, notes=remarks)
    return workload if limit is None else workload.take(slice(0, limit))


def check_limit(limit: int | None) -> None:
    """Complain about a number of jobs that is none."""
    if limit is not None and limit < 1:
        raise BadValue("jobs", limit, "a whole number of 1 or more")


def no_usable_record(path: Path, counts: Mapping[str, int], first: Fault | None) -> BadFile:
    """The complaint about a file in which no record is a job: how many of which kind, and the *first*."""
    total = sum(counts.values())
    if not total:
        return BadFile(str(path), "the file holds no record")
    why = ", ".join(f"{counts[reason]} {reason}" for reason in REASONS if counts.get(reason))
    shown = "" if first is None else f"; line {first.line}: {first.cause}"
    return BadFile(str(path), f"no usable record among {total} ({why}){shown}")


def from_records(
    name: str,
    records: Floats,
    header: Header,
    *,
    skipped: Mapping[str, int] | None = None,
    notes: Mapping[str, int] | None = None,
) -> Workload:
    """A workload of records that are all jobs and in order: each one's request, from its fields.

    Processors are those requested, or those allocated where none were; the estimate is the
    requested time, or the run time where there is none.
    """
    requested, allocated = _of(records, "requested_processors"), _of(records, "allocated_processors")
    processors = np.where(requested > 0, requested, allocated).astype(np.int64)
    asked, run = _of(records, "requested_s"), _of(records, "run_s")
    machine = machine_processors(header)
    remarks = {
        **(notes or {}),
        "processors_from_allocation": int((requested <= 0).sum()),
        "estimate_from_run_time": int((asked <= 0).sum()),
        "processors_above_machine": 0 if machine is None else int((processors > machine).sum()),
    }
    return Workload(
        name=name,
        number=_of(records, "number").astype(np.int64),
        submit_s=_of(records, "submit_s").copy(),
        run_s=run.copy(),
        estimate_s=np.where(asked > 0, asked, run),
        processors=processors,
        user=_identity(records, "user"),
        group=_identity(records, "group"),
        queue=_identity(records, "queue"),
        records=records,
        header=header,
        skipped=dict(skipped or {}),
        machine_processors=machine,
        notes={name: count for name, count in remarks.items() if count},
    )


def judge(records: Floats) -> NDArray[np.uint8]:
    """0 for each record that is a job, else 1 + the index in ``REASONS`` of why it is none."""
    codes = np.zeros(len(records), np.uint8)

    def mark(bad: NDArray[np.bool_], reason: str) -> None:
        codes[bad & (codes == 0)] = REASONS.index(reason) + 1

    endless, beyond = _wild(records)
    mark(endless, "not_finite")
    mark(beyond, "out_of_range")
    for name in COUNTED_FIELDS:
        values = _of(records, name)
        mark(values != np.floor(values), "out_of_range")
    number, requested, allocated = (
        _of(records, name) for name in ("number", "requested_processors", "allocated_processors")
    )
    mark((number < 1) | (np.maximum(requested, allocated) > LARGEST_MACHINE), "out_of_range")
    mark(np.isin(_of(records, "status"), (2.0, 3.0, 4.0)), "partial_record")
    mark(_of(records, "submit_s") < 0, "negative_submit")
    mark(_repeated(number, codes == 0), "repeated_number")
    mark(_of(records, "run_s") < 0, "run_time_negative")
    mark((requested <= 0) & (allocated <= 0), "no_processors")
    return codes


def _wild(records: Floats) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Rows with a NaN or infinity in them, and rows with anything beyond ``LARGEST``."""
    wild = np.zeros(len(records), np.bool_)
    for first in range(0, len(records), _ROWS):  # in pieces that stay in the cache
        # Written so that a NaN, which compares with nothing, counts as wild.
        wild[first : first + _ROWS] = ~(np.abs(records[first : first + _ROWS]) <= LARGEST).all(axis=1)
    rows = np.flatnonzero(wild)
    endless = np.zeros(len(records), np.bool_)
    endless[rows] = ~np.isfinite(records[rows]).all(axis=1)
    return endless, wild


def _of(records: Floats, name: str) -> Floats:
    column: Floats = records[:, _COLUMN[name]]
    return column


def _identity(records: Floats, name: str) -> Ints:
    """Ids as integers; everything below zero is *unknown*."""
    return np.maximum(_of(records, name), -1.0).astype(np.int64)


def _repeated(number: Floats, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
    repeated = among.copy()
    _, first = np.unique(number[among], return_index=True)
    repeated[np.flatnonzero(among)[first]] = False
    return repeated


def _late(records: Floats, codes: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """True where a sound record was submitted before one that stands above it in the file."""
    sound = np.isin(codes, [0, *(REASONS.index(reason) + 1 for reason in LEGITIMATE - {"partial_record"})])
    late = np.zeros(len(records), np.bool_)
    submit = _of(records, "submit_s")[sound]
    late[sound] = submit < np.maximum.accumulate(submit)
    return late


def _stop_at_first(
    path: Path,
    records: Floats,
    lines: Ints,
    codes: NDArray[np.uint8],
    late: NDArray[np.bool_],
    fault: Fault | None,
) -> None:
    tolerated = [0, *(REASONS.index(reason) + 1 for reason in LEGITIMATE)]
    broken = late | ~np.isin(codes, tolerated)
    if broken.any():
        row = int(np.where(broken, lines, np.iinfo(np.int64).max).argmin())
        if fault is None or lines[row] < fault.line:
            reason = "unsorted_submit" if codes[row] in tolerated else REASONS[codes[row] - 1]
            raise BadFile(str(path), _cause(records[row], reason), int(lines[row]))
    if fault is not None:
        raise BadFile(str(path), fault.cause, fault.line)


def _first_fault(records: Floats, lines: Ints, codes: NDArray[np.uint8]) -> Fault | None:
    """Of records that are all no jobs, the first that breaks the format; the first of all where none does."""
    if not len(records):
        return None
    broken = ~np.isin(codes, [REASONS.index(reason) + 1 for reason in LEGITIMATE])
    row = int(np.where(broken, lines, lines + lines.max()).argmin())
    reason = REASONS[codes[row] - 1]
    return Fault(int(lines[row]), reason, _cause(records[row], reason))


def _cause(record: Floats, reason: str) -> str:
    number, submit = record[0], record[1]
    if reason == "run_time_negative":
        return f"field 4 (run_s): {record[_COLUMN['run_s']]:.15g} says that the job never ran"
    if reason == "no_processors":
        return "fields 5 and 8 (allocated_processors, requested_processors): neither is above 0"
    if reason == "partial_record":
        return f"field 11 (status): {record[_COLUMN['status']]:.15g} says that this is a part of a job"
    if reason == "unsorted_submit":
        return f"submit time {submit:.15g} is earlier than that of a record above; the lines are not sorted"
    if reason == "negative_submit":
        return f"field 2 (submit_s): {submit:.15g} is negative"
    if reason == "repeated_number":
        return f"field 1 (number): {number:.0f} was the number of an earlier record"
    wrong = next((column for column in range(len(record)) if not np.isfinite(record[column])), None)
    if wrong is not None:
        return f"field {wrong + 1} ({SWF_FIELDS[wrong]}): {record[wrong]:g} is not finite"
    return f"{_out_of_range(record)} is out of range"


def _out_of_range(record: Floats) -> str:
    for column, name in enumerate(SWF_FIELDS):
        value = float(record[column])
        largest = LARGEST_MACHINE if name.endswith("_processors") else LARGEST
        below = name == "number" and value < 1
        if abs(value) > largest or below or (name in COUNTED_FIELDS and not value.is_integer()):
            return f"field {column + 1} ({name}): {value:.15g}"
    return "the record"


def _header_notes(header: Header, total: int) -> dict[str, int]:
    """By how much the header's counts differ from the records that are there."""
    notes = {}
    for label, note in (("MaxJobs", "max_jobs_minus_records"), ("MaxRecords", "max_records_minus_records")):
        named = header_integer(header, label)
        if named is not None and named != total:
            notes[note] = named - total
    return notes
