"""Logs to be written to a file and read: one record's line, and a file of lines."""

import gzip
from pathlib import Path

import numpy as np

from molokini.workloads.header import parse_header
from molokini.workloads.rules import from_records
from molokini.workloads.workload import SWF_FIELDS, Workload


def record(
    number: object = 1, submit: object = 0, run: object = 10, processors: object = 1, **fields: object
) -> str:
    """The line of one record; other fields by their names, unknown unless given."""
    named = {"number": number, "submit_s": submit, "run_s": run, "requested_processors": processors, **fields}
    return " ".join(str(named.get(name, -1)) for name in SWF_FIELDS)


def log(folder: Path, *lines: str, name: str = "log.swf") -> Path:
    """A plain log of these lines."""
    return raw(folder, "".join(line + "\n" for line in lines).encode(), name)


def raw(folder: Path, data: bytes, name: str = "log.swf") -> Path:
    """A file of these bytes."""
    path = folder / name
    path.write_bytes(data)
    return path


def packed(folder: Path, data: bytes, name: str = "log.swf.gz") -> Path:
    """A gzip of these bytes."""
    return raw(folder, gzip.compress(data), name)


def workload(*jobs: tuple[float, float, int], header: tuple[str, ...] = (), estimate: float = -1) -> Workload:
    """Jobs of (submit, run, processors), numbered from 1 in this order."""
    records = np.full((len(jobs), len(SWF_FIELDS)), -1.0)
    for row, (submit, run, processors) in enumerate(jobs):
        records[row, [0, 1, 3, 7, 8]] = row + 1, submit, run, processors, estimate
    return from_records("built", records, parse_header(header))
