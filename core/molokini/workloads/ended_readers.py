"""Jobs that have ended, read from logs, from Maui's traces, and from schedules of replays."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from molokini.model.errors import BadFile, BadInput, BadValue
from molokini.workloads.arrivals import LOG_CLOCK, hours_of_day, second_zero_s
from molokini.workloads.blocks import blocks
from molokini.workloads.ended import EndedJobs
from molokini.workloads.header import decode_line
from molokini.workloads.maui_jobs import COMPLETED, MauiJob, job_of
from molokini.workloads.maui_records import read_words
from molokini.workloads.readers import format_of, read_workload
from molokini.workloads.tables import parquet_columns
from molokini.workloads.workload import SWF_FIELDS, Floats, Workload

_DAY_S = 86_400.0
_WELL, _CANCELLED = 1.0, 5.0
_BACKFILL = "BACKFILL"
_UTC = "UTC"
_COLUMN = {name: column for column, name in enumerate(SWF_FIELDS)}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_KINDS = {"user": "user", "group": "group", "class": "queue"}
_SCHEDULE = ("job", "submit_s", "start_s", "end_s", "processors", "estimate_s")
"""The columns of a schedule that count here; no workload has the first of them."""
_TABLES = (".csv", ".csv.gz", ".parquet")


def read_ended(
    path: str,
    log: str | None = None,
    *,
    strict: bool = False,
    form: str | None = None,
    per_node: int | None = None,
) -> EndedJobs:
    """The jobs of the file at *path*, in the format *form*, or in that of its content or name.

    *per_node*: processors of each node, for accounting that tells of nodes alone.

    A schedule in CSV or Parquet has no users: they are those of the *log* that was replayed, where one is
    given. Raises BadFile, and BadInput for a *log* beside any other kind of file.
    """
    if form is None and path.lower().endswith(_TABLES) and (columns := _schedule_columns(path)) is not None:
        return _of_schedule(path, columns, None if log is None else read_workload(log, strict=strict))
    if log is not None:
        raise BadInput(
            f"--log is of a schedule in CSV or Parquet; {Path(path).name} tells whose its jobs are"
        )
    form = form or format_of(path)
    if form == "trace":
        return _of_trace(path, strict)
    return of_workload(read_workload(path, strict=strict, form=form, per_node=per_node))


def of_workload(workload: Workload) -> EndedJobs:
    """The jobs of a log, with the waits that it has; jobs that never ran are left out."""
    status = workload.records[:, _COLUMN["status"]]
    never = (status == _CANCELLED) & (workload.run_s <= 0.0)
    wait_s = np.where(
        workload.records[:, _COLUMN["wait_s"]] < 0.0, np.nan, workload.records[:, _COLUMN["wait_s"]]
    )
    days, calendar = _days(workload, workload.submit_s + np.nan_to_num(wait_s) + workload.run_s)
    whole = EndedJobs(
        wait_s,
        workload.run_s,
        workload.processors,
        workload.estimate_s,
        None if (status < 0).all() else status == _WELL,
        None,
    )
    names = {**_whose(workload), "day": days}
    left_out = int(never.sum()) + workload.skipped.get("never_started", 0)
    return _kept(whole, ~never, names, calendar, {**workload.skipped, "never_started": left_out})


def _whose(workload: Workload) -> dict[str, NDArray[np.object_]]:
    found = {}
    for kind, column in _KINDS.items():
        numbers = getattr(workload, column)
        if (numbers >= 0).any():
            _, first, member = np.unique(numbers, return_index=True, return_inverse=True)
            named = [workload.name_of(column, int(row)) for row in first]
            found[kind] = np.array(named, dtype=object)[member]
    return found


def _kept(
    whole: EndedJobs,
    rows: NDArray[np.bool_],
    names: Mapping[str, NDArray[np.object_]],
    calendar: str,
    skipped: Mapping[str, int],
) -> EndedJobs:
    return replace(
        whole.take(np.flatnonzero(rows)),
        names={kind: values[rows] for kind, values in names.items()},
        calendar=calendar,
        skipped={reason: count for reason, count in skipped.items() if count},
    )


def _days(workload: Workload, end_s: Floats) -> tuple[NDArray[np.object_], str]:
    """The day on which each job ended, in the local time of its machine, and the name of that clock."""
    calendar = hours_of_day(workload)[1]
    zero_s = 0.0 if calendar == LOG_CLOCK else second_zero_s(workload)
    return _named_days(zero_s + end_s, calendar != LOG_CLOCK), calendar


def _named_days(at_s: Floats, dated: bool) -> NDArray[np.object_]:
    days, member = np.unique(np.floor(np.nan_to_num(at_s) / _DAY_S).astype(np.int64), return_inverse=True)
    if dated:
        names = [f"{_EPOCH + timedelta(days=day):%Y-%m-%d}" for day in days.tolist()]
    else:
        names = [f"day {day}" for day in days.tolist()]
    return np.array(names, dtype=object)[member]


# Maui's traces and statistics files.


def _of_trace(path: str, strict: bool) -> EndedJobs:
    jobs: list[MauiJob] = []
    skipped: dict[str, int] = {}
    for record in read_words(Path(path)):
        try:
            job = job_of(record.words)
        except BadValue as error:
            if strict:
                raise BadFile(path, str(error), record.line) from None
            reason = "wrong_field_count" if error.field == "fields" else "not_a_number"
        else:
            reason = "" if job.end_s > 0.0 < job.start_s else "never_started"
            if not reason:
                jobs.append(job)
                continue
        skipped[reason] = skipped.get(reason, 0) + 1
    if not jobs:
        raise BadFile(path, "the file has no job that has ended")
    flags = np.array([_BACKFILL in job.flags for job in jobs])
    return EndedJobs(
        np.array([max(0.0, job.start_s - job.submit_s) for job in jobs]),
        np.array([max(0.0, job.end_s - job.start_s) for job in jobs]),
        np.array([job.processors for job in jobs], dtype=np.int64),
        np.array([job.limit_s for job in jobs]),
        np.array([job.state == COMPLETED for job in jobs]),
        # Where no record has a flag, flags were not recorded.
        flags if flags.any() else None,
        {
            "user": _texts(job.user for job in jobs),
            "group": _texts(job.group for job in jobs),
            "account": _texts(job.account for job in jobs),
            "class": _texts(job.first_queue for job in jobs),
            "qos": _texts(job.qos.rpartition(":")[2] or job.requested_qos for job in jobs),
            "day": _named_days(np.array([job.end_s for job in jobs]), dated=True),
        },
        _UTC,
        skipped,
    )


def _texts(names: Iterable[str]) -> NDArray[np.object_]:
    return np.array(list(names), dtype=object)


# Schedules of replays.


def _schedule_columns(path: str) -> dict[str, Floats] | None:
    """The columns of a schedule; None where the table is a workload."""
    if path.lower().endswith(".parquet"):
        return parquet_columns(path, _SCHEDULE)
    lines = (line for line in _lines(path) if not line.startswith("#"))
    head = [name.strip() for name in next(lines, "").split(",")]
    if _SCHEDULE[0] not in head:
        return None
    _check_columns(path, head)
    places = [head.index(name) for name in _SCHEDULE]
    rows = []
    for number, cells in enumerate(csv.reader(lines), 2):
        try:
            rows.append([float(cells[place]) if cells[place] else np.nan for place in places])
        except (ValueError, IndexError):
            raise BadFile(
                path, "a row of a schedule has a number, or nothing, in each cell", number
            ) from None
    table = np.array(rows, dtype=np.float64).reshape(len(rows), len(_SCHEDULE))
    return {name: table[:, place].copy() for place, name in enumerate(_SCHEDULE)}


def _lines(path: str) -> Iterable[str]:
    for block in blocks(Path(path)):
        for raw in block.splitlines():
            yield decode_line(raw)


def _check_columns(path: str, head: Sequence[str]) -> None:
    missing = [name for name in _SCHEDULE if name not in head]
    if missing:
        raise BadFile(path, f"column {missing[0]!r} of a schedule is missing")


def _of_schedule(path: str, columns: Mapping[str, Floats], log: Workload | None) -> EndedJobs:
    _check_columns(path, list(columns))
    start_s, end_s = columns["start_s"], columns["end_s"]
    ran = np.isfinite(end_s)
    names: dict[str, NDArray[np.object_]] = {}
    calendar = LOG_CLOCK
    if log is not None:
        places = {int(number): row for row, number in enumerate(log.number.tolist())}
        rows = np.array([places.get(int(number), -1) for number in columns["job"]], dtype=np.int64)
        if (rows < 0).any():
            unknown = int(columns["job"][rows < 0][0])
            raise BadFile(path, f"job {unknown} is not in the log {log.name}")
        names = {kind: values[rows] for kind, values in _whose(log).items()}
        names["day"], calendar = _days(log, end_s)
    else:
        names["day"] = _named_days(end_s, dated=False)
    whole = EndedJobs(
        start_s - columns["submit_s"],
        end_s - start_s,
        np.nan_to_num(columns["processors"]).astype(np.int64),
        columns["estimate_s"],
    )
    return _kept(whole, ran, names, calendar, {"not_finished": int((~ran).sum())})
