"""A log with all its records, whether they are jobs or not, so that what is written back is the log.

Reading for a simulation leaves out what never ran; a tool that edits logs must not.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from molokini.model.errors import BadFile, BadValue
from molokini.workloads.descriptors import described, descriptors_of
from molokini.workloads.header import decode_line, machine_processors, parse_header
from molokini.workloads.rules import from_records, judge
from molokini.workloads.swf import header_lines, read_records, write_records
from molokini.workloads.workload import SWF_FIELDS, Floats, Header, Rows, Workload

ENDINGS = (".swf", ".swf.gz")
"""What the name of a written log may end in."""


@dataclass(frozen=True)
class WholeLog:
    """Every record of a log, in the order of its file, under its header."""

    name: str
    records: Floats
    """A row of SWF's eighteen fields for each record, -1 where unknown."""
    header: Header = field(default_factory=Header)
    unread: Mapping[str, int] = field(default_factory=dict)
    """Lines that are no record of eighteen numbers, counted by reason; they are in no log that is written."""

    def __len__(self) -> int:
        return len(self.records)

    def column(self, name: str) -> Floats:
        """One of ``SWF_FIELDS`` of every record."""
        values: Floats = self.records[:, SWF_FIELDS.index(name)]
        return values

    @property
    def machine(self) -> int | None:
        """The processors of the machine that the header names, if it names one."""
        return machine_processors(self.header)

    @property
    def widths(self) -> Floats:
        """The processors of each record: requested, else allocated; below 1 where neither is known."""
        requested = self.column("requested_processors")
        return np.where(requested > 0, requested, self.column("allocated_processors"))

    def take(self, rows: Rows | slice) -> "WholeLog":
        """The records of these rows only."""
        return replace(self, records=self.records[rows])

    def jobs(self) -> Workload:
        """The records that are jobs, by the rules of every reader, in order of submission."""
        kept = self.records[judge(self.records) == 0]
        return from_records(self.name, kept[np.lexsort((kept[:, 0], kept[:, 1]))], self.header)


def read_whole(path: str | Path) -> WholeLog:
    """Every record of an SWF file, plain or gzip; BadFile where it cannot be read or holds none."""
    path = Path(path)
    found = read_records(path)
    shapes = descriptors_of(found)
    records, lines = found.matrix()
    if not len(records):
        raise BadFile(str(path), "the file holds no record of 18 numbers")
    header = parse_header([decode_line(line) for line in found.header])
    return WholeLog(path.name, described(records, lines, shapes), header, dict(found.skipped))


def whole(workload: Workload) -> WholeLog:
    """The records of a workload that came from somewhere else: another format, a model."""
    return WholeLog(workload.name, workload.records, parse_header(header_lines(workload)), workload.skipped)


def write_whole(log: WholeLog, path: str | Path) -> None:
    """Write a log as SWF, compressed if *path* ends in ``.gz``: the same log gives the same bytes."""
    check_name("output file", path)
    write_records(path, log.records, log.header.lines)


def check_name(option: str, path: str | os.PathLike[str]) -> None:
    """BadValue for a name under which no log is written."""
    if not Path(path).name.lower().endswith(ENDINGS):
        raise BadValue(option, os.fspath(path), f"a file name that ends in {' or '.join(ENDINGS)}")


def stem(name: str) -> str:
    """The name of a log's file without its endings."""
    lower = name.lower()
    ending = next((one for one in (".swf.gz", ".csv.gz", ".gz") if lower.endswith(one)), None)
    return name[: -len(ending)] if ending else Path(name).stem
