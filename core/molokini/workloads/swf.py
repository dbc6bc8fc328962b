"""The Standard Workload Format: reader and writer.

Eighteen blank-separated fields a line, comments after ``;``, the first comments a header of labels
(Chapin et al. 1999; version 2.2 of the Parallel Workloads Archive). Plain or gzip.
"""

import gzip
import io
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, cast

import numpy as np

from molokini.model.errors import BadValue
from molokini.workloads.atomic import atomic_path
from molokini.workloads.blocks import blocks
from molokini.workloads.descriptors import described, descriptors_of, on_its_machine
from molokini.workloads.header import decode_line, parse_header
from molokini.workloads.records import Lines, read_lines
from molokini.workloads.rules import SPARE_FIELDS, check_limit, to_workload
from molokini.workloads.workload import SWF_FIELDS, Floats, Header, Workload

_ROWS = 1 << 15


def read_swf(path: str | Path, *, strict: bool = False, limit: int | None = None) -> Workload:
    """Read a log; records that are no job are left out and counted in ``skipped`` (``rules.REASONS``).

    If *strict*, the first record that breaks the format (not one that merely is no job) raises
    ``BadFile`` with its line. A file that cannot be read to its end, or without a single job, raises
    ``BadFile`` always. Fields behind the eighteenth are left out and counted; but where the last of them
    tells nodes and processors (``descriptors``), these count. *limit* keeps the first jobs, in order of
    submission; the counts are still those of the whole file. Some 300,000 records take half a second and
    0.3 kB each.
    """
    path = Path(path)
    check_limit(limit)
    found = read_records(path)
    header = parse_header([decode_line(line) for line in found.header])
    shapes = descriptors_of(found)
    records, lines = found.matrix()
    workload = to_workload(
        path,
        described(records, lines, shapes),
        lines,
        header,
        skipped=found.skipped,
        fault=found.first_fault,
        notes={"comments_not_kept": found.comments_not_kept, **found.notes},
        strict=strict,
    )
    whole = on_its_machine(workload, shapes)
    return whole if limit is None else whole.take(slice(0, limit))


def read_records(path: Path) -> Lines:
    """The records of a file. What none needs may be anything, and fields may stand behind the last."""
    return read_lines(blocks(path), SWF_FIELDS, b";", spare=SPARE_FIELDS, most_extra=len(SWF_FIELDS) - 1)


def write_swf(workload: Workload, path: str | Path) -> None:
    """Write the workload's records under its header; compressed if *path* ends in ``.gz``.

    A workload without a header gets one of its counts and its machine.
    """
    write_records(path, workload.records, header_lines(workload))


def header_lines(workload: Workload) -> tuple[str, ...]:
    """The workload's own header lines, or new ones where it has none."""
    if workload.header.lines:
        return workload.header.lines
    jobs = len(workload)
    lines = ["; Version: 2.2", f"; MaxJobs: {jobs}", f"; MaxRecords: {jobs}"]
    if workload.machine_processors is not None:
        lines.append(f"; MaxProcs: {workload.machine_processors}")
    return tuple(lines)


def make_header(**labels: object) -> Header:
    """A header of these labels, in this order: ``make_header(Version="2.2", MaxProcs=128)``."""
    return parse_header([f"; {label}: {value}" for label, value in labels.items()])


def write_records(path: str | Path, records: Floats, header_lines: Sequence[str]) -> None:
    """Write any records of eighteen fields under any comment lines, whole or not at all.

    Whole numbers are written as such, others with as many digits as it takes to read them back
    exactly. The same input gives the same bytes, compressed too. NaN and infinities raise
    ``BadValue``: the format has no word for them but -1.
    """
    if records.ndim != 2 or records.shape[1] != len(SWF_FIELDS):
        raise BadValue("records", records.shape, f"rows of {len(SWF_FIELDS)} fields")
    if not np.isfinite(records).all():
        raise BadValue("records", "NaN or infinity", "finite, -1 where unknown")
    with atomic_path(path) as temporary, open_output(temporary) as stream:
        for line in header_lines:
            for part in line.split("\n"):
                stream.write(part + "\n" if part.lstrip().startswith(";") else f"; {part}\n")
        for text in text_rows(records, " "):
            stream.write(text)


def text_rows(records: Floats, separator: str) -> Iterator[str]:
    """Rows of numbers as text, some ten thousand at a time."""
    for first in range(0, len(records), _ROWS):
        part = records[first : first + _ROWS]
        columns = [_texts(part[:, column]) for column in range(part.shape[1])]
        yield "\n".join(map(separator.join, zip(*columns, strict=True))) + "\n"


def _texts(column: Floats) -> list[str]:
    whole = (column == np.floor(column)) & (np.abs(column) < 2.0**63)
    if whole.all():
        return list(map(str, column.astype(np.int64).tolist()))
    return [
        str(int(value)) if is_whole else repr(value)
        for value, is_whole in zip(column.tolist(), whole.tolist(), strict=True)
    ]


@contextmanager
def open_output(path: Path) -> Iterator[IO[str]]:
    """A text stream to *path*, compressed if it ends in ``.gz``, without name or time inside."""
    with ExitStack() as stack:
        raw = stack.enter_context(path.open("wb"))
        if path.suffix == ".gz":
            packed = gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0)
            raw = cast(io.BufferedWriter, stack.enter_context(packed))
        yield stack.enter_context(io.TextIOWrapper(raw, encoding="utf-8", newline="\n"))
