"""A schedule as a file: CSV and Parquet, SWF, or Maui's trace. One row a job, as submitted.

The same schedule gives the same bytes.
"""

from pathlib import Path
from typing import Any

import numpy as np

from molokini.accounting.fields import fit
from molokini.applications.divisible import fractions
from molokini.applications.kinds import RULES
from molokini.experiments.machines import node_names
from molokini.metrics.interruptions import interruptions_of, suspended_s
from molokini.sim.schedule import Places, Schedule
from molokini.workloads.atomic import atomic_path
from molokini.workloads.maui_trace import Ran, write_trace
from molokini.workloads.swf import header_lines, open_output, text_rows, write_records
from molokini.workloads.tables import write_columns
from molokini.workloads.workload import SWF_FIELDS, Floats, Ints, Workload

COMPLETED, FAILED, CANCELLED = 1.0, 0.0, 5.0
"""SWF's status: of a job that ran to its own end, of one killed at its estimate, of one that never ended."""

STATUSES = ("killed", "completed", "refused", "running")
"""Killed at its estimate; run to its own end; refused; started, and not at its end when the replay was over.
A job that is none of these was still waiting then."""

_FIELD = {name: column for column, name in enumerate(SWF_FIELDS)}


def schedule_columns(schedule: Schedule) -> dict[str, Floats | Ints]:
    """The columns by name; NaN where something did not happen."""
    workload = schedule.workload
    return {
        "job": workload.number,
        "submit_s": workload.submit_s,
        "start_s": schedule.start_s,
        "end_s": schedule.end_s,
        "processors": workload.processors,
        "estimate_s": workload.estimate_s,
        "run_s": schedule.run_s,
        "suspended_s": suspended_s(schedule),
        **_interrupted(schedule),
        **({} if schedule.limit_s is None else {"limit_s": schedule.limit_s}),
        **_loads(schedule),
    }


def _interrupted(schedule: Schedule) -> dict[str, Floats | Ints]:
    counts = interruptions_of(schedule)
    return {
        "suspensions": counts.suspensions,
        "requeues": counts.requeues,
        "checkpoints": counts.checkpoints,
        "lost_s": counts.lost_s,
    }


def _loads(schedule: Schedule) -> dict[str, Floats | Ints]:
    """Of divisible loads: how large, and until when."""
    workload = schedule.workload
    if workload.loads is None:
        return {}
    return {"load": workload.loads.size, "deadline_s": workload.submit_s + workload.loads.deadline_s}


def chunk_texts(schedule: Schedule) -> list[str] | None:
    """The fractions of each load that its nodes were sent, in their order; None where jobs have no loads."""
    loads, ran_as = schedule.workload.loads, schedule.ran_as
    if loads is None or ran_as is None:
        return None
    names = {number: name for name, number in RULES.items()}
    return [
        ";".join(map(repr, fractions(names[rule], size, nodes, loads.costs))) if rule and began else ""
        for rule, size, nodes, began in zip(
            ran_as.tolist(),
            loads.size.tolist(),
            schedule.workload.processors.tolist(),
            np.isfinite(schedule.start_s).tolist(),
            strict=True,
        )
    ]


def whole_columns(schedule: Schedule) -> dict[str, Any]:
    """The columns by name, with those that are no numbers."""
    return {**schedule_columns(schedule), **_text_columns(schedule)}


def _text_columns(schedule: Schedule) -> dict[str, Any]:
    """The columns behind those of numbers: chunks of loads, whose each job is, and what became of it."""
    chunks = chunk_texts(schedule)
    return {
        **({} if chunks is None else {"chunks": np.array(chunks)}),
        **{kind: _whose(schedule.workload, kind) for kind in ("user", "group")},
        "queue": _names(schedule.workload, "queue", schedule.queue),
        "status": _statuses(schedule),
        **({} if schedule.places is None else {"nodes": _node_texts(schedule.places)}),
    }


def _node_texts(places: Places) -> Any:
    """``node001:4;node003:2`` for each job: its nodes in their order, with its processors on each."""
    names = places.names or node_names(places.nodes)
    texts = []
    for first, count in zip(places.first.tolist(), places.count.tolist(), strict=True):
        held: dict[int, int] = {}  # components of a job may share a node
        for entry in range(first, first + count):
            node = int(places.node[entry])
            held[node] = held.get(node, 0) + int(places.processors[entry])
        texts.append(";".join(f"{names[node]}:{held[node]}" for node in sorted(held)))
    return np.array(texts, dtype=object)


def _whose(workload: Workload, kind: str) -> Any:
    """The user or group of each job: its name if the log has names, else its number (-1: unknown)."""
    return _names(workload, kind, getattr(workload, kind))


def _names(workload: Workload, kind: str, numbers: Ints) -> Any:
    if kind not in workload.names:
        return numbers
    present, of_job = np.unique(numbers, return_inverse=True)
    called = [workload.name_of_number(kind, int(number)) for number in present]
    return np.array(called, dtype=object)[of_job]


def _statuses(schedule: Schedule) -> Any:
    """What became of each job, in a word of ``STATUSES``."""
    finished, started = schedule.finished, np.isfinite(schedule.start_s)
    killed = finished & (schedule.run_s < schedule.workload.run_s)
    conditions = [killed, finished, schedule.refused_rows, started]
    words = np.array([*STATUSES, "waiting"], dtype=object)
    return words[np.select(conditions, range(len(conditions)), len(conditions))]


def write_schedule(schedule: Schedule, path: str) -> None:
    """Write *schedule* in the format that the ending of *path* names, whole or not at all."""
    ending = Path(path).name.lower()
    if ending.endswith((".swf", ".swf.gz")):
        write_records(path, swf_records(schedule), swf_header(schedule))
    elif ending.endswith(".trace"):
        write_trace(schedule.workload, path, Ran(schedule.start_s, schedule.end_s))
    elif ending.endswith(".parquet"):
        columns = whole_columns(schedule)
        # Masked is null in Parquet; NaN would be a number to many readers.
        undefined = ("start_s", "end_s", "run_s", "suspended_s")
        masked = {name: np.ma.masked_invalid(columns[name]) for name in undefined}
        write_columns(path, columns | masked)
    else:
        _write_csv(schedule, path)


def _write_csv(schedule: Schedule, path: str) -> None:
    columns = schedule_columns(schedule)
    matrix = np.column_stack([np.asarray(column, np.float64) for column in columns.values()])
    texts = _text_columns(schedule)
    with atomic_path(path) as temporary, open_output(temporary) as stream:
        stream.write(",".join([*columns, *texts]) + "\n")
        done = 0
        for text in text_rows(matrix, ","):
            # Only numbers stand there: an undefined one becomes an empty cell.
            lines = text.replace("nan", "").splitlines()
            part = slice(done, done + len(lines))
            cells = [_csv_cells(column[part]) for column in texts.values()]
            stream.writelines(map("{}\n".format, map(",".join, zip(lines, *cells, strict=True))))
            done += len(lines)


def _csv_cells(column: Any) -> list[str]:
    """Cells as CSV has them: in quotes where a sign of CSV is in them, on one line."""
    if column.dtype.kind == "i":
        return list(map(str, column.tolist()))
    return [f'"{fit(one).replace(chr(34), chr(34) * 2)}"' if _QUOTED & set(one) else one for one in column]


_QUOTED = frozenset(',"\n\r')


def swf_records(schedule: Schedule) -> Floats:
    """The log's records with the wait, run time, processors and status of this schedule."""
    workload, finished = schedule.workload, schedule.finished
    records = workload.records.copy()
    # A job that was suspended or shared its processors was there for longer than it worked.
    moved = np.isin(np.arange(len(workload)), schedule.trace.job)
    run_s = np.where(moved, schedule.end_s - schedule.start_s, schedule.run_s)
    killed = schedule.run_s < workload.run_s
    records[:, _FIELD["wait_s"]] = np.where(finished, schedule.start_s - workload.submit_s, -1.0)
    records[:, _FIELD["run_s"]] = np.where(finished, run_s, -1.0)
    records[:, _FIELD["allocated_processors"]] = np.where(finished, workload.processors, -1)
    records[:, _FIELD["status"]] = np.where(finished, np.where(killed, FAILED, COMPLETED), CANCELLED)
    return records


def swf_header(schedule: Schedule) -> tuple[str, ...]:
    """The log's own comments, and a note that says under which policy these waits came about."""
    parameters = "".join(f", {name} {value}" for name, value in schedule.parameters.items())
    note = (
        f"; Note: waits, run times and status as simulated by molokini: policy {schedule.policy}{parameters}"
    )
    return (*header_lines(schedule.workload), f"{note}, {schedule.processors} processors")
