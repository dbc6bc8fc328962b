"""A table of jobs, column by column, as a workload: CSV with names, Parquet, a DataFrame, a schedule.

Columns are SWF's fields by name, or those of a schedule that a replay has written: the same thing under the
names that it has there. What a schedule tells of its replay alone is passed over (``OF_A_REPLAY``).
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from molokini.accounting.record import NOT_UNDERSTOOD
from molokini.accounting.swf import Numbers
from molokini.model.errors import BadFile
from molokini.workloads.records import Fault
from molokini.workloads.rules import SPARE_FIELDS, to_workload
from molokini.workloads.workload import SWF_FIELDS, Floats, Header, Ints, Workload

Cells = Mapping[str, NDArray[Any]]
"""Columns of numbers or of texts, equally long."""

OF_A_SCHEDULE = {"job": "number", "processors": "requested_processors", "estimate_s": "requested_s"}
"""Fields of SWF by the names that they have in a schedule, where these differ."""
OF_A_REPLAY = frozenset(
    {
        *("start_s", "end_s", "suspended_s", "suspensions", "requeues", "checkpoints", "lost_s", "limit_s"),
        *("load", "deadline_s", "chunks", "nodes"),
    }
)
"""Columns of a schedule that say how a replay went; they are no part of what was submitted."""
NAMED = ("user", "group", "executable", "queue")
"""Fields that may hold names; each gets a number, from 1 in the order in which they come."""
STATUS = {"completed": 1.0, "killed": 0.0, "refused": 5.0, "waiting": 5.0, "running": 5.0}
"""Status of SWF by the word of a schedule."""
_INDICES = ("", "index")
"""What the column of row numbers is called that pandas writes."""


def field_of(name: str) -> str:
    """The field of SWF that a column holds; the name itself where it holds none."""
    return OF_A_SCHEDULE.get(name, name)


def check_names(path: Path, names: Sequence[str]) -> None:
    """Complain, in one line about all of them, about columns that are not known, there twice, or missing."""
    fields = [field_of(name) for name in names]
    faults = [*_unknown(names), *_repeated(names, fields)]
    missing = [name for name in ("number", "submit_s", "run_s") if name not in fields]
    if not {"allocated_processors", "requested_processors"} & set(fields):
        missing.append("requested_processors")
    if missing:
        own = {field: name for name, field in OF_A_SCHEDULE.items()}
        told = ", ".join(repr(name) + (f" (or {own[name]!r})" if name in own else "") for name in missing)
        faults.append(f"column {told} is missing" if len(missing) == 1 else f"columns {told} are missing")
    if faults:
        raise BadFile(str(path), "; ".join(faults))


def _unknown(names: Sequence[str]) -> list[str]:
    known = [*SWF_FIELDS, *OF_A_SCHEDULE, *OF_A_REPLAY]
    told = []
    for name in names:
        if name not in known and name not in _INDICES:
            near = difflib.get_close_matches(name, known, n=1)
            told.append(repr(name[:40]) + (f" (did you mean {near[0]!r}?)" if near else ""))
    return [f"no field is named {', '.join(told)}"] if told else []


def _repeated(names: Sequence[str], fields: Sequence[str]) -> list[str]:
    found = []
    for field in dict.fromkeys(field for field in fields if fields.count(field) > 1):
        both = [name for name in dict.fromkeys(names) if field_of(name) == field]
        told = f"column {both[0]!r} is there twice" if len(both) == 1 else f"columns {both} say the same"
        found.append(told)
    return found


def workload_of(
    path: Path,
    cells: Cells,
    lines: Ints,
    header: Header,
    *,
    skipped: Mapping[str, int] | None = None,
    fault: Fault | None = None,
    strict: bool = False,
    limit: int | None = None,
) -> Workload:
    """The jobs of a table whose rows stand on *lines*; what is empty, NaN or null is unknown.

    Names of users, groups, executables and queues may be texts. Raises ``BadFile``, also for columns
    (``check_names``); *skipped*, *fault*, *strict* and *limit* as for ``to_workload``.
    """
    check_names(path, list(cells))
    reading = _Reading(lines, fault)
    records = np.full((len(lines), len(SWF_FIELDS)), -1.0)
    for name, column in cells.items():
        field = field_of(name)
        if field in SWF_FIELDS:
            records[:, SWF_FIELDS.index(field)] = reading.field(name, field, column)
    if {"start_s", "submit_s"} <= cells.keys() and "wait_s" not in cells:
        wait_s = (
            reading.field("start_s", "wait_s", cells["start_s"]) - records[:, SWF_FIELDS.index("submit_s")]
        )
        records[:, SWF_FIELDS.index("wait_s")] = np.where(wait_s >= 0, wait_s, -1.0)
    whole = ~reading.bad
    counts = {**(skipped or {}), "not_a_number": int(reading.bad.sum())}
    workload = to_workload(
        path,
        records[whole],
        lines[whole],
        header,
        skipped={reason: count for reason, count in counts.items() if count},
        fault=reading.fault,
        notes=reading.notes,
        strict=strict,
        limit=limit,
    )
    return replace(workload, names=reading.names)


class _Reading:
    """The columns of one table as they become numbers."""

    def __init__(self, lines: Ints, fault: Fault | None) -> None:
        self._lines = lines
        self.bad = np.zeros(len(lines), np.bool_)
        """Rows in which something is no number that a job needs."""
        self.notes: dict[str, int] = {}
        self.names: dict[str, tuple[str, ...]] = {}
        self.fault = fault
        """The first thing that is not as it should be."""

    def field(self, name: str, field: str, column: NDArray[Any]) -> Floats:
        """The numbers of *column*, which holds *field*."""
        if column.dtype.kind in "fiub":
            values = column.astype(np.float64)
            return np.where(np.isnan(values), -1.0, values)
        texts = ["" if _null(cell) else str(cell).strip() for cell in column.tolist()]
        if field in NAMED and any(text and not _is_number(text) for text in texts):
            numbers = Numbers()
            values = np.array([numbers.number(text) for text in texts], np.float64)
            self.names[field] = ("", *numbers.by_name)
            return values
        if field == "status":
            texts = [str(STATUS[text]) if text in STATUS else text for text in texts]
        return self._numbers(name, field, texts)

    def _numbers(self, name: str, field: str, texts: Sequence[str]) -> Floats:
        values = np.full(len(texts), -1.0)
        faults = []
        for row, text in enumerate(texts):
            if not text:
                continue
            if _is_number(text):
                values[row] = float(text)
            else:
                faults.append(row)
        if faults:
            line = int(self._lines[faults[0]])
            cause = f"column {name!r}: {texts[faults[0]][:40]!r} is not a number"
            if self.fault is None or line < self.fault.line:
                self.fault = Fault(line, "not_a_number", cause)
            if field in SPARE_FIELDS:
                self.notes[f"{NOT_UNDERSTOOD}{name}"] = len(faults)
            else:
                self.bad[faults] = True
        return values


def _null(cell: object) -> bool:
    """None, NaN, and what pandas has for them."""
    return cell is None or str(cell) in ("<NA>", "NaT", "nan")


def _is_number(text: str) -> bool:
    if not text.isascii() or "_" in text:
        return False
    try:
        return isfinite(float(text))
    except ValueError:
        return False
