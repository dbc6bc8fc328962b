"""Maui's workload traces as workloads, and schedules as Maui's statistics.

A workload numbers users, groups and queues; the names in the trace are kept beside them (``names``), so that
nothing is lost for a policy whose settings name users. Submit times become seconds since the first of them;
the header says when that was (UnixStartTime). The trace of a log that does not say when it began is of the
day after 1970-01-01: at second 0 itself nothing happens in a trace.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from molokini.model.errors import BadFile, BadValue
from molokini.workloads.header import header_integer
from molokini.workloads.maui_jobs import (
    COMPLETED,
    NOT_RUN,
    REMOVED,
    MauiJob,
    job_of,
    write_maui_jobs,
)
from molokini.workloads.maui_records import read_words
from molokini.workloads.records import Fault
from molokini.workloads.rules import to_workload
from molokini.workloads.swf import make_header
from molokini.workloads.workload import SWF_FIELDS, Floats, Workload

_COLUMN = {name: column for column, name in enumerate(SWF_FIELDS)}
_STATUS = {COMPLETED: 1.0, REMOVED: 5.0, NOT_RUN: 5.0}
_NUMBER = re.compile(r"\d+")
_KB_PER_MB = 1024
_DAY_S = 86400
"""Where logs without a beginning begin; a whole day, so that midnights stay midnights."""


class _Names:
    """Numbers for names, from 0 in the order in which they come."""

    def __init__(self) -> None:
        self.by_name: dict[str, int] = {}

    def number(self, name: str) -> float:
        """The name's number; -1 for no name."""
        return float(self.by_name.setdefault(name, len(self.by_name))) if name else -1.0


def read_trace(path: str | Path, *, strict: bool = False, limit: int | None = None) -> Workload:
    """Read a workload trace; lines that are no record are counted by reason, or refused if *strict*.

    The run time is what Maui simulates: completion less start, at least 1 s; if it never ran, its limit.
    """
    path = Path(path)
    jobs: list[MauiJob] = []
    lines: list[int] = []
    skipped: dict[str, int] = {}
    fault: Fault | None = None
    for record in read_words(path):
        try:
            jobs.append(job_of(record.words))
        except BadValue as error:
            reason = "wrong_field_count" if error.field == "fields" else "not_a_number"
            skipped[reason] = skipped.get(reason, 0) + 1
            fault = fault or Fault(record.line, reason, str(error))
        else:
            lines.append(record.line)
    names = {kind: _Names() for kind in ("user", "group", "executable", "queue", "partition")}
    zero_s = min((job.submit_s for job in jobs), default=0.0)
    records = np.array([_record(job, zero_s, names) for job in jobs]).reshape(-1, len(SWF_FIELDS))
    workload = to_workload(
        path,
        _numbered(records, jobs),
        np.array(lines, np.int64),
        make_header(UnixStartTime=int(zero_s)),
        skipped=skipped,
        fault=fault,
        strict=strict,
        limit=limit,
    )
    return replace(workload, names={kind: tuple(found.by_name) for kind, found in names.items()})


def _record(job: MauiJob, zero_s: float, names: dict[str, _Names]) -> list[float]:
    """The job's eighteen fields of SWF."""
    ran = job.end_s > 0 < job.start_s
    memory_mb = job.task_memory_mb * job.tasks or job.node_memory_mb
    fields = {
        "submit_s": job.submit_s - zero_s,
        "wait_s": job.start_s - job.submit_s if ran else -1.0,
        "run_s": job.run_s,
        "allocated_processors": float(job.allocated_tasks * job.processors_per_task or -1),
        "cpu_s": job.used_processor_seconds / job.processors if ran else -1.0,
        "requested_processors": float(job.processors),
        "requested_s": job.limit_s,
        "requested_memory_kb": float(memory_mb * _KB_PER_MB / job.processors) if memory_mb else -1.0,
        "status": _STATUS.get(job.state, -1.0),
        "user": names["user"].number(job.user),
        "group": names["group"].number(job.group),
        "executable": names["executable"].number(job.executable),
        "queue": names["queue"].number(job.first_queue),
        "partition": names["partition"].number(job.partition),
    }
    return [fields.get(name, -1.0) for name in SWF_FIELDS]


def _numbered(records: Floats, jobs: Sequence[MauiJob]) -> Floats:
    """The records with job numbers: those in the names where they are distinct, else 1, 2, 3..."""
    found = [_NUMBER.search(job.name) for job in jobs]
    numbers = [int(one[0]) if one and len(one[0]) < 16 else 0 for one in found]
    if min(numbers, default=1) < 1 or len(set(numbers)) < len(numbers):
        numbers = list(range(1, len(jobs) + 1))
    records[:, _COLUMN["number"]] = numbers
    return records


@dataclass(frozen=True)
class Ran:
    """When the jobs of a workload ran, one element a job; NaN where it never happened."""

    start_s: Floats
    end_s: Floats


def write_trace(workload: Workload, path: str | Path, ran: Ran | None = None) -> None:
    """Write the workload as a trace, with the starts and ends of *ran*, else with those of its log.

    Raises ``BadFile`` where it cannot be written; whole or not at all.
    """
    if not len(workload):
        raise BadFile(str(path), "there is no job to write")
    write_maui_jobs(trace_jobs(workload, ran or _as_logged(workload)), path)


def _as_logged(workload: Workload) -> Ran:
    """The log's times. Jobs of unknown wait start at submission: in a trace a run time needs a start."""
    wait_s = workload.records[:, _COLUMN["wait_s"]]
    start_s = workload.submit_s + np.maximum(wait_s, 0.0)
    cancelled = workload.records[:, _COLUMN["status"]] == _STATUS[NOT_RUN]
    # A job that never ran was read with its limit as its run time, and is written as it was.
    start_s[(wait_s < 0) & cancelled & (workload.run_s >= workload.estimate_s)] = np.nan
    return Ran(start_s, start_s + workload.run_s)


def trace_jobs(workload: Workload, ran: Ran) -> list[MauiJob]:
    """The workload's jobs as records of a trace, one task a processor."""
    zero_s = header_integer(workload.header, "UnixStartTime") or 0
    return [_job(workload, row, zero_s if zero_s > 0 else _DAY_S, ran) for row in range(len(workload))]


def _job(workload: Workload, row: int, zero_s: int, ran: Ran) -> MauiJob:
    tasks, ended = int(workload.processors[row]), bool(np.isfinite(ran.end_s[row]))
    submit_s = zero_s + float(workload.submit_s[row])
    start_s = zero_s + float(ran.start_s[row]) if ended else 0.0
    end_s = zero_s + float(ran.end_s[row]) if ended else 0.0
    memory_kb = float(workload.records[row, _COLUMN["requested_memory_kb"]])
    queue = workload.name_of("queue", row)
    return MauiJob(
        name=str(int(workload.number[row])),
        tasks=tasks,
        user=workload.name_of("user", row),
        group=workload.name_of("group", row),
        limit_s=float(workload.estimate_s[row]),
        state=COMPLETED if ended else NOT_RUN,
        queue=(f"{queue}:1",) if queue else (),
        submit_s=submit_s,
        dispatch_s=start_s,
        start_s=start_s,
        end_s=end_s,
        queued_s=submit_s,
        allocated_tasks=tasks if ended else 0,
        used_processor_seconds=tasks * (end_s - start_s),
        partition="DEFAULT",
        task_memory_mb=int(np.ceil(memory_kb / _KB_PER_MB)) if memory_kb > 0 else 0,
    )
